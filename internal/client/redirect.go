package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
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

// get gets the document of an instance, through redirects.
func (r *reading) get(ctx context.Context) (*Result, *Failure) {
	target := r.BaseURL.instance
	for redirects := 0; ; redirects++ {
		ctx, trip := newTrip(ctx)
		result, next, failure := r.getFrom(ctx, target, trip, redirects)
		if next != nil {
			target = next
			continue
		}
		if failure != nil && trip.proxy.Load() != nil {
			failure.Proxy = proxyVariable(target)
		}
		if failure != nil && redirects > 0 {
			failure.RedirectedTo = r.cleanURL(target)
			failure.OtherOrigin = originOf(target) != r.BaseURL.origin
		}
		return result, failure
	}
}

// getFrom makes one request. It returns the instance's answer, where a redirect leads, or a failure.
func (r *reading) getFrom(ctx context.Context, target *url.URL, trip *trip, redirects int) (*Result, *url.URL, *Failure) {
	response, err := r.roundTrip(ctx, target)
	if err != nil {
		return nil, nil, r.classify(ctx, err, trip)
	}
	trip.reach(stageAnswered)
	location := response.Header.Get("Location")
	if !slices.Contains(redirectStatuses, response.StatusCode) || location == "" {
		result, failure := r.readResponse(ctx, response, trip)
		return result, nil, failure
	}
	if response.ContentLength <= maxDrain {
		_, _ = io.CopyN(io.Discard, response.Body, maxDrain)
	}
	_ = response.Body.Close()
	if err := ctx.Err(); err != nil { // the redirect's body took all the time: its target is not to blame
		return nil, nil, r.classify(ctx, err, trip)
	}
	next, reason := r.redirectTarget(target, location)
	if reason == "" && redirects == maxRedirects {
		reason = fmt.Sprintf("more than %d redirects", maxRedirects)
	}
	if reason != "" {
		failure := newFailure(KindRedirect, reason)
		failure.StatusCode = response.StatusCode
		return nil, nil, failure
	}
	return nil, next, nil
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

// cleanURL prints a URL without its query, its fragment and its user info.
func (r *reading) cleanURL(u *url.URL) string {
	if u.Host == "" {
		return safetext.Clean(u.Scheme, urlLimit) + ":"
	}
	// The scheme is no secret, although X-Forwarded-Proto may have its value.
	return safetext.Clean(u.Scheme, urlLimit) + r.clean("://"+u.Host+u.EscapedPath(), urlLimit)
}
