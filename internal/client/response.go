package client

import (
	"bytes"
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

const (
	maxBody   = 64 << 10 // bytes of a body, after decompression; an instance document has less than a kilobyte
	maxText   = 200      // characters of a text in a message
	maxReason = 600      // characters of a reason, which may quote a text
	maxFound  = 60       // characters of a value in a fault of a document
)

// toAnswer turns a response into an answer.
func (e *exchange) toAnswer(response *http.Response, asked time.Time) (*answer, error) {
	defer func() { _ = response.Body.Close() }()
	body, err := readBody(response)
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, e.statusError(response, body)
	case err != nil:
		return nil, err
	}
	details, err := instance.Parse(body)
	if err != nil {
		return nil, e.documentError(err, response.Header, body)
	}
	result := &Result{Document: instance.TrimByteOrderMark(body), Details: details}
	for i, option := range details.RecommendedExpireTimes {
		if option.Ambiguity != "" {
			result.Ambiguities = append(result.Ambiguities, fmt.Sprintf(
				"recommendedExpireTimes[%d] (%s): %s", i, e.session.redact.Quoted(option.Label, maxFound), option.Ambiguity))
		}
	}
	generated, cache := generatedAt(asked, response.Header)
	return &answer{result, asked, generated, cache, e.summary()}, nil
}

// readBody returns the body of a response, or nothing if there is an error: a body that is cut may end in part of a secret.
func readBody(response *http.Response) ([]byte, error) {
	if response.StatusCode == http.StatusSwitchingProtocols {
		return nil, nil // its body is the connection itself, which may never end
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxBody:
		return nil, &knownError{kind: ResponseTooLarge, reason: fmt.Sprintf("the body has more than %d bytes", maxBody)}
	default:
		return body, nil
	}
}

func (e *exchange) statusError(response *http.Response, body []byte) *knownError {
	code := response.StatusCode
	kind, qualifier := Status, " "+statusText(code)
	if code == http.StatusProxyAuthRequired && e.route.proxyUse == forwards {
		kind, qualifier = ProxyFailed, ""
	}
	reason := "status " + statusText(code)
	if text := withoutStatus(e.text(body), statusText(code)); text != "" {
		reason += ": " + text
	}
	return &knownError{kind: kind, qualifier: qualifier, reason: reason, statusCode: code, retryAfter: retryAfterOf(response)}
}

// statusText returns a status such as "404 Not Found".
func statusText(code int) string {
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// withoutStatus returns what a text says besides a status, such as "404 Not Found", or "" if it only repeats it.
func withoutStatus(text, status string) string {
	text = strings.TrimSpace(strings.TrimPrefix(text, status))
	if strings.Contains(strings.ToLower(status), strings.ToLower(strings.TrimRight(text, "."))) {
		return ""
	}
	return text
}

// documentError returns the error for an [*instance.DocumentError].
func (e *exchange) documentError(err error, header http.Header, body []byte) *knownError {
	document, _ := errors.AsType[*instance.DocumentError](err)
	invalid := &knownError{kind: NotInstanceDocument, qualifier: ": " + document.Faults[0].Path, endsEarly: document.EndsEarly}
	if document.NotJSON {
		invalid.kind, invalid.qualifier = NotJSON, ""
	}
	switch fault := document.Faults[0]; {
	case len(bytes.TrimSpace(instance.TrimByteOrderMark(body))) == 0:
		invalid.reason = "the body is empty"
	case document.EndsEarly:
		invalid.reason = "the body is incomplete JSON: " + fault.Problem
	case document.NotJSON:
		invalid.reason = fmt.Sprintf("the body is %s: %s (Content-Type %q", fault.Problem, fault.Found, header.Get("Content-Type"))
		if encoding := header.Get("Content-Encoding"); encoding != "" {
			invalid.reason += fmt.Sprintf(", Content-Encoding %q", encoding)
		}
		invalid.reason += ")"
		if text := e.text(body); text != "" {
			invalid.reason += "; its text: " + text
		}
	case document.HasNoField:
		invalid.reason = "JSON that is not an instance document: " + e.text(body)
	default:
		for _, fault := range document.Faults {
			line := fault.String()
			if fault.Found != "" {
				line += " " + e.session.redact.Quoted(fault.Found, maxFound)
			}
			invalid.faults = append(invalid.faults, line)
		}
		invalid.reason = strings.Join(invalid.faults, "; ")
	}
	return invalid
}

// text returns what a person can read in a body, safe to print.
func (e *exchange) text(body []byte) string {
	return e.session.redact.Line(safetext.OfBody(body), maxText)
}

// generatedAt returns when an answer was made, at the earliest: when it was asked for or, if a cache answered, earlier by its age (RFC 9111,
// section 5.1), which counts whole seconds. Of several ages, the first counts. It also describes the cache, or returns "".
func generatedAt(asked time.Time, header http.Header) (generated time.Time, cache string) {
	text, _, _ := strings.Cut(header.Get("Age"), ",")
	text = strings.TrimSpace(text)
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return asked, ""
	}
	seconds, _ := strconv.ParseInt(text, 10, 32) // the only error left is that of the range
	age := time.Duration(seconds) * time.Second
	return asked.Add(-age - time.Second), fmt.Sprintf("a cache, %d s old", seconds)
}
