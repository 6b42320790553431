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
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http2"
)

// reasonLimit is how many characters of a text from the network a reason has.
const reasonLimit = 300

// classify turns an error of a round trip or of reading a body into a failure.
//
// What counts is the innermost error that has a meaning of its own: the texts
// around it hold local ports, which differ from run to run.
func (c *Client) classify(ctx context.Context, err error, progress *progress, redact *redactor) *Failure {
	failure := &Failure{cause: err, retryAfter: noRetryAfter}
	set := func(kind Kind, transient bool, format string, args ...any) *Failure {
		failure.Kind, failure.transient, failure.Reason = kind, transient, fmt.Sprintf(format, args...)
		return failure
	}

	operation, hasOperation := errors.AsType[*net.OpError](err)
	alert := hasOperation && operation.Op == "remote error"
	connection := progress.connection()
	timedOut := isTimeout(err) || errors.Is(ctx.Err(), context.DeadlineExceeded)
	switch {
	case isA[*proxyError](err):
		refused, _ := errors.AsType[*proxyError](err)
		failure.StatusCode, failure.configuration = refused.status, refused.status == 0
		return set(KindProxy, transientStatus(refused.status), "%s", refused.reason)
	case hasOperation && (operation.Op == "proxyconnect" || strings.HasPrefix(operation.Op, "socks")):
		return set(KindProxy, !isA[*tls.CertificateVerificationError](err),
			"the proxy could not be reached: %s", redact.clean(systemReason(err), reasonLimit))
	case isA[*net.DNSError](err):
		return set(KindResolve, true, "the host name could not be resolved (%s)", systemReason(err))
	case timedOut && progress.got.Load() == nil:
		return set(KindTimeout, true, "no connection within %s", c.requestTimeout)
	case timedOut, strings.Contains(err.Error(), "client connection lost"): // it did not even answer a ping
		return set(KindTimeout, true, "no complete response within %s", c.requestTimeout)
	case progress.proxied.Load() && !progress.handshaking.Load() && progress.got.Load() == nil:
		return set(KindProxy, true, "the proxy broke the connection, or does not speak HTTP")
	case isA[*tls.CertificateVerificationError](err):
		return set(KindCertificate, false, "%s", redact.clean(certificateReason(err), reasonLimit))
	case errors.Is(err, http.ErrSchemeMismatch), isA[tls.RecordHeaderError](err):
		return set(KindTLS, false, "the server does not speak TLS on this port")
	case connection.mutualHTTP2() && (alert || strings.Contains(err.Error(), notEstablished)):
		return set(KindTLS, false, "%s", askedAndClosed)
	case connection.mutualHTTP2() && !progress.answered && isBroken(err):
		// It may be that the alert got lost, or that the server broke down: which
		// of them is left open, as is which comes, an alert or this.
		return set(KindBroken, true, "%s", askedAndClosed)
	case alert:
		return set(KindTLS, false, "the server refused the TLS handshake (%s)", redact.clean(strings.TrimPrefix(operation.Err.Error(), "tls: "), reasonLimit))
	case hasOperation && operation.Op == "dial" && !errors.Is(err, syscall.ECONNRESET): // which comes after connecting
		return set(KindConnect, true, "%s", redact.clean(systemReason(err), reasonLimit))
	case isBroken(err):
		return set(KindBroken, true, "%s", progress.brokenReason())
	case isA[http2.StreamError](err):
		stream, _ := errors.AsType[http2.StreamError](err)
		if stream.Cause != nil && stream.Cause.Error() != "received from peer" {
			// It was net/http that gave the stream up.
			return set(KindProtocol, false, notHTTP, redact.clean(stream.Cause.Error(), reasonLimit))
		}
		return set(KindBroken, true, "the server reset the HTTP/2 stream (%s)", stream.Code)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), isA[flate.CorruptInputError](err):
		return set(KindProtocol, false, "the body is not valid gzip, although its Content-Encoding says so")
	}

	// net/http has no types for the rest.
	text := err.Error()
	if _, why, ok := strings.Cut(text, "tls: "); ok {
		return set(KindTLS, false, "the TLS handshake failed (%s)", redact.clean(why, reasonLimit))
	}
	for _, where := range []string{"net/http: HTTP/1.x transport connection broken: ", "net/http: ", "http: ", "http2: "} {
		text = strings.TrimPrefix(text, where)
	}
	if strings.HasPrefix(text, "readLoopPeekFailLocked") {
		// What a server speaks that does so first, such as SSH, or what followed
		// an earlier response. Another attempt may get an answer.
		return set(KindProtocol, true, notHTTP, "it came before the request")
	}
	if connection != nil && connection.ended.Load() && headCut().MatchString(text) {
		return set(KindBroken, true, "%s", progress.brokenReason())
	}
	// On a connection that was used before, it may be the rest of an earlier
	// response: another attempt gets another connection.
	got := progress.got.Load()
	return set(KindProtocol, got != nil && got.Reused, notHTTP, redact.clean(text, reasonLimit))
}

