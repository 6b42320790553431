package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

// Route says how a request traveled. All its texts are safe to print.
type Route struct {
	URL             string        // {base_url}/instance
	Address         string        // what was connected to, or "" if the URL or ConnectTo names it, or through a proxy
	ConnectTo       string        // Config.ConnectTo, if it was used, or ""
	Proxy           string        // the host and port of the proxy that was used, or ""
	Forwarded       bool          // the proxy got the request itself, and may have answered it
	HeadersSent     bool          // extra headers were sent to the origin of the base URL
	RedirectedTo    string        // where the last redirect led, without a query, or ""
	HeadersWithheld bool          // a redirect has left that origin, which ends the sending of extra headers
	Age             time.Duration // how old the answer is if it comes from a cache: at least a second, or 0
}

// follow requests the document, and follows redirects. It sets route to that of the last request.
func (r *reader) follow(ctx context.Context, route *Route) (*Result, error) {
	target, isOwn := r.request.BaseURL.DocumentURL, true
	for redirects := 0; ; redirects++ {
		response, err := r.send(ctx, target, isOwn, route)
		if err != nil {
			return nil, err
		}
		next, err := r.redirect(response, redirects)
		if next == nil && err == nil {
			return r.result(response, route)
		}
		_ = response.Body.Close() // which is not read: it may be endless, and no message quotes it
		if err != nil {
			return nil, err
		}
		// Once a redirect has left the origin, isOwn stays false, even if a later one leads back: somebody else chose
		// that URL.
		isOwn = isOwn && address.Origin(next) == r.request.BaseURL.Origin
		target, route.RedirectedTo = next, r.printable(next)
	}
}

// send sends a request for a URL, over a connection of its own. Extra headers and the client certificate are only for
// what is the instance's own.
func (r *reader) send(ctx context.Context, target *url.URL, isOwn bool, route *Route) (*http.Response, error) {
	transport := r.client.other
	header := http.Header{
		"Accept":        {"application/json"},
		"Cache-Control": {"no-cache"}, // a copy in a cache may come from an old server
		"User-Agent":    {r.client.config.UserAgent},
	}
	if isOwn {
		transport = r.client.own
		maps.Copy(header, r.request.Headers)
	}
	route.ConnectTo, route.Proxy, route.Forwarded = r.client.connectTo(target), "", false
	if proxy, _ := r.client.proxyFor(target); proxy != nil {
		route.Proxy = r.redact.Line(proxy.Host, maxText)
		route.Forwarded = target.Scheme == "http" && !strings.HasPrefix(proxy.Scheme, "socks5")
	}
	route.HeadersWithheld = !isOwn && len(r.request.Headers) > 0

	// The dialer gives up before the attempt does, because its error names the address that drops packets. Its time
	// includes the lookup, and a name server that drops queries for IPv6 costs ten seconds, so it must not be much
	// shorter. In what is left at the end of a read or a wait, less than a second proves nothing.
	deadline, _ := ctx.Deadline()
	left := max(time.Until(deadline)/5*4, time.Second)
	dialing := dialSettings{connectTo: route.ConnectTo, timeout: min(r.client.config.RequestTimeout/5*4, left)}
	var connected atomic.Pointer[string] // because a dial may go on when the attempt is over
	request := (&http.Request{Method: http.MethodGet, URL: target, Host: target.Host, Header: header}).WithContext(
		httptrace.WithClientTrace(context.WithValue(ctx, dialKey{}, dialing), &httptrace.ClientTrace{
			ConnectDone: func(_, peer string, err error) {
				if err == nil { // of several addresses, the first is used
					connected.CompareAndSwap(nil, &peer)
				}
			},
			GotConn: func(httptrace.GotConnInfo) {
				route.HeadersSent = route.HeadersSent || isOwn && len(r.request.Headers) > 0
			},
		}))
	response, err := roundTrip(transport, request)
	route.Address, route.Age = "", 0
	asked := cmp.Or(route.ConnectTo, address.HostPort(target))
	if peer := connected.Load(); peer != nil && *peer != asked && route.Proxy == "" {
		route.Address = *peer
	}
	if err != nil {
		return nil, err
	}
	route.Age = age(response.Header)
	return response, nil
}

// roundTrip sends a request. If a server speaks before it is asked, [http.Transport] drops the connection if it hears
// that before it has got the request, which is rare, but may happen a few times in a row on a busy machine. Nothing was
// sent then, so the request is sent again.
func roundTrip(transport *http.Transport, request *http.Request) (response *http.Response, err error) {
	for range 20 {
		response, err = transport.RoundTrip(request)
		if err == nil || !strings.HasSuffix(err.Error(), "readLoopPeekFailLocked: %!w(<nil>)") {
			break
		}
	}
	return response, err
}

const maxRedirects = 5

// redirectStatuses are the statuses that a read follows, if there is a Location.
var redirectStatuses = []int{301, 302, 303, 307, 308}

// redirect returns where a response redirects to, or nil if it does not. It returns an error if that must not be
// followed.
func (r *reader) redirect(response *http.Response, redirects int) (*url.URL, error) {
	next, err := response.Location()
	problem := ""
	switch {
	case !slices.Contains(redirectStatuses, response.StatusCode), errors.Is(err, http.ErrNoLocation):
		return nil, nil //nolint:nilnil // there is neither a redirect nor an error
	case err != nil: // its text may have the whole location, with its query
		return nil, &Failure{Kind: RedirectNotFollowed, Reason: "a redirect to a URL that is not valid"}
	case next.Scheme != "http" && next.Scheme != "https":
		problem = "which is neither http nor https"
	case address.CheckHost(next) != nil:
		return nil, &Failure{Kind: RedirectNotFollowed, Reason: "a redirect to a URL without a valid host"}
	case response.Request.URL.Scheme == "https" && next.Scheme == "http":
		problem = "which would give up TLS"
	case next.User != nil:
		problem = "which has user info"
	case redirects >= maxRedirects:
		problem = fmt.Sprintf("after %d redirects", maxRedirects)
	default:
		return next, nil
	}
	return nil, &Failure{Kind: RedirectNotFollowed, Reason: "a redirect to " + r.printable(next) + ", " + problem}
}

// printable returns a URL without user info, query and fragment, safe to print.
func (r *reader) printable(u *url.URL) string {
	return r.redact.Line(u.Scheme+"://"+u.Host+u.EscapedPath(), maxText)
}
