package client

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

const reasonLimit = 300 // characters

// classify turns an error of a round trip or of reading a body into a failure.
//
// It asks, in this order: was it the proxy, was there no answer in time, did TLS fail, was there no connection, did
// it break? The order matters: a timeout, for one, can break a connection.
func classify(ctx context.Context, err error, trace *requestTrace, redact redactor) *Failure {
	if failure, ok := AsFailure(err); ok { // our own verdict on a proxy
		failure.Reason = redact.clean(failure.Reason, reasonLimit)
		return failure
	}
	failure := failureOf(ctx, err, trace, redact)
	// The resolver has limits of its own, and so has each of several addresses.
	failure.AttemptTimedOut = failure.Kind != KindNameServer && isTimeout(ctx, err) && !time.Now().Before(trace.deadline)
	return failure
}

func failureOf(ctx context.Context, err error, trace *requestTrace, redact redactor) *Failure {
	operation, isOperation := errors.AsType[*net.OpError](err)
	timedOut := isTimeout(ctx, err)
	resolve, unresolved := errors.AsType[*net.DNSError](err)
	switch {
	case isOperation && strings.HasPrefix(operation.Op, "socks"), trace.atProxy():
		return proxyFailure(err, timedOut, redact)
	case unresolved && resolve.IsNotFound:
		return newFailure(KindResolve, "the host name could not be resolved: no such host")
	case unresolved && !timedOut:
		return newFailure(KindNameServer, "the host name could not be resolved: the name servers answered with a failure")
	case unresolved, timedOut && trace.at() == stageResolving:
		return newFailure(KindNameServer, "the host name could not be resolved: the name servers did not answer")
	case timedOut:
		return newFailure(KindTimeout, noAnswer(trace.at()))
	}
	if failure := tlsFailure(err, trace, redact); failure != nil {
		return failure
	}
	text := redact.clean(goText(err), reasonLimit)
	switch {
	case strings.HasPrefix(text, "server response headers exceeded"):
		return newFailure(KindTooLarge, fmt.Sprintf("a response head of more than %d bytes", maxHead))
	case isOperation && operation.Op == "dial" && !errors.Is(err, syscall.ECONNRESET): // a reset comes after connecting
		return newFailure(KindConnect, text)
	case strings.HasPrefix(text, `malformed HTTP response "\x15\x03`): // a TLS alert
		failure := newFailure(KindNotHTTP, "the server answered in TLS, not in plain HTTP")
		failure.Hint = HintHTTPS
		return failure
	case strings.HasPrefix(text, `malformed HTTP response "\x00\x00`): // the settings with which a server begins HTTP/2
		failure := newFailure(KindNotHTTP, "the server answered in HTTP/2")
		failure.Hint = HintHTTP2
		return failure
	case trace.ended(), isBroken(err):
		return newFailure(KindBroken, brokenReason(trace.at()))
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), isA[flate.CorruptInputError](err):
		return newFailure(KindNotHTTP, "the body is not valid gzip, although its Content-Encoding says so")
	default:
		// What a server says unasked makes net/http close the connection, and has no error of its own.
		if errors.Is(err, net.ErrClosed) || strings.HasPrefix(text, "readLoopPeekFailLocked") {
			text = "it came before the request"
		}
		failure := newFailure(KindNotHTTP, "the response is not valid HTTP: "+text)
		// On a connection that was used before, it may be the rest of an earlier response: another attempt gets
		// another connection.
		failure.transient = trace.reused.Load()
		return failure
	}
}

// proxyFailure says why a proxy did not lead to the instance.
func proxyFailure(err error, timedOut bool, redact redactor) *Failure {
	operation, isOperation := errors.AsType[*net.OpError](err)
	untrusted := isA[*tls.CertificateVerificationError](err)
	// What a SOCKS proxy answers is the only error here with this beginning.
	text := redact.clean(strings.TrimPrefix(goText(err), tlsPrefix), reasonLimit)
	answer, answered := strings.CutPrefix(text, "unknown error ")
	switch {
	case timedOut:
		return newFailure(KindProxy, "the proxy did not connect to the instance in time")
	case answered:
		return newFailure(KindProxy, "the proxy could not reach the instance: "+answer)
	case isOperation && operation.Op == "proxyconnect", isA[*net.DNSError](err), untrusted:
		failure := newFailure(KindProxy, "the proxy could not be reached: "+text)
		failure.transient = !untrusted
		return failure
	default:
		return newFailure(KindProxy, "the proxy broke the connection, or does not speak the protocol that its URL names")
	}
}

