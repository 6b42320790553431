package client

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

const maxRedirects = 5

// RedirectStatuses are the statuses that a read follows, if there is a Location.
var RedirectStatuses = []int{301, 302, 303, 307, 308}

// redirectOf returns where a response redirects to, or nil if it does not. It returns an error if that must not be followed.
func (e *exchange) redirectOf(response *http.Response, redirects int) (*url.URL, error) {
	if !slices.Contains(RedirectStatuses, response.StatusCode) || response.Header.Get("Location") == "" {
		return nil, nil //nolint:nilnil // there is neither a redirect nor an error
	}
	reason := "a redirect to a URL that is not valid"
	if next, err := response.Location(); err == nil { // the text of the error may have the whole location, with its query
		problem := e.redirectProblem(next, redirects)
		if problem == "" && address.Normalize(next) == nil {
			return next, nil
		}
		if problem != "" {
			reason = fmt.Sprintf("a redirect to %s, %s", e.printable(next), problem)
		}
	}
	return nil, &Failure{Kind: RedirectNotFollowed, Reason: reason}
}

// redirectProblem says why a redirect must not be followed, or returns "".
func (e *exchange) redirectProblem(next *url.URL, redirects int) string {
	switch {
	case next.Scheme != "http" && next.Scheme != "https":
		return "which is neither http nor https"
	case next.Hostname() == "":
		return "which has no host"
	case e.target.Scheme == "https" && next.Scheme == "http":
		return "which would give up TLS"
	case next.User != nil:
		return "which has user info"
	case redirects >= maxRedirects:
		return fmt.Sprintf("after %d redirects", maxRedirects)
	default:
		return ""
	}
}

// printable returns a URL without user info, query and fragment, safe to print.
func (e *exchange) printable(u *url.URL) string {
	return e.session.redact.Line(u.Scheme+"://"+u.Host+u.EscapedPath(), maxText)
}
