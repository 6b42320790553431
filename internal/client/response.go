package client

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

const (
	// maxBody is the maximum size of a body in bytes, after decompression. An instance document has one or two kilobytes.
	maxBody = 64 << 10
	// contentTypeLimit is the maximum number of characters of a Content-Type or Content-Encoding in an error.
	contentTypeLimit = 80
)

// unexpected returns the failure for details that are not as expected.
func unexpected(differences []Difference, redact redactor) *Failure {
	var reasons []string
	for i := range differences {
		differences[i].Reported = redact.clean(differences[i].Reported, messageLimit)
		reasons = append(reasons, differences[i].String())
	}
	failure := newFailure(KindUnexpected, strings.Join(reasons, "; "))
	failure.Differences = differences
	return failure
}

// statusFailure returns the failure for a response with a status other than 200.
func statusFailure(response *http.Response, redact redactor) *Failure {
	var body []byte
	if response.StatusCode != http.StatusSwitchingProtocols { // there, the body is the raw connection, which may never end
		// Ignore the error: the status says enough.
		body, _ = io.ReadAll(io.LimitReader(response.Body, maxBody))
	}
	status := statusLine(response.StatusCode)
	shown := message(response.Header, body, redact)
	failure := newFailure(KindStatus, "status "+status)
	failure.StableReason += status
	if shown != "" && !strings.Contains(status, shown) {
		failure.Reason += ": " + strings.TrimPrefix(shown, status+" ")
	}
	failure.StatusCode = response.StatusCode
	failure.transient = isTransient(response.StatusCode)
	switch {
	case response.StatusCode == http.StatusBadRequest && strings.Contains(shown, "SSL certificate"):
		failure.Hint = HintClientCertificate // nginx: "No required SSL certificate was sent"
	case response.StatusCode == http.StatusBadRequest && plainHTTP.MatchString(shown):
		failure.Hint = HintHTTPS
	}
	failure.addChallenges(response.Header)
	if response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusServiceUnavailable {
		failure.retryAfter = retryAfter(response.Header, time.Now())
	}
	return failure
}

// plainHTTP matches the errors that Go and Caddy, nginx, and Apache return for plain HTTP on a TLS port.
var plainHTTP = regexp.MustCompile(`HTTP request to an HTTPS server|HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL`)

// documentFailure returns the failure for an [*instance.DocumentError].
func documentFailure(err error, header http.Header, body []byte, redact redactor) *Failure {
	document, _ := errors.AsType[*instance.DocumentError](err)
	failure := newFailure(KindDocument, safetext.Clean(document.Error(), reasonLimit))
	failure.StableReason += document.Faults[0].Path
	if document.NotJSON {
		problem := strings.TrimPrefix(document.Faults[0].String(), instance.WholeDocument+": ")
		shown := message(header, body, redact)
		failure = newFailure(KindNotJSON, fmt.Sprintf("the body is not JSON: %s (%s)", problem, contentType(header, redact)))
		switch {
		case isHTML(header, string(body)):
			failure.Hint = HintWebPage
			if shown != "" {
				failure.Reason = fmt.Sprintf("the body is an HTML page titled %q, not JSON (%s)", shown, contentType(header, redact))
			}
		case shown != "":
			failure.Reason += "; it begins with: " + shown
		}
	}
	failure.Faults = document.Lines()
	return failure
}

// contentType returns the Content-Type and Content-Encoding, for messages.
func contentType(header http.Header, redact redactor) string {
	described := "no Content-Type"
	if declared := header.Get("Content-Type"); declared != "" {
		described = fmt.Sprintf("Content-Type %q", redact.clean(declared, contentTypeLimit))
	}
	if encoding := header.Get("Content-Encoding"); encoding != "" {
		described += fmt.Sprintf(", Content-Encoding %q", redact.clean(encoding, contentTypeLimit))
	}
	return described
}

// message returns text from body to show: the message of a JSON error, the title of an HTML page, or the start of any other body.
// Returns "" if there is none.
func message(header http.Header, body []byte, redact redactor) string {
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
	case len(body) >= maxBody: // may be cut in the middle of a secret
		return ""
	}
	text = redact.Replace(text) // before cutting, which could leave part of a secret
	return strings.TrimRight(redact.clean(text[:min(len(text), shownBody)], messageLimit), ". ")
}
