package client

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// minSecret is the minimum length in bytes of a header value that is redacted. A message without every "1", "on" or
// "log" could not be read.
const minSecret = 8

// toURIComponent turns what [url.QueryEscape] returns into what encodeURIComponent of JavaScript does.
var toURIComponent = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// redactor replaces secrets that a server echoes, verbatim or URL-encoded. It finds no other spelling, of which there
// is no end.
type redactor struct{ *strings.Replacer }

// newRedactor returns a redactor for the values of request headers, what follows a scheme in them ("Bearer ..."), and
// the credentials of proxies.
func newRedactor(headers http.Header, proxyCredentials []string) redactor {
	secrets := slices.Clone(proxyCredentials)
	for _, values := range headers {
		for _, value := range values {
			_, credentials, _ := strings.Cut(strings.TrimSpace(value), " ")
			for _, secret := range []string{strings.TrimSpace(value), strings.TrimSpace(credentials)} {
				if len(secret) >= minSecret {
					secrets = append(secrets, secret)
				}
			}
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // one secret may begin with another
	var pairs []string
	for _, secret := range secrets {
		quoted := strconv.Quote(secret) // as net/http and JSON have it, if it contains a quotation mark
		// In lower case, too, as in the host of a URL.
		for _, spelling := range []string{
			secret, strings.ToLower(secret), quoted[1 : len(quoted)-1],
			url.PathEscape(secret), url.QueryEscape(secret), toURIComponent.Replace(url.QueryEscape(secret)),
			(&url.URL{Path: secret}).EscapedPath(),
		} {
			pairs = append(pairs, spelling, "(redacted)")
		}
	}
	return redactor{strings.NewReplacer(pairs...)}
}

// safeLine returns text as one line of at most limit characters that is safe to print. It redacts twice, because
// dropping characters that cannot be printed may uncover a secret, and cuts last, so that no part of a secret remains.
func (r redactor) safeLine(text string, limit int) string {
	return safetext.Cut(r.Replace(safetext.Line(r.Replace(text))), limit)
}
