package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

const (
	// maxBody is how many bytes of a body are read, after decompression. An instance document is one or two kilobytes.
	maxBody = 64 << 10
	// shownBody is how many bytes of a body are looked at for something to show.
	shownBody = 8 << 10
)

// What is repeated of a body that is not an instance document, in characters.
const (
	messageLimit     = 200
	contentTypeLimit = 80
)

// readResponse reads an answer that is not a redirect.
func (r *reading) readResponse(ctx context.Context, response *http.Response, trace *requestTrace) (*Result, *Failure) {
	if response.StatusCode != http.StatusOK {
		return nil, r.statusFailure(response)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return nil, r.classify(ctx, err, trace)
	}
	if len(body) > maxBody {
		return nil, newFailure(KindTooLarge, fmt.Sprintf("a body of more than %d bytes", maxBody))
	}
	r.client.parsing.Lock()
	details, err := instance.Parse(body, r.redactor.Replace)
	r.client.parsing.Unlock()
	if err != nil {
		return nil, r.documentFailure(err, response.Header, body)
	}
	if r.request.Differences != nil {
		if differences := r.request.Differences(details); len(differences) > 0 {
			return nil, r.unexpected(differences)
		}
	}
	return &Result{Document: instance.TrimByteOrderMark(body), Details: details}, nil
}

// unexpected makes a failure of details that are not as expected.
func (r *reading) unexpected(differences []Difference) *Failure {
	var reasons []string
	for i := range differences {
		differences[i].Reported = r.clean(differences[i].Reported, messageLimit)
		reasons = append(reasons, differences[i].String())
	}
	failure := newFailure(KindUnexpected, strings.Join(reasons, "; "))
	failure.Differences = differences
	return failure
}

// statusFailure makes a failure of an answer with a status other than 200.
func (r *reading) statusFailure(response *http.Response) *Failure {
	var body []byte
	if response.StatusCode != http.StatusSwitchingProtocols { // there it is the bare connection, which nothing limits
		// As much as arrives: the status says enough.
		body, _ = io.ReadAll(io.LimitReader(response.Body, maxBody))
	}
	status := statusLine(response.StatusCode)
	message := r.message(response.Header, body)
	failure := newFailure(KindStatus, "status "+status)
	failure.Class += status
	if message != "" && !strings.Contains(status, message) {
		failure.Reason += ": " + strings.TrimPrefix(message, status+" ")
	}
	failure.StatusCode = response.StatusCode
	failure.transient = slices.Contains(transientStatuses, response.StatusCode)
	switch {
	case response.StatusCode == http.StatusNotFound && strings.HasSuffix(r.request.BaseURL.document.Path, instancePath+instancePath):
		failure.Hint = HintPathRepeated
	case response.StatusCode == http.StatusBadRequest && strings.Contains(message, "SSL certificate"):
		failure.Hint = HintClientCertificate // nginx: "No required SSL certificate was sent"
	case response.StatusCode == http.StatusBadRequest && plainHTTP.MatchString(message):
		failure.Hint = HintHTTPS
	}
	if response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable {
		failure.retryAfter = retryAfter(response.Header, time.Now())
	}
	return failure
}

// plainHTTP matches what servers say to a request in plain HTTP on a port for TLS: Go and Caddy, nginx, Apache.
var plainHTTP = regexp.MustCompile(`HTTP request to an HTTPS server|HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL`)

// statusLine returns a status as "503 Service Unavailable".
func statusLine(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// documentFailure makes a failure of an *instance.DocumentError.
func (r *reading) documentFailure(err error, header http.Header, body []byte) *Failure {
	document, _ := errors.AsType[*instance.DocumentError](err)
	failure := newFailure(KindDocument, safetext.Clean(document.Error(), reasonLimit))
	failure.Class += document.Faults[0].Path
	if document.NotJSON {
		cause := strings.TrimPrefix(document.Faults[0].String(), instance.WholeDocument+": ")
		message := r.message(header, body)
		failure = newFailure(KindNotJSON, fmt.Sprintf("the body is not JSON: %s (%s)", cause, r.contentType(header)))
		switch {
		case isHTML(header, string(body)):
			failure.Hint = HintWebPage
			if message != "" {
				failure.Reason = fmt.Sprintf("the body is an HTML page titled %q, not JSON (%s)", message, r.contentType(header))
			}
		case message != "":
			failure.Reason += "; it begins with: " + message
		}
	}
	failure.cause = err
	failure.Faults = document.Lines()
	return failure
}

// contentType says what a body that is not JSON was declared to be.
func (r *reading) contentType(header http.Header) string {
	described := "no Content-Type"
	if contentType := header.Get("Content-Type"); contentType != "" {
		described = fmt.Sprintf("Content-Type %q", r.clean(contentType, contentTypeLimit))
	}
	if encoding := header.Get("Content-Encoding"); encoding != "" {
		described += fmt.Sprintf(", Content-Encoding %q", r.clean(encoding, contentTypeLimit))
	}
	return described
}

// message returns what the start of a body says to a reader: the message of the service's JSON errors, the title of an
// HTML page, or the start of any other text.
func (r *reading) message(header http.Header, body []byte) string {
	var serviceError struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}
	start, text := body[:min(len(body), shownBody)], string(body)
	switch {
	case json.Unmarshal(start, &serviceError) == nil && serviceError.Message+serviceError.Error != "":
		text = cmp.Or(serviceError.Message, serviceError.Error)
	case isHTML(header, text):
		text = titleOf(string(start))
	case len(body) >= maxBody: // it may have been cut in a secret
		return ""
	}
	text = r.redactor.Replace(text) // before the cut, which could leave a part of a secret
	return strings.TrimRight(r.clean(text[:min(len(text), shownBody)], messageLimit), ". ")
}

func isHTML(header http.Header, body string) bool {
	return strings.Contains(strings.ToLower(header.Get("Content-Type")), "html") || strings.HasPrefix(strings.TrimSpace(body), "<")
}

var htmlTitle = regexp.MustCompile(`(?i)<title[^>]*>([^<]*)</title`)

// titleOf returns the title of an HTML page, or "".
func titleOf(page string) string {
	title := htmlTitle.FindStringSubmatch(page)
	if title == nil {
		return ""
	}
	return html.UnescapeString(title[1])
}

// PageTitle tells whether a text is an HTML page, and returns its title, safe to print, or "".
func PageTitle(text string) (title string, isPage bool) {
	return safetext.Clean(titleOf(text[:min(len(text), shownBody)]), messageLimit), isHTML(nil, text)
}
