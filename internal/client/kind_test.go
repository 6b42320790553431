package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// What went wrong, and whether it may pass, follows from how far an exchange had got. Some of these errors a server on this machine brings
// about only by chance.
func TestKindOf(t *testing.T) {
	t.Parallel()
	const inTime, cutOff, retried, final = NotCutOff, CutOffByRequestTimeout, true, false
	something := errors.New("something else")
	reset := &net.OpError{Op: "read", Err: errors.New("connection reset by peer")}
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	notTLS := tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake", Conn: &net.TCPConn{}}
	alert := &net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}
	untrusted := &tls.CertificateVerificationError{Err: errors.New("x509: unknown authority")}
	tests := map[string]struct {
		reached     phase
		err         error
		cutOff      CutOff
		proxy       proxyUse
		want        Kind
		isRetryable bool
	}{
		"nothing was done in time":        {connecting, something, cutOff, noProxy, ConnectionFailed, retried},
		"failed lookup":                   {resolving, &net.DNSError{Err: "server misbehaving"}, inTime, noProxy, HostNotResolved, retried},
		"silent name server":              {resolving, something, cutOff, noProxy, HostNotResolved, retried},
		"nothing listens":                 {connecting, refused, inTime, noProxy, ConnectionFailed, retried},
		"silent address":                  {connecting, something, cutOff, noProxy, ConnectionFailed, retried},
		"silent in the handshake":         {handshaking, something, cutOff, noProxy, NoResponseInTime, retried},
		"certificate":                     {handshaking, fmt.Errorf("tls: %w", untrusted), inTime, noProxy, CertificateNotTrusted, final},
		"plain HTTP":                      {handshaking, http.ErrSchemeMismatch, inTime, noProxy, NoTLS, final},
		"not TLS":                         {handshaking, notTLS, inTime, noProxy, HandshakeFailed, final},
		"bad record in the handshake":     {handshaking, tls.RecordHeaderError{Msg: "oversized record"}, inTime, noProxy, HandshakeFailed, retried},
		"proxy that speaks no TLS":        {proxying, http.ErrSchemeMismatch, inTime, tunnels, ProxyFailed, final},
		"proxy with another protocol":     {proxying, notTLS, inTime, forwards, ProxyFailed, final},
		"closed in the handshake":         {handshaking, io.EOF, inTime, noProxy, HandshakeFailed, retried},
		"alert in the handshake":          {handshaking, alert, inTime, noProxy, HandshakeFailed, retried},
		"alert after the handshake":       {requesting, fmt.Errorf("transport: %w", alert), inTime, noProxy, HandshakeFailed, retried},
		"alert in a tunnel":               {requesting, alert, inTime, tunnels, HandshakeFailed, retried},
		"silent to the request":           {requesting, something, cutOff, noProxy, NoResponseInTime, retried},
		"silent until the read's end":     {requesting, something, CutOffByContext, noProxy, NoResponseInTime, retried},
		"closed before a byte":            {requesting, errors.New("http: server closed idle connection"), inTime, noProxy, ConnectionBroken, retried},
		"reset before a byte":             {requesting, reset, inTime, noProxy, ConnectionBroken, retried},
		"alert in the response":           {responding, alert, inTime, noProxy, ConnectionBroken, retried},
		"reset in the response":           {responding, reset, inTime, noProxy, ConnectionBroken, retried},
		"closed in the response":          {responding, io.EOF, inTime, noProxy, ConnectionBroken, retried},
		"end of the connection":           {responding, fmt.Errorf("transport: %w", io.ErrUnexpectedEOF), inTime, noProxy, ConnectionBroken, retried},
		"closed by this side":             {responding, net.ErrClosed, inTime, noProxy, ConnectionBroken, retried},
		"silent in the response":          {responding, something, cutOff, noProxy, NoResponseInTime, retried},
		"malformed response":              {responding, something, inTime, noProxy, InvalidResponse, retried},
		"lookup of a proxy":               {resolving, &net.DNSError{Err: "no such host"}, inTime, tunnels, ProxyFailed, retried},
		"proxy down":                      {connecting, refused, inTime, forwards, ProxyFailed, retried},
		"silent proxy":                    {proxying, something, cutOff, tunnels, ProxyFailed, retried},
		"certificate of a proxy":          {proxying, untrusted, inTime, tunnels, ProxyFailed, final},
		"certificate behind a proxy":      {handshaking, untrusted, inTime, tunnels, CertificateNotTrusted, final},
		"alert of a proxy with TLS":       {requesting, alert, inTime, forwards, ProxyFailed, retried},
		"reset by whatever is forwarded":  {requesting, reset, inTime, forwards, ConnectionBroken, retried},
		"silence of what is forwarded to": {requesting, something, cutOff, forwards, NoResponseInTime, retried},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, isRetryable := kindOf(test.reached, test.err, test.cutOff, test.proxy)
			if kind != test.want || isRetryable != test.isRetryable {
				t.Errorf("got %q, retried: %t, want %q, %t", kind, isRetryable, test.want, test.isRetryable)
			}
		})
	}
}

// overdue is a context whose timer comes a moment later than another timer of the same deadline, such as that of a connection.
type overdue struct{ context.Context }

func (overdue) Deadline() (time.Time, bool) { return time.Now(), true }

// An attempt that its time has ended must say so, whichever timer comes first.
func TestDeadlineCutsOffWithoutItsTimer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for want, got := range map[CutOff]CutOff{
		NotCutOff: cutOffBy(ctx, ctx), CutOffByRequestTimeout: cutOffBy(ctx, overdue{ctx}), CutOffByContext: cutOffBy(overdue{ctx}, overdue{ctx}),
	} {
		if got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}
