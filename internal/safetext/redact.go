package safetext

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The minimum lengths in bytes of what is redacted. A shorter header value or user name may be an ordinary word, such as "staging". A
// password is hardly ever one, and those of proxies are often short.
const (
	minSecret   = 8
	minPassword = 4
)

// SecretsOfHeader returns what is secret in the value of a request header: all of it, what follows its scheme ("Bearer ..."), and the user
// name and password in what follows "Basic".
func SecretsOfHeader(value string) (secrets []string) {
	value = strings.TrimSpace(value)
	scheme, credentials, _ := strings.Cut(value, " ")
	credentials = strings.TrimSpace(credentials)
	for _, secret := range []string{value, credentials} {
		if len(secret) >= minSecret {
			secrets = append(secrets, secret)
		}
	}
	if pair, err := base64.StdEncoding.DecodeString(credentials); err == nil && strings.EqualFold(scheme, "Basic") {
		user, password, _ := strings.Cut(string(pair), ":")
		secrets = append(secrets, SecretsOfUser(user, password)...)
	}
	return secrets
}

// SecretsOfUser returns what is secret in a user name and a password: the pair, also in Base64, as it is sent, and each of both. Without a
// password, the user name is a token.
func SecretsOfUser(user, password string) (secrets []string) {
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

// Redactor replaces secrets that a server echoes, verbatim or URL-encoded. It finds no other spelling, of which there is no end.
type Redactor struct{ replacer *strings.Replacer }

// NewRedactor returns a redactor for some secrets.
func NewRedactor(secrets []string) Redactor {
	secrets = slices.SortedFunc(slices.Values(secrets), func(a, b string) int { return len(b) - len(a) }) // one may begin with another
	var pairs []string
	for _, secret := range secrets {
		for _, spelling := range spellingsOf(secret) {
			pairs = append(pairs, spelling, "(redacted)")
		}
	}
	return Redactor{strings.NewReplacer(pairs...)}
}

// toURIComponent turns what [url.QueryEscape] returns into what encodeURIComponent of JavaScript does.
var toURIComponent = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// escape matches what URL encoding makes of a byte, which some programs write in lower case.
var escape = regexp.MustCompile("%[0-9A-F]{2}")

// spellingsOf returns a secret as servers echo it.
func spellingsOf(secret string) []string {
	quoted := strconv.Quote(secret) // as net/http and JSON have it, if it contains a quotation mark
	quoted = quoted[1 : len(quoted)-1]
	spellings := []string{
		secret,
		strings.ToLower(secret), // as in the host of a URL
		quoted,
		strings.ReplaceAll(quoted, "/", `\/`), // as PHP has it
	}
	query := url.QueryEscape(secret)
	for _, escaped := range []string{url.PathEscape(secret), query, toURIComponent.Replace(query), (&url.URL{Path: secret}).EscapedPath()} {
		spellings = append(spellings, escaped, escape.ReplaceAllStringFunc(escaped, strings.ToLower))
	}
	return spellings
}

// Line returns text as one line of at most limit characters that is safe to print. It redacts twice, because dropping characters that
// cannot be printed may uncover a secret, and cuts last, so that no part of a secret remains.
func (r Redactor) Line(text string, limit int) string {
	return Cut(r.replacer.Replace(Line(r.replacer.Replace(text))), limit)
}

// Quoted returns text in quotes, of at most limit characters. Quotes show a line break, which may be what is wrong.
func (r Redactor) Quoted(text string, limit int) string {
	return Cut(strconv.Quote(r.replacer.Replace(text)), limit)
}
