package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// Kind says what went wrong in an attempt. Its text is in the states of users and in links to the troubleshooting page,
// so it must not change.
type Kind string

const (
	HostNotResolved       Kind = "host name not resolved"
	ConnectionFailed      Kind = "connection failed"
	NoResponseInTime      Kind = "no response in time" // also if no request was sent
	CertificateNotTrusted Kind = "certificate not trusted"
	HandshakeFailed       Kind = "TLS handshake failed"
	NoTLS                 Kind = "no TLS" // the port speaks plain HTTP
	NoValidResponse       Kind = "no valid response"
	RedirectNotFollowed   Kind = "redirect not followed"
	Status                Kind = "status" // any but 200
	NotJSON               Kind = "not JSON"
	NotInstanceDocument   Kind = "not an instance document" // JSON, but of something else, or with a fault; or too large
	ProxyFailed           Kind = "proxy failed"
	NotAsExpected         Kind = "not as expected"     // only of waits
	NotStable             Kind = "not stable"          // only of waits: as expected, but not for long enough
	AnsweredByCache       Kind = "answered by a cache" // only of waits
)

// Failure is what an attempt met instead of an instance. It holds facts, and all its texts are safe to print.
type Failure struct {
	Route      Route
	Kind       Kind
	Reason     string   // what came back, on one line, in the words of Go or of the server
	Faults     []string // each thing that is wrong with a document, or not as expected; Reason says which
	StatusCode int      // that of an answer that is not 200, or of a proxy that refused; otherwise 0
	TimedOut   bool     // the attempt took longer than Config.RequestTimeout

	subject     string        // completes the class: the status, or the field that is at fault
	isRetryable bool          // another attempt of a read may succeed
	retryAfter  time.Duration // the server asked to wait for so long
	isCutOff    bool          // the end of the read or the wait ended the attempt, and nothing else is known of it
}

// The maximum numbers of characters in a message.
const (
	maxReason = 600
	maxText   = 200 // of a text that a reason quotes
	maxFound  = 60  // of a value that a reason quotes
)

// OneLine returns the reason with the faults, on one line.
func (f *Failure) OneLine() string {
	if len(f.Faults) == 0 {
		return f.Reason
	}
	return safetext.Cut(f.Reason+": "+strings.Join(f.Faults, "; "), maxReason)
}

// Class returns the kind, completed for states and outputs: "status 503 Service Unavailable" or "not an instance
// document: fileMaxSize".
func (f *Failure) Class() string { return string(f.Kind) + f.subject }

// newFailure returns the failure for an error of [http.Transport] or of reading a body.
func (r *reader) newFailure(ctx context.Context, err error, endsAtProxy bool) *Failure {
	if refusal, ok := errors.AsType[*connectRefusedError](err); ok {
		failure := r.statusFailure(refusal.response, "")
		failure.Kind, failure.subject, failure.Reason = ProxyFailed, "", refusal.Error()+": "+failure.Reason
		return failure
	}
	ending := context.Cause(ctx) // which is looked at once, so that kind and time limit agree
	failure := &Failure{Kind: kind(err, ending != nil, endsAtProxy), TimedOut: errors.Is(ending, errRequestTimeout)}
	if failure.Reason = notShown; !r.secrets().AreIn(err.Error()) { // of which the reason may have only a part
		failure.Reason = r.show(reason(err, failure.Kind), maxReason)
	}
	failure.isRetryable = ending != nil || isRetryable(err)
	failure.isCutOff = ending != nil && !failure.TimedOut
	return failure
}

// kind returns the kind of a failure for an error, and for two more facts: whether the time of the attempt has run out,
// and whether the request got no further than to a proxy, as [connection.endsAtProxy] says.
func kind(err error, isOutOfTime, endsAtProxy bool) Kind {
	record, isRecord := errors.AsType[tls.RecordHeaderError](err)
	switch op := operation(err); {
	case isOutOfTime, op == "" && errors.Is(err, context.DeadlineExceeded): // the latter after a minute for CONNECT
		return NoResponseInTime
	case endsAtProxy, op == "proxyconnect", op == "socks connect":
		return ProxyFailed
	case isA[*net.DNSError](err):
		return HostNotResolved
	case op == "dial" && !isReset(err): // a server that resets at once may do so before the dial has returned
		return ConnectionFailed
	case isA[*tls.CertificateVerificationError](err):
		return CertificateNotTrusted
	case isRecord && isHTTP(record):
		return NoTLS
	case isRecord, op == "remote error", op == "local error", strings.HasPrefix(err.Error(), "tls: "):
		return HandshakeFailed
	default:
		return NoValidResponse
	}
}

// operation returns the operation of the outermost [*net.OpError], or "".
func operation(err error) string {
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		return failed.Op
	}
	return ""
}

// isHTTP reports whether a server answered in plain HTTP instead of TLS, as [http.Client] does.
func isHTTP(record tls.RecordHeaderError) bool { return string(record.RecordHeader[:]) == "HTTP/" }

// isRetryable reports whether another attempt may succeed. An untrusted certificate and a port without TLS stay so.
func isRetryable(err error) bool {
	return !isA[*tls.CertificateVerificationError](err) && !isA[tls.RecordHeaderError](err)
}

// isReset reports whether the other side has reset a connection. A write then fails with EPIPE if a read has got the
// reset before. Windows reports 10054 (WSAECONNRESET) or 10053 (WSAECONNABORTED), and never [syscall.ECONNRESET].
func isReset(err error) bool {
	for _, reset := range []syscall.Errno{syscall.ECONNRESET, syscall.EPIPE, 10054, 10053} {
		if errors.Is(err, reset) {
			return true
		}
	}
	return false
}

// ownAddress matches the address of this side in the text of a [*net.OpError].
var ownAddress = regexp.MustCompile(`\S+->`)

// reason returns what an error says, in Go's words. It leaves out what differs by chance: which call met a reset, the
// port of this side, and how far [http.Transport] was. That may have lost the words of a server that speaks first.
func reason(err error, kind Kind) string {
	record, isRecord := errors.AsType[tls.RecordHeaderError](err)
	untrusted, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	failed, isOperation := errors.AsType[*net.OpError](err)
	text := strings.TrimPrefix(err.Error(), "net/http: HTTP/1.x transport connection broken: ")
	switch {
	case kind == NoResponseInTime:
		return "no response in time"
	case isReset(err):
		return syscall.ECONNRESET.Error()
	case isRecord && isHTTP(record):
		return http.ErrSchemeMismatch.Error()
	case isUntrusted:
		certificate := certificateAtFault(untrusted)
		return fmt.Sprintf("%s (its subject is %q, its issuer is %q)",
			safetext.Cut(text, 400), certificate.Subject.String(), certificate.Issuer.String()) // it may list many names
	case isOperation:
		return ownAddress.ReplaceAllString(failed.Error(), "")
	case errors.Is(err, io.EOF), text == "http: server closed idle connection": // for EOF before the request was sent
		return io.EOF.Error()
	case strings.HasSuffix(text, "readLoopPeekFailLocked: %!w(<nil>)"): // Go has no words for it
		return "the server sent something before it was asked"
	default:
		return text
	}
}

// certificateAtFault returns the certificate that is not trusted. It may be that of a CA, and its issuer may be a
// program that inspects connections.
func certificateAtFault(err *tls.CertificateVerificationError) *x509.Certificate {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		return invalid.Cert
	}
	return err.UnverifiedCertificates[0]
}

// isA reports whether an error wraps one of type E.
func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
