package client

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Kind is what went wrong in an attempt, as far as it leads to different advice. Compare the pointers below.
type Kind struct {
	// Summary is a title for the failure.
	Summary string
	// class is Failure.Class, or its prefix. Kinds share one if only timing decides between them.
	class string
	// transient is true if another attempt may succeed.
	transient bool
}

// The kinds of failures.
var (
	KindResolve               = &Kind{"Host name of the instance not found", "no such host", true}
	KindNameServer            = &Kind{"Host name lookup failed", "no response in time", true}
	KindConnect               = &Kind{"Instance not reachable", "connection failed", true}
	KindLocal                 = &Kind{"No connection from this machine", "no connection from this machine", true}
	KindTimeout               = &Kind{"Instance did not answer in time", "no response in time", true}
	KindBroken                = &Kind{"Connection to the instance broke", "connection broken", true}
	KindCertificate           = &Kind{notTrusted, "certificate not trusted", false}
	KindCertificateExpired    = &Kind{notTrusted, "certificate not trusted", false} // or not valid yet
	KindCertificateName       = &Kind{notTrusted, "certificate not trusted", false} // it is for other names
	KindCertificateUnfit      = &Kind{notTrusted, "certificate not trusted", false} // whoever signed it
	KindCertificateSelfSigned = &Kind{notTrusted, "certificate not trusted", false}
	KindCertificateUnusable   = &Kind{noHandshake, "TLS handshake failed", false} // Go rejects it, whoever signed it
	KindNoTLS                 = &Kind{noHandshake, "TLS handshake failed", false} // the server speaks another protocol
	KindTLS                   = &Kind{noHandshake, "TLS handshake failed", false}
	KindTLSVersion            = &Kind{noHandshake, "TLS handshake failed", false} // no TLS version in common
	KindTLSHostName           = &Kind{noHandshake, "TLS handshake failed", false} // the server does not know the host name
	KindTLSProtocol           = &Kind{noHandshake, "TLS handshake failed", false} // the server offers only HTTP/2
	KindClientCertificate     = &Kind{noHandshake, "TLS handshake failed", false} // the server got none that it accepts
	KindProxy                 = &Kind{"Instance not reachable through the proxy", "proxy failed", true}
	KindProxySettings         = &Kind{"Instance not reachable through the proxy", "proxy failed", false}
	KindNotHTTP               = &Kind{notHTTP, "not HTTP", false}
	KindHTTPSOnly             = &Kind{notHTTP, "not HTTP", false} // the server expects TLS, and the URL says http
	KindHTTP2Only             = &Kind{notHTTP, "not HTTP", false}
	KindDamaged               = &Kind{notHTTP, "not HTTP", false} // the status line is valid HTTP, and what follows is not
	KindRedirect              = &Kind{noRedirect, "redirect not followed", false}
	KindRedirectLoop          = &Kind{noRedirect, "redirect not followed", false}
	KindStatus                = &Kind{"", "status ", false} // other than 200, without a more specific kind
	KindLargeHead             = &Kind{tooLarge, "head too large", false}
	KindLargeBody             = &Kind{tooLarge, "body too large", false}
	KindNotJSON               = &Kind{notJSON, "not JSON", false}
	KindWebPage               = &Kind{notJSON, "not JSON", false}
	KindEmptyBody             = &Kind{notJSON, "not JSON", true}  // as after a connection that broke, if there is no length
	KindCutShort              = &Kind{notJSON, "not JSON", true}  // the beginning of a JSON document
	KindEncodedBody           = &Kind{notJSON, "not JSON", false} // an encoding that nobody asked for, or text that is not UTF-8
	KindDocument              = &Kind{notDocument, "not an instance document: ", false}
	KindOtherJSON             = &Kind{notDocument, "not an instance document: ", false} // without any field of an instance
	KindUnexpected            = &Kind{"Instance does not report what is expected", "not as expected", true}
	KindCached                = &Kind{"A cache answered instead of the instance", "response from a cache", true}
)

const (
	notTrusted  = "Certificate of the instance not trusted"
	noHandshake = "TLS handshake with the instance failed"
	notHTTP     = "Response of the instance is not valid HTTP"
	noRedirect  = "Redirect of the instance not followed"
	tooLarge    = "Response of the instance too large"
	notJSON     = "Response of the instance is not JSON"
	notDocument = "Response is not an instance document"
)

