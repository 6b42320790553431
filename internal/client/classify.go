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
	verdict := c.verdictOn(ctx, err, progress, redact)
	failure := newFailure(verdict.kind, verdict.reason)
	failure.transient, failure.cause = verdict.transient, err
	if refused, ok := errors.AsType[*proxyError](err); ok {
		failure.StatusCode, failure.configuration = refused.status, refused.status == 0
	}
	failure.configuration = failure.configuration || verdict.kind == KindRequest
	return failure
}

// verdict is what an error means.
type verdict struct {
	kind Kind
	// transient: another attempt may do better.
	transient bool
	reason    string
}

// verdictOn asks, in this order: was it the proxy, was there no answer in time,
// did TLS fail, was there no connection, did it break? The order matters: a
// timeout, for one, can break a connection.
func (c *Client) verdictOn(ctx context.Context, err error, progress *progress, redact *redactor) verdict {
	operation, hasOperation := errors.AsType[*net.OpError](err)
	timedOut := isTimeout(err) || errors.Is(ctx.Err(), context.DeadlineExceeded)
	refused, byProxy := errors.AsType[*proxyError](err)
	stream, ofStream := errors.AsType[http2.StreamError](err)
	switch {
	case byProxy:
		return verdict{KindProxy, transientStatus(refused.status), refused.reason}
	case hasOperation && (operation.Op == "proxyconnect" || strings.HasPrefix(operation.Op, "socks")):
		return verdict{KindProxy, !isA[*tls.CertificateVerificationError](err),
			"the proxy could not be reached: " + redact.clean(systemReason(err), reasonLimit)}
	case isA[*net.DNSError](err):
		return verdict{KindResolve, true, fmt.Sprintf("the host name could not be resolved (%s)", systemReason(err))}
	case timedOut && progress.got.Load() == nil:
		return verdict{KindTimeout, true, fmt.Sprintf("no connection within %s", c.requestTimeout)}
	case timedOut, strings.Contains(err.Error(), "client connection lost"): // it did not even answer a ping
		return verdict{KindTimeout, true, fmt.Sprintf("no complete response within %s", c.requestTimeout)}
	case progress.proxied.Load() && !progress.handshaking.Load() && progress.got.Load() == nil:
		return verdict{KindProxy, true, "the proxy broke the connection, or does not speak HTTP"}
	}
	if verdict, ok := verdictOnTLS(err, progress, redact); ok {
		return verdict
	}
	switch {
	case hasOperation && operation.Op == "dial" && !errors.Is(err, syscall.ECONNRESET): // which comes after connecting
		return verdict{KindConnect, true, redact.clean(systemReason(err), reasonLimit)}
	case isBroken(err):
		return verdict{KindBroken, true, progress.brokenReason()}
	case ofStream && stream.Cause != nil && stream.Cause.Error() != "received from peer":
		// It was net/http that gave the stream up.
		return verdict{KindProtocol, false, notHTTP + redact.clean(stream.Cause.Error(), reasonLimit)}
	case ofStream:
		return verdict{KindBroken, true, fmt.Sprintf("the server reset the HTTP/2 stream (%s)", stream.Code)}
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), isA[flate.CorruptInputError](err):
		return verdict{KindProtocol, false, "the body is not valid gzip, although its Content-Encoding says so"}
	default:
		return verdictOnText(err.Error(), progress, redact)
	}
}

// verdictOnTLS says what an error of TLS means, or that it is none.
func verdictOnTLS(err error, progress *progress, redact *redactor) (verdict, bool) {
	operation, hasOperation := errors.AsType[*net.OpError](err)
	alert := hasOperation && operation.Op == "remote error"
	mutualHTTP2 := progress.connection().mutualHTTP2()
	switch {
	case isA[*tls.CertificateVerificationError](err):
		return verdict{KindCertificate, false, redact.clean(certificateReason(err), reasonLimit)}, true
	case errors.Is(err, http.ErrSchemeMismatch), isA[tls.RecordHeaderError](err):
		return verdict{KindTLS, false, "the server does not speak TLS on this port"}, true
	case mutualHTTP2 && (alert || strings.Contains(err.Error(), notEstablished)):
		return verdict{KindTLS, false, askedAndClosed}, true
	case mutualHTTP2 && !progress.answered && isBroken(err):
		// It may be that the alert got lost, or that the server broke down: which
		// of them is left open, as is which comes, an alert or this.
		return verdict{KindBroken, true, askedAndClosed}, true
	case alert:
		why := strings.TrimPrefix(operation.Err.Error(), "tls: ")
		return verdict{KindTLS, false, fmt.Sprintf("the server refused the TLS handshake (%s)", redact.clean(why, reasonLimit))}, true
	default:
		return verdict{}, false
	}
}

// verdictOnText says what an error means for which net/http has no type.
func verdictOnText(text string, progress *progress, redact *redactor) verdict {
	if _, why, ok := strings.Cut(text, "tls: "); ok {
		return verdict{KindTLS, false, fmt.Sprintf("the TLS handshake failed (%s)", redact.clean(why, reasonLimit))}
	}
	for _, where := range []string{"net/http: HTTP/1.x transport connection broken: ", "net/http: ", "http: ", "http2: "} {
		text = strings.TrimPrefix(text, where)
	}
	connection, got := progress.connection(), progress.got.Load()
	switch {
	case strings.HasPrefix(text, "invalid Upgrade request header"): // and then its value
		return verdict{KindRequest, false, "HTTP/2 does not allow the request header Upgrade"}
	case strings.HasPrefix(text, "request header list larger"):
		return verdict{KindRequest, false, "the request headers are larger than the server accepts"}
	case strings.HasPrefix(text, "readLoopPeekFailLocked"):
		// What a server speaks that does so first, such as SSH, or what followed
		// an earlier response. Another attempt may get an answer.
		return verdict{KindProtocol, true, notHTTP + "it came before the request"}
	case connection != nil && connection.ended.Load() && headCut().MatchString(text):
		return verdict{KindBroken, true, progress.brokenReason()}
	default:
		// On a connection that was used before, it may be the rest of an earlier
		// response: another attempt gets another connection.
		return verdict{KindProtocol, got != nil && got.Reused, notHTTP + redact.clean(text, reasonLimit)}
	}
}

// headCut matches what net/http says of the head of a response that ends within
// a line, and that is HTTP as far as it goes.
var headCut = lazyRegexp(`^malformed (MIME header|HTTP response "(H|HT|HTT|HTTP|HTTP/.*)"|HTTP status code "\d{0,2}")`)

const notHTTP = "the response is not valid HTTP: "

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
