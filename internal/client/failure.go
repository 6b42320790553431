package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Kind classifies failures.
type Kind int

const (
	KindResolve     Kind = iota + 1 // the host name has no address
	KindNameServer                  // the name servers did not answer, or answered with a failure
	KindConnect                     // no connection to the instance
	KindTimeout                     // no complete response in time
	KindBroken                      // the connection broke before the last byte of the body
	KindCertificate                 // the instance's certificate is not trusted
	KindTLS                         // TLS failed for another reason, such as a missing client certificate
	KindProxy                       // a proxy could not be reached, refused, or is misconfigured
	KindNotHTTP                     // the response is not valid HTTP
	KindRedirect                    // a redirect that is not followed
	KindStatus                      // a status other than 200
	KindTooLarge                    // a body of more than 64 KiB, or a head of more than 16 KiB
	KindNotJSON                     // a body that is not JSON
	KindDocument                    // JSON that is not an instance document
	KindUnexpected                  // details that are not as expected
	KindCached                      // a response that a cache stored too early; see Request.UntilReady
	KindUnstable                    // attempts succeeded when the time ran out, but not for StableFor
)

// kinds holds the defaults for failures of each kind.
var kinds = map[Kind]struct {
	// stableReason is Failure.StableReason, or its prefix. Kinds share one if only timing decides between them.
	stableReason string
	// transient is true if another attempt may succeed.
	transient bool
}{
	KindResolve:     {"no such host", true},
	KindNameServer:  {"no response in time", true},
	KindConnect:     {"connection failed", true},
	KindTimeout:     {"no response in time", true},
	KindBroken:      {"connection broken", true},
	KindCertificate: {"certificate not trusted", false},
	KindTLS:         {"TLS handshake failed", false},
	KindProxy:       {"proxy failed", true},
	KindNotHTTP:     {"not HTTP", false},
	KindRedirect:    {"redirect not followed", false},
	KindStatus:      {"status ", false},
	KindTooLarge:    {"body too large", false},
	KindNotJSON:     {"not JSON", false},
	KindDocument:    {"not an instance document: ", false},
	KindUnexpected:  {"not as expected", true},
	KindCached:      {"response from a cache", true},
	KindUnstable:    {"not stable", false},
}

// Hint is a likely cause, more specific than the [Kind].
type Hint int

const (
	HintHTTPS             Hint = iota + 1 // the server expects TLS, and the URL says http
	HintHTTP2                             // the server speaks HTTP/2 only
	HintClientCertificate                 // the server asked for a client certificate
	HintTLSVersion                        // server and client have no TLS version in common
	HintHostName                          // the server does not know the host name
	HintExpired                           // the certificate has expired or is not valid yet
	HintSelfSigned                        // no authority signed the certificate
	HintWrongName                         // the certificate is for another host name
	HintProxyCredentials                  // the proxy requires credentials, or refused them
	HintConnectTo                         // the address of Config.ConnectTo could not be resolved or reached
	HintWebPage                           // the body is an HTML page
	HintNoDocument                        // the body is empty, or a message about an error, with status 200
	HintCutShort                          // the body is the beginning of a JSON document
	HintBody                              // the head is fine, but the body is damaged, or encoded in a way that nobody asked for
	HintLargeHead                         // the head is too large, not the body
)

// Ending says how the time limit of a read ended it.
type Ending int

const (
	NotByTime  Ending = iota // the time limit did not end it
	TimeRanOut               // it interrupted an attempt or a delay
	NoTimeLeft               // it left no time for another attempt
)

// Failure reports why an instance could not be read. It is safe to print. The function that detects it sets what went wrong,
// follow sets redirects and the proxy, and read sets the attempts.
type Failure struct { //nolint:errname // the one outcome of a read besides its result, not one error of many
	Kind Kind
	// StableReason is a short reason that changes only with the cause, so that it can be stored in a state.
	StableReason string
	// Hint is a likely cause, or 0.
	Hint Hint
	// URL is the requested URL, {base_url}/instance.
	URL string
	// RedirectedTo is the URL after redirects, without its query, or "".
	RedirectedTo string
	// OtherOrigin is true if redirects led to another origin, to which neither extra headers nor a client certificate are sent.
	OtherOrigin bool
	// ExtraHeaders is true if the request had extra headers.
	ExtraHeaders bool
	// ConnectTo is the address from Config.ConnectTo that the failed request used, or "".
	ConnectTo string
	// Proxy is the environment variable of the proxy that was used, or "".
	Proxy string
	// Reason says what went wrong, in one line.
	Reason string
	// Faults lists the faults of the document, for KindNotJSON and KindDocument. Empty for a message about an error.
	Faults []string
	// Differences lists the values that were not as expected in the last instance document received. Never empty for KindUnexpected.
	Differences []Difference
	// Answered is true if the head of a response arrived.
	Answered bool
	// CacheAgeSeconds is the age of a response from a cache, or 0.
	CacheAgeSeconds int64
	// LastStreak is the last streak before the failure. Its Attempts are 0 if there was none.
	LastStreak Streak
	// BeforeStreak is the last failure before LastStreak, for KindUnstable, or nil.
	BeforeStreak *Failure
	// StatusCode is the HTTP status for KindStatus, or the status of a proxy that refused to connect, or 0.
	StatusCode int
	// Attempts is the number of attempts made. It is 0 if the time ran out before the first.
	Attempts int
	// AttemptTimedOut is true if the last attempt exceeded RequestTimeout.
	AttemptTimedOut bool
	// Ending says how the time limit of the read ended it.
	Ending Ending

	transient  bool          // worth another attempt
	permanent  bool          // no attempt can succeed, not even once the instance is ready
	retryAfter time.Duration // how long the server asked to wait, or 0
}

// Difference is a value that is not as expected.
type Difference struct {
	// Name identifies the value.
	Name string
	// Reported and Expected are its values as text.
	Reported, Expected string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s is %s, expected %s", d.Name, d.Reported, d.Expected)
}

// newFailure returns a failure with the defaults of its kind.
func newFailure(kind Kind, reason string) *Failure {
	return &Failure{Kind: kind, Reason: reason, StableReason: kinds[kind].stableReason, transient: kinds[kind].transient}
}

// statusLine returns a status as "503 Service Unavailable".
func statusLine(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// Error returns the URL, where redirects led, and the reason.
func (f *Failure) Error() string { return f.Target() + ": " + f.Reason }

// Target returns what was requested, "GET https://example.org/instance", with any redirect, connect_to and cache in parentheses.
func (f *Failure) Target() string {
	target := "GET " + f.URL
	if f.RedirectedTo != "" {
		target += " (redirected to " + f.RedirectedTo + ")"
	}
	if f.ConnectTo != "" {
		target += " (connect_to " + f.ConnectTo + ")"
	}
	if f.CacheAgeSeconds > 0 && f.Kind != KindCached { // then, Reason has the age
		target += fmt.Sprintf(" (from a cache, %d seconds old)", f.CacheAgeSeconds)
	}
	return target
}

// CanceledError reports that a read was canceled.
type CanceledError struct {
	// URL is the requested URL, {base_url}/instance.
	URL string
	// Attempts is the number of attempts made.
	Attempts int
	// Last is the failure of the last attempt that was not interrupted, or nil.
	Last *Failure
}

func (e *CanceledError) Error() string { return "reading " + e.URL + " was canceled" }

// Unwrap returns [context.Canceled], never Last.
func (e *CanceledError) Unwrap() error { return context.Canceled }

// AsFailure returns the failure in err's tree. Returns false if there is none.
func AsFailure(err error) (*Failure, bool) { return errors.AsType[*Failure](err) }
