package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

const maxBody = 64 << 10 // bytes of a body; an instance document has less than a kilobyte

var errTooLarge = fmt.Errorf("the body has more than %d bytes", maxBody)

// result reads and closes the body of a response. It returns a result or a failure, both without the route.
func (r *reader) result(ctx context.Context, response *http.Response) (*Result, *Failure) {
	body, err := readBody(response)
	if response.StatusCode != http.StatusOK { // which counts, whatever became of the body
		failure := r.statusFailure(response, r.showBody(body))
		proxy, _ := r.client.proxyFor(response.Request.URL)
		isForwarded := speaksHTTP(proxy) && response.Request.URL.Scheme == "http" // otherwise, there is a tunnel
		if response.StatusCode == http.StatusProxyAuthRequired && isForwarded {
			failure.Kind, failure.subject = ProxyFailed, ""
		}
		failure.TimedOut = err != nil && errors.Is(context.Cause(ctx), errRequestTimeout)
		return nil, failure
	}
	if errors.Is(err, errTooLarge) {
		return nil, &Failure{Kind: NotInstanceDocument, subject: ": " + instance.WholeDocument, Reason: err.Error()}
	}
	if err != nil {
		return nil, r.newFailure(ctx, err, false)
	}
	details, invalid := instance.Parse(body)
	if invalid != nil {
		return nil, r.documentFailure(invalid, response.Header, body)
	}
	return &Result{Document: body, Details: details}, nil
}

// readBody returns the body of a response, or nothing if there is an error: a body that is cut may end in part of a
// secret.
func readBody(response *http.Response) ([]byte, error) {
	defer response.Body.Close()
	if response.StatusCode == http.StatusSwitchingProtocols { // after which the connection has no body, and no time limit
		return nil, nil
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

// statusFailure returns the failure for a status that is not 200, with a text from the body, or "". Its class has Go's
// text of the status, and its reason the server's.
func (r *reader) statusFailure(response *http.Response, text string) *Failure {
	code, standard, written := response.StatusCode, standardStatus(response.StatusCode), r.writtenStatus(response)
	failure := &Failure{
		Kind: Status, subject: " " + standard, Reason: "status " + written, StatusCode: code,
		isRetryable: isRetriedStatus(code), retryAfter: retryAfter(response),
	}
	if delay := response.Header.Get("Retry-After"); delay != "" && honorsRetryAfter(code) {
		failure.Reason += ", Retry-After: " + r.show(delay, maxText)
	}
	if text = withoutStatus(text, written, standard); text != "" {
		failure.Reason += ": " + text
	}
	return failure
}

// writtenStatus returns the status of a response as the server wrote it, or with Go's text if it wrote only the number.
func (r *reader) writtenStatus(response *http.Response) string {
	code, text, _ := strings.Cut(response.Status, " ")
	if text = r.show(text, maxText); text == "" {
		return standardStatus(response.StatusCode)
	}
	return code + " " + text
}

// standardStatus returns a status such as "404 Not Found".
func standardStatus(code int) string {
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// withoutStatus returns what a text says besides a status, such as "404 Not Found", or "" if it only repeats one of
// them.
func withoutStatus(text string, statuses ...string) string {
	short := strings.TrimRight(text, ".")
	for _, status := range statuses {
		code, words, _ := strings.Cut(status, " ")
		if short == code || strings.EqualFold(short, words) || strings.EqualFold(short, status) {
			return ""
		}
		text = strings.TrimPrefix(text, status+" ")
	}
	return text
}

// documentFailure returns the failure for a body that is not an instance document.
func (r *reader) documentFailure(invalid *instance.InvalidDocument, header http.Header, body []byte) *Failure {
	if invalid.NotJSON != "" {
		failure := &Failure{
			Kind: NotJSON, Reason: "the body is " + invalid.NotJSON,
			isRetryable: invalid.EndsEarly, // without a length, a connection that breaks looks like this
		}
		if !invalid.EndsEarly {
			failure.Reason += " (" + r.contentType(header) + ")"
			if text := r.showBody(body); text != "" {
				failure.Reason += "; its text: " + text
			}
		}
		return failure
	}
	failure := &Failure{
		Kind: NotInstanceDocument, subject: ": " + invalid.Faults[0].Path, Reason: "JSON that is not an instance document",
	}
	if !invalid.HasFields {
		failure.Reason += ": " + r.showBody(body)
		return failure
	}
	for _, fault := range invalid.Faults {
		line := fault.String()
		if fault.Found != "" {
			line += " " + r.show(strconv.Quote(fault.Found), maxFound)
		}
		failure.Faults = append(failure.Faults, line)
	}
	return failure
}

// contentType returns the headers that say what a body is.
func (r *reader) contentType(header http.Header) string {
	text := "Content-Type " + r.show(strconv.Quote(header.Get("Content-Type")), maxText)
	if encoding := header.Get("Content-Encoding"); encoding != "" { // which nobody asked for
		text += ", Content-Encoding " + r.show(strconv.Quote(encoding), maxText)
	}
	return text
}

// age returns the age of an answer that came from a cache, in whole seconds (RFC 9111, section 5.1), or 0. Each of
// several caches may add its own, so the largest counts. One that is not a number is ignored, as the RFC asks.
func age(header http.Header) (largest time.Duration) {
	for text := range strings.SplitSeq(strings.Join(header.Values("Age"), ","), ",") {
		seconds, _ := strconv.ParseUint(strings.TrimSpace(text), 10, 31) // the largest value if it is out of range
		largest = max(largest, time.Duration(seconds)*time.Second)
	}
	return largest
}
