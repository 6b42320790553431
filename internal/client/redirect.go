package client

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

const (
	maxRedirects = 5
	// maxDrain is the maximum number of bytes of a redirect's body that are read so that the connection can be reused.
	maxDrain = 2 << 10
	// urlLimit is the maximum number of characters of a redirect's URL in an error.
	urlLimit = 200
)

var redirectStatuses = []int{
	http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
	http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
}

// tooManyRedirects returns the failure for one redirect too many, to next. A query may count the rounds of a loop.
func tooManyRedirects(visited []*url.URL, next *url.URL, redact redactor) *Failure {
	for _, u := range visited {
		if u.Scheme == next.Scheme && u.Host == next.Host && u.Path == next.Path {
			return newFailure(KindRedirectLoop, "a redirect loop: it returns to "+printable(next, redact))
		}
	}
	return newFailure(KindRedirect, fmt.Sprintf("more than %d redirects", maxRedirects))
}

// redirectTarget returns the target of a redirect. If it must not be followed, it returns nil and the reason.
func redirectTarget(from *url.URL, location string, redact redactor) (target *url.URL, refusal string) {
	target, err := from.Parse(location)
	if err == nil {
		target.Fragment, target.RawFragment = "", ""
		// Parse again, as http.NewRequest does, whose error would have the query: url.Parse accepts "//::", which is invalid.
		target, err = url.Parse(target.String())
	}
	if err != nil {
		return nil, "a redirect to a URL that is not valid"
	}
	switch {
	case target.Scheme != "http" && target.Scheme != "https":
		return nil, "a redirect to " + printable(target, redact) + ", which is neither http nor https"
	case target.Hostname() == "":
		return nil, "a redirect to a URL without a host"
	case from.Scheme == "https" && target.Scheme == "http":
		return nil, "a redirect from https to " + printable(target, redact) + ", which would give up TLS"
	case target.User != nil:
		return nil, "a redirect to a URL with user info, at " + printable(target, redact)
	}
	target.Host = address.HostPort(target)
	return target, ""
}

// printable returns a URL without user info, query and fragment, cut and safe to print.
func printable(u *url.URL, redact redactor) string {
	if u.Host == "" {
		return redact.line(u.Scheme, urlLimit) + ":"
	}
	return redact.line(u.Scheme+"://"+u.Host+u.EscapedPath(), urlLimit)
}
