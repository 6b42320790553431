package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

const (
	// maxRedirects is how many redirects are followed.
	maxRedirects = 5
	// maxDrain is how many bytes of a redirect's body are read, so that its connection can be used again.
	maxDrain = 2 << 10
)

// get gets the document of an instance, through redirects.
func (r *reading) get(ctx context.Context) (*Result, *Failure) {
	target := r.BaseURL.instance
	for redirects := 0; ; redirects++ {
		response, trip, err := r.roundTrip(ctx, target)
		if err != nil {
			return nil, r.failure(r.classify(ctx, err, trip), target, trip)
		}
		location := response.Header.Get("Location")
		if !isRedirect(response.StatusCode) || location == "" {
			result, failure := r.readResponse(ctx, response, trip)
			return result, r.failure(failure, target, trip)
		}
		if response.ContentLength <= maxDrain {
			_, _ = io.CopyN(io.Discard, response.Body, maxDrain)
		}
		_ = response.Body.Close()
		if err := ctx.Err(); err != nil { // the redirect's body took all the time: its target is not to blame
			return nil, r.failure(r.classify(ctx, err, trip), target, trip)
		}

		next, reason := r.redirectTarget(target, location)
		if reason == "" && redirects == maxRedirects {
			reason = fmt.Sprintf("more than %d redirects", maxRedirects)
		}
		if reason != "" {
			failure := newFailure(KindRedirect, reason)
			failure.StatusCode = response.StatusCode
			return nil, r.failure(failure, target, trip)
		}
		target = next
	}
}

// failure completes a failure with what is known of the request that failed. It returns nil for nil.
func (r *reading) failure(failure *Failure, target *url.URL, trip *trip) *Failure {
	if failure == nil {
		return nil
	}
	failure.URL = r.BaseURL.String()
	failure.ExtraHeaders = len(r.Headers) > 0
	failure.Proxy = trip.proxyVariable()
	if target != r.BaseURL.instance {
		failure.RedirectedTo = r.cleanURL(target)
		failure.OtherOrigin = originOf(target) != r.BaseURL.origin
	}
	return failure
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	default:
		return false
	}
}

// redirectTarget returns where a redirect leads, or why it is not followed.
func (r *reading) redirectTarget(from *url.URL, location string) (target *url.URL, reason string) {
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
		return nil, "a redirect to " + r.cleanURL(target) + ", which is neither http nor https"
	case target.Hostname() == "":
		return nil, "a redirect to a URL without a host"
	case from.Scheme == "https" && target.Scheme == "http":
		return nil, "a redirect from https to " + r.cleanURL(target) + ", which would give up TLS"
	case target.User != nil:
		return nil, "a redirect to a URL with user info, at " + r.cleanURL(target)
	}
	return target, ""
}

// urlLimit is how many characters of a redirect's URL an error repeats.
const urlLimit = 200

// cleanURL prints a URL without its query, its fragment and its user info.
func (r *reading) cleanURL(u *url.URL) string {
	if u.Host == "" {
		return safetext.Clean(u.Scheme, urlLimit) + ":"
	}
	// The scheme is no secret, although X-Forwarded-Proto may have its value.
	return safetext.Clean(u.Scheme, urlLimit) + r.clean("://"+u.Host+u.EscapedPath(), urlLimit)
}