// headCut matches what net/http says of the head of a response that ends within
// a line, and that is HTTP as far as it goes.
var headCut = lazyRegexp(`^malformed (MIME header|HTTP response "(H|HT|HTT|HTTP|HTTP/.*)"|HTTP status code "\d{0,2}")`)

const notHTTP = "the response is not valid HTTP: %s"

// isBroken tells whether an error is that of a connection that ended.
func isBroken(err error) bool {
	operation, hasOperation := errors.AsType[*net.OpError](err)
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || isA[syscall.Errno](err) || errors.Is(err, net.ErrClosed) ||
		hasOperation && operation.Op != "local error" ||
		slices.ContainsFunc(connectionLost, func(lost string) bool { return strings.Contains(err.Error(), lost) })
}

// connectionLost are the texts of the errors, without a type, with which
// net/http says that a server closed a connection between or during requests.
var connectionLost = []string{
	"server closed idle connection", "GOAWAY", "client conn is closed", "client conn not usable",
	"client connection force closed", notEstablished, "unexpected EOF reading trailer",
}

// askedAndClosed is the one text for the end of a connection over which a server
// asked for a client certificate: it must be the same from run to run.
const askedAndClosed = "the server asked for a client certificate, and closed or reset the connection before it had answered"

const notEstablished = "client conn could not be established"

// brokenReason says how a connection broke. Whether a server closed it or reset
// it is left open: which of the two the client notices first is a race, and the
// text must be the same from run to run.
func (p *progress) brokenReason() string {
	if p.answered {
		return "the connection broke before the whole response had arrived"
	}
	return "the server closed or reset the connection before it had answered"
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// isTimeout tells whether the client ran out of time. The system's own limits
// (ETIMEDOUT) are not the request timeout.
func isTimeout(err error) bool {
	if isA[syscall.Errno](err) {
		return false
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout()
}

// systemReason returns why there is no connection, in the words of the
// operating system where it has some, without addresses.
func systemReason(err error) string {
	if resolve, ok := errors.AsType[*net.DNSError](err); ok {
		if resolve.IsNotFound {
			return "no such host"
		}
		return "the name servers did not answer"
	}
	if isA[*tls.CertificateVerificationError](err) {
		return certificateReason(err)
	}
	dial := false
	operation, ok := errors.AsType[*net.OpError](err)
	for ok {
		dial = dial || operation.Op == "dial"
		err = operation.Err
		operation, ok = errors.AsType[*net.OpError](err)
	}
	number, ok := errors.AsType[syscall.Errno](err)
	if ok && dial {
		return number.Error()
	}
	if ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the connection was closed or reset" // which of them is a race
	}
	if address, ok := errors.AsType[*net.AddrError](err); ok {
		return address.Err
	}
	return err.Error()
}

// certificateReason says what is wrong with a certificate. The text of x509
// for an expired one holds the current time, which differs from run to run.
func certificateReason(err error) string {
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return fmt.Sprintf("the certificate has expired or is not valid yet: it is valid from %s to %s",
			invalid.Cert.NotBefore.UTC().Format(time.DateOnly), invalid.Cert.NotAfter.UTC().Format(time.DateOnly))
	}
	if verification, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		err = verification.Err
	}
	return strings.TrimPrefix(err.Error(), "x509: ")
}

// transientStatus tells whether a status is worth another attempt.
func transientStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}
