package client

import (
	"cmp"
	"crypto/tls"
	"errors"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// trace records what the errors of net/http leave out: the address that was connected to, how far a request got that ran out
// of time, and the error of a TLS handshake. Each request of an attempt has its own, because net/http may call the hooks after a request
// has ended.
type trace struct {
	resolving atomic.Bool
	// reachedInstance is true once the request can be sent, or the TLS handshake with the instance has begun: a proxy with a tunnel
	// has then made it. For plain HTTP through a proxy, it only means that there is a connection to the proxy.
	reachedInstance atomic.Bool
	dialed          atomic.Pointer[string] // the address of the last dial
	address         atomic.Pointer[string] // that of the connection
	handshake       atomic.Pointer[error]  // the error of the handshake with the instance
}

func (t *trace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { t.resolving.Store(true) },
		DNSDone:  func(httptrace.DNSDoneInfo) { t.resolving.Store(false) },
		ConnectStart: func(_, address string) {
			if !t.resolving.Load() { // Go's resolver dials with the same context
				t.dialed.Store(&address)
			}
		},
		ConnectDone: func(_, address string, err error) {
			// Once the request has a connection, this is another dial, which it no longer waits for.
			if err == nil && !t.resolving.Load() && !t.reachedInstance.Load() {
				t.address.Store(&address)
			}
		},
		TLSHandshakeStart: func() { t.reachedInstance.Store(true) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if err != nil {
				t.handshake.Store(&err)
			}
		},
		GotConn: func(info httptrace.GotConnInfo) {
			t.reachedInstance.Store(true)
			_ = info.Conn.SetDeadline(time.Time{}) // from here on, the context of the request limits it
			address := info.Conn.RemoteAddr().String()
			t.address.Store(&address)
		},
	}
}

// noConnection says that there was no connection in time, and to which address, if there was one to dial.
func (t *trace) noConnection() string {
	if address := load(&t.dialed); address != "" {
		return "no connection in time (to " + address + ")"
	}
	return "no connection in time"
}

// lastAddress returns the address of the connection, or else of the last dial, or "".
func (t *trace) lastAddress() string { return cmp.Or(t.connectedTo(), load(&t.dialed)) }

// connectedTo returns the address of the connection, or "" if there was none.
func (t *trace) connectedTo() string { return load(&t.address) }

// load returns a text, or "" if none has been stored.
func load(text *atomic.Pointer[string]) string {
	if stored := text.Load(); stored != nil {
		return *stored
	}
	return ""
}

// failedHandshake reports whether err comes from a TLS handshake.
func (t *trace) failedHandshake(err error) bool {
	handshake := t.handshake.Load()
	return handshake != nil && errors.Is(err, *handshake)
}

// timeoutCause returns the kind and the reason of a failure of a request that ran out of time, by how far it got. Go's words do not
// say that.
func (t *trace) timeoutCause(proxy string, gotHead bool) (Kind, string) {
	switch {
	case gotHead:
		return NoResponseInTime, "no response in time: it began, but did not end"
	case t.connectedTo() != "" && proxy != "" && !t.reachedInstance.Load():
		return ProxyFailed, "no answer of the proxy in time"
	case t.connectedTo() != "":
		return NoResponseInTime, "no response in time"
	case t.resolving.Load():
		return HostNotResolved, "no answer from a name server in time"
	case proxy != "":
		return ProxyFailed, t.noConnection()
	default:
		return ConnectionFailed, t.noConnection()
	}
}
