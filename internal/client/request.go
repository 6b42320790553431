package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

// Route says how the requests of an attempt traveled. All its texts are safe to print.
type Route struct {
	// These are about the whole attempt.
	URL             string // {base_url}/instance
	HeadersSent     bool   // extra headers were sent to the origin of the base URL
	RedirectedTo    string // where the last redirect led, without a query, or ""
	HeadersWithheld bool   // a redirect has left that origin, which ends the sending of extra headers

	// And these are about its last request.
	Address   string        // the IP address and port; "" if the URL or ConnectTo has them, or through a proxy
	ConnectTo string        // Config.ConnectTo, if it was used, or ""
	Proxy     string        // the host and port of the proxy that was used, or ""
	Age       time.Duration // how old the answer is if it comes from a cache: at least a second, or 0
}

// follow requests the document, and follows redirects. It returns a result or a failure, both without the route.
func (r *reader) follow(ctx context.Context) (*Result, Route, *Failure) {
	target, atOrigin := r.request.BaseURL.DocumentURL, true
	route := Route{URL: target.String()}
	for redirects := 0; ; redirects++ {
		response, next, failure := r.send(ctx, target, atOrigin, route)
		if route = next; failure != nil {
			return nil, route, failure
		}
		redirectedTo, failure := r.redirect(response, redirects)
		if redirectedTo == nil && failure == nil {
			result, failure := r.result(ctx, response)
			return result, route, failure
		}
		_ = response.Body.Close() // which is not read: it may be endless, and no message quotes it
		if failure != nil {
			return nil, route, failure
		}
		// Once a redirect has left the origin, atOrigin stays false, even if a later one leads back: somebody else chose
		// that URL.
		atOrigin = atOrigin && address.Origin(redirectedTo) == r.request.BaseURL.Origin
		target, route.RedirectedTo = redirectedTo, r.printable(redirectedTo)
	}
}

// send sends a request for a URL, over a connection of its own. Extra headers and the client certificate are only for
// the origin of the base URL. It returns the response or a failure, and the route of the attempt with this request.
func (r *reader) send(
	ctx context.Context, target *url.URL, atOrigin bool, route Route,
) (*http.Response, Route, *Failure) {
	transport := r.client.withoutCertificate
	header := http.Header{
		"Accept":        {"application/json"},
		"Cache-Control": {"no-cache"}, // a copy in a cache may come from an old server
		"User-Agent":    {r.client.config.UserAgent},
	}
	if atOrigin {
		transport = r.client.withCertificate
		maps.Copy(header, r.request.Headers)
	}
	hasHeaders := len(r.request.Headers) > 0
	route.HeadersWithheld = !atOrigin && hasHeaders
	route.Address, route.ConnectTo, route.Proxy, route.Age = "", r.client.connectTo(target), "", 0
	proxy, err := r.client.proxyFor(target)
	if err != nil {
		return nil, route, &Failure{Kind: ProxyFailed, Reason: r.show(err.Error(), maxReason)}
	}
	if proxy != nil {
		route.Proxy = r.show(proxy.Host, maxText)
	}

	// The dialer gives up before the attempt does, because its error names the address that drops packets. Its time
	// includes the lookup, and a name server that drops queries for IPv6 costs ten seconds, so it must not be much
	// shorter. In what is left at the end of a read or a wait, less than a second proves nothing.
	deadline, _ := ctx.Deadline()
	dialTimeout := min(r.client.config.RequestTimeout/5*4, max(time.Until(deadline)/5*4, time.Second))
	conn := &connection{connectTo: route.ConnectTo, proxy: proxy, dialTimeout: dialTimeout}
	request := &http.Request{Method: http.MethodGet, URL: target, Host: target.Host, Header: header}
	response, err := transport.RoundTrip(request.WithContext(conn.context(ctx)))
	route.HeadersSent = route.HeadersSent || atOrigin && hasHeaders && conn.isMade
	asked := cmp.Or(route.ConnectTo, address.HostPort(target))
	if peer := conn.peer.Load(); peer != nil && *peer != asked && proxy == nil {
		route.Address = *peer
	}
	if err != nil {
		return nil, route, r.newFailure(ctx, err, conn.endsAtProxy())
	}
	route.Age = age(response.Header)
	return response, route, nil
}

const maxRedirects = 5

// redirectStatuses are the statuses that a read follows, if there is a Location.
var redirectStatuses = []int{301, 302, 303, 307, 308}

// redirect returns where a response redirects to, or nil if it does not. It returns a failure if that must not be
// followed.
func (r *reader) redirect(response *http.Response, redirects int) (*url.URL, *Failure) {
	next, err := response.Location()
	problem := ""
	switch {
	case !slices.Contains(redirectStatuses, response.StatusCode), errors.Is(err, http.ErrNoLocation):
		return nil, nil
	case err != nil: // its text may have the whole location, with its query
		problem = "a URL that is not valid"
	case next.Scheme != "http" && next.Scheme != "https":
		problem = r.printable(next) + ", which is neither http nor https"
	case address.CheckHost(next) != nil:
		problem = "a URL without a valid host"
	case response.Request.URL.Scheme == "https" && next.Scheme == "http":
		problem = r.printable(next) + ", which would give up TLS"
	case next.User != nil:
		problem = r.printable(next) + ", which has user info"
	case redirects >= maxRedirects:
		problem = fmt.Sprintf("%s, after %d redirects", r.printable(next), maxRedirects)
	default:
		return next, nil
	}
	return nil, &Failure{Kind: RedirectNotFollowed, Reason: "a redirect to " + problem}
}

// printable returns a URL without user info, query and fragment, safe to print.
func (r *reader) printable(u *url.URL) string {
	return r.show(u.Scheme+"://"+u.Host+u.EscapedPath(), maxText)
}
