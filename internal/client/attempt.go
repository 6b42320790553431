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
	a := &attempt{reader: r, began: time.Now(), target: r.request.BaseURL.Document}
	if r.request.Semaphore != nil {
		select {
		case r.request.Semaphore <- struct{}{}:
			defer func() { <-r.request.Semaphore }()
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		failure := a.newFailure(NotAskedInTime, "no request was sent before the time ran out")
		failure.interrupted = true
		return nil, failure
	}
	r.attempts++
	attemptCtx, cancel := context.WithTimeout(ctx, r.client.config.RequestTimeout)
	defer cancel()
	result, failure := a.exchange(attemptCtx)
	event := map[string]any{"address": a.trace.connectedTo()}
	if failure != nil {
		failure.interrupted = ctx.Err() != nil
		failure.TimedOut = failure.TimedOut && !failure.interrupted
		event["reason"] = failure.Reason
	}
	r.log(ctx, "Asked the instance", event)
	return result, failure
}

// attempt is one HTTP exchange with its redirects. It is the [http.RoundTripper] of the requests in it.
type attempt struct {
	reader *reader
	began  time.Time
	trace  trace

	// target is the URL of the last request. Before the first, it is that of the document.
	target *url.URL
	// answered is true once the head of the last response has arrived.
	answered bool
}

