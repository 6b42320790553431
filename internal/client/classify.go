package client

import (
	"cmp"
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

const reasonLimit = 300 // characters

// classify returns the failure for an error of a request. It redacts only the parts of its text that the server sent.
func classify(ctx context.Context, err error, trace *requestTrace) *Failure {
	if failure, ok := errors.AsType[*Failure](err); ok { // from proxy.go or bodyOf
		return failure
	}
	failure := failureOf(ctx, err, trace)
	if failure.Kind == KindTimeout && trace.at() == stageConnecting { // of several addresses, one may refuse and one be silent
		failure.Class = KindConnect.class
	}
	// A resolver or one of several addresses can time out before the attempt does.
	failure.TimedOut = failure.Kind != KindNameServer && isTimeout(ctx, err) && !time.Now().Before(trace.deadline)
	return failure
}

// failureOf returns the failure for err, except TimedOut. It checks in this order: this machine, proxy, DNS, timeout, TLS,
// no connection, broken connection, invalid response. The order matters: a timeout, for example, can break a connection.
func failureOf(ctx context.Context, err error, trace *requestTrace) *Failure {
	timedOut := isTimeout(ctx, err)
	dnsErr, isDNS := errors.AsType[*net.DNSError](err)
	system := systemErrorOf(err)
	switch {
	case system != nil && system.local && (trace.at() <= stageConnecting || errors.Is(err, syscall.EMFILE)):
		return newFailure(KindLocal, system.words) // the latter also if the system's CA certificates cannot be opened
	case trace.atProxy():
		return proxyFailure(err, timedOut, trace.redact)
	case isDNS && !dnsErr.IsNotFound && !timedOut:
		return lookupFailure(dnsErr.Err)
	case isDNS && dnsErr.IsNotFound:
		return newFailure(KindResolve, notResolved+"no such host")
	case isDNS, timedOut && trace.at() == stageResolving:
		return newFailure(KindNameServer, notResolved+"the lookup ran out of time")
	case timedOut:
		return newFailure(KindTimeout, noAnswer[trace.at()])
	}
	if failure := tlsFailure(err, trace); failure != nil {
		return failure
	}
	text := goText(err)
	operation, isOperation := errors.AsType[*net.OpError](err)
	switch {
	case strings.HasPrefix(text, "server response headers exceeded"):
		return newFailure(KindLargeHead, fmt.Sprintf("a response head of more than %d bytes", maxHead))
	case isOperation && operation.Op == "dial" && text != "connection reset by peer": // after a connection
		return newFailure(KindConnect, safetext.Line(text, reasonLimit))
	case strings.HasPrefix(text, `malformed HTTP response "\x15\x03`): // a TLS alert
		return newFailure(KindHTTPSOnly, "the server answered in TLS, not in plain HTTP")
	case strings.HasPrefix(text, `malformed HTTP response "\x00\x00`): // the SETTINGS frame that starts HTTP/2
		return newFailure(KindHTTP2Only, "the server answered in HTTP/2")
	case isBroken(err), text == "server closed idle connection", cutShort.MatchString(text):
		return newFailure(KindBroken, cmp.Or(brokenAt[trace.at()],
			"the server closed or reset the connection before it had answered"))
	default:
		return notHTTPFailure(err, trace)
	}
}

const notResolved = "the host name could not be resolved: "

// lookupFailure returns the failure for a text of Go's resolver, which may end in that of the system.
func lookupFailure(text string) *Failure {
	for _, system := range systemErrors {
		switch {
		case !strings.HasSuffix(text, system.unix.Error()):
		case system.local:
			return newFailure(KindLocal, notResolved+"no name server could be asked: "+system.words)
		default:
			return newFailure(KindNameServer, notResolved+"no name server was reached: "+system.words)
		}
	}
	return newFailure(KindNameServer, notResolved+"the name servers answered with a failure")
}

// cutShort matches the errors of net/http for a head, or a trailer, that ends within a line. A header that ends before
// its colon has only characters of a name.
var cutShort = regexp.MustCompile(`^(unexpected EOF reading trailer|suspiciously long trailer after chunked body|` +
	`malformed MIME header: missing colon: "[^\s"\\]*(\\r)?"|malformed MIME header line: ".*\\r"|` +
	`malformed HTTP response "H[TP/1.0]*(\\r)?"|malformed HTTP status code "\d{0,3}(\\r)?")$`)

// notHTTPFailure returns the failure for a response that is not valid HTTP. If its status line is, the port is right.
func notHTTPFailure(err error, trace *requestTrace) *Failure {
	kind, text := KindDamaged, goText(err)
	// net/http closes a connection on which a server sends data before the request, without a specific error.
	if errors.Is(err, net.ErrClosed) || strings.HasPrefix(text, "readLoopPeekFailLocked") {
		kind, text = KindNotHTTP, "it came before the request"
	}
	if trace.at() != stageAnswered && strings.HasPrefix(text, "malformed HTTP ") { // in the status line
		kind = KindNotHTTP
	}
	failure := newFailure(kind, notValidHTTP+trace.redact.quoting(text, `"`))
	failure.transient = trace.reused.Load() // it may be the rest of an earlier response; a retry uses another connection
	return failure
}

const notValidHTTP = "the response is not valid HTTP: "

func proxyFailure(err error, timedOut bool, redact redactor) *Failure {
	operation, isOperation := errors.AsType[*net.OpError](err)
	untrusted := isA[*tls.CertificateVerificationError](err)
	text := strings.TrimPrefix(goText(err), tlsPrefix)
	answer, answered := strings.CutPrefix(text, "unknown error ") // only errors of SOCKS proxies start with this
	switch {
	case timedOut:
		return newFailure(KindProxy, "the proxy did not connect to the instance in time")
	case answered:
		return newFailure(KindProxy, "the proxy could not reach the instance: "+answer)
	case isOperation && operation.Op == "proxyconnect", isA[*net.DNSError](err), untrusted:
		failure := newFailure(KindProxy, "the proxy could not be reached: "+redact.quoting(text, certificateNames))
		failure.transient, failure.untrusted = !untrusted, untrusted
		return failure
	default:
		return newFailure(KindProxy, "the proxy broke the connection, or does not speak the protocol that its URL names")
	}
}

// noAnswer has the reasons for a timeout.
var noAnswer = map[stage]string{
	stageNone:        "no connection in time",
	stageConnecting:  "no connection in time",
	stageHandshaking: "connected, but no TLS handshake in time (the port may not speak TLS, or large packets may be lost, which GODEBUG=tlsmlkem=0 can avoid)",
	stageSent:        "connected, but no response in time",
	stageAnswered:    "no complete response in time",
}

// brokenAt has reasons for a connection that broke. They do not tell closed from reset, which depends on timing.
var brokenAt = map[stage]string{
	stageHandshaking: "the server closed or reset the connection during the TLS handshake (if curl connects, try GODEBUG=tlsmlkem=0)",
	stageAnswered:    "the connection broke before the whole response had arrived",
}

// tlsFailure returns the failure for a TLS error. Returns nil for other errors.
func tlsFailure(err error, trace *requestTrace) *Failure {
	text := goText(err)
	tlsText, isTLS := strings.CutPrefix(text, tlsPrefix) // only the start: a response may contain the same words
	unverified, isUnverified := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case isUnverified:
		return certificateFailure(unverified, trace.redact.quoting(text, certificateNames), trace.redact)
	case errors.Is(err, http.ErrSchemeMismatch), isA[tls.RecordHeaderError](err) && trace.at() < stageSent:
		return newFailure(KindNoTLS, "the server does not speak TLS on this port")
	case isTLS && trace.at() == stageAnswered: // a damaged record
		return newFailure(KindBroken, brokenAt[stageAnswered])
	case isTLS:
		return handshakeFailure(err, safetext.Line(tlsText, reasonLimit), trace)
	case trace.certificateWanted.Load() && isBroken(err):
		// The alert may be lost when the server closes the connection.
		failure := newFailure(KindClientCertificate,
			"the server asked for a client certificate, and closed or reset the connection")
		failure.transient = true
		return failure
	default:
		return nil
	}
}

