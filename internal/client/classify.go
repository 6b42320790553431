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
		resolve, _ := errors.AsType[*net.DNSError](err)
		why := "no such host"
		if !resolve.IsNotFound {
			why = "the name servers did not answer"
		}
		return set(KindResolve, true, "the host name could not be resolved (%s)", why)
	case timedOut && !progress.connected.Load():
		return set(KindTimeout, true, "no connection within %s", c.requestTimeout)
	case timedOut:
		return set(KindTimeout, true, "no complete response within %s", c.requestTimeout)
	case isA[*tls.CertificateVerificationError](err):
		return set(KindCertificate, false, "%s", redact.clean(certificateReason(err), reasonLimit))
	case errors.Is(err, http.ErrSchemeMismatch), isA[tls.RecordHeaderError](err):
		return set(KindTLS, false, "the server does not speak TLS on this port")
	case hasOperation && operation.Op == "remote error":
		// An alert: the server refused the handshake.
		return set(KindTLS, false, "the server refused the TLS handshake (%s)", redact.clean(strings.TrimPrefix(operation.Err.Error(), "tls: "), reasonLimit))
	case hasOperation && operation.Op == "dial":
		return set(KindConnect, true, "%s", redact.clean(systemReason(err), reasonLimit))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return set(KindBroken, true, "the connection ended before the whole response had arrived")
	case errors.Is(err, io.EOF):
		return set(KindBroken, true, "the server closed the connection without a response")
	case isA[http2.StreamError](err):
		stream, _ := errors.AsType[http2.StreamError](err)
		return set(KindBroken, true, "the server reset the HTTP/2 stream (%s)", stream.Code)
	case isA[syscall.Errno](err), errors.Is(err, net.ErrClosed), hasOperation && operation.Op != "local error":
		return set(KindBroken, true, "the connection broke: %s", redact.clean(systemReason(err), reasonLimit))
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), isA[flate.CorruptInputError](err):
		return set(KindProtocol, false, "the body is not valid gzip, although its Content-Encoding says so")
	}

	// net/http has no types for the rest.
	text := err.Error()
	switch {
	case strings.Contains(text, "tls: "):
		_, why, _ := strings.Cut(text, "tls: ")
		return set(KindTLS, false, "the TLS handshake failed (%s)", redact.clean(why, reasonLimit))
	case strings.Contains(text, "client conn could not be established") && progress.askedForCertificate.Load():
		// Over HTTP/2 the alert of a server that refuses the client
		// certificate, or the lack of one, gets lost.
		return set(KindTLS, false, "the server asked for a client certificate and closed the connection")
	case slices.ContainsFunc(connectionLost, func(lost string) bool { return strings.Contains(text, lost) }):
		return set(KindBroken, true, "the server closed the connection")
	default:
		text = strings.TrimPrefix(text, "net/http: HTTP/1.x transport connection broken: ")
		return set(KindProtocol, false, "the response is not valid HTTP: %s", redact.clean(text, reasonLimit))
	}
}

// connectionLost are the texts of the errors with which net/http says that a
// server closed a connection between or during requests.
var connectionLost = []string{
	"server closed idle connection", "server sent GOAWAY", "client connection lost", "client conn is closed",
	"client connection force closed", "client conn could not be established",
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	network, ok := errors.AsType[net.Error](err)
	return ok && network.Timeout()
}

// systemReason returns what the operating system said, without addresses.
func systemReason(err error) string {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number.Error()
	}
	operation, ok := errors.AsType[*net.OpError](err)
	for ok {
		err = operation.Err
		operation, ok = errors.AsType[*net.OpError](err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the connection was closed"
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
