package client

import (
	"crypto/tls"
	"net/http/httptrace"
	"sync"
)

// phase says how far an exchange has got. It only ever goes forward.
type phase int

const (
	starting    phase = iota
	resolving         // a host name is being looked up
	connecting        // to an address of the host
	proxying          // there is a connection to a proxy, which has made no tunnel yet
	handshaking       // the TLS handshake with the instance has begun
	waiting           // the request can be sent
	responding        // a byte of the response has arrived
)

// progress records how far an exchange has got, which the errors of net/http leave out, and with which addresses. Goroutines of net/http
// may go on with it after the exchange has ended.
type progress struct {
	mu sync.Mutex
	snapshot
}

// snapshot is how far an exchange has got, and the addresses of the last dial and of the connection, or "".
type snapshot struct {
	phase             phase
	dialed, connected string
}

// advance goes on to a phase, unless a later one has been reached.
func (p *progress) advance(to phase) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phase = max(p.phase, to)
}

// dial notes that an address is dialed, unless it is that of a name server, to which Go's resolver connects with the same context.
func (p *progress) dial(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.phase != resolving {
		p.phase, p.dialed = max(p.phase, connecting), address
	}
}

// connect notes the address of the connection.
func (p *progress) connect(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connected = address
}

func (p *progress) now() snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.snapshot
}

// hooks returns what net/http calls to tell how an exchange goes on. What it does not tell, the dial of the exchange adds.
func (e *exchange) hooks() *httptrace.ClientTrace {
	p := &e.progress
	return &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { p.advance(resolving) },
		DNSDone: func(info httptrace.DNSDoneInfo) {
			if info.Err == nil { // otherwise resolving is what failed, or what the end of the attempt cut off
				p.advance(connecting)
			}
		},
		ConnectStart:         func(_, address string) { p.dial(address) },
		TLSHandshakeStart:    func() { p.advance(handshaking) },
		TLSHandshakeDone:     func(tls.ConnectionState, error) { e.connection.hold() }, // nobody reads yet
		GotConn:              func(httptrace.GotConnInfo) { p.advance(waiting) },
		GotFirstResponseByte: func() { p.advance(responding) },
	}
}

// timeoutReason says how far an exchange had got when its time ran out. Go's words do not say that.
func (s snapshot) timeoutReason() string {
	switch {
	case s.phase == resolving:
		return "no answer from a name server in time"
	case s.phase <= connecting && s.dialed != "":
		return "no connection in time (to " + s.dialed + ")"
	case s.phase <= connecting:
		return "no connection in time"
	case s.phase == proxying:
		return "no answer of the proxy in time"
	case s.phase < responding:
		return "no response in time"
	default:
		return "no response in time: it began, but did not end"
	}
}
