package client

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

const (
	// maxExcerpt is the maximum number of bytes of a body that are searched for text to show.
	maxExcerpt = 8 << 10
	// messageLimit is the maximum number of characters of an instance's text in an error.
	messageLimit = 200
	// maxBody is the maximum size of a body in bytes, after decompression. An instance document has less than a kilobyte.
	maxBody = 64 << 10
	// contentTypeLimit is the maximum number of characters of a Content-Type or Content-Encoding in an error.
	contentTypeLimit = 80
)

func unexpected(differences []Difference) *Failure {
	var reasons []string
	for _, difference := range differences {
		reasons = append(reasons, difference.String())
	}
	return newFailure(KindUnexpected, strings.Join(reasons, "; "))
}

// bodyOf returns the body of a response, decompressed. A failure is the error if it is too large, or not what the head
// says. Decompressing is not left to net/http, which does not tell a damaged body from a connection that broke.
func bodyOf(response *http.Response) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err == nil && isGzip(response.Header) && 0 < len(content) && len(content) <= maxBody {
		content, err = decompressed(content)
		hasLength := response.ContentLength >= 0 || len(response.TransferEncoding) > 0
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF) && !hasLength:
			err = newFailure(KindCutShort, "the body, in gzip, ends early")
		case err != nil:
			err = newFailure(KindDamaged, "the body is not valid gzip, although its Content-Encoding says so")
		}
	}
	if len(content) > maxBody {
		return content, newFailure(KindLargeBody, fmt.Sprintf("a body of more than %d bytes", maxBody))
	}
	return content, err
}

func isGzip(header http.Header) bool {
	return strings.TrimPrefix(strings.ToLower(header.Get("Content-Encoding")), "x-") == "gzip" // RFC 9110, section 8.4.1.3
}

// decompressed returns the content of a body in gzip, up to one byte more than maxBody.
func decompressed(body []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(reader, maxBody+1))
}

func statusFailure(response *http.Response, redact redactor) *Failure {
	var body []byte
	if response.StatusCode != http.StatusSwitchingProtocols { // there, the body is the raw connection, which may never end
		if whole, err := bodyOf(response); err == nil { // the status says enough, and a body that is cut may end in a secret
			body = whole
		}
	}
	code, status := response.StatusCode, statusLine(response.StatusCode)
	message := messageOf(response.Header, body)
	failure := newFailure(KindStatus, "status "+status)
	failure.Class += status
	repeatsStatus := strings.Contains(status, strings.TrimRight(strings.TrimSpace(message), ". "))
	if excerpt := redact.excerpt(message); excerpt != "" && !repeatsStatus {
		failure.Reason += ": " + strings.TrimPrefix(excerpt, status+" ")
	}
	failure.StatusCode = code
	failure.transient = isTransient(code)
	switch beginning := string(body[:min(len(body), maxExcerpt)]); {
	case code == http.StatusBadRequest && strings.Contains(beginning, "SSL certificate"):
		failure.Kind = KindClientCertificate // nginx: "No required SSL certificate was sent"
	case code == http.StatusBadRequest && plainHTTP.MatchString(beginning):
		failure.Kind = KindHTTPSOnly
	case code == http.StatusUnauthorized, code == http.StatusProxyAuthRequired:
		failure.addChallenges(response.Header, redact)
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable:
		failure.retryAfter = parseRetryAfter(response.Header.Get("Retry-After"), time.Now())
	}
	return failure
}

// plainHTTP matches the errors that Go and Caddy, nginx, Apache and Tomcat return for plain HTTP on a TLS port.
var plainHTTP = regexp.MustCompile(
	`HTTP request to an HTTPS server|HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL|port requires TLS`)

// documentFailure returns the failure for an [*instance.DocumentError].
func documentFailure(err error, header http.Header, body []byte, redact redactor) *Failure {
	document, _ := errors.AsType[*instance.DocumentError](err)
	if document.NotJSON {
		return notJSONFailure(document, header, body, redact)
	}
	if document.HasNoField {
		reason := "JSON without any field of an instance document: "
		if errorMessage(body) != "" {
			reason = "an error instead of an instance document, although with status 200: "
		}
		failure := newFailure(KindOtherJSON, reason+redact.excerpt(messageOf(header, body)))
		failure.Class += document.Faults[0].Path
		return failure
	}
	failure := newFailure(KindDocument, safetext.Line(document.Error(), reasonLimit))
	failure.Class += document.Faults[0].Path
	failure.Faults = document.Lines()
	return failure
}

