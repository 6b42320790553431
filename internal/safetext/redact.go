package safetext

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// toURIComponent turns what [url.QueryEscape] returns into what encodeURIComponent of JavaScript does.
var toURIComponent = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// escape matches what URL encoding makes of a byte, which some programs write in lower case.
var escape = regexp.MustCompile("%[0-9A-F]{2}")

// Redactor replaces secrets that a server echoes, verbatim or URL-encoded. It finds no other spelling, of which there is no end.
type Redactor struct{ *strings.Replacer }

// NewRedactor returns a redactor for some secrets.
func NewRedactor(secrets []string) Redactor {
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // one secret may begin with another
	var pairs []string
	for _, secret := range secrets {
		quoted := strconv.Quote(secret) // as net/http and JSON have it, if it contains a quotation mark
		quoted = quoted[1 : len(quoted)-1]
		// In lower case, too, as in the host of a URL, and with the escaped slashes of PHP.
		pairs = append(pairs, secret, "(redacted)", strings.ToLower(secret), "(redacted)", quoted, "(redacted)",
			strings.ReplaceAll(quoted, "/", `\/`), "(redacted)")
		for _, escaped := range []string{
			url.PathEscape(secret), url.QueryEscape(secret), toURIComponent.Replace(url.QueryEscape(secret)), (&url.URL{Path: secret}).EscapedPath(),
		} {
			pairs = append(pairs, escaped, "(redacted)", escape.ReplaceAllStringFunc(escaped, strings.ToLower), "(redacted)")
		}
	}
	return Redactor{strings.NewReplacer(pairs...)}
}

// Line returns text as one line of at most limit characters that is safe to print. It redacts twice, because dropping characters that
// cannot be printed may uncover a secret, and cuts last, so that no part of a secret remains.
func (r Redactor) Line(text string, limit int) string {
	return Cut(r.Replace(Line(r.Replace(text))), limit)
}

// Quoted returns text in quotes, of at most limit characters. Quotes show a line break, which may be what is wrong.
func (r Redactor) Quoted(text string, limit int) string {
	return Cut(strconv.Quote(r.Replace(text)), limit)
}
