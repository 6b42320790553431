package client

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// redacted stands where the value of a request header was.
const redacted = "(redacted)"

// minSecretPart is how long a part of a header value must be to be redacted on
// its own: the token of "Bearer TOKEN", the value of a cookie.
const minSecretPart = 6

// minSecret is how long a header value must be to be redacted. Shorter ones
// ("1", "on") are no secrets, and redacting them would only make everything
// else unreadable.
const minSecret = 3

// redactor makes text that came from a server safe to print: a server may echo
// the headers that it was sent, and what it answers ends up in diagnostics,
// logs and, for fleets, in the state.
type redactor struct {
	replacer *strings.Replacer
}

// newRedactor returns a redactor of every value of the headers.
func newRedactor(headers ...http.Header) *redactor {
	var secrets []string
	for _, header := range headers {
		for _, values := range header {
			for _, value := range values {
				secrets = append(secrets, strings.TrimSpace(value))
				for _, part := range strings.FieldsFunc(value, isSeparator) {
					if len(part) >= minSecretPart {
						secrets = append(secrets, part)
					}
				}
			}
		}
	}
	secrets = slices.DeleteFunc(secrets, func(secret string) bool { return len(secret) < minSecret })
	if len(secrets) == 0 {
		return &redactor{}
	}
	// The longest first: where several match, strings.Replacer takes the first
	// in the order given.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	pairs := make([]string, 0, 2*len(secrets))
	for _, secret := range slices.Compact(secrets) {
		pairs = append(pairs, secret, redacted)
	}
	return &redactor{replacer: strings.NewReplacer(pairs...)}
}

func isSeparator(r rune) bool { return strings.ContainsRune(" \t,;=:\"'", r) }

// clean redacts and cleans text, and cuts it to limit characters.
func (r *redactor) clean(text string, limit int) string {
	// Redacting comes before cutting, which could leave half a secret, and once
	// more after cleaning, which can put one together.
	return safetext.Clean(r.redact(safetext.Clean(r.redact(text), len(text))), limit)
}

func (r *redactor) redact(text string) string {
	if r.replacer == nil {
		return text
	}
	return r.replacer.Replace(text)
}
