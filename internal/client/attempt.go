package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

const (
	// maxBody is the maximum size of a body in bytes, after decompression. An instance document has less than a kilobyte.
	maxBody = 64 << 10
	// maxText is the maximum number of characters of a text in a message.
	maxText = 200
	// maxReason is the maximum number of characters of a reason, which may quote a text.
	maxReason = 600
	// maxFound is the maximum number of characters of a value in a fault of a document.
	maxFound     = 60
	maxRedirects = 5
)

// attempt makes one attempt, as soon as the semaphore allows.
func (r *reader) attempt(ctx context.Context) (*Result, *Failure) {
	x := &exchange{reader: r, began: time.Now(), trace: new(trace), target: r.request.BaseURL.Document}
	if r.request.Semaphore != nil {
		select {
		case r.request.Semaphore <- struct{}{}:
			defer func() { <-r.request.Semaphore }()
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil { // select chooses at random if both are ready
		failure := x.newFailure(NotAskedInTime, "no request was sent before the time ran out")
		failure.interrupted = true
		return nil, failure
	}
	r.attempts++
	attemptCtx, cancel := context.WithTimeout(ctx, r.client.config.RequestTimeout)
	defer cancel()
	result, failure := x.do(attemptCtx)
	event := map[string]any{"address": x.trace.lastAddress()}
	if failure != nil {
		failure.interrupted = ctx.Err() != nil
		failure.TimedOut = failure.TimedOut && !failure.interrupted
		event["reason"] = failure.Reason
	}
	r.log(ctx, "Asked the instance", event)
	return result, failure
}

// exchange is one attempt: a request with its redirects. It is the [http.RoundTripper] of the requests in it.
type exchange struct {
	reader *reader
	began  time.Time

	// trace and route are those of the last request.
	trace *trace
	route route
	// target is the URL of the last request. Before the first, it is that of the document.
	target *url.URL
	// gotHead is true once the head of the last response has arrived.
	gotHead bool
}

// do requests the document, and follows redirects.
func (x *exchange) do(ctx context.Context) (*Result, *Failure) {
	request := &http.Request{URL: x.target, Header: http.Header{
		"Accept":        {"application/json"},
		"Cache-Control": {"no-cache"}, // a copy in a cache may come from an old server
		"User-Agent":    {x.reader.client.config.UserAgent},
	}}
	client := http.Client{Transport: x, CheckRedirect: x.checkRedirect}
	response, err := client.Do(request.WithContext(ctx))
	if err != nil {
		return nil, x.failureOf(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	return x.readResponse(ctx, response)
}

// RoundTrip sends a request. Extra headers and the client certificate go only to the origin of the base URL, which net/http
// would not ensure by itself.
func (x *exchange) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := request.Context().Err(); err != nil {
		return nil, err // the body of a redirect took all the time
	}
	x.target, x.gotHead, x.trace = request.URL, false, new(trace)
	ctx := httptrace.WithClientTrace(request.Context(), x.trace.hooks())
	x.route = x.reader.client.routeTo(request.URL)
	request = request.WithContext(context.WithValue(ctx, routeKey{}, x.route))
	transport := x.reader.transports.plain
	if x.isSameOrigin() {
		transport = x.reader.transports.withCertificate
		request.Header = request.Header.Clone()
		maps.Copy(request.Header, x.reader.request.Headers)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	x.gotHead = true
	// The error of http.Client about a Location that is not valid would quote all of it, with its query.
	if _, err := response.Location(); err != nil && !errors.Is(err, http.ErrNoLocation) && response.StatusCode/100 == 3 {
		_ = response.Body.Close()
		return nil, &redirectError{"a redirect to a URL that is not valid"}
	}
	return response, nil
}

func (x *exchange) isSameOrigin() bool {
	return address.OriginOf(x.target) == x.reader.request.BaseURL.Origin
}

// proxyVariable returns the name of the environment variable with the proxy of the last request, or "" if it had none.
func (x *exchange) proxyVariable() string {
	if x.route.proxy == nil && x.route.proxyErr == nil {
		return ""
	}
	return proxyVariable(x.target.Scheme)
}

// checkRedirect returns an error if a redirect must not be followed.
func (x *exchange) checkRedirect(next *http.Request, via []*http.Request) error {
	from, to := via[len(via)-1].URL, next.URL
	reason := ""
	switch {
	case to.Scheme != "http" && to.Scheme != "https":
		reason = "which is neither http nor https"
	case to.Hostname() == "":
		reason = "which has no host"
	case from.Scheme == "https" && to.Scheme == "http":
		reason = "which would give up TLS"
	case to.User != nil:
		reason = "which has user info"
	case len(via) > maxRedirects:
		reason = fmt.Sprintf("after %d redirects", maxRedirects)
	default:
		next.Header.Del("Referer") // net/http adds it, and the base URL may be nobody else's business
		return nil
	}
	return &redirectError{fmt.Sprintf("a redirect to %s, %s", x.reader.redact.safeLine(withoutQuery(to), maxText), reason)}
}

// withoutQuery returns a URL without user info, query and fragment.
func withoutQuery(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

// newFailure returns a failure of the last request.
func (x *exchange) newFailure(kind Kind, reason string) *Failure {
	return &Failure{
		Kind: kind, Request: x.description(), Reason: x.reader.redact.safeLine(reason, maxReason),
		HeadersWithheld: len(x.reader.request.Headers) > 0 && !x.isSameOrigin(),
	}
}

// description returns the request, and in parentheses what is special about it.
func (x *exchange) description() string {
	document := x.reader.request.BaseURL.Document
	proxy := x.proxyVariable()
	var special []string
	peer := x.trace.connectedTo()
	isShown := peer == address.HostPort(x.target) || peer == x.route.connectTo
	if peer != "" && !isShown && proxy == "" { // the address of a proxy says nothing about the instance
		special = append(special, peer)
	}
	if x.target.String() != document.String() {
		special = append(special, "redirected to "+x.reader.redact.safeLine(withoutQuery(x.target), maxText))
	}
	if x.route.connectTo != "" {
		special = append(special, "connect_to "+x.route.connectTo)
	}
	if proxy != "" {
		special = append(special, "through the proxy in "+proxy)
	}
	description := "GET " + document.String()
	if len(special) > 0 {
		description += " (" + strings.Join(special, ", ") + ")"
	}
	return description
}

// readResponse turns a response into a result or a failure.
func (x *exchange) readResponse(ctx context.Context, response *http.Response) (*Result, *Failure) {
	body, err := readBody(response)
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, x.statusFailure(response, body)
	case err != nil:
		return nil, x.failureOf(ctx, err)
	}
	details, err := instance.Parse(body)
	if err != nil {
		return nil, x.documentFailure(err, response.Header, body)
	}
	result := &Result{Document: instance.TrimByteOrderMark(body), Details: details, request: x.description}
	result.generated, result.age = generatedAt(x.began, response.Header)
	for i, option := range details.RecommendedExpireTimes {
		if option.Ambiguity != "" {
			result.Ambiguities = append(result.Ambiguities, fmt.Sprintf(
				"recommendedExpireTimes[%d] (%s): %s", i, x.quoted(option.Label), option.Ambiguity))
		}
	}
	return result, nil
}

// readBody returns the body of a response, or nothing if there is an error: a body that is cut may end in part of a secret.
func readBody(response *http.Response) ([]byte, error) {
	if response.StatusCode == http.StatusSwitchingProtocols {
		return nil, nil // its body is the connection itself, which may never end
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = errTooLarge
	}
	if err != nil {
		return nil, err
	}
	return body, nil
}

func (x *exchange) statusFailure(response *http.Response, body []byte) *Failure {
	code := response.StatusCode
	status := strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
	reason := "status " + status
	if text := withoutStatus(x.text(body), status); text != "" {
		reason += ": " + text
	}
	kind := Status
	if code == http.StatusProxyAuthRequired && x.proxyVariable() != "" {
		kind = ProxyFailed
	}
	failure := x.newFailure(kind, reason)
	failure.Detail, failure.StatusCode, failure.retryAfter = status, code, retryAfterOf(response)
	failure.permanent = !isRetriedStatus(code)
	return failure
}

// withoutStatus returns what a text says besides a status, such as "404 Not Found", or "" if it only repeats it.
func withoutStatus(text, status string) string {
	text = strings.TrimSpace(strings.TrimPrefix(text, status))
	if strings.Contains(strings.ToLower(status), strings.ToLower(strings.TrimRight(text, "."))) {
		return ""
	}
	return text
}

// documentFailure returns the failure for an [*instance.DocumentError].
func (x *exchange) documentFailure(err error, header http.Header, body []byte) *Failure {
	invalid, _ := errors.AsType[*instance.DocumentError](err)
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return x.newFailure(NotJSON, "the body is empty")
	case invalid.EndsEarly:
		return x.newFailure(NotJSON, "the body is incomplete JSON: "+invalid.Faults[0].Problem)
	case invalid.NotJSON:
		fault := invalid.Faults[0]
		reason := fmt.Sprintf("the body is %s: %s (Content-Type %q", fault.Problem, fault.Found, header.Get("Content-Type"))
		if encoding := header.Get("Content-Encoding"); encoding != "" {
			reason += fmt.Sprintf(", Content-Encoding %q", encoding)
		}
		reason += ")"
		if text := x.text(body); text != "" {
			reason += "; its text: " + text
		}
		failure := x.newFailure(NotJSON, reason)
		failure.permanent = true
		return failure
	}
	failure := x.newFailure(NotInstanceDocument, "")
	failure.Detail = invalid.Faults[0].Path
	if invalid.HasNoField {
		failure.Reason = "JSON that is not an instance document: " + x.text(body)
		return failure
	}
	for _, fault := range invalid.Faults {
		line := fault.String()
		if fault.Found != "" {
			line += " " + x.quoted(fault.Found)
		}
		failure.Faults = append(failure.Faults, line)
	}
	failure.Reason = safetext.Cut(strings.Join(failure.Faults, "; "), maxReason)
	return failure
}

// text returns what a person can read in a body, safe to print.
func (x *exchange) text(body []byte) string { return x.reader.redact.safeLine(textOf(body), maxText) }

// quoted returns text of a document in quotes, safe to print. Quotes show a line break, which may be what is wrong.
func (x *exchange) quoted(text string) string {
	return safetext.Cut(strconv.Quote(x.reader.redact.Replace(text)), maxFound)
}
