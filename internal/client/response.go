package client

import (
	"bytes"
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
	// maxBody is how many bytes of a body are read, after decompression.
	maxBody = 1 << 20
	// ordinaryBody is the size up to which a body is read at once, whatever else is being read: an instance document
	// has one or two kilobytes. Of larger ones, maxLargeBodies are in memory at a time, so that a fleet of hostile
	// instances cannot fill it.
	ordinaryBody   = 16 << 10
	maxLargeBodies = 2
	// shownBody is how many bytes of a body are looked at for something to show.
	shownBody = 8 << 10
)

// What is repeated of a body that is not an instance document, in characters.
const (
	messageLimit     = 200
	contentTypeLimit = 80
)

// readResponse reads an answer that is not a redirect, and closes its body.
func (r *reading) readResponse(ctx context.Context, response *http.Response, trip *trip) (*Result, *Failure) {
	defer func() { _ = response.Body.Close() }()

	if response.StatusCode != http.StatusOK {
		return nil, r.statusFailure(response)
	}
	var buffer bytes.Buffer
	if response.ContentLength > 0 {
		// A little more than announced lets the buffer see the end of the body without growing.
		buffer.Grow(int(min(response.ContentLength, ordinaryBody)) + bytes.MinRead)
	}
	_, err := buffer.ReadFrom(io.LimitReader(response.Body, ordinaryBody))
	if err == nil && buffer.Len() == ordinaryBody {
		if err = r.largeBodies.Acquire(ctx, 1); err == nil {
			defer r.largeBodies.Release(1) // not before it is parsed
			_, err = buffer.ReadFrom(io.LimitReader(response.Body, maxBody+1-ordinaryBody))
		}
	}
	if err != nil {
		return nil, r.classify(ctx, err, trip)
	}
	body := buffer.Bytes()
	if len(body) > maxBody {
		return nil, newFailure(KindTooLarge, fmt.Sprintf("a body of more than %d bytes", maxBody))
	}
	details, err := instance.Parse(body, r.redact)
	if err != nil {
		return nil, r.documentFailure(err, response.Header, body)
	}
	return &Result{Document: instance.TrimByteOrderMark(body), Details: details}, nil
}

// statusFailure makes a failure of an answer with a status other than 200.
func (r *reading) statusFailure(response *http.Response) *Failure {
	var body []byte
	if response.StatusCode != http.StatusSwitchingProtocols { // there it is the bare connection, which nothing limits
		// As much as arrives: the status says enough.
		body, _ = io.ReadAll(io.LimitReader(response.Body, shownBody))
	}
	status := statusLine(response.StatusCode)
	message := r.message(response.Header, body)
	failure := newFailure(KindStatus, "status "+status)
	failure.class += status
	if message != "" && !strings.Contains(status, message) {
		failure.Reason += ": " + strings.TrimPrefix(message, status+" ")
	}
	failure.StatusCode = response.StatusCode
	failure.transient = slices.Contains(transientStatuses, response.StatusCode)
	switch {
	case response.StatusCode == http.StatusNotFound && r.BaseURL.endsInInstance():
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
	failure.class += document.Faults[0].Path
	if document.NotJSON {
		cause := strings.TrimPrefix(document.Faults[len(document.Faults)-1].String(), instance.WholeDocument+": ")
		message := r.message(header, body[:min(len(body), shownBody)])
		reason := fmt.Sprintf("the body is not JSON: %s (%s)", cause, r.contentType(header))
		switch {
		case isHTML(header, body) && message != "":
			reason = fmt.Sprintf("the body is an HTML page titled %q, not JSON (%s)", message, r.contentType(header))
		case message != "":
			reason += "; it begins with: " + message
		}
		failure = newFailure(KindNotJSON, reason)
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

var htmlTitle = regexp.MustCompile(`(?i)<title[^>]*>([^<]*)</title`)

// message returns what a body says to a reader: the message of the service's JSON errors, the title of an HTML page,
// or the start of any other text.
func (r *reading) message(header http.Header, body []byte) string {
	var serviceError struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}
	text := string(body)
	switch {
	case json.Unmarshal(body, &serviceError) == nil && serviceError.Message+serviceError.Error != "":
		text = cmp.Or(serviceError.Message, serviceError.Error)
	case isHTML(header, body):
		title := htmlTitle.FindStringSubmatch(text)
		if title == nil {
			return ""
		}
		text = html.UnescapeString(title[1])
	}
	return strings.TrimRight(r.clean(text, messageLimit), ". ")
}

func isHTML(header http.Header, body []byte) bool {
	return strings.Contains(strings.ToLower(header.Get("Content-Type")), "html") || bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}
