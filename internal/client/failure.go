package client

import (
	"errors"
	"fmt"
	"time"
)

// Kind is the class of a failure: it decides what a user can do about it.
type Kind int

const (
	// KindResolve: the host name has no address.
	KindResolve Kind = iota + 1
	// KindConnect: no connection to the instance.
	KindConnect
	// KindProxy: a proxy stands in the way: it can't be reached, or refuses.
	KindProxy
	// KindTimeout: an attempt took longer than the request timeout.
	KindTimeout
	// KindBroken: the connection broke before the last byte of the body.
	KindBroken
	// KindCertificate: the instance's certificate is not trusted.
	KindCertificate
	// KindTLS: TLS failed for another reason, such as a client certificate
	// that the server wants.
	KindTLS
	// KindProtocol: what came back is not HTTP, or breaks its rules.
	KindProtocol
	// KindRedirect: a redirect that is not followed.
	KindRedirect
	// KindStatus: a status other than 200.
	KindStatus
	// KindTooLarge: a body of more than 1 MiB.
	KindTooLarge
	// KindNotJSON: a body that is not JSON.
	KindNotJSON
	// KindDocument: JSON that is not an instance document.
	KindDocument
	// KindNoTime: the time of the whole read ran out before an attempt failed
	// for a reason of its own.
	KindNoTime
	// KindRequest: the request headers cannot be sent to this instance.
	KindRequest
)

// Failure says why an instance could not be read. Its texts are safe to
// print, hold no header value, and are the same from run to run: no local
// ports, no timings.
type Failure struct { //nolint:errname // the one outcome of a read besides its result, not one error of many
	Kind Kind
	// URL is what was asked for: {base_url}/instance.
	URL string
	// RedirectedTo is the URL, without its query, that redirects led to, or "".
	RedirectedTo string
	// Reason is what came back, in one line.
	Reason string
	// Details are the faults of a document, one by one; nil for other kinds.
	Details []string
	// StatusCode is the status of the answer, or 0 where there was none.
	StatusCode int
	// PathRepeated is true when the base URL itself ends in /instance.
	PathRepeated bool
	// Attempts is how many attempts were made, 0 where the time of the whole read
	// ran out before the first.
	Attempts int
	// TimeRanOut is true when it was the time of the whole read that ended the
	// attempts. The failure is then the last one that had a reason of its own.
	TimeRanOut bool

	cause         error
	transient     bool          // worth another attempt
	configuration bool          // no attempt can succeed before a setting is mended
	retryAfter    time.Duration // how long the server asked to wait, or noRetryAfter
}

// newFailure returns a failure that is final, after which the server asked for
// no delay.
func newFailure(kind Kind, reason string) *Failure {
	return &Failure{Kind: kind, Reason: reason, retryAfter: noRetryAfter}
}

// Error returns the URL and the reason.
func (f *Failure) Error() string {
	return fmt.Sprintf("GET %s: %s", f.URL, f.Summary())
}

// StateText returns Error in words that do not depend on how long a read had to
// wait for its turn, which differs from run to run: they end up in states.
func (f *Failure) StateText() string {
	if f.Kind == KindTimeout || f.Kind == KindNoTime {
		return fmt.Sprintf("GET %s: no response in time", f.URL)
	}
	return f.Error()
}

// Summary returns the reason, and where redirects led before it.
func (f *Failure) Summary() string {
	if f.RedirectedTo == "" {
		return f.Reason
	}
	return fmt.Sprintf("redirected to %s: %s", f.RedirectedTo, f.Reason)
}

// Unwrap returns the cause: an error of net, crypto/tls or net/http, or an
// *instance.DocumentError. Unlike the failure, its text is not safe to print.
func (f *Failure) Unwrap() error { return f.cause }

// AsFailure returns the failure in err's tree, if there is one.
func AsFailure(err error) (*Failure, bool) { return errors.AsType[*Failure](err) }
