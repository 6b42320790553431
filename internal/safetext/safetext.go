// Package safetext finds the text in what came from a network, and makes it safe to print in a terminal, a log or a
// diagnostic.
package safetext

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text as one line of printable characters. Each run of white space becomes one space, and none is left at
// the ends. Control characters (which start escape sequences), format characters (such as right-to-left overrides) and
// invalid UTF-8 are dropped.
func Line(text string) string {
	printable := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return -1
		default:
			return r
		}
	}, text)
	return strings.Join(strings.Fields(printable), " ")
}

// Cut returns at most limit characters (runes) of line. A line that was cut ends in "…". The limit must be positive.
func Cut(line string, limit int) string {
	characters := []rune(line)
	if len(characters) <= limit {
		return line
	}
	return strings.TrimRight(string(characters[:limit-1]), " ") + "…"
}

// The minimum lengths in bytes of what is redacted. A shorter header value or user name may be an ordinary word, such
// as "staging". A password is hardly ever one, and those of proxies are often short.
const (
	minSecret   = 8
	minPassword = 4
)

// HeaderSecrets returns what is secret in the value of a request header: all of it, what follows its scheme
// ("Bearer ..."), and the user name and password in what follows "Basic".
func HeaderSecrets(value string) (secrets []string) {
	value = strings.TrimSpace(value)
	scheme, credentials, _ := strings.Cut(value, " ")
	credentials = strings.TrimSpace(credentials)
	for _, secret := range []string{value, credentials} {
		if len(secret) >= minSecret {
			secrets = append(secrets, secret)
		}
	}
	pair, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(credentials, "="))
	if err == nil && strings.EqualFold(scheme, "Basic") {
		user, password, _ := strings.Cut(string(pair), ":")
		secrets = append(secrets, UserSecrets(user, password)...)
	}
	return secrets
}

// UserSecrets returns what is secret in a user name and a password: the pair, also in Base64, as it is sent, and each
// of the two. Without a password, the user name is a token.
func UserSecrets(user, password string) (secrets []string) {
	if pair := user + ":" + password; len(pair) >= minPassword { // a pair like "p:" is part of words such as "tcp:"
		secrets = append(secrets, base64.StdEncoding.EncodeToString([]byte(pair)), pair)
	}
	if len(password) >= minPassword {
		secrets = append(secrets, password)
	}
	if len(user) >= minSecret || password == "" && len(user) >= minPassword {
		secrets = append(secrets, user)
	}
	return secrets
}

// Redactor replaces secrets that a server repeats, also in the escapes of JSON, URLs and HTML. It cannot find every
// spelling, because there is no end of them. The zero Redactor replaces nothing.
type Redactor struct{ replacer *strings.Replacer }

// NewRedactor returns a redactor for some secrets. It ignores those that are too short for a password.
func NewRedactor(secrets []string) Redactor {
	var pairs []string
	// The longest come first, because a secret may begin with another one.
	for _, secret := range slices.SortedFunc(slices.Values(secrets), func(a, b string) int { return len(b) - len(a) }) {
		if len(secret) >= minPassword {
			// In the host of a URL, it is in lower case, and in a query, a space is a plus sign.
			for _, spelling := range []string{secret, strings.ToLower(secret), strings.ReplaceAll(secret, " ", "+")} {
				pairs = append(pairs, spelling, redacted)
			}
		}
	}
	if pairs == nil {
		return Redactor{}
	}
	return Redactor{strings.NewReplacer(pairs...)}
}

const redacted = "(redacted)"

// redact replaces secrets. A text that has one when it is read without escapes is returned without them.
func (r Redactor) redact(text string) string {
	if r.replacer == nil {
		return text
	}
	plain := unescaped(text)
	if replaced := r.replacer.Replace(plain); replaced != plain {
		return replaced
	}
	return r.replacer.Replace(text)
}

// escape matches an escape of JSON, or bytes in those of a URL.
var escape = regexp.MustCompile(`\\[/"\\]|\\u[[:xdigit:]]{4}|%[[:xdigit:]]{2}`)

// unescaped returns text without the escapes of JSON, URLs and HTML.
func unescaped(text string) string {
	return html.UnescapeString(escape.ReplaceAllStringFunc(text, func(escape string) string {
		switch code, _ := strconv.ParseUint(strings.TrimLeft(escape, `%\u`), 16, 16); {
		case escape[0] == '%':
			return string([]byte{byte(code)}) //nolint:gosec // it has two digits
		case escape[1] == 'u':
			return string(rune(code))
		default:
			return escape[1:]
		}
	}))
}

// Line returns text as one line of at most limit characters that is safe to print. It redacts twice, because dropping
// characters that cannot be printed may uncover a secret, and cuts last, so that no part of a secret remains.
func (r Redactor) Line(text string, limit int) string {
	return Cut(r.redact(Line(r.redact(text))), limit)
}

// Quoted returns text in quotes, of at most limit characters. Quotes show a line break, which may be what is wrong.
func (r Redactor) Quoted(text string, limit int) string {
	return Cut(strconv.Quote(r.redact(text)), limit)
}

// Body returns what a person can read in a body, on one line of at most limit characters that is safe to print: the
// message of an object in JSON or else the JSON, the title of a page in HTML or else its text, or plain text. It does
// not trust the Content-Type, because error pages often have a wrong one. It also redacts the body as a whole, because
// what is taken out of it may have only a part of a secret.
func (r Redactor) Body(body []byte, limit int) string {
	text := r.redact(strings.TrimSpace(strings.TrimPrefix(string(body), "\uFEFF")))
	switch {
	case strings.HasPrefix(text, "<"):
		text = textOfPage(text)
	case !utf8.ValidString(text): // nobody can read it
		return ""
	case json.Valid([]byte(text)):
		text = textOfJSON(text)
	}
	return r.Line(text, limit)
}

// textOfJSON returns the message of an object, or else the JSON on one line.
func textOfJSON(document string) string {
	var object map[string]any
	if json.Unmarshal([]byte(document), &object) == nil {
		if message, _ := object["message"].(string); Line(message) != "" {
			return message
		}
	}
	var text bytes.Buffer
	_ = json.Compact(&text, []byte(document)) // the document is valid
	return text.String()
}

// A script, a style, a comment or a tag that does not end goes on to the end of the page, as in a browser. A pattern
// that insisted on the end would look for it from each beginning anew, which took seconds.
var (
	hidden = regexp.MustCompile(`(?is)<!--.*?(?:-->|\z)|` +
		`<script\b.*?(?:</script\b[^>]*>|\z)|<style\b.*?(?:</style\b[^>]*>|\z)`)
	title = regexp.MustCompile(`(?is)<title\b[^>]*>(.*?)</title`)
	tag   = regexp.MustCompile(`(?i)<[/!?a-z][^>]*(?:>|\z)`)
)

// textOfPage returns the title of a page in HTML or XML, or else its text, without what a browser does not show.
func textOfPage(page string) string {
	page = hidden.ReplaceAllString(page, " ")
	if found := title.FindStringSubmatch(page); found != nil {
		if text := html.UnescapeString(found[1]); Line(text) != "" {
			return text
		}
	}
	return html.UnescapeString(tag.ReplaceAllString(page, " "))
}
