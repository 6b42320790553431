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
	// maxBody is how many bytes of a body are read, after decompression. An instance document is one or two kilobytes.
	maxBody = 64 << 10
	// contentTypeLimit is how many characters of a Content-Type an error repeats.
	contentTypeLimit = 80
)

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

// statusFailure makes a failure of an answer with a status other than 200.
func statusFailure(response *http.Response, redact redactor) *Failure {
	var body []byte
	if response.StatusCode != http.StatusSwitchingProtocols { // there it is the bare connection, which nothing limits
		// As much as arrives: the status says enough.
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

// plainHTTP matches what servers say to a request in plain HTTP on a port for TLS: Go and Caddy, nginx, Apache.
var plainHTTP = regexp.MustCompile(`HTTP request to an HTTPS server|HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL`)

// documentFailure makes a failure of an *instance.DocumentError.
func documentFailure(err error, header http.Header, body []byte, redact redactor) *Failure {
	document, _ := errors.AsType[*instance.DocumentError](err)
	failure := newFailure(KindDocument, safetext.Clean(document.Error(), reasonLimit))
	failure.StableReason += document.Faults[0].Path
	if document.NotJSON {
		cause := strings.TrimPrefix(document.Faults[0].String(), instance.WholeDocument+": ")
		shown := message(header, body, redact)
		failure = newFailure(KindNotJSON, fmt.Sprintf("the body is not JSON: %s (%s)", cause, contentType(header, redact)))
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

// contentType says what a body that is not JSON was declared to be.
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

// message returns what the start of a body says to a reader: the message of the service's JSON errors, the title of an
// HTML page, or the start of any other text.
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
	case len(body) >= maxBody: // it may have been cut in a secret
		return ""
	}
	text = redact.Replace(text) // before the cut, which could leave a part of a secret
	return strings.TrimRight(redact.clean(text[:min(len(text), shownBody)], messageLimit), ". ")
}
