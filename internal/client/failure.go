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
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
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
	Cached                Kind = "answered by a cache" // only of waits
)

// CertificateFault says what is wrong with a certificate, as far as it matters to what a user can do.
type CertificateFault int

// The faults of certificates. The last two may concern the certificate of an authority instead of the server's.
const (
	UnknownAuthority CertificateFault = iota // a further authority may help
	WrongHost                                // the certificate is for other hosts
	NotValidNow                              // the certificate has expired, or is not valid yet
	OtherFault
)

// Failure says what went wrong in one attempt. All its texts are safe to print.
type Failure struct {
	Kind Kind
	// RequestSummary is what was asked, with what is special about it: "GET https://h/instance (10.0.0.7:443, redirected to ...)".
	RequestSummary string
	// Reason is what came back, on one line, in the words of Go or of the server.
	Reason           string
	Faults           []string         // what is wrong with an instance document
	StatusCode       int              // that of a response, if it is not 200
	CertificateFault CertificateFault // for the kind CertificateNotTrusted alone
	// HeadersWithheld and CertificateWithheld are true if there are extra headers, or a client certificate, that were not sent because a
	// redirect had led to another origin.
	HeadersWithheld, CertificateWithheld bool
	// IsTLS is true if the last request was for an https URL, and IsRedirected if a redirect had led to it.
	IsTLS, IsRedirected bool
	// TimedOut is true if the attempt took longer than Config.RequestTimeout.
	TimedOut bool

	qualifier     string        // completes the class of some kinds
	isRetried     bool          // another attempt of a read may succeed
	isInterrupted bool          // the context of the read or wait ended before the attempt did
	retryAfter    time.Duration // the server asked to wait for so long
}

// Class returns a text for states and outputs, such as "status 503 Service Unavailable" or "not an instance document: fileMaxSize".
func (f *Failure) Class() string { return string(f.Kind) + f.qualifier }

// String returns what was asked and what came back, on one line.
func (f *Failure) String() string { return f.RequestSummary + ": " + f.Reason }

// knownError is an error whose kind is known where it is found, because it does not depend on how far the exchange has got.
type knownError struct {
	kind       Kind
	reason     string
	qualifier  string // completes the class: with the status, or with the field that is at fault
	statusCode int    // a status that is not 200, or 0
	retryAfter time.Duration
	faults     []string // what is wrong with an instance document
	endsEarly  bool     // the body may have been cut off
}

func (e *knownError) Error() string { return e.reason }

// failure returns the failure for an error of the exchange, which the end of the read or the time limit of the attempt may have cut off.
func (e *exchange) failure(err error, isInterrupted, isTimedOut bool) *Failure {
	isCutOff := isInterrupted || isTimedOut
	end := e.progress.now()
	kind, reason := classify(end.phase, err, isCutOff, e.route.proxyUse), err.Error()
	switch {
	case isCutOff:
		reason = end.timeoutReason()
	case kind == ProxyFailed && errors.Is(err, context.DeadlineExceeded): // a limit of net/http that cannot be changed
		reason = "no answer of the proxy to CONNECT within a minute"
	}
	failure := &Failure{
		Kind: kind, RequestSummary: e.summary(), IsTLS: e.target.Scheme == "https", IsRedirected: e.target != e.session.request.BaseURL.DocumentURL,
		HeadersWithheld:     !e.isOwn && len(e.session.request.Headers) > 0,
		CertificateWithheld: !e.isOwn && e.session.client.config.TLS.ClientCertPEM != "",
		TimedOut:            isTimedOut, isInterrupted: isInterrupted, isRetried: isRetried(kind, err),
	}
	if known, ok := errors.AsType[*knownError](err); ok {
		failure.qualifier, failure.StatusCode, failure.retryAfter, failure.Faults = known.qualifier, known.statusCode, known.retryAfter, known.faults
	}
	if untrusted, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		fault, certificate := faultOf(untrusted)
		failure.CertificateFault = fault
		reason += fmt.Sprintf(" (its subject is %q, its issuer is %q)", certificate.Subject.String(), certificate.Issuer.String())
	}
	failure.Reason = e.session.redact.Line(reason, maxReason)
	return failure
}

// classify returns the kind of a failure. The later the phase that was reached, the fewer causes remain, so the cases follow the phases, and
// types of errors decide only between causes of one phase. isCutOff is true if the time ran out, or the read was canceled.
func classify(reached phase, err error, isCutOff bool, proxy proxyUse) Kind {
	switch known, isKnown := errors.AsType[*knownError](err); {
	case isKnown:
		return known.kind
	case proxy != noProxy && reached < handshaking:
		return ProxyFailed
	case reached == resolving:
		return HostNotResolved
	case reached <= connecting:
		return ConnectionFailed
	case isCutOff:
		return NoResponseInTime
	case isA[*tls.CertificateVerificationError](err):
		return CertificateNotTrusted
	case errors.Is(err, http.ErrSchemeMismatch):
		return NoTLS
	case reached == waiting && isAlert(err) && proxy == forwards:
		return ProxyFailed // which speaks TLS itself, unlike the instance
	case reached == handshaking, reached == waiting && isAlert(err): // with TLS 1.3, one about a client certificate comes late
		return HandshakeFailed
	case reached == waiting, isBroken(err):
		return ConnectionBroken
	default:
		return InvalidResponse
	}
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

// isRetried decides whether another attempt of a read may succeed.
func isRetried(kind Kind, err error) bool {
	known, isKnown := errors.AsType[*knownError](err)
	record, isRecord := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case isKnown && known.statusCode != 0:
		return isRetriedStatus(known.statusCode)
	case isKnown: // without a length, a connection that breaks looks like the end of a document
		return known.endsEarly
	case kind == NoTLS, isA[*tls.CertificateVerificationError](err):
		return false
	case kind == HandshakeFailed && isRecord:
		return record.Conn == nil // if it is set, the port does not speak TLS
	default:
		return true
	}
}

// faultOf returns what is wrong with which certificate. It may be that of an authority, and its issuer may be a program that inspects
// connections.
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

// summary returns the request, and in parentheses what is special about it.
func (e *exchange) summary() string {
	document, usesProxy := e.session.request.BaseURL.DocumentURL.String(), e.route.proxyUse != noProxy
	var special []string
	peer := e.progress.now().connected
	isShown := peer == address.HostPort(e.target) || peer == e.route.connectTo
	if peer != "" && !isShown && !usesProxy { // the address of a proxy says nothing about the instance
		special = append(special, peer)
	}
	if e.target.String() != document {
		special = append(special, "redirected to "+e.printable(e.target))
	}
	if e.route.connectTo != "" {
		special = append(special, "connect_to "+e.route.connectTo)
	}
	if usesProxy {
		special = append(special, "through the proxy in "+e.route.proxyVariable)
	}
	if len(special) == 0 {
		return "GET " + document
	}
	return "GET " + document + " (" + strings.Join(special, ", ") + ")"
}

// isA reports whether an error wraps one of type E.
func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
