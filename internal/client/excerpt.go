package client

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// What is repeated of a body that is not an instance document.
const (
	excerptLimit     = 200      // characters
	contentTypeLimit = 80       // characters
	labelLimit       = 60       // characters
	errorBodyLimit   = 64 << 10 // bytes read of the body of an error
)

// statusReason says what an answer with a status other than 200 was.
func statusReason(status int, contentType string, body []byte, redact *redactor) string {
	reason := fmt.Sprintf("status %d", status)
	if text := http.StatusText(status); text != "" {
		reason += " " + text
	}
	if excerpt := redact.clean(messageOf(contentType, body), excerptLimit); excerpt != "" {
		reason += ": " + excerpt
	}
	return reason
}

// messageOf returns what a body says to a reader: the message of the service's
// JSON errors, the text of an HTML page, or the text itself.
func messageOf(contentType string, body []byte) string {
	var serviceError struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &serviceError) == nil {
		if serviceError.Message != "" {
			return serviceError.Message
		}
		if serviceError.Error != "" {
			return serviceError.Error
		}
	}
	text := string(body)
	if strings.Contains(strings.ToLower(contentType), "html") || strings.HasPrefix(strings.TrimSpace(text), "<") {
		return htmlText(text)
	}
	return text
}

// An error page needs no HTML parser: what is left of it is one short line of
// text that is cleaned again.
var (
	htmlInvisible = lazyRegexp(`(?is)<!--.*?-->|<script\b.*?(</script>|$)|<style\b.*?(</style>|$)`)
	htmlTitle     = lazyRegexp(`(?is)<title\b.*?</title>`)
	htmlTag       = lazyRegexp(`(?s)<[^>]*(>|$)`)
)

// lazyRegexp compiles an expression when it is first used: most runs of the
// provider never need one.
func lazyRegexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// htmlText returns the visible text of an HTML page, or its title where there
// is none. An error page's heading mostly repeats its title.
func htmlText(page string) string {
	visible := htmlInvisible().ReplaceAllString(page, " ")
	text := func(page string) string {
		return strings.TrimSpace(html.UnescapeString(htmlTag().ReplaceAllString(page, " ")))
	}
	if body := text(htmlTitle().ReplaceAllString(visible, " ")); body != "" {
		return body
	}
	return text(visible)
}

// contentOf describes a body that is not JSON: its declared type, and how it
// starts.
func contentOf(header http.Header, body []byte, redact *redactor) string {
	contentType := header.Get("Content-Type")
	described := "no Content-Type"
	if contentType != "" {
		described = fmt.Sprintf("Content-Type %q", redact.clean(contentType, contentTypeLimit))
	}
	if encoding := header.Get("Content-Encoding"); encoding != "" {
		described += fmt.Sprintf(", Content-Encoding %q", redact.clean(encoding, contentTypeLimit))
	}
	excerpt := redact.clean(messageOf(contentType, body[:min(len(body), errorBodyLimit)]), excerptLimit)
	if excerpt == "" {
		return described
	}
	return described + ", starting with: " + excerpt
}

// cleanURL prints a URL without its query, its fragment and its user info.
func cleanURL(u *url.URL, redact *redactor) string {
	if u.Host == "" {
		return redact.clean(u.Scheme, excerptLimit) + ":"
	}
	path := u.EscapedPath()
	if redacted := redact.redact(u.Path); redacted != u.Path {
		// There are many ways to escape a header value that a server echoes.
		path = redacted
	}
	rest := "://" + u.Host + path
	if defaultPorts[u.Scheme] == "" {
		return redact.clean(u.Scheme+rest, excerptLimit)
	}
	// The scheme itself is no secret, although X-Forwarded-Proto may hold it.
	return u.Scheme + redact.clean(rest, excerptLimit-len(u.Scheme))
}