func notJSONFailure(document *instance.DocumentError, header http.Header, body []byte, redact redactor) *Failure {
	fault := strings.TrimPrefix(document.Faults[0].String(), instance.WholeDocument+": ")
	excerpt := redact.excerpt(messageOf(header, body))
	kind, problem := KindNotJSON, "the body is not JSON: "+fault
	switch encoding := header.Get("Content-Encoding"); {
	case len(bytes.TrimSpace(body)) == 0:
		kind, problem = KindEmptyBody, "the body is empty"
	case encoding != "" && !strings.EqualFold(encoding, "identity") && !isGzip(header):
		kind, problem, excerpt = KindEncodedBody, "the body has an encoding that the provider did not ask for", ""
	case bytes.HasPrefix(body, []byte(gzipMagic)):
		kind, problem, excerpt = KindEncodedBody, "the body is in gzip once more than its Content-Encoding says", ""
	case bytes.Contains(body, []byte(`"fileMaxSize"`)) && !document.EndsEarly && utf8.Valid(body):
		kind = KindEncodedBody // the document, with something added to it
	case isHTML(header.Get("Content-Type"), string(body)):
		kind = KindWebPage
		if excerpt != "" {
			problem, excerpt = fmt.Sprintf("the body is an HTML page titled %q, not JSON", excerpt), ""
		}
	case document.EndsEarly:
		kind, problem, excerpt = KindCutShort, "the body is incomplete JSON: "+fault, "" // it may end in part of a secret
	case !utf8.Valid(body), bytes.IndexByte(body[:min(len(body), 2)], 0) >= 0:
		kind, problem = KindEncodedBody, "the body is in another encoding than UTF-8, such as UTF-16 or Latin-1: "+fault
	}
	failure := newFailure(kind, fmt.Sprintf("%s (%s)", problem, describeContent(header, redact)))
	if excerpt != "" {
		failure.Reason += "; it begins with: " + excerpt
	}
	return failure
}

// gzipMagic begins every body in gzip (RFC 1952, section 2.3.1).
const gzipMagic = "\x1f\x8b"

// describeContent returns the Content-Type and Content-Encoding, for messages.
func describeContent(header http.Header, redact redactor) string {
	described := "no Content-Type"
	if contentType := header.Get("Content-Type"); contentType != "" {
		described = fmt.Sprintf("Content-Type %q", redact.line(contentType, contentTypeLimit))
	}
	if encoding := header.Get("Content-Encoding"); encoding != "" {
		described += fmt.Sprintf(", Content-Encoding %q", redact.line(encoding, contentTypeLimit))
	}
	return described
}

// messageOf returns what to show of a body, as it came: the message of a JSON error, a page's title, or other text.
func messageOf(header http.Header, body []byte) string {
	message := errorMessage(body)
	switch {
	case message != "":
		return message
	case isHTML(header.Get("Content-Type"), string(body)):
		return titleOf(string(body[:min(len(body), maxExcerpt)]))
	default:
		return string(body)
	}
}

// isHTML reports whether a body is an HTML page, by its Content-Type or first character.
func isHTML(contentType, body string) bool {
	return strings.Contains(strings.ToLower(contentType), "html") || strings.HasPrefix(strings.TrimSpace(body), "<")
}

var htmlTitle = regexp.MustCompile(`(?i)<title[^>]*>([^<]*)</title`)

// titleOf returns the title of an HTML page, or "".
func titleOf(page string) string {
	if title := htmlTitle.FindStringSubmatch(page); title != nil {
		return html.UnescapeString(title[1])
	}
	return ""
}

// errorMessage returns the message of an error in JSON: {"error": "Not Found", "message": "..."}. Otherwise "".
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

// cacheAge is the Age of a response (RFC 9111, section 5.1), which only caches send.
type cacheAge struct {
	known   bool
	seconds int64
}

// ageUnit is the unit of Age.
const ageUnit = time.Second

// newCacheAge returns the first Age header. One that is too large counts as 68 years. An invalid one is not known.
func newCacheAge(header http.Header) cacheAge {
	first, _, _ := strings.Cut(header.Get("Age"), ",")
	seconds, err := strconv.ParseInt(strings.TrimSpace(first), 10, 32)
	if seconds < 0 || err != nil && !errors.Is(err, strconv.ErrRange) {
		return cacheAge{}
	}
	return cacheAge{known: true, seconds: seconds}
}
