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
	"syscall"
	"time"
)

// exchange is one request with its response, over a connection of its own that is never used again. If a server sends one response too
// many, nothing in HTTP/1.1 tells that from the response to the next request on a connection, and one instance would get the values of
// another.
//
// One goroutine takes it through its phases: it dials, greets a proxy, shakes hands, writes, and reads.
type exchange struct {
	session    *session
	target     *url.URL
	isOwn      bool // the target may get the extra headers and the client certificate: no redirect has left the origin of the base URL
	route      route
	asked      Asked
	phase      phase
	dialed     string   // the address that was dialed last, or ""
	connection net.Conn // to the target, or to a proxy that passes requests on; nil until all handshakes are over
}

// phase says how far an exchange has got.
type phase int

const (
	resolving   phase = iota // the host name is looked up
	connecting               // an address is dialed
	proxying                 // there is a connection to a proxy, but no tunnel yet
	handshaking              // the TLS handshake with the target has begun
	waiting                  // the request can be sent
	responding               // a byte of the response has arrived
)

// newExchange returns an exchange that has not begun. It goes on with what the exchange before it has asked, which may be nothing yet.
func (s *session) newExchange(target *url.URL, isOwn bool, asked Asked) *exchange {
	route := s.client.routeTo(target)
	asked.Peer, asked.ConnectTo = "", route.connectTo
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
	e.phase, e.connection = waiting, connection
	e.asked.HeadersSent = e.asked.HeadersSent || e.isOwn && len(e.session.request.Headers) > 0
	// In a goroutine of its own, and without regard to its error: a server may answer, and close the connection, before it has read all of a
	// large request.
	written := make(chan error, 1)
	go func() {
		_, err := connection.Write(text.Bytes())
		written <- err
	}()
	response, err := readHead(connection, request, func() { e.phase = responding })
	if errors.Is(err, io.EOF) { // the system reports a reset once, and may have reported it to the write
		e.close()
		if err := <-written; isReset(err) {
			return nil, err
		}
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

// readHead reads the head of the response to a request, and leaves out interim responses. It calls begun when the first byte has arrived.
// The error is that of the connection if it ended inside the head, which [http.ReadResponse] would call malformed.
func readHead(connection net.Conn, request *http.Request, begun func()) (*http.Response, error) {
	source := &headReader{connection: connection, left: maxHead, begun: begun}
	reader := bufio.NewReader(source)
	for {
		response, err := http.ReadResponse(reader, request)
		switch {
		case source.err != nil && err != nil:
			return nil, source.err
		case err != nil:
			return nil, err
		case response.StatusCode < http.StatusContinue:
			return nil, fmt.Errorf("malformed HTTP status code %q", response.Status)
		case response.StatusCode >= http.StatusOK || response.StatusCode == http.StatusSwitchingProtocols:
			source.left = math.MaxInt
			return response, nil
		}
	}
}

// headReader reads from a connection until the limit of the head is reached, and remembers why no more could be read.
type headReader struct {
	connection net.Conn
	left       int // how many bytes may still be read
	begun      func()
	err        error
}

func (r *headReader) Read(buffer []byte) (n int, err error) {
	if r.left == 0 {
		r.err = fmt.Errorf("the head has more than %d bytes", maxHead)
		return 0, r.err
	}
	n, r.err = r.connection.Read(buffer[:min(len(buffer), r.left)])
	r.left -= n
	if n > 0 {
		r.begun()
	}
	return n, r.err
}

// isReset reports whether the other side has reset a connection. Windows reports 10054 (WSAECONNRESET), and never [syscall.ECONNRESET].
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.Errno(10054))
}
