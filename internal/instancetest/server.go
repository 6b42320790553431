// Package instancetest is one loopback instance of the file transfer service, for tests, examples and the demo.
//
// GET {base URL}/instance answers 200 with a document such as [Newer], [Older] or [Mixed]. Other paths and methods
// answer 404, and fail a test without [WithOtherRoutes]. A script makes an instance misbehave first, one [Step] a
// request. A test fails if it leaves a part of its script unused.
package instancetest

import (
	"crypto/tls"
	"net/http"
	"sync"
)

// Server is a running instance. Its methods may be called from any goroutine.
type Server struct {
	*loopback

	document    string
	header      [2]string // name and value; empty if none is required
	certificate Certificate
	unexpected  func(format string, args ...any)

	mu       sync.Mutex
	script   []Step
	fallback Step

	secure     bool // this and the following are used only to start the server
	clientAuth tls.ClientAuthType
}

// An Option changes what an instance does.
type Option func(*Server)

// Text is what can stand for an instance document: a [Document], or the body itself, which need not be JSON.
type Text interface{ Document | string }

func textOf[T Text](text T) string {
	if d, ok := any(text).(Document); ok {
		return d.JSON()
	}
	return any(text).(string)
}

// WithDocument sets the document the instance answers. Without it that is [Newer].
func WithDocument[T Text](document T) Option {
	return func(s *Server) { s.document = textOf(document) }
}

// WithPlainHTTP serves HTTP, which is the default. It is for tables in which other rows serve HTTPS.
func WithPlainHTTP() Option { return func(s *Server) { s.secure = false } }

// WithTLS serves HTTPS.
func WithTLS() Option { return func(s *Server) { s.secure = true } }

// WithCertificate serves HTTPS with a certificate of the kind.
func WithCertificate(kind Certificate) Option {
	return func(s *Server) { s.secure, s.certificate = true, kind }
}

// WithClientCertificate serves HTTPS and refuses clients without a certificate that the CA signed.
func WithClientCertificate() Option {
	return func(s *Server) { s.secure, s.clientAuth = true, tls.RequireAndVerifyClientCert }
}

// WithRequiredHeader answers 401 to requests without the header, or with another value.
func WithRequiredHeader(name, value string) Option {
	return func(s *Server) { s.header = [2]string{name, value} }
}

// WithScript adds steps to the script. Each serves one request, whatever its method and path.
func WithScript(steps ...Step) Option {
	return func(s *Server) { s.script = append(s.script, steps...) }
}

// WithDefault sets what serves the requests after the script. Without it that is [Answer].
func WithDefault(step Step) Option { return func(s *Server) { s.fallback = step } }

// WithOtherRoutes is for tests that ask for routes which no instance has.
func WithOtherRoutes() Option { return func(s *Server) { s.unexpected = ignore } }

func ignore(string, ...any) {}

// Start starts an instance, which the caller closes.
func Start(options ...Option) (*Server, error) {
	s := &Server{
		document:   Newer().JSON(),
		fallback:   Answer(),
		clientAuth: tls.RequestClientCert, // so that a certificate is seen also where none is needed
		unexpected: ignore,
	}
	for _, option := range options {
		option(s)
	}
	var config *tls.Config
	if s.secure {
		config = serverTLS(s.certificate, s.clientAuth)
	}
	var err error
	s.loopback, err = listenHTTP(config, http.HandlerFunc(s.serve))
	return s, err
}

// New starts an instance for a test, which fails when it cannot be started, and closes it when the test ends.
func New(t TB, options ...Option) *Server {
	t.Helper()
	s, err := Start(append([]Option{func(s *Server) { s.unexpected = t.Errorf }}, options...)...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() {
		s.Close()
		if n := len(s.script); n > 0 {
			t.Errorf("nobody asked for the last %d steps of the script of %s", n, s.URL())
		}
	})
	return s
}

// SetScript replaces what is left of the script.
func (s *Server) SetScript(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = steps
}

// SetDefault replaces what serves the requests after the script.
func (s *Server) SetDefault(step Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fallback = step
}

// CACertPEM returns the certificate of the CA, the same for all instances of a process.
func (s *Server) CACertPEM() string { return certificates().caPEM }

// ClientCertPEM returns a valid client certificate that the CA signed.
func (s *Server) ClientCertPEM() string { return certificates().clientCertPEM }

// ClientKeyPEM returns the client certificate's private key (PKCS #8).
func (s *Server) ClientKeyPEM() string { return certificates().clientKeyPEM }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if s.header[0] != "" && r.Header.Get(s.header[0]) != s.header[1] {
		writeError(w, http.StatusUnauthorized, "Missing or wrong header "+s.header[0])
		return
	}
	s.next()(s, w, r)
}

// next takes the step that serves one request.
func (s *Server) next() Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.script) == 0 {
		return s.fallback
	}
	step := s.script[0]
	s.script = s.script[1:]
	return step
}