// noAnswer says what did not come in time.
func noAnswer(reached stage) string {
	switch reached {
	case stageNone, stageConnecting:
		return "no connection in time"
	case stageHandshaking:
		return "connected, but no TLS handshake in time"
	case stageSent:
		return "connected, but no response in time"
	default:
		return "no complete response in time"
	}
}

// brokenReason says how far a broken connection had come. Whether the server closed it or reset it is a race.
func brokenReason(reached stage) string {
	switch reached {
	case stageHandshaking:
		return "the server closed or reset the connection during the TLS handshake"
	case stageAnswered:
		return "the connection broke before the whole response had arrived"
	default:
		return "the server closed or reset the connection before it had answered"
	}
}

// tlsFailure says what an error of TLS means, or returns nil for other errors.
func tlsFailure(err error, trace *requestTrace, redact redactor) *Failure {
	text := goText(err)
	if isA[*tls.CertificateVerificationError](err) {
		failure := newFailure(KindCertificate, redact.clean(text, reasonLimit))
		invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
		unknown, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
		switch {
		case isInvalid && invalid.Reason == x509.Expired:
			failure.Hint = HintExpired
		case isA[x509.HostnameError](err):
			failure.Hint = HintWrongName
		case isUnknown && unknown.Cert != nil && isSelfSigned(unknown.Cert):
			failure.Hint = HintSelfSigned
			failure.Reason = "the certificate is self-signed"
		}
		return failure
	}
	if errors.Is(err, http.ErrSchemeMismatch) || isA[tls.RecordHeaderError](err) {
		return newFailure(KindTLS, "the server does not speak TLS on this port")
	}
	// Only at the start: a response may have these words too.
	if text, ok := strings.CutPrefix(text, tlsPrefix); ok {
		operation, isOperation := errors.AsType[*net.OpError](err)
		refused := isOperation && operation.Op == "remote error"
		reason := "the TLS handshake failed: "
		if refused {
			reason = "the server refused the TLS handshake: "
		}
		failure := newFailure(KindTLS, reason+redact.clean(text, reasonLimit))
		switch {
		case strings.Contains(text, "protocol version"):
			failure.Hint = HintTLSVersion
		case strings.Contains(text, "unrecognized name"):
			failure.Hint = HintHostName
		case strings.Contains(text, "no application protocol"):
			failure.Hint = HintHTTP2
		case refused && trace.certificateWanted.Load():
			failure.Hint = HintClientCertificate
		}
		return failure
	}
	if trace.certificateWanted.Load() && (trace.ended() || isBroken(err)) {
		// The alert that says so may get lost when the server closes.
		failure := newFailure(KindTLS, "the server asked for a client certificate, and closed or reset the connection")
		failure.transient = true
		failure.Hint = HintClientCertificate
		return failure
	}
	return nil
}

func isSelfSigned(certificate *x509.Certificate) bool {
	return certificate.CheckSignature(certificate.SignatureAlgorithm, certificate.RawTBSCertificate, certificate.Signature) == nil
}

// isBroken tells whether an error is that of a connection that ended.
func isBroken(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || isA[syscall.Errno](err)
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// isTimeout tells whether the time for an attempt ran out. The system's own limits (ETIMEDOUT) are not that time.
func isTimeout(ctx context.Context, err error) bool {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return true
	}
	if isA[syscall.Errno](err) {
		return false
	}
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout()
}

// tlsPrefix begins the errors of crypto/tls.
const tlsPrefix = "tls: "

// goText returns the words of an error of Go's libraries, without the addresses and package names around them, but
// for tlsPrefix.
func goText(err error) string {
	if resolve, ok := errors.AsType[*net.DNSError](err); ok {
		return resolve.Err
	}
	if verification, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		err = verification.Err
	}
	for operation, ok := errors.AsType[*net.OpError](err); ok; operation, ok = errors.AsType[*net.OpError](err) {
		err = operation.Err // an error of a proxy has two
	}
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number.Error()
	}
	if address, ok := errors.AsType[*net.AddrError](err); ok {
		return address.Err
	}
	text, _, _ := strings.Cut(err.Error(), " (possibly because of") // a guess of crypto/x509
	for _, prefix := range []string{"net/http: HTTP/1.x transport connection broken: ", "net/http: ", "http: ", "x509: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}
