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
	"strings"
	"syscall"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// Kind says what went wrong in an attempt. Its text is in the states of users and in links to the troubleshooting page, so it must not
// change.
type Kind string

// The kinds of failures.
const (
	HostNotResolved       Kind = "host name not resolved"
	ConnectionFailed      Kind = "connection failed"
	NoResponseInTime      Kind = "no response in time"
	ConnectionBroken      Kind = "connection broken"
	CertificateNotTrusted Kind = "certificate not trusted"
	HandshakeFailed       Kind = "TLS handshake failed"
	NoTLS                 Kind = "no TLS" // the port speaks plain HTTP
	InvalidResponse       Kind = "invalid response"
	RedirectNotFollowed   Kind = "redirect not followed"
	Status                Kind = "status" // any but 200
	ResponseTooLarge      Kind = "response too large"
	NotJSON               Kind = "not JSON"
	NotInstanceDocument   Kind = "not an instance document" // JSON, but of something else, or with a fault
	NotAskedInTime        Kind = "not asked in time"        // no request was made
	ProxyFailed           Kind = "proxy failed"
	NotAsExpected         Kind = "not as expected"     // only of waits
	NotStable             Kind = "not stable"          // only of waits: as expected, but not for long enough
	Cached                Kind = "answered by a cache" // only of waits
)

// CertificateFault says what is wrong with a certificate, as far as it matters to what a user can do.
type CertificateFault int

// The faults of certificates. The last two may concern the certificate of a CA instead of the server's.
const (
	UnknownAuthority CertificateFault = iota // a further CA may help
	WrongHost                                // the certificate is for other hosts
	NotValidNow                              // the certificate has expired, or is not valid yet
	OtherFault
)

// CutOff says what cut an attempt off before it was over.
type CutOff int

// What cuts attempts off.
const (
	NotCutOff              CutOff = iota
	CutOffByRequestTimeout        // the attempt took longer than Config.RequestTimeout
	CutOffByContext               // the context of the read or the wait ended
)

// Asked says what an attempt has asked for, and how. All its texts are safe to print.
type Asked struct {
	URL           string // {base_url}/instance
	Peer          string // the address that was connected to, or "" if the URL has it, or if a proxy is in between
	ConnectTo     string // Config.ConnectTo, if it was used, or ""
	ProxyVariable string // the environment variable with the proxy that was used, or ""
	Forwarded     bool   // the proxy got the request itself, and may have answered it
	RedirectedTo  string // where the last redirect led, without a query, or ""
	// HeadersSent is true once extra headers have been sent to the origin of the base URL, and CertificateSent once a handshake with it has
	// begun in which the client certificate is sent if it is asked for.
	HeadersSent, CertificateSent bool
	// HeadersWithheld and CertificateWithheld are true once a redirect has left that origin, which ends the sending.
	HeadersWithheld, CertificateWithheld bool
	FromCache                            bool          // a cache has answered
	Age                                  time.Duration // how old the answer of a cache is, in whole seconds
}

