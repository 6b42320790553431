package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// exchange is one request with its response, over a connection of its own that is never used again. If a server sends one response too
// many, nothing in HTTP/1.1 tells that from the response to the next request on a connection, and one instance would get the values of
// another.
//
// One goroutine takes it through its phases. It leaves only the writing of the request to another one.
type exchange struct {
	session    *session
	target     *url.URL
	isOwn      bool // the target may get the extra headers and the client certificate: no redirect has left the origin of the base URL
	route      route
	asked      Asked
	phase      phase
	dialed     string   // the address that was dialed last, or ""
	wire       *wire    // the connection that was dialed
	connection net.Conn // over the wire, to the target or to a proxy that passes requests on; nil until all handshakes are over
}

// phase says how far an exchange has got.
type phase int

const (
	resolving   phase = iota // the host name is looked up
	connecting               // an address is dialed
	proxying                 // there is a connection to a proxy, but no tunnel yet
	handshaking              // the TLS handshake with the target has begun
	requesting               // the request can be sent
	responding               // a byte of the response has arrived
)

// newExchange returns an exchange that has not begun. asked is what the exchanges before it have noted; what is about one of them alone is
// set anew.
func (s *session) newExchange(target *url.URL, isOwn bool, asked Asked) *exchange {
	route := s.client.routeTo(target)
	asked.Peer, asked.ConnectTo, asked.FromCache, asked.Age = "", route.connectTo, false, 0
	asked.ProxyVariable, asked.Forwarded = route.proxyVariable, route.proxyUse == forwards
	asked.HeadersWithheld = !isOwn && len(s.request.Headers) > 0
	asked.CertificateWithheld = !isOwn && s.client.config.TLS.ClientCertPEM != ""
	return &exchange{session: s, target: target, isOwn: isOwn, route: route, asked: asked}
}

// run makes the exchange, and closes its connection. It returns the answer, or where it is redirected to.
func (e *exchange) run(ctx context.Context, askedAt time.Time, redirects int) (*answer, *url.URL, error) {
	defer e.close()
	response, err := e.send(ctx) //nolint:bodyclose // its Close would read all of it; closing the connection ends it
	if err != nil {
		return nil, nil, err
	}
	e.asked.Age, e.asked.FromCache = ageOf(response.Header)
	next, err := e.redirectOf(response, redirects)
	if next != nil || err != nil {
		return nil, next, err // the body is not read: it may be endless, and no message quotes it
	}
	got, err := e.toAnswer(response, askedAt)
	return got, nil, err
}

// send sends the request, and returns the response as soon as its head has arrived.
func (e *exchange) send(ctx context.Context) (*http.Response, error) {
	if e.route.err != nil {
		return nil, e.route.err
	}
	request := e.newRequest()
	write := request.Write
	if e.route.proxyUse == forwards {
		write = request.WriteProxy
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return nil, err
	}
	connection, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	e.phase, e.connection = requesting, connection
	e.asked.HeadersSent = e.asked.HeadersSent || e.isOwn && len(e.session.request.Headers) > 0
	// Another goroutine writes, because a server may answer, and close the connection, before it has read all of a large request. What it
	// answers counts, so an error of the write matters only if nothing can be read (see source).
	written := make(chan error, 1)
	go func() {
		_, err := connection.Write(text.Bytes())
		written <- err
	}()
	from := &source{connection: connection, wire: e.wire, written: written, limit: maxHead}
	response, err := readHead(from, request)
	if from.read > 0 {
		e.phase = responding
	}
	return response, err
}

func (e *exchange) newRequest() *http.Request {
	header := http.Header{
		"Accept":          {"application/json"},
		"Accept-Encoding": {"gzip"},
		"Cache-Control":   {"no-cache"}, // a copy in a cache may come from an old server
		"User-Agent":      {e.session.client.config.UserAgent},
	}
	if e.isOwn {
		maps.Copy(header, e.session.request.Headers)
	}
	if e.route.proxyUse == forwards {
		maps.Copy(header, e.route.proxyAuthorization())
	}
	return &http.Request{Method: http.MethodGet, URL: e.target, Host: e.target.Host, Header: header, Close: true}
}

// close closes the connection, which also ends the body of the response.
func (e *exchange) close() {
	if e.connection != nil {
		_ = e.connection.Close()
	}
}

const maxHead = 16 << 10 // bytes of a head, interim responses included; parsed, it can take eighteen times as much memory

// readHead reads the head of the response to a request, and skips interim responses. If the connection ends in the head or in the body, the
// error says how it ended, and not that HTTP is malformed.
func readHead(from *source, request *http.Request) (*http.Response, error) {
	reader := bufio.NewReader(from)
	start, _ := reader.Peek(len("HTTP/"))               // fewer bytes if the connection ends
	isHTTP := strings.HasPrefix("HTTP/", string(start)) //nolint:gocritic // start may be the shorter one
	for {
		response, err := http.ReadResponse(reader, request)
		switch {
		case err != nil && from.err != nil && isHTTP: // ReadResponse calls a head malformed that is only cut off
			return nil, from.err
		case err != nil:
			return nil, err
		case response.StatusCode < http.StatusContinue:
			return nil, fmt.Errorf("malformed HTTP status code %q", response.Status)
		case response.StatusCode >= http.StatusOK || response.StatusCode == http.StatusSwitchingProtocols:
			from.limit = math.MaxInt
			response.Body = body{response.Body, from}
			return response, nil
		}
	}
}

// source reads from a connection, and remembers the error that ended it. The readers of heads and bodies may return another one instead.
type source struct {
	connection net.Conn
	wire       *wire        // below the connection; nil if written is
	written    <-chan error // has the error of writing the request; may be nil
	read       int          // how many bytes were read
	limit      int          // how many bytes may be read
	err        error        // why no more can be read, or nil
}

func (s *source) Read(buffer []byte) (int, error) {
	if s.err == nil && s.read >= s.limit {
		s.err = fmt.Errorf("the head has more than %d bytes", s.limit)
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.connection.Read(buffer[:min(len(buffer), s.limit-s.read)])
	s.read += n
	if n > 0 || err == nil { // TLS may return bytes together with an error, which the next Read returns again
		return n, nil
	}
	s.err = err
	if s.written != nil && s.wire.hasEnded { // the system reports a reset only once: if the write got it, a read gets a plain EOF
		_ = s.connection.Close()
		if writeErr := <-s.written; isReset(writeErr) {
			s.err = writeErr
		}
	}
	return 0, s.err
}

// wire is a connection below TLS, and notes whether it has ended. TLS returns io.EOF also if the other side has only said that nothing
// follows.
type wire struct {
	net.Conn

	hasEnded bool
}

func (w *wire) Read(buffer []byte) (int, error) {
	n, err := w.Conn.Read(buffer)
	w.hasEnded = w.hasEnded || errors.Is(err, io.EOF)
	return n, err
}

// body is the body of a response. If its connection ends too early, its error is that of the source.
type body struct {
	io.ReadCloser

	source *source
}

func (b body) Read(buffer []byte) (int, error) {
	n, err := b.ReadCloser.Read(buffer)
	switch {
	case err == nil, errors.Is(err, io.EOF), b.source.err == nil:
		return n, err
	case errors.Is(b.source.err, io.EOF):
		return n, io.ErrUnexpectedEOF
	default:
		return n, b.source.err
	}
}

// hasBroken reports whether the connection ended before the body of a response did.
func hasBroken(response *http.Response) bool {
	of, ok := response.Body.(body)
	return ok && of.source.err != nil
}
