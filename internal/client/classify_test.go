package client

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
)

// What went wrong follows from how far an exchange had got. The errors are those of net/http, also ones that a server on this machine
// brings about only by chance.
func TestClassify(t *testing.T) {
	t.Parallel()
	const inTime, cutOff = false, true
	something := errors.New("net/http: something else")
	reset := &net.OpError{Op: "read", Err: errors.New("connection reset by peer")}
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	alert := &net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}
	untrusted := &tls.CertificateVerificationError{Err: errors.New("x509: unknown authority")}
	tests := map[string]struct {
		reached  phase
		err      error
		isCutOff bool
		proxy    proxyUse
		want     Kind
	}{
		"nothing was done in time":        {starting, something, cutOff, noProxy, ConnectionFailed},
		"failed lookup":                   {resolving, &net.DNSError{Err: "server misbehaving"}, inTime, noProxy, HostNotResolved},
		"silent name server":              {resolving, something, cutOff, noProxy, HostNotResolved},
		"nothing listens":                 {connecting, refused, inTime, noProxy, ConnectionFailed},
		"silent address":                  {connecting, something, cutOff, noProxy, ConnectionFailed},
		"silent in the handshake":         {handshaking, something, cutOff, noProxy, NoResponseInTime},
		"certificate":                     {handshaking, fmt.Errorf("tls: %w", untrusted), inTime, noProxy, CertificateNotTrusted},
		"plain HTTP":                      {handshaking, http.ErrSchemeMismatch, inTime, noProxy, NoTLS},
		"not TLS":                         {handshaking, tls.RecordHeaderError{Msg: "first record"}, inTime, noProxy, HandshakeFailed},
		"closed in the handshake":         {handshaking, io.EOF, inTime, noProxy, HandshakeFailed},
		"alert in the handshake":          {handshaking, alert, inTime, noProxy, HandshakeFailed},
		"alert after the handshake":       {waiting, fmt.Errorf("transport: %w", alert), inTime, noProxy, HandshakeFailed},
		"alert in a tunnel":               {waiting, alert, inTime, tunnels, HandshakeFailed},
		"silent to the request":           {waiting, something, cutOff, noProxy, NoResponseInTime},
		"closed before a byte":            {waiting, errors.New("http: server closed idle connection"), inTime, noProxy, ConnectionBroken},
		"reset before a byte":             {waiting, reset, inTime, noProxy, ConnectionBroken},
		"alert in the response":           {responding, alert, inTime, noProxy, ConnectionBroken},
		"reset in the response":           {responding, reset, inTime, noProxy, ConnectionBroken},
		"end of the connection":           {responding, fmt.Errorf("transport: %w", io.ErrUnexpectedEOF), inTime, noProxy, ConnectionBroken},
		"closed by this side":             {responding, net.ErrClosed, inTime, noProxy, ConnectionBroken},
		"silent in the response":          {responding, something, cutOff, noProxy, NoResponseInTime},
		"malformed response":              {responding, something, inTime, noProxy, InvalidResponse},
		"known, cut off":                  {responding, &knownError{kind: NotJSON}, cutOff, noProxy, NotJSON},
		"lookup of a proxy":               {resolving, &net.DNSError{Err: "no such host"}, inTime, tunnels, ProxyFailed},
		"proxy down":                      {connecting, refused, inTime, forwards, ProxyFailed},
		"silent proxy":                    {proxying, something, cutOff, tunnels, ProxyFailed},
		"certificate of a proxy":          {proxying, untrusted, inTime, tunnels, ProxyFailed},
		"certificate behind a proxy":      {handshaking, untrusted, inTime, tunnels, CertificateNotTrusted},
		"alert of a proxy with TLS":       {waiting, alert, inTime, forwards, ProxyFailed},
		"reset by whatever is forwarded":  {waiting, reset, inTime, forwards, ConnectionBroken},
		"silence of what is forwarded to": {waiting, something, cutOff, forwards, NoResponseInTime},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := classify(test.reached, test.err, test.isCutOff, test.proxy); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