// Failure is the error of an attempt. It holds facts, and all its texts are safe to print.
type Failure struct { //nolint:errname // it is what the package is about, and its users read its fields
	Asked            Asked
	Kind             Kind
	Reason           string           // what came back, on one line, in the words of Go or of the server
	Faults           []string         // each thing that is wrong with a document, or not as expected; Reason says which
	StatusCode       int              // that of a response, if it is not 200
	CertificateFault CertificateFault // for the kind CertificateNotTrusted alone
	CutOff           CutOff

	qualifier   string        // completes the class: with the status, or with the field that is at fault
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
func (f *Failure) Error() string { return "GET " + f.Asked.URL + ": " + f.oneLine() }

// oneLine returns the reason with all faults, on one line.
func (f *Failure) oneLine() string {
	if len(f.Faults) == 0 {
		return f.Reason
	}
	return safetext.Cut(f.Reason+": "+strings.Join(f.Faults, "; "), maxReason)
}

// Class returns a text for states and outputs, such as "status 503 Service Unavailable" or "not an instance document: fileMaxSize".
func (f *Failure) Class() string { return string(f.Kind) + f.qualifier }

// failureOf returns the failure for an error. One that is a failure already stays what it is, even if the time has run out since.
func (e *exchange) failureOf(err error, cutOff CutOff) *Failure {
	failure, isFailure := errors.AsType[*Failure](err)
	if !isFailure {
		failure = e.failureOfLibrary(err, cutOff)
	}
	failure.Asked, failure.Reason = e.asked, e.session.redact.Line(failure.Reason, maxReason)
	return failure
}

// failureOfLibrary returns the failure for an error of a library, whose kind follows from how far the exchange had got.
func (e *exchange) failureOfLibrary(err error, cutOff CutOff) *Failure {
	failure := &Failure{Reason: err.Error(), CutOff: cutOff}
	failure.Kind, failure.isRetryable = kindOf(e.phase, err, cutOff, e.route.proxyUse)
	untrusted, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	errno, isErrno := errors.AsType[syscall.Errno](err)
	switch {
	case cutOff != NotCutOff:
		failure.Reason = timeoutReason(e.phase, err)
	case isUntrusted:
		fault, certificate := faultOf(untrusted)
		failure.CertificateFault = fault
		failure.Reason += fmt.Sprintf(" (its subject is %q, its issuer is %q)", certificate.Subject.String(), certificate.Issuer.String())
	case isErrno && isReset(err): // Go's text also has the port of this side, and the call that met the reset by chance
		failure.Reason = errno.Error()
	}
	return failure
}

// timeoutReason says how far an exchange had got when its time ran out. Go's words do not say that.
func timeoutReason(reached phase, err error) string {
	operation, ok := errors.AsType[*net.OpError](err)
	if ok && reached == connecting && operation.Timeout() && operation.Addr != nil { // of several addresses, another may have failed first
		return timeoutReasons[connecting] + " (to " + operation.Addr.String() + ")"
	}
	return timeoutReasons[reached]
}

var timeoutReasons = map[phase]string{
	resolving:   "no answer from a name server in time",
	connecting:  "no connection in time",
	proxying:    "no answer of the proxy in time",
	handshaking: "no response in time",
	requesting:  "no response in time",
	responding:  "no response in time: it began, but did not end",
}

// kindOf returns the kind of a failure, and whether another attempt of a read may succeed. The later the phase that was reached, the fewer
// causes remain, so the cases follow the phases, and types of errors decide only between causes of one phase.
func kindOf(reached phase, err error, cutOff CutOff, use proxyUse) (kind Kind, isRetryable bool) {
	isUntrusted, isHTTP := isA[*tls.CertificateVerificationError](err), errors.Is(err, http.ErrSchemeMismatch)
	_, isNotTLS := firstRecord(err)
	switch {
	case use != noProxy && reached < handshaking:
		kind = ProxyFailed
	case reached == resolving:
		kind = HostNotResolved
	case reached == connecting:
		kind = ConnectionFailed
	case cutOff != NotCutOff:
		kind = NoResponseInTime
	case isUntrusted:
		kind = CertificateNotTrusted
	case isHTTP:
		kind = NoTLS
	case reached == requesting && isAlert(err) && use == forwards: // the proxy speaks TLS itself, unlike the instance
		kind = ProxyFailed
	case reached == handshaking, reached == requesting && isAlert(err): // TLS 1.3 rejects a client certificate only after the handshake
		kind = HandshakeFailed
	case reached == requesting, isBroken(err):
		kind = ConnectionBroken
	default:
		kind = InvalidResponse
	}
	return kind, !isUntrusted && !isHTTP && !isNotTLS
}

// isAlert reports whether an error is an alert of TLS that the other side has sent.
func isAlert(err error) bool {
	operation, ok := errors.AsType[*net.OpError](err)
	return ok && operation.Op == "remote error"
}

// isBroken reports whether an error is one of the connection. Errors of other types are about malformed bytes that came over it.
func isBroken(err error) bool {
	return isA[*net.OpError](err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// isReset reports whether the other side has reset a connection. Windows reports 10054 (WSAECONNRESET), and never [syscall.ECONNRESET].
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.Errno(10054))
}

// faultOf returns what is wrong with which certificate. It may be that of a CA, and its issuer may be a program that inspects connections.
func faultOf(err *tls.CertificateVerificationError) (CertificateFault, *x509.Certificate) {
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	wrongHost, isWrongHost := errors.AsType[x509.HostnameError](err)
	certificate := err.UnverifiedCertificates[0]
	if isInvalid {
		certificate = invalid.Cert
	}
	switch {
	case isA[x509.UnknownAuthorityError](err), isA[x509.SystemRootsError](err): // the latter: the system's cannot be loaded
		return UnknownAuthority, certificate
	case isWrongHost && len(wrongHost.Certificate.DNSNames)+len(wrongHost.Certificate.IPAddresses) > 0: // otherwise, it is for no host
		return WrongHost, certificate
	case isInvalid && invalid.Reason == x509.Expired: // or not valid yet
		return NotValidNow, certificate
	default:
		return OtherFault, certificate
	}
}

// isA reports whether an error wraps one of type E.
func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// cutOffBy says whether the end of a read, or else the limit of its attempt, has cut the attempt off.
func cutOffBy(read, attempt context.Context) CutOff {
	switch {
	case hasEnded(read):
		return CutOffByContext
	case hasEnded(attempt):
		return CutOffByRequestTimeout
	default:
		return NotCutOff
	}
}

// hasEnded reports whether a context has ended. Its deadline counts, too, because a timer of the network may come a moment earlier.
func hasEnded(ctx context.Context) bool {
	deadline, hasDeadline := ctx.Deadline()
	return ctx.Err() != nil || hasDeadline && !time.Now().Before(deadline)
}
