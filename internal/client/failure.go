package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Kind says what went wrong in an attempt. Its text is short, and changes only with the cause.
type Kind string

// The kinds of failures.
const (
	HostNotResolved       Kind = "host name not resolved"
	ConnectionFailed      Kind = "connection failed"
	NoResponseInTime      Kind = "no response in time"
	ConnectionBroken      Kind = "connection broken"
	CertificateNotTrusted Kind = "certificate not trusted"
	HandshakeFailed       Kind = "TLS handshake failed"
	InvalidResponse       Kind = "invalid response"
	RedirectNotFollowed   Kind = "redirect not followed"
	Status                Kind = "status" // any but 200
	ResponseTooLarge      Kind = "response too large"
	NotJSON               Kind = "not JSON"
	NotInstanceDocument   Kind = "not an instance document" // JSON, but of something else, or with a fault
	NotAskedInTime        Kind = "not asked in time"        // no request was made
	ProxyFailed           Kind = "proxy failed"

	// These two come only from waits.

	NotAsExpected Kind = "not as expected"
	Cached        Kind = "answered by a cache"
)

// Failure says what went wrong in one attempt. All its texts are safe to print.
type Failure struct {
	Kind Kind
	// Detail completes the class of the kinds Status ("503 Service Unavailable") and NotInstanceDocument ("fileMaxSize").
	Detail string
	// Request is what was asked, with what is special about it: "GET https://h/instance (10.0.0.7:443, redirected to ...)".
	Request string
	// Reason is what came back, on one line, in the words of Go or of the server.
	Reason string
	// Faults lists what is wrong with an instance document.
	Faults []string
	// StatusCode is that of the kind Status.
	StatusCode int
	// Certificate is the error of the kind CertificateNotTrusted. Only its types are of use, because its text is not redacted.
	Certificate *tls.CertificateVerificationError
	// HeadersWithheld is true if the extra headers were not sent, because a redirect led to another origin.
	HeadersWithheld bool
	// TimedOut is true if the attempt took longer than Config.RequestTimeout.
	TimedOut bool

	permanent   bool          // another attempt cannot succeed, although failures of this kind often pass
	interrupted bool          // the context of the read ended before the attempt did
	retryAfter  time.Duration // the server asked to wait for so long
}

// Class returns a text for states and outputs: the kind, and for some kinds a detail.
func (f *Failure) Class() string {
	switch f.Kind {
	case Status:
		return string(f.Kind) + " " + f.Detail
	case NotInstanceDocument:
		return string(f.Kind) + ": " + f.Detail
	default:
		return string(f.Kind)
	}
}

// String returns what was asked and what came back, on one line.
func (f *Failure) String() string { return f.Request + ": " + f.Reason }

// permanentKinds are those that no further attempt of a read can change.
var permanentKinds = []Kind{CertificateNotTrusted, RedirectNotFollowed, ResponseTooLarge, NotInstanceDocument}

// isTransient reports whether another attempt of a read may succeed.
func (f *Failure) isTransient() bool { return !f.permanent && !slices.Contains(permanentKinds, f.Kind) }

// errTooLarge is the error of a body that is too large.
var errTooLarge = fmt.Errorf("the body has more than %d bytes", maxBody)

// redirectError is the error of a redirect that must not be followed.
type redirectError struct{ reason string }

func (e *redirectError) Error() string { return e.reason }

// failureOf returns the failure for an error of net/http. It tells kinds apart by the types of Go's errors.
//
// The order matters. A timeout comes first, because it breaks connections and handshakes. A proxy comes before everything else
// that it can wrap. A certificate comes before the handshake that it fails, and a handshake before the connection that it
// breaks. What Go has no type for is an invalid response.
func (x *exchange) failureOf(ctx context.Context, err error) *Failure {
	if urlErr, ok := errors.AsType[*url.Error](err); ok {
		err = urlErr.Err // without the URL, which may have a query after a redirect
	}
	operation, isOperation := errors.AsType[*net.OpError](err)
	verification, isVerification := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		failure := x.newFailure(x.trace.timeoutCause(x.proxyVariable(), x.gotHead))
		failure.TimedOut = true
		return failure
	case isA[*redirectError](err):
		return x.newFailure(RedirectNotFollowed, err.Error())
	case isA[*proxyError](err), isOperation && (operation.Op == "proxyconnect" || operation.Op == "socks connect"):
		failure := x.newFailure(ProxyFailed, err.Error())
		proxyErr, isProxyErr := errors.AsType[*proxyError](err)
		failure.permanent = isVerification || isProxyErr && proxyErr.permanent
		return failure
	case isA[*net.DNSError](err):
		return x.newFailure(HostNotResolved, err.Error())
	case isVerification:
		return x.certificateFailure(verification)
	case errors.Is(err, http.ErrSchemeMismatch), isA[tls.RecordHeaderError](err):
		failure := x.newFailure(HandshakeFailed, err.Error())
		failure.permanent = true // the port does not speak TLS
		return failure
	case x.trace.failedHandshake(err), isOperation && isAlert(operation):
		return x.newFailure(HandshakeFailed, err.Error())
	case x.proxyVariable() != "" && !x.trace.reachedInstance.Load(): // the proxy broke the connection, or answered no HTTP
		return x.newFailure(ProxyFailed, err.Error())
	case isOperation && operation.Op == "dial":
		return x.newFailure(ConnectionFailed, err.Error())
	case errors.Is(err, errTooLarge):
		return x.newFailure(ResponseTooLarge, err.Error())
	case isOperation, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		err.Error() == "http: server closed idle connection": // an EOF for which net/http has no type
		return x.newFailure(ConnectionBroken, err.Error())
	default:
		return x.newFailure(InvalidResponse, err.Error())
	}
}

// isAlert reports whether an error is an alert of TLS. It may come after the handshake, for example about a client certificate.
func isAlert(err *net.OpError) bool { return err.Op == "remote error" || err.Op == "local error" }

// certificateFailure returns the failure for a certificate that is not trusted. The issuer shows who signed it, which may be
// a program that inspects connections.
func (x *exchange) certificateFailure(err *tls.CertificateVerificationError) *Failure {
	reason := err.Error()
	if len(err.UnverifiedCertificates) > 0 {
		reason += fmt.Sprintf(" (its issuer is %q)", err.UnverifiedCertificates[0].Issuer.String())
	}
	failure := x.newFailure(CertificateNotTrusted, reason)
	failure.Certificate = err
	return failure
}

// isA reports whether an error wraps one of type E.
func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
