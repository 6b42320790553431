package client

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

const maxBody = 64 << 10 // bytes of a body, after decompression; an instance document has less than a kilobyte

// toAnswer turns a response into an answer.
func (e *exchange) toAnswer(response *http.Response, askedAt time.Time) (*answer, error) {
	document, err := readBody(response)
	switch {
	case response.StatusCode != http.StatusOK: // which counts, whatever became of the body
		return nil, e.statusFailure(response, document)
	case err != nil:
		return nil, err
	}
	details, err := instance.Parse(document)
	if invalid, ok := errors.AsType[*instance.DocumentError](err); ok {
		return nil, e.documentFailure(invalid, response.Header, document)
	}
	result := &Result{Document: instance.TrimByteOrderMark(document), Details: details}
	for i, option := range details.RecommendedExpireTimes {
		if option.Ambiguity != "" {
			result.Ambiguities = append(result.Ambiguities, fmt.Sprintf(
				"recommendedExpireTimes[%d] (%s): %s", i, e.session.redact.Quoted(option.Label, maxFound), option.Ambiguity))
		}
	}
	generatedAt := askedAt
	if e.asked.FromCache { // the age counts whole seconds
		generatedAt = askedAt.Add(-e.asked.Age - time.Second)
	}
	return &answer{result, e.asked, askedAt, generatedAt}, nil
}

// readBody returns the body of a response, or nothing if there is an error: a body that is cut may end in part of a secret.
func readBody(response *http.Response) ([]byte, error) {
	text, err := readDecompressed(response)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && !hasBroken(response):
		return nil, errors.New("gzip: the compressed data is damaged")
	case err != nil:
		return nil, err
	case len(text) > maxBody:
		return nil, &Failure{Kind: ResponseTooLarge, Reason: fmt.Sprintf("the body has more than %d bytes", maxBody)}
	default:
		return text, nil
	}
}

// readDecompressed returns the body of a response, or at most a byte more than maxBody of it.
func readDecompressed(response *http.Response) ([]byte, error) {
	var from io.Reader = response.Body
	if strings.EqualFold(response.Header.Get("Content-Encoding"), "gzip") {
		decompressed, err := gzip.NewReader(from)
		switch {
		case errors.Is(err, io.EOF): // the body is empty
			return nil, nil
		case err != nil:
			return nil, err
		}
		from = decompressed
	}
	return io.ReadAll(io.LimitReader(from, maxBody+1))
}

// statusFailure returns the failure for a status that is not 200. Its class has Go's text of the status, and its reason the server's.
func (e *exchange) statusFailure(response *http.Response, body []byte) *Failure {
	code := response.StatusCode
	failure := &Failure{
		Kind: Status, qualifier: " " + standardStatus(code), Reason: e.statusReason(response), StatusCode: code,
		isRetryable: isRetriedStatus(code), retryAfter: retryAfterOf(response),
	}
	if code == http.StatusProxyAuthRequired && e.asked.Forwarded {
		failure.Kind, failure.qualifier = ProxyFailed, ""
	}
	if text := withoutStatus(e.text(body), e.writtenStatus(response), standardStatus(code)); text != "" {
		failure.Reason += ": " + text
	}
	return failure
}

// statusReason returns the status, and how long the server asks to wait.
func (e *exchange) statusReason(response *http.Response) string {
	reason := "status " + e.writtenStatus(response)
	if text := response.Header.Get("Retry-After"); text != "" && honorsRetryAfter(response.StatusCode) {
		reason += ", Retry-After: " + e.session.redact.Line(text, maxFound)
	}
	return reason
}

// writtenStatus returns the status of a response as the server wrote it, safe to print, or with Go's text if it wrote only the number.
func (e *exchange) writtenStatus(response *http.Response) string {
	if _, text, _ := strings.Cut(response.Status, " "); safetext.Line(text) == "" {
		return standardStatus(response.StatusCode)
	}
	return e.session.redact.Line(response.Status, maxText)
}

// standardStatus returns a status such as "404 Not Found".
func standardStatus(code int) string {
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// withoutStatus returns what a text says besides a status, such as "404 Not Found", or "" if it only repeats one of them.
func withoutStatus(text string, statuses ...string) string {
	for _, status := range statuses {
		text = strings.TrimSpace(strings.TrimPrefix(text, status))
		if strings.Contains(strings.ToLower(status), strings.ToLower(strings.TrimRight(text, "."))) {
			return ""
		}
	}
	return text
}

// documentFailure returns the failure for a body that is not an instance document.
func (e *exchange) documentFailure(err *instance.DocumentError, header http.Header, body []byte) *Failure {
	first := err.Faults[0]
	failure := &Failure{Kind: NotInstanceDocument, qualifier: ": " + first.Path, isRetryable: err.EndsEarly}
	if err.NotJSON {
		failure.Kind, failure.qualifier = NotJSON, ""
	}
	switch {
	case len(bytes.TrimSpace(instance.TrimByteOrderMark(body))) == 0:
		failure.Reason = "the body is empty"
	case err.EndsEarly: // without a length, a connection that breaks looks like this
		failure.Reason = "the body is incomplete JSON: " + first.Problem
	case err.NotJSON:
		contentType := fmt.Sprintf("Content-Type %q", header.Get("Content-Type"))
		if encoding := header.Get("Content-Encoding"); encoding != "" {
			contentType += fmt.Sprintf(", Content-Encoding %q", encoding)
		}
		failure.Reason = fmt.Sprintf("the body is %s: %s (%s)", first.Problem, first.Found, contentType)
		if text := e.text(body); text != "" {
			failure.Reason += "; its text: " + text
		}
	case err.HasNoField:
		failure.Reason = "JSON that is not an instance document: " + e.text(body)
	default:
		failure.Reason = "JSON that is not an instance document"
		for _, fault := range err.Faults {
			line := fault.String()
			if fault.Found != "" {
				line += " " + e.session.redact.Quoted(fault.Found, maxFound)
			}
			failure.Faults = append(failure.Faults, line)
		}
	}
	return failure
}

// text returns what a person can read in a body, safe to print.
func (e *exchange) text(body []byte) string {
	return e.session.redact.Line(safetext.OfBody(body), maxText)
}

// ageOf returns the age of an answer that came from a cache, which counts whole seconds (RFC 9111, section 5.1). Each of several caches may
// add its own, so the largest counts. It returns false if there is none.
func ageOf(header http.Header) (age time.Duration, ok bool) {
	for text := range strings.SplitSeq(strings.Join(header.Values("Age"), ","), ",") {
		text = strings.TrimSpace(text)
		if text == "" || strings.Trim(text, "0123456789") != "" {
			continue
		}
		seconds, _ := strconv.ParseInt(text, 10, 32) // only the range can be wrong, and then this is its end
		age, ok = max(age, time.Duration(seconds)*time.Second), true
	}
	return age, ok
}
