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
	said := message(response.Header, body)
	failure := newFailure(KindStatus, "status "+status)
	failure.StableReason += status
	repeatsStatus := strings.Contains(status, strings.TrimRight(strings.TrimSpace(said), ". "))
	if shown := redact.excerpt(said); shown != "" && !repeatsStatus {
		failure.Reason += ": " + strings.TrimPrefix(shown, status+" ")
	}
	failure.StatusCode = response.StatusCode
	failure.transient = isTransient(response.StatusCode)
	switch beginning := said[:min(len(said), shownBody)]; {
	case response.StatusCode == http.StatusBadRequest && strings.Contains(beginning, "SSL certificate"):
		failure.Hint = HintClientCertificate // nginx: "No required SSL certificate was sent"
	case response.StatusCode == http.StatusBadRequest && plainHTTP.MatchString(beginning):
		failure.Hint = HintHTTPS
	}
	failure.addChallenges(response.Header.Get("Proxy-Authenticate"))
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
	if document.NotJSON {
		return notJSONFailure(document, header, body, redact)
	}
	failure := newFailure(KindDocument, safetext.Line(document.Error(), reasonLimit))
	failure.StableReason += document.Faults[0].Path
	// The first documented field is missing: this is an error message, not a document.
	if said := errorMessage(body); said != "" && document.Faults[0] == (instance.Fault{Path: "fileMaxSize", Problem: instance.Missing}) {
		failure.Hint = HintNoDocument
		failure.Reason = "an error instead of an instance document, although with status 200: " + redact.excerpt(said)
		return failure
	}
	failure.Faults = document.Lines()
	return failure
}

// notJSONFailure returns the failure for a body that is not JSON.
func notJSONFailure(document *instance.DocumentError, header http.Header, body []byte, redact redactor) *Failure {
	problem := strings.TrimPrefix(document.Faults[0].String(), instance.WholeDocument+": ")
	said := redact.excerpt(message(header, body))
	encoding := header.Get("Content-Encoding")
	var hint Hint
	switch {
	case encoding != "" && !strings.EqualFold(encoding, "identity"): // net/http removes the one that it asked for
		problem, said, hint = "the body has an encoding that the provider did not ask for", "", HintBody
	case len(bytes.TrimSpace(body)) == 0:
		problem, hint = "the body is empty", HintNoDocument
	case isHTML(header, string(body)):
		hint = HintWebPage
		problem = "the body is not JSON: " + problem
		if said != "" {
			problem, said = fmt.Sprintf("the body is an HTML page titled %q, not JSON", said), ""
		}
	case isUTF16(body):
		problem, said, hint = "the body is text in UTF-16, but JSON must be in UTF-8", "", HintBody
	case document.EndsEarly:
		problem, hint = "the body is incomplete JSON: "+problem, HintCutShort
	default:
		problem = "the body is not JSON: " + problem
	}
	failure := newFailure(KindNotJSON, fmt.Sprintf("%s (%s)", problem, contentType(header, redact)))
	if said != "" {
		failure.Reason += "; it begins with: " + said
	}
	failure.Hint = hint
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

// contentType returns the Content-Type and Content-Encoding, for messages.
func contentType(header http.Header, redact redactor) string {
	described := "no Content-Type"
	if declared := header.Get("Content-Type"); declared != "" {
		described = fmt.Sprintf("Content-Type %q", redact.line(declared, contentTypeLimit))
	}
	if encoding := header.Get("Content-Encoding"); encoding != "" {
		described += fmt.Sprintf(", Content-Encoding %q", redact.line(encoding, contentTypeLimit))
	}
	return described
}

// message returns the text in body to show, as it came: the message of a JSON error, the title of an HTML page, or any other body.
// Returns "" if there is none.
func message(header http.Header, body []byte) string {
	said := errorMessage(body)
	switch {
	case said != "":
		return said
	case isHTML(header, string(body)):
		return titleOf(string(body[:min(len(body), shownBody)]))
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
	if json.Unmarshal(body[:min(len(body), shownBody)], &serviceError) != nil {
		return ""
	}
	return cmp.Or(serviceError.Message, serviceError.Error)
}
