package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

const maxBody = 64 << 10 // bytes of a body, after decompression; an instance document has less than a kilobyte

// result reads and closes the body of a response.
func (r *reader) result(response *http.Response, route *Route) (*Result, error) {
	body, err := readBody(response)
	switch {
	case response.StatusCode != http.StatusOK: // which counts, whatever became of the body
		return nil, r.statusFailure(response, body, route.Forwarded)
	case err != nil:
		return nil, err
	}
	details, err := instance.Parse(body)
	if err != nil {
		return nil, r.documentFailure(err, response.Header, body)
	}
	return &Result{Document: instance.TrimByteOrderMark(body), Details: details}, nil
}

// readBody returns the body of a response, or nothing if there is an error: a body that is cut may end in part of a
// secret.
func readBody(response *http.Response) ([]byte, error) {
	defer response.Body.Close()
	if response.StatusCode == http.StatusSwitchingProtocols { // after which the connection has no body, and no time limit
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxBody:
		return nil, &Failure{
			Kind: NotInstanceDocument, detail: ": " + instance.WholeDocument,
			Reason: fmt.Sprintf("the body has more than %d bytes", maxBody),
		}
	default:
		return body, nil
	}
}

// statusFailure returns the failure for a status that is not 200. Its code has Go's text of the status, and its reason
// the server's.
func (r *reader) statusFailure(response *http.Response, body []byte, forwarded bool) *Failure {
	failure := newStatusFailure(response)
	if response.StatusCode == http.StatusProxyAuthRequired && forwarded {
		failure.Kind, failure.detail = ProxyFailed, ""
	}
	text := withoutStatus(r.redact.Body(body, maxText), writtenStatus(response), standardStatus(response.StatusCode))
	if text != "" {
		failure.Reason += ": " + text
	}
	return failure
}

// newStatusFailure returns the failure for a status, without the text of the body.
func newStatusFailure(response *http.Response) *Failure {
	code := response.StatusCode
	failure := &Failure{
		Kind: Status, detail: " " + standardStatus(code), Reason: "status " + writtenStatus(response), StatusCode: code,
		isRetryable: isRetriedStatus(code), retryAfter: retryAfter(response),
	}
	if text := response.Header.Get("Retry-After"); text != "" && honorsRetryAfter(code) {
		failure.Reason += ", Retry-After: " + text
	}
	return failure
}

// checkConnectResponse returns an error if a proxy refused to connect.
func checkConnectResponse(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	failure := newStatusFailure(response)
	failure.Kind, failure.detail, failure.Reason = ProxyFailed, "", "the proxy refused to connect: "+failure.Reason
	return failure
}

// writtenStatus returns the status of a response as the server wrote it, or with Go's text if it wrote only the number.
func writtenStatus(response *http.Response) string {
	if _, text, _ := strings.Cut(response.Status, " "); safetext.Line(text) == "" {
		return standardStatus(response.StatusCode)
	}
	return safetext.Line(response.Status)
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
func (r *reader) documentFailure(err error, header http.Header, body []byte) *Failure {
	invalid := err.(*instance.DocumentError) //nolint:errorlint,forcetypeassert // instance.Parse promises it
	first := invalid.Faults[0]
	failure := &Failure{
		Kind: NotInstanceDocument, detail: ": " + first.Path,
		Reason: "JSON that is not an instance document", MoreFaults: invalid.More,
		isRetryable: invalid.EndsEarly, // without a length, a connection that breaks looks like this
	}
	if invalid.NotJSON {
		failure.Kind, failure.detail = NotJSON, ""
	}
	switch {
	case len(bytes.TrimSpace(instance.TrimByteOrderMark(body))) == 0:
		failure.Reason = "the body is empty"
	case invalid.EndsEarly:
		failure.Reason = "the body is incomplete JSON: it " + first.Problem
	case invalid.NotJSON:
		failure.Reason = "the body is " + first.Problem
		if first.Found != "" {
			failure.Reason += ": " + first.Found
		}
		failure.Reason += " (" + contentType(header) + ")"
		if text := r.redact.Body(body, maxText); text != "" {
			failure.Reason += "; its text: " + text
		}
	case invalid.HasNoField:
		failure.Reason += ": " + r.redact.Body(body, maxText)
	default:
		for _, fault := range invalid.Faults {
			line := fault.String()
			if fault.Found != "" {
				line += " " + r.redact.Quoted(fault.Found, maxFound)
			}
			failure.Faults = append(failure.Faults, line)
		}
	}
	return failure
}

// contentType returns the headers that say what a body is.
func contentType(header http.Header) string {
	text := fmt.Sprintf("Content-Type %q", header.Get("Content-Type"))
	if encoding := header.Get("Content-Encoding"); encoding != "" { // one that Go does not read
		text += fmt.Sprintf(", Content-Encoding %q", encoding)
	}
	return text
}

// age returns the age of an answer that came from a cache, in whole seconds (RFC 9111, section 5.1), or 0. Each of
// several caches may add its own, so the largest counts.
func age(header http.Header) (largest time.Duration) {
	for text := range strings.SplitSeq(strings.Join(header.Values("Age"), ","), ",") {
		// 0 if it is invalid, the nearest value if it is out of range.
		seconds, _ := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
		largest = max(largest, time.Duration(seconds)*time.Second)
	}
	return largest
}
