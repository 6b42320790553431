// Package instancetest is one loopback instance of the file transfer service, for tests, examples and the demo.
//
// # What it imitates
//
// GET {base URL}/instance, without credentials, answers 200 with the instance document as "application/json; charset=utf-8". Every other
// path, {base URL}/instance/ included, and every other method answers 404 in the form of the service's errors:
//
//	{"statusCode":404,"error":"Not Found","message":"Route GET:/instance/ not found"}
//
// [Newer], [Older] and [Mixed] are documents of its shapes, and [Document.With] and [Document.Without] make every other document out of
// them.
//
// A test fails if it asks for another route without [WithOtherRoutes], or if it leaves a part of its script unused.
//
// # Faults
//
// A script makes an instance misbehave, one [Step] a request and in order, after which it answers as above:
//
//	server := instancetest.New(t, instancetest.WithScript(
//		instancetest.Status(503), instancetest.Status(503)))
//	// ... have server.URL() read, then look at server.Requests()
package instancetest

import (
	"crypto/tls"
	"net/http"
	"strings"
	"sync"
)

// Server is a running instance. Its methods may be called from any goroutine.
type Server struct {
	*loopback

	path        string
	document    string
	headers     [][2]string
	certificate Certificate
	unexpected  func(format string, args ...any)

	mu       sync.Mutex
	script   []Step
	fallback Step

	// These are used only to start the server.
	address    string
	secure     bool
	clientAuth tls.ClientAuthType
	maxVersion uint16
}

// Option changes what an instance does.
type Option func(*Server)

// Text is what can stand for an instance document: a [Document], or the body itself, which need not be JSON.
type Text interface {
	Document | string
}

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

// WithPath puts the instance under a path, such as "/files/api".
func WithPath(path string) Option {
	return func(s *Server) { s.path = strings.TrimSuffix("/"+strings.Trim(path, "/"), "/") }
}

// WithPlainHTTP serves HTTP, which is the default. It is for tables in which other rows serve HTTPS.
func WithPlainHTTP() Option {
	return func(s *Server) { s.secure = false }
}

// WithTLS serves HTTPS.
func WithTLS() Option {
	return func(s *Server) { s.secure = true }
}

// WithTLS12 serves HTTPS with TLS 1.2, in which a server refuses a client without a certificate during the handshake. With TLS 1.3, it does
// so afterwards.
func WithTLS12() Option {
	return func(s *Server) { s.secure, s.maxVersion = true, tls.VersionTLS12 }
}

// WithCertificate serves HTTPS with a certificate of the kind.
func WithCertificate(kind Certificate) Option {
	return func(s *Server) { s.secure, s.certificate = true, kind }
}

// WithClientCertificate serves HTTPS and refuses clients without a certificate that the CA signed.
func WithClientCertificate() Option {
	return func(s *Server) { s.secure, s.clientAuth = true, tls.RequireAndVerifyClientCert }
}

// WithRequiredHeader answers 401 to requests that lack the header or carry another value. Such requests do not use up the script. Given
// more than once, all the headers are required.
func WithRequiredHeader(name, value string) Option {
	return func(s *Server) { s.headers = append(s.headers, [2]string{name, value}) }
}

// WithListenAddress listens there, and not on a free port of 127.0.0.1: for an instance that is started after its address became known, see
// [ReserveAddress].
func WithListenAddress(address string) Option {
	return func(s *Server) { s.address = address }
}

// WithScript adds steps to the script. Each serves one request, whatever its method and path.
func WithScript(steps ...Step) Option {
	return func(s *Server) { s.script = append(s.script, steps...) }
}

// WithDefault sets what serves the requests after the script. Without it that is [Answer].
func WithDefault(step Step) Option {
	return func(s *Server) { s.fallback = step }
}

// WithOtherRoutes is for tests that ask for routes which no instance has.
func WithOtherRoutes() Option {
	return func(s *Server) { s.unexpected = ignore }
}

func ignore(string, ...any) {}

// Start starts an instance, which the caller closes.
func Start(options ...Option) (*Server, error) {
	s := &Server{
		address:    "127.0.0.1:0",
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
		config.MaxVersion = s.maxVersion
	}
	var err error
	if s.loopback, err = listenHTTP(s.address, config, http.HandlerFunc(s.serve)); err != nil {
		return nil, err
	}
	return s, nil
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

// URL returns the base URL, path included, without a trailing slash.
func (s *Server) URL() string { return s.Origin() + s.path }

// SetScript replaces what is left of the script, for tests that change an instance as they go.
func (s *Server) SetScript(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = steps
}

// SetDefault replaces what serves the requests after the script, as in SetDefault(AnswerDocument(Older())).
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
	for _, header := range s.headers {
		if r.Header.Get(header[0]) != header[1] {
			writeError(w, http.StatusUnauthorized, "Missing or wrong header "+header[0])
			return
		}
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
