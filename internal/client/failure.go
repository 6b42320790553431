package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Kind is what kind of failure it was: it decides what a user is told.
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
	KindUnexpected                  // details that differ from what the request expects
)

// kinds are what failures of a kind have in common, where nothing more is known.
var kinds = map[Kind]struct {
	// stableReason is the text of Failure.StableReason, or its beginning. Two kinds share a text if which of them occurs depends on
	// timing.
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
}

// Hint is a likely cause that a failure of its kind does not always have.
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
	HintProxyCredentials                  // the proxy requires credentials, or other ones
	HintConnectTo                         // the address of Config.ConnectTo could not be resolved or reached
	HintWebPage                           // the body is an HTML page
)

// Failure says why an instance could not be read. Its texts are safe to print and include no header value. What an attempt knows
// is filled in where it is known: what came back by classify and response.go, the way there by follow, the attempts by read.
type Failure struct { //nolint:errname // the one outcome of a read besides its result, not one error of many
	Kind Kind
	// StableReason is a short text that is the same from run to run for as long as the cause is the same: it may be kept in a
	// state.
	StableReason string
	// Hint is a likely cause, or 0.
	Hint Hint
	// URL is what was asked for: {base_url}/instance.
	URL string
	// RedirectedTo is the URL, without its query, that redirects led to, or "".
	RedirectedTo string
	// OtherOrigin is true if the redirects led to another origin, to which neither extra headers nor a client
	// certificate are sent.
	OtherOrigin bool
	// ExtraHeaders is true if the read has extra headers for its own origin.
	ExtraHeaders bool
	// ConnectTo is the address to which the request that failed connected instead of its own host and port, or "".
	ConnectTo string
	// Proxy is the environment variable of the proxy that was used, or "".
	Proxy string
	// Reason is what came back, in one line.
	Reason string
	// Faults are the faults of a document, one by one; nil for other kinds.
	Faults []string
	// Differences are what the request expects and the instance did not report when it last answered with its document, at least
	// one for KindUnexpected.
	Differences []Difference
	// CacheAgeSeconds is how old the answer was, if a cache answered, else 0.
	CacheAgeSeconds uint64
	// StatusCode is the status of the instance's answer for KindStatus, or of a proxy's that refused, else 0.
	StatusCode int
	// Attempts is how many attempts were made, 0 if the time of the whole read ran out before the first.
	Attempts int
	// AttemptTimedOut is true if the time for one attempt ended the last one.
	AttemptTimedOut bool
	// TimeRanOut is true if it was the time of the whole read that ended the attempts; NoTimeLeft, if it left no room
	// for another.
	TimeRanOut, NoTimeLeft bool

	transient  bool          // worth another attempt
	permanent  bool          // no attempt can succeed, not even once the instance is ready
	retryAfter time.Duration // how long the server asked to wait, or 0
}

// Difference is a value that is not as expected.
type Difference struct {
	// Name is what the request calls the value. Reported and Expected are the value in words.
	Name, Reported, Expected string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s is %s, expected %s", d.Name, d.Reported, d.Expected)
}

// newFailure returns a failure with what its kind has in common.
func newFailure(kind Kind, reason string) *Failure {
	return &Failure{Kind: kind, Reason: reason, StableReason: kinds[kind].stableReason, transient: kinds[kind].transient}
}

// statusLine returns a status as "503 Service Unavailable".
func statusLine(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// Error returns the URL, where redirects led, and the reason.
func (f *Failure) Error() string { return f.Target() + ": " + f.Reason }

// Target says what was asked for: "GET https://example.org/instance", where redirects and connect_to led, and whether a cache answered.
func (f *Failure) Target() string {
	target := "GET " + f.URL
	if f.RedirectedTo != "" {
		target += " (redirected to " + f.RedirectedTo + ")"
	}
	if f.ConnectTo != "" {
		target += " (connect_to " + f.ConnectTo + ")"
	}
	if f.CacheAgeSeconds > 0 {
		target += fmt.Sprintf(" (from a cache, %d seconds old)", f.CacheAgeSeconds)
	}
	return target
}

// CanceledError says that a read was canceled.
type CanceledError struct {
	// URL is what was asked for: {base_url}/instance.
	URL string
	// Attempts is how many attempts were made.
	Attempts int
	// Last is what the last attempt met that was not cut short, or nil.
	Last *Failure
}

func (e *CanceledError) Error() string { return "reading " + e.URL + " was canceled" }

// Unwrap returns [context.Canceled], whatever the last attempt met.
func (e *CanceledError) Unwrap() error { return context.Canceled }

// AsFailure returns the failure in err's tree, if there is one.
func AsFailure(err error) (*Failure, bool) { return errors.AsType[*Failure](err) }
