package client

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

const (
	redacted = "(redacted)"
	// minSecret is the minimum length of a secret in bytes. Redacting "1" or "on" would make messages unreadable.
	minSecret = 3
)

// publicHeaders lists the headers whose values are not secret and may appear in errors.
var publicHeaders = []string{"Accept", "Content-Type", "Host"}

// secretsOf returns the secrets in request headers: each value, the part after its scheme ("Bearer ..."), the decoded
// credentials and password of Basic, and the values of cookies.
func secretsOf(header http.Header) []string {
	var secrets []string
	for name, values := range header {
		if slices.Contains(publicHeaders, name) {
			continue
		}
		for _, value := range values {
			value = strings.TrimSpace(value) // as net/http sends it
			scheme, credentials, _ := strings.Cut(value, " ")
			credentials = strings.TrimSpace(credentials)
			secrets = append(secrets, value, credentials)
			pair, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(credentials, "="))
			if err == nil && strings.EqualFold(scheme, "Basic") {
				_, password, _ := strings.Cut(string(pair), ":")
				secrets = append(secrets, string(pair), password)
			}
			if name == "Cookie" {
				for cookie := range strings.SplitSeq(value, ";") {
					_, cookieValue, _ := strings.Cut(cookie, "=")
					secrets = append(secrets, strings.Trim(strings.TrimSpace(cookieValue), `"`)) // as servers read it
				}
			}
		}
	}
	return secrets
}

// redactor replaces secrets that a server or a proxy echoes, in the spellings of newRedactor. It finds no others.
type redactor struct{ *strings.Replacer }

// What PHP and Go escape in JSON by default, beyond what strconv does.
var (
	phpJSON = strings.NewReplacer("/", `\/`)
	goJSON  = strings.NewReplacer("&", `\u0026`, "<", `\u003c`, ">", `\u003e`)
)

func newRedactor(header http.Header, proxyCredentials []string) redactor {
	var spellings []string
	for _, secret := range append(secretsOf(header), proxyCredentials...) {
		scheme := strings.ToLower(secret)
		if len(secret) < minSecret || scheme == "http" || scheme == "https" { // the value of X-Forwarded-Proto, for example
			continue
		}
		// Verbatim, in lower case as in hosts and schemes, path-escaped with and without slashes, and quoted as in net/http
		// errors and as PHP and Go write JSON. Quoted also in ASCII alone, as Python and PHP write JSON by default.
		spellings = append(spellings, secret, strings.ToLower(secret), (&url.URL{Path: secret}).EscapedPath(), url.PathEscape(secret))
		for _, quoted := range []string{strconv.Quote(secret), strconv.QuoteToASCII(secret)} {
			quoted = quoted[1 : len(quoted)-1]
			spellings = append(spellings, quoted, phpJSON.Replace(quoted), goJSON.Replace(quoted))
		}
	}
	// Longest first: of several matches, strings.Replacer uses the first in argument order.
	slices.SortFunc(spellings, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, spelling := range spellings {
		pairs = append(pairs, spelling, redacted)
	}
	return redactor{strings.NewReplacer(pairs...)}
}

// line returns text from a server as one line of at most limit characters, redacted and safe to print.
func (r redactor) line(text string, limit int) string {
	return safetext.RedactedLine(text, r.Replace, limit)
}

// excerpt returns the beginning of a server's text, redacted and safe to print.
func (r redactor) excerpt(text string) string {
	text = r.Replace(text) // before cutting, which could leave part of a secret
	if len(text) > maxExcerpt {
		text = text[:maxExcerpt] + "…"
	}
	return strings.TrimRight(r.line(text, messageLimit), ". ")
}

// quoting returns a library's error text. Only what follows mark came from the server, so only that is redacted: a
// header value such as "server" must not make the library's own words unreadable.
func (r redactor) quoting(text, mark string) string {
	words, fromServer, found := strings.Cut(text, mark)
	if found {
		words += mark + r.line(fromServer, reasonLimit)
	}
	return safetext.Line(words, reasonLimit)
}
