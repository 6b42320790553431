package client

import (
	"bytes"
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
	// maxBody is the maximum size of a body in bytes, after decompression. An instance document has less than a kilobyte.
	maxBody = 64 << 10
	// contentTypeLimit is the maximum number of characters of a Content-Type or Content-Encoding in an error.
	contentTypeLimit = 80
)

// unexpected returns the failure for details that are not as expected.
func unexpected(differences []Difference) *Failure {
	var reasons []string
	for _, difference := range differences {
		reasons = append(reasons, difference.String())
	}
	return newFailure(KindUnexpected, strings.Join(reasons, "; "))
}

// statusFailure returns the failure for a response with a status other than 200.
func statusFailure(head responseHead, responseBody io.Reader, redact redactor) *Failure {
	var body []byte
	if head.status != http.StatusSwitchingProtocols { // there, the body is the raw connection, which may never end
		// Ignore the error: the status says enough.
		body, _ = io.ReadAll(io.LimitReader(responseBody, maxBody))
	}
	status := statusLine(head.status)
	message := messageOf(head, body)
	failure := newFailure(KindStatus, "status "+status)
	failure.Class += status
	repeatsStatus := strings.Contains(status, strings.TrimRight(strings.TrimSpace(message), ". "))
	if excerpt := redact.excerpt(message); excerpt != "" && !repeatsStatus {
		failure.Reason += ": " + strings.TrimPrefix(excerpt, status+" ")
	}
	failure.StatusCode = head.status
	failure.transient = isTransient(head.status)
	switch beginning := message[:min(len(message), maxExcerpt)]; {
	case head.status == http.StatusBadRequest && strings.Contains(beginning, "SSL certificate"):
		failure.Kind = KindClientCertificate // nginx: "No required SSL certificate was sent"
	case head.status == http.StatusBadRequest && plainHTTP.MatchString(beginning):
		failure.Kind = KindHTTPSOnly
	case head.status == http.StatusProxyAuthRequired:
		failure.addChallenges(head.proxyChallenges, redact)
	case head.status == http.StatusTooManyRequests, head.status == http.StatusServiceUnavailable:
		failure.retryAfter = parseRetryAfter(head.retryAfter, time.Now())
	}
	return failure
}

// plainHTTP matches the errors that Go and Caddy, nginx, and Apache return for plain HTTP on a TLS port.
var plainHTTP = regexp.MustCompile(`HTTP request to an HTTPS server|HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL`)

// documentFailure returns the failure for an [*instance.DocumentError].
func documentFailure(err error, head responseHead, body []byte, redact redactor) *Failure {
	document, _ := errors.AsType[*instance.DocumentError](err)
	if document.NotJSON {
		return notJSONFailure(document, head, body, redact)
	}
	firstField := instance.Fault{Path: "fileMaxSize", Problem: instance.Missing}
	if message := errorMessage(body); message != "" && document.Faults[0] == firstField {
		failure := newFailure(KindErrorMessage,
			"an error instead of an instance document, although with status 200: "+redact.excerpt(message))
		failure.Class += firstField.Path
		return failure
	}
	failure := newFailure(KindDocument, safetext.Line(document.Error(), reasonLimit))
	failure.Class += document.Faults[0].Path
	failure.Faults = document.Lines()
	return failure
}

// notJSONFailure returns the failure for a body that is not JSON.
func notJSONFailure(document *instance.DocumentError, head responseHead, body []byte, redact redactor) *Failure {
	fault := strings.TrimPrefix(document.Faults[0].String(), instance.WholeDocument+": ")
	excerpt := redact.excerpt(messageOf(head, body))
	kind, problem := KindNotJSON, "the body is not JSON: "+fault
	switch {
	case head.contentEncoding != "" && !strings.EqualFold(head.contentEncoding, "identity"):
		// net/http removes the encoding that it asked for.
		kind, problem, excerpt = KindEncodedBody, "the body has an encoding that the provider did not ask for", ""
	case len(bytes.TrimSpace(body)) == 0:
		kind, problem = KindEmptyBody, "the body is empty"
	case isHTML(head.contentType, string(body)):
		kind = KindWebPage
		if excerpt != "" {
			problem, excerpt = fmt.Sprintf("the body is an HTML page titled %q, not JSON", excerpt), ""
		}
	case isUTF16(body):
		kind, problem, excerpt = KindEncodedBody, "the body is text in UTF-16, but JSON must be in UTF-8", ""
	case document.EndsEarly:
		kind, problem = KindCutShort, "the body is incomplete JSON: "+fault
	}
	failure := newFailure(kind, fmt.Sprintf("%s (%s)", problem, describeContent(head, redact)))
	if excerpt != "" {
		failure.Reason += "; it begins with: " + excerpt
	}
	failure.Faults = document.Lines()
	return failure
}

// isUTF16 reports whether a body is text in UTF-16, by its byte order mark or because every other byte of its beginning is 0.
func isUTF16(body []byte) bool {
	if bytes.HasPrefix(body, []byte{0xFE, 0xFF}) || bytes.HasPrefix(body, []byte{0xFF, 0xFE}) {
		return true
	}
	if len(body) < 4 {
		return false
	}
	evenZero, oddZero := body[0] == 0 && body[2] == 0, body[1] == 0 && body[3] == 0
	return evenZero != oddZero
}

// describeContent returns the Content-Type and Content-Encoding, for messages.
func describeContent(head responseHead, redact redactor) string {
	described := "no Content-Type"
	if head.contentType != "" {
		described = fmt.Sprintf("Content-Type %q", redact.line(head.contentType, contentTypeLimit))
	}
	if head.contentEncoding != "" {
		described += fmt.Sprintf(", Content-Encoding %q", redact.line(head.contentEncoding, contentTypeLimit))
	}
	return described
}

// messageOf returns the text in body to show, as it came: the message of a JSON error, the title of an HTML page, or any other body.
// Returns "" if there is none.
func messageOf(head responseHead, body []byte) string {
	message := errorMessage(body)
	switch {
	case message != "":
		return message
	case isHTML(head.contentType, string(body)):
		return titleOf(string(body[:min(len(body), maxExcerpt)]))
	case len(body) >= maxBody: // may be cut in the middle of a secret
		return ""
	default:
		return string(body)
	}
}

// errorMessage returns the message of an error in JSON: {"error": "Not Found", "message": "..."}. Returns "" for any other body.
func errorMessage(body []byte) string {
	var serviceError struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}
	if json.Unmarshal(body[:min(len(body), maxExcerpt)], &serviceError) != nil {
		return ""
	}
	return cmp.Or(serviceError.Message, serviceError.Error)
}