func certificateFailure(err *tls.CertificateVerificationError, reason string, redact redactor) *Failure {
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case isInvalid && invalid.Reason == x509.Expired:
		if invalid.Cert != nil && invalid.Cert.IsCA {
			reason += ": that of the authority " + redact.line(invalid.Cert.Subject.String(), messageLimit)
		}
		return newFailure(KindCertificateExpired, reason)
	case isInvalid, isA[x509.UnhandledCriticalExtension](err), strings.Contains(reason, "legacy Common Name"):
		return newFailure(KindCertificateUnfit, reason)
	case isA[x509.HostnameError](err):
		return newFailure(KindCertificateName, reason)
	case insecureAlgorithm.MatchString(err.Error()):
		return newFailure(KindCertificateUnfit, "the certificate of the server cannot be used: "+
			insecureAlgorithm.FindString(err.Error()))
	}
	failure := newFailure(KindCertificate, reason)
	failure.untrusted = true
	if strings.Contains(err.Error(), guess) {
		failure.Reason += "; a certificate with the authority's name is known, but has another key, or may not sign certificates"
	}
	if chain := err.UnverifiedCertificates; len(chain) > 0 && isSelfSigned(chain[0]) {
		failure.Kind, failure.Reason = KindCertificateSelfSigned, "the certificate is self-signed"
	}
	return failure
}