// Failure says what went wrong in one attempt. It is safe to print.
type Failure struct { //nolint:errname // it is an error only on its way through net/http; see [ReadError]
	Kind *Kind
	// Class is a short text that changes only with the cause, so that it can be stored in a state.
	Class string
	// Reason says what went wrong, in one line.
	Reason string
	// StatusCode is the status of the response if it is not 200, or of a proxy that refused to connect (KindProxy), or 0.
	StatusCode int
	// Faults lists the faults of a document that is not an instance document.
	Faults []string
	// CacheAgeSeconds is the age of the response, if it came from a cache.
	CacheAgeSeconds int64
	// Connected is true if there was a connection, and Answered if some of a response arrived.
	Connected, Answered bool
	// TimedOut is true if the attempt took longer than Config.RequestTimeout.
	TimedOut bool
	// RedirectedTo is the URL after redirects, without its query, or "".
	RedirectedTo string
	// OtherOrigin is true if redirects led to another origin, which gets no extra headers and no client certificate.
	OtherOrigin bool
	// HeadersSent is true if the request had extra headers.
	HeadersSent bool
	// ConnectTo is the address from Config.ConnectTo that was used, or "".
	ConnectTo string
	// Proxy is the environment variable of the proxy that was used, or "".
	Proxy string
	// ProxyForwards is true if that proxy itself sent the request to the instance, on a connection of its own.
	ProxyForwards bool
	// CACertsLeftOut is true if the certificate is not trusted, and some of TLS.CACertPEM could not be used.
	CACertsLeftOut bool
	// SystemCAsMissing is true if the certificate is not trusted, and the system's authorities could not be loaded.
	SystemCAsMissing bool

	transient  bool          // worth another attempt
	untrusted  bool          // a certificate is signed by no authority that is known
	retryAfter time.Duration // how long the server asked to wait, or 0
}

// newFailure returns a failure with the defaults of its kind.
func newFailure(kind *Kind, reason string) *Failure {
	return &Failure{Kind: kind, Reason: reason, Class: kind.class, transient: kind.transient}
}

func (f *Failure) Error() string { return f.Reason }

// Ending says how a read ended.
type Ending int

const (
	GaveUp     Ending = iota // no further attempt could help, or was allowed
	TimeRanOut               // the deadline interrupted an attempt or a delay
	NoTimeLeft               // the deadline left no time for another attempt
	Unstable                 // the deadline came while a wait had what it waits for, but not for Condition.StableFor
	Canceled                 // the context was canceled
)

// ReadError says why an instance could not be read: how the read ended, and what the last attempt met.
type ReadError struct {
	// URL is the requested URL, {base_url}/instance.
	URL    string
	Ending Ending
	// Attempts is the number of attempts. It is 0 if the time ran out before the first.
	Attempts int
	// Failure is of the last attempt that failed by itself, or else was interrupted. May be nil if Unstable or Canceled.
	Failure *Failure
	// Differences are those of the last document that a wait found to differ, even if later attempts failed in other ways.
	Differences []Difference
	// Streak is the last streak of a wait. Its Attempts are 0 if there was none.
	Streak Streak
}

// AsReadError returns err as a [*ReadError], which every error of [Client.Read] and [Client.Wait] is.
func AsReadError(err error) *ReadError {
	readErr, _ := errors.AsType[*ReadError](err)
	return readErr
}

func (e *ReadError) Error() string {
	switch e.Ending {
	case Canceled:
		return "GET " + e.URL + ": canceled"
	case Unstable:
		return "GET " + e.URL + ": the instance reports what is expected, but not for long enough yet"
	default:
		return e.Target() + ": " + e.Failure.Reason
	}
}

// OutOfTime reports whether the deadline ended the read.
func (e *ReadError) OutOfTime() bool {
	return e.Ending == TimeRanOut || e.Ending == NoTimeLeft || e.Ending == Unstable
}

// Target returns what was requested when Failure, which must not be nil, came: "GET https://h/instance (connect_to a:1)".
func (e *ReadError) Target() string {
	target, failure := "GET "+e.URL, e.Failure
	if failure.RedirectedTo != "" {
		target += " (redirected to " + failure.RedirectedTo + ")"
	}
	if failure.ConnectTo != "" {
		target += " (connect_to " + failure.ConnectTo + ")"
	}
	if failure.CacheAgeSeconds > 0 && failure.Kind != KindCached { // then, Reason has the age
		target += fmt.Sprintf(" (from a cache, %d seconds old)", failure.CacheAgeSeconds)
	}
	return target
}

// Difference is a value that is not as expected.
type Difference struct {
	// Name identifies the value.
	Name string
	// Reported and Expected are its values as text, safe to print.
	Reported, Expected string
	// Remedy says what the difference may come from, and what to do, or "".
	Remedy string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s is %s, expected %s", d.Name, d.Reported, d.Expected)
}

// statusLine returns a status as "503 Service Unavailable".
func statusLine(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
