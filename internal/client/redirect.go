package client

import (
	"net/http"
	"net/url"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

const (
	maxRedirects = 5
	// maxDrain is how many bytes of a redirect's body are read, so that its connection can be used again.
	maxDrain = 2 << 10
	// urlLimit is how many characters of a redirect's URL an error repeats.
	urlLimit = 200
)

var redirectStatuses = []int{
	http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
}

// redirectTarget returns where a redirect leads, or why it is not followed.
func redirectTarget(from *url.URL, location string, redact redactor) (target *url.URL, refusal string) {
	target, err := from.Parse(location)
	if err == nil {
		target.Fragment, target.RawFragment = "", ""
		// As http.NewRequest will do, with an error that includes the query: some of what url.Parse accepts, such as
		// "//::", has no valid form.
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

// printable returns a URL without its query, its fragment and its user info.
func printable(u *url.URL, redact redactor) string {
	if u.Host == "" {
		return redact.clean(u.Scheme, urlLimit) + ":"
	}
	return redact.clean(u.Scheme+"://"+u.Host+u.EscapedPath(), urlLimit)
}