// insecureAlgorithm matches what crypto/x509 says of a signature that it rejects, although it knows the authority.
var insecureAlgorithm = regexp.MustCompile(`insecure algorithm [\w-]+`)

// handshakeFailure returns the failure for a handshake that failed, in the words of crypto/tls.
func handshakeFailure(err error, words string, trace *requestTrace) *Failure {
	operation, isOperation := errors.AsType[*net.OpError](err)
	refused := isOperation && operation.Op == "remote error" // an alert: the server speaks TLS
	kind, reason := KindTLS, "the TLS handshake failed: "+words
	if refused {
		reason = "the server refused the TLS handshake: " + words
	}
	switch {
	case refused && (trace.certificateWanted.Load() || strings.Contains(words, "certificate")),
		strings.HasPrefix(words, "peer doesn't support"): // the algorithm of the client's
		kind = KindClientCertificate
	case strings.Contains(words, "protocol version"):
		kind = KindTLSVersion
	case strings.Contains(words, "no application protocol"):
		kind = KindTLSProtocol
	case refused && (words == "unrecognized name" || words == "internal error"): // the latter is Caddy's
		kind = KindTLSHostName
	case words == "no renegotiation":
		kind, reason = KindClientCertificate, "the server asked for a client certificate after the TLS handshake (renegotiation)"
	case !refused && strings.Contains(words, "certificate"):
		_, problem, _ := strings.Cut(words, ": ")
		kind = KindCertificateUnusable
		reason = "the certificate of the server cannot be used: " + strings.TrimPrefix(cmp.Or(problem, words), "x509: ")
	}
	return newFailure(kind, reason)
}

// isSelfSigned is asked of the server's own certificate: the last one that it sends may be that of its authority.
func isSelfSigned(cert *x509.Certificate) bool {
	return cert.CheckSignature(cert.SignatureAlgorithm, cert.RawTBSCertificate, cert.Signature) == nil
}

// isBroken reports whether err means that the connection ended.
func isBroken(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || isA[syscall.Errno](err)
}

// isA reports whether err's tree has an error of type E.
func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// isTimeout reports whether ctx expired or err is a timeout of Go. The system's timeout (ETIMEDOUT) does not count.
func isTimeout(ctx context.Context, err error) bool {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return true
	}
	if isA[syscall.Errno](err) {
		return false
	}
	netErr, ok := errors.AsType[net.Error](err)
	return ok && netErr.Timeout()
}

const (
	// tlsPrefix is the prefix of crypto/tls errors.
	tlsPrefix = "tls: "
	// certificateNames precedes the names of a certificate in a crypto/x509 error.
	certificateNames = "certificate is valid for "
	guess            = " (possibly because of" // by crypto/x509: a certificate of the authority's name did not fit
)

// goText returns the text of an error from Go's libraries, without addresses and package prefixes (except tlsPrefix).
func goText(err error) string {
	if dnsErr, ok := errors.AsType[*net.DNSError](err); ok {
		return dnsErr.Err
	}
	if verification, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		err = verification.Err
	}
	for operation, ok := errors.AsType[*net.OpError](err); ok; operation, ok = errors.AsType[*net.OpError](err) {
		err = operation.Err // a proxy error wraps two
	}
	if system := systemErrorOf(err); system != nil {
		return system.words
	}
	if addressErr, ok := errors.AsType[*net.AddrError](err); ok {
		return addressErr.Err
	}
	text, _, _ := strings.Cut(err.Error(), guess)
	for _, prefix := range []string{"net/http: HTTP/1.x transport connection broken: ", "net/http: ", "http: ", "x509: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}
