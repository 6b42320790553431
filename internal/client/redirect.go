package client

import (
	"net/http"
	"net/url"
)

const (
	// maxRedirects is how many redirects are followed.
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
func (r *reading) redirectTarget(from *url.URL, location string) (target *url.URL, refusal string) {
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
	case defaultPorts[target.Scheme] == "":
		return nil, "a redirect to " + r.printable(target) + ", which is neither http nor https"
	case target.Hostname() == "":
		return nil, "a redirect to a URL without a host"
	case from.Scheme == "https" && target.Scheme == "http":
		return nil, "a redirect from https to " + r.printable(target) + ", which would give up TLS"
	case target.User != nil:
		return nil, "a redirect to a URL with user info, at " + r.printable(target)
	}
	target.Host = hostPort(target)
	return target, ""
}

// printable returns a URL without its query, its fragment and its user info.
func (r *reading) printable(u *url.URL) string {
	if u.Host == "" {
		return r.clean(u.Scheme, urlLimit) + ":"
	}
	return r.clean(u.Scheme+"://"+u.Host+u.EscapedPath(), urlLimit)
}
