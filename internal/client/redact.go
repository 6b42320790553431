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
	// minSecret is how many bytes a secret must have to be redacted. Shorter ones ("1", "on") are no secrets,
	// and redacting them would only make everything else unreadable.
	minSecret = 3
)

// publicHeaders have no secrets, and an error needs their values: a Content-Type, a host name.
var publicHeaders = []string{"Accept", "Content-Type", "Host"}

// secretsOf returns the texts of a request's headers that must not be printed: each value, what follows its
// authentication scheme ("Bearer ..."), the decoded pair of Basic, and the values of cookies.
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
					secrets = append(secrets, strings.TrimSpace(cookieValue))
				}
			}
		}
	}
	return secrets
}

// redactor replaces the secrets that a server or a proxy was sent, if it echoes them. Only in the spellings below: a server that
// wants to disguise a secret can always do so.
type redactor struct{ *strings.Replacer }

func newRedactor(header http.Header, others []string) redactor {
	var spellings []string
	for _, secret := range append(secretsOf(header), others...) {
		scheme := strings.ToLower(secret)
		if len(secret) < minSecret || scheme == "http" || scheme == "https" { // as of X-Forwarded-Proto
			continue
		}
		// As it is, as net/http quotes what it does not understand, as a path is escaped with its slashes or without, and as we
		// print a host or a scheme.
		quoted := strconv.Quote(secret)
		spellings = append(spellings, secret, quoted[1:len(quoted)-1], (&url.URL{Path: secret}).EscapedPath(), url.PathEscape(secret),
			strings.ToLower(secret))
	}
	// The longest first: where several match, strings.Replacer uses the first in the order given.
	slices.SortFunc(spellings, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, spelling := range spellings {
		pairs = append(pairs, spelling, redacted)
	}
	return redactor{strings.NewReplacer(pairs...)}
}

// clean redacts and cleans text, and cuts it to limit characters.
func (r redactor) clean(text string, limit int) string {
	return safetext.CleanSecrets(text, r.Replace, limit)
}
