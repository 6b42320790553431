package client

import (
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

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// Kind says what went wrong in an attempt. Its text is in the states of users and in links to the troubleshooting page,
// so it must not change.
type Kind string

// The kinds of failures.
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

// Failure is the error of an attempt. It holds facts, and all its texts are safe to print.
type Failure struct { //nolint:errname // it is what the package is about, and its users read its fields
	Route      Route
	Kind       Kind
	Reason     string   // what came back, on one line, in the words of Go or of the server
	Faults     []string // each thing that is wrong with a document, or not as expected; Reason says which
	MoreFaults int      // how many faults are not in Faults
	StatusCode int      // that of an answer that is not 200, or of a proxy that refused; otherwise 0
	TimedOut   bool     // the attempt took longer than Config.RequestTimeout

	detail      string        // completes the code: the status, or the field that is at fault
	isRetryable bool          // another attempt of a read may succeed
	retryAfter  time.Duration // the server asked to wait for so long
}

// The maximum numbers of characters in a message.
const (
	maxReason = 600
	maxText   = 200 // of a text that a reason quotes
	maxFound  = 60  // of a value that a reason quotes
)

// Error returns what was asked and what came back, on one line.
func (f *Failure) Error() string { return "GET " + f.Route.URL + ": " + f.OneLine() }

// OneLine returns the reason with the faults, on one line.
func (f *Failure) OneLine() string {
	if len(f.Faults) == 0 {
		return f.Reason
	}
	return safetext.Cut(f.Reason+": "+strings.Join(f.Faults, "; "), maxReason)
}

// Code returns the kind, completed for states and outputs: "status 503 Service Unavailable" or "not an instance
// document: fileMaxSize".
func (f *Failure) Code() string { return string(f.Kind) + f.detail }

// newFailure returns the failure for the error of an attempt, whose time may have run out. An error that is a failure
// already stays one, even if the time has run out since.
func (r *reader) newFailure(err error, route Route, outOfTime bool) *Failure {
	failure, isFailure := errors.AsType[*Failure](err)
	if !isFailure {
		failure = &Failure{
			Kind: kind(err, outOfTime), Reason: reason(err, outOfTime), isRetryable: outOfTime || isRetryable(err),
		}
	}
	failure.Route, failure.Reason = route, r.redact.Line(failure.Reason, maxReason)
	return failure
}

// kind returns the kind of a failure for an error of [http.Transport] or of reading a body.
func kind(err error, outOfTime bool) Kind {
	record, isRecord := errors.AsType[tls.RecordHeaderError](err)
	switch op := operation(err); {
	case outOfTime:
		return NoResponseInTime
	case op == "proxyconnect", op == "socks connect":
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

// isRetryable reports whether another attempt may succeed after an error. What a server shows of itself stays as it is.
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

// reason returns what an error says, in Go's words. It leaves out what differs by chance: which call met a reset, the
// port of this side, and how far [http.Transport] was when it noticed.
func reason(err error, outOfTime bool) string {
	record, isRecord := errors.AsType[tls.RecordHeaderError](err)
	untrusted, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	failed, isOperation := errors.AsType[*net.OpError](err)
	text := strings.TrimPrefix(err.Error(), "net/http: HTTP/1.x transport connection broken: ")
	switch {
	case outOfTime:
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
		return failed.Error()
	case errors.Is(err, io.EOF), text == "http: server closed idle connection": // for EOF before the request was sent
		return io.EOF.Error()
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
