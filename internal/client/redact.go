package client

import (
	"cmp"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// redacted stands where the value of a request header was.
const redacted = "(redacted)"

// minSecretPart is how long a part of a header value must be to be redacted on
// its own: the token of "Bearer TOKEN", the value of a cookie, the beginning of
// a value that was cut short.
const minSecretPart = 6

// MinSecret is how long a header value must be to be redacted. Shorter ones
// ("1", "on") are no secrets, and redacting them would only make everything
// else unreadable.
const MinSecret = 3

// redactor makes text that came from a server safe to print: a server may echo
// the headers that it was sent, and what it answers ends up in diagnostics,
// logs and, for fleets, in the state.
type redactor struct {
	// secrets is called only when there is something to print, which a read that
	// succeeds at once has not.
	secrets func() secrets
}

// secrets are the header values to redact.
type secrets struct {
	texts    []string // the longest first
	replacer *strings.Replacer
}

// newRedactor returns a redactor of every value of the header, and of others.
func newRedactor(header http.Header, others ...string) *redactor {
	return &redactor{secrets: sync.OnceValue(func() secrets {
		values := others
		for name, ofName := range header {
			if !slices.Contains(publicHeaders, name) {
				values = slices.Concat(values, ofName)
			}
		}
		return secretsOf(values)
	})}
}

// publicHeaders hold no secrets, and what an error says has their values: a
// Content-Type, a URL.
var publicHeaders = []string{"Accept", "Content-Type", "Host"}

func secretsOf(values []string) secrets {
	var texts []string
	for _, value := range values {
		value = strings.TrimSpace(value)
		if len(value) < MinSecret {
			continue
		}
		texts = append(texts, spellings(value)...)
		for _, part := range strings.FieldsFunc(value, isSeparator) {
			if len(part) >= minSecretPart {
				texts = append(texts, spellings(part)...)
			}
		}
	}
	// The longest first: where several match, strings.Replacer takes the first
	// in the order given.
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	texts = slices.Compact(texts)
	pairs := make([]string, 0, 2*len(texts))
	for _, text := range texts {
		pairs = append(pairs, text, redacted)
	}
	return secrets{texts: texts, replacer: strings.NewReplacer(pairs...)}
}

// spellings returns a text in the forms in which servers repeat it: as it is,
// and as it stands in a host name, on one line, and in JSON, HTML and URLs.
func spellings(text string) []string {
	inJSON, _ := json.Marshal(text) // a string always encodes
	return []string{
		text,
		strings.ToLower(text),
		safetext.Clean(text, len(text)),
		strings.Trim(string(inJSON), `"`),
		strings.Trim(strconv.Quote(text), `"`),
		strings.ReplaceAll(text, "/", `\/`),
		html.EscapeString(text),
		url.PathEscape(text),
		url.QueryEscape(text),
	}
}

func isSeparator(r rune) bool { return strings.ContainsRune(" \t,;=:\"'", r) }

// clean redacts and cleans text, and cuts it to limit characters.
func (r *redactor) clean(text string, limit int) string {
	// Redacting comes before cutting, which could leave half a secret, and once
	// more after cleaning, which can put one together.
	text = r.redact(text)
	return safetext.Clean(r.redact(safetext.Clean(text, len(text))), limit)
}

func (r *redactor) redact(text string) string {
	secrets := r.secrets()
	if len(secrets.texts) == 0 {
		return text
	}
	// The end comes first: of "Bearer TOK…" the replacer would leave the token.
	text, end := secrets.cutEnd(text)
	text, end2 := secrets.cutEnd(secrets.replacer.Replace(text))
	return text + end2 + end
}

// cutEnd cuts off the beginning of a secret at the end of a text that may have
// been cut itself, and returns what stands in its place.
func (s secrets) cutEnd(text string) (before, end string) {
	before, cut := strings.CutSuffix(text, "…")
	if cut {
		end = "…"
	}
	longest := 0
	for _, secret := range s.texts {
		for length := min(len(secret), len(before)); length >= minSecretPart && length > longest; length-- {
			if strings.HasSuffix(before, secret[:length]) {
				longest = length
			}
		}
	}
	if longest > 0 {
		before, end = before[:len(before)-longest], redacted+end
	}
	return before, end
}