// exchange requests the document, and follows redirects.
func (a *attempt) exchange(ctx context.Context) (*Result, *Failure) {
	request, err := http.NewRequestWithContext(
		httptrace.WithClientTrace(ctx, a.trace.hooks()), http.MethodGet, a.target.String(), http.NoBody)
	if err != nil {
		return nil, a.newFailure(InvalidResponse, err.Error()) // impossible: the URL has been parsed before
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Cache-Control", "no-cache") // a copy in a cache may come from an old server
	request.Header.Set("User-Agent", a.reader.client.config.UserAgent)
	client := http.Client{Transport: a, CheckRedirect: a.checkRedirect}
	response, err := client.Do(request)
	if err != nil {
		return nil, a.failureOf(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	return a.readResponse(ctx, response)
}

// RoundTrip sends a request. Extra headers and the client certificate go only to the origin of the base URL, which net/http
// would not ensure by itself.
func (a *attempt) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := request.Context().Err(); err != nil {
		return nil, err // the body of a redirect took all the time
	}
	a.target, a.answered = request.URL, false
	a.trace.reset()
	transport := a.reader.transports.otherOrigins
	if a.isSameOrigin() {
		transport = a.reader.transports.sameOrigin
		request = request.Clone(request.Context())
		maps.Copy(request.Header, a.reader.request.Headers)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	a.answered = true
	// The error of http.Client about a URL that is not valid would quote all of it.
	if _, err := response.Location(); err != nil && !errors.Is(err, http.ErrNoLocation) && response.StatusCode/100 == 3 {
		_ = response.Body.Close()
		return nil, &redirectError{"a redirect to a URL that is not valid"}
	}
	return response, nil
}

func (a *attempt) isSameOrigin() bool {
	return address.OriginOf(a.target) == a.reader.request.BaseURL.Origin
}

// proxy returns the name of the environment variable with the proxy of the last request, or "" if it had none.
func (a *attempt) proxy() string { return a.reader.client.proxies.variableFor(a.target) }

// checkRedirect returns an error if a redirect must not be followed.
func (a *attempt) checkRedirect(next *http.Request, via []*http.Request) error {
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
	return &redirectError{fmt.Sprintf("a redirect to %s, %s", withoutQuery(to), reason)}
}

// withoutQuery returns a URL without user info, query and fragment.
func withoutQuery(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }

// newFailure returns a failure of the last request.
func (a *attempt) newFailure(kind Kind, reason string) *Failure {
	return &Failure{
		Kind: kind, Request: a.description(), Reason: a.reader.redact.line(reason, maxReason),
		HeadersWithheld: len(a.reader.request.Headers) > 0 && !a.isSameOrigin(),
	}
}

// description returns the request, and in parentheses what is special about it.
func (a *attempt) description() string {
	document, connectTo := a.reader.request.BaseURL.Document, a.reader.client.config.ConnectTo
	connectedTo, proxy, special := a.trace.connectedTo(), a.proxy(), []string{}
	if connectedTo != "" && connectedTo != a.target.Host && connectedTo != connectTo.HostPort && proxy == "" {
		special = append(special, connectedTo)
	}
	if a.target.String() != document.String() {
		special = append(special, "redirected to "+a.reader.redact.line(withoutQuery(a.target), maxText))
	}
	if connectTo.Origin != "" && address.OriginOf(a.target) == connectTo.Origin {
		special = append(special, "connect_to "+connectTo.HostPort)
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
func (a *attempt) readResponse(ctx context.Context, response *http.Response) (*Result, *Failure) {
	body, err := readBody(response)
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, a.statusFailure(response, body)
	case err != nil:
		return nil, a.failureOf(ctx, err)
	}
	details, err := instance.Parse(body)
	if err != nil {
		return nil, a.documentFailure(err, response.Header, body)
	}
	result := &Result{
		Document: instance.TrimByteOrderMark(body), Details: details,
		request: a.description, made: madeAt(a.began, response.Header),
	}
	for i, option := range details.RecommendedExpireTimes {
		if option.Ambiguity != "" {
			result.Ambiguities = append(result.Ambiguities, fmt.Sprintf(
				"recommendedExpireTimes[%d] (%s): %s", i, a.quoted(option.Label), option.Ambiguity))
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

func (a *attempt) statusFailure(response *http.Response, body []byte) *Failure {
	code := response.StatusCode
	status := strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
	reason := "status " + status
	text := strings.TrimSpace(strings.TrimPrefix(a.text(body), status))
	if text != "" && !strings.Contains(strings.ToLower(status), strings.ToLower(strings.TrimRight(text, "."))) {
		reason += ": " + text
	}
	kind := Status
	if code == http.StatusProxyAuthRequired && a.proxy() != "" {
		kind = ProxyFailed
	}
	failure := a.newFailure(kind, reason)
	failure.Detail, failure.StatusCode, failure.retryAfter = status, code, retryAfterOf(response)
	failure.permanent = !isRetriedStatus(code)
	return failure
}

// documentFailure returns the failure for an [*instance.DocumentError].
func (a *attempt) documentFailure(err error, header http.Header, body []byte) *Failure {
	document, _ := errors.AsType[*instance.DocumentError](err)
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return a.newFailure(NotJSON, "the body is empty")
	case document.EndsEarly:
		return a.newFailure(NotJSON, "the body is incomplete JSON: "+document.Faults[0].Problem)
	case document.NotJSON:
		fault := document.Faults[0]
		reason := fmt.Sprintf("the body is %s: %s (Content-Type %q", fault.Problem, fault.Found, header.Get("Content-Type"))
		if encoding := header.Get("Content-Encoding"); encoding != "" {
			reason += fmt.Sprintf(", Content-Encoding %q", encoding)
		}
		reason += ")"
		if text := a.text(body); text != "" {
			reason += "; its text: " + text
		}
		failure := a.newFailure(NotJSON, reason)
		failure.permanent = true
		return failure
	}
	failure := a.newFailure(NotInstanceDocument, "")
	failure.Detail = document.Faults[0].Path
	if document.HasNoField {
		failure.Reason = "JSON that is not an instance document: " + a.text(body)
		return failure
	}
	for _, fault := range document.Faults {
		line := fault.String()
		if fault.Found != "" {
			line += " " + a.quoted(fault.Found)
		}
		failure.Faults = append(failure.Faults, line)
	}
	failure.Reason = safetext.Cut(strings.Join(failure.Faults, "; "), maxReason)
	return failure
}

// text returns what a person can read in a body, safe to print.
func (a *attempt) text(body []byte) string { return a.reader.redact.line(textOf(body), maxText) }

// quoted returns text of a document in quotes, safe to print. Quotes show a line break, which may be what is wrong.
func (a *attempt) quoted(text string) string {
	return safetext.Cut(strconv.Quote(a.reader.redact.Replace(text)), maxFound)
}
