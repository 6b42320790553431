package safetext

import (
	"encoding/base64"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Secrets are texts that no text from outside may repeat. They are kept as their letters and digits, in lower case,
// with their escapes and without them.
type Secrets []string

// The minimum numbers of letters and digits of a secret. A shorter value of a header or a shorter user name may be an
// ordinary word, such as "staging". A password is hardly ever one.
const (
	minSecret   = 8
	minPassword = 6
)

// publicHeader matches the names of headers whose values are no secrets. Others that begin with X-Forwarded- may be, as
// X-Forwarded-Access-Token is.
var publicHeader = regexp.MustCompile(`^(Accept(-.*)?|Cache-Control|Content-Type|Forwarded|Origin|Pragma|Referer|` +
	`User-Agent|X-Forwarded-(For|Host|Port|Prefix|Proto)|X-Requested-With)$`)

// HeaderSecrets returns the secrets in request headers: each value, what follows its scheme ("Bearer ..."), the user
// name and the password in what follows "Basic", and each cookie.
func HeaderSecrets(headers http.Header) (secrets Secrets) {
	for name, values := range headers {
		if publicHeader.MatchString(name) {
			continue
		}
		for _, value := range values {
			scheme, credentials, _ := strings.Cut(strings.Join(strings.Fields(value), " "), " ")
			secrets = append(secrets, newSecrets(minSecret, value, credentials)...)
			if name == "Cookie" { // a page may name one of several
				secrets = append(secrets, newSecrets(minSecret, strings.Split(strings.ReplaceAll(value, ";", "="), "=")...)...)
			}
			pair, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(credentials, "="))
			if err == nil && strings.EqualFold(scheme, "Basic") {
				user, password, _ := strings.Cut(string(pair), ":")
				secrets = append(secrets, UserSecrets(user, password)...)
			}
		}
	}
	return secrets
}

// UserSecrets returns the secrets in a user name and a password: each of the two, and the pair, also in Base64.
func UserSecrets(user, password string) Secrets {
	pair := user + ":" + password
	encoded := base64.StdEncoding.EncodeToString([]byte(pair))
	return append(newSecrets(minPassword, password, pair, encoded), newSecrets(minSecret, user)...)
}

// newSecrets returns those of some texts that have enough letters and digits.
func newSecrets(least int, texts ...string) (secrets Secrets) {
	for _, text := range texts {
		textForms, _ := forms(text)
		for _, form := range textForms {
			if utf8.RuneCountInString(form) >= least && !slices.Contains(secrets, form) {
				secrets = append(secrets, form)
			}
		}
	}
	return secrets
}

// Except returns the secrets without those that a public text repeats.
func (s Secrets) Except(public string) Secrets {
	publicForms, _ := forms(public)
	return slices.DeleteFunc(slices.Clone(s), func(secret string) bool { return isInAny(publicForms, secret) })
}

// AreIn reports whether a text repeats one of the secrets, whatever stands between their letters and digits. A text
// with too many layers of escapes counts as one that does.
func (s Secrets) AreIn(text string) bool {
	if len(s) == 0 {
		return false
	}
	textForms, complete := forms(text)
	return !complete || slices.ContainsFunc(s, func(secret string) bool { return isInAny(textForms, secret) })
}

func isInAny(forms []string, secret string) bool {
	return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(form, secret) })
}

// forms returns the letters and digits of a text in lower case, with tags and without: as it is, with one or two layers
// of escapes taken away in any order, and with one after the other. The last form alone would not do, because what
// stands before a secret can make an escape of its first letters. It returns false if layers remain after eight rounds.
func forms(text string) (found []string, complete bool) {
	var texts []string
	add := func(text string) string {
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
		return text
	}
	add(text)
	for _, first := range unescapers {
		plain := add(first(text))
		for _, second := range unescapers {
			add(second(plain))
		}
	}
	for rounds := 0; rounds < 8 && !complete; rounds++ {
		before := text
		for _, unescape := range unescapers {
			text = add(unescape(text))
		}
		complete = text == before
	}
	for _, text := range texts {
		found = append(found, lettersAndDigits(text))
		if plain := innerTag.ReplaceAllString(text, ""); plain != text {
			found = append(found, lettersAndDigits(plain))
		}
	}
	return found, complete
}

func lettersAndDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

var (
	innerTag        = regexp.MustCompile(`<[^<>]*>`)
	backslashEscape = regexp.MustCompile(`(?s)\\(?:u[[:xdigit:]]{4}|x[[:xdigit:]]{2}|.)`)
	percentEscapes  = regexp.MustCompile(`(?:%[[:xdigit:]]{2})+`)
)

// unescapers take away one layer of the escapes of JSON (and of Go's quotes), of URLs, and of HTML.
var unescapers = []func(string) string{
	func(text string) string {
		return backslashEscape.ReplaceAllStringFunc(text, func(escape string) string {
			if character, _, _, err := strconv.UnquoteChar(escape, 0); err == nil {
				return string(character)
			}
			return escape[1:] // such as a slash, which only JSON escapes
		})
	},
	func(text string) string {
		return percentEscapes.ReplaceAllStringFunc(text, func(escapes string) string {
			plain, _ := url.PathUnescape(escapes) // the pattern matches nothing else
			return plain
		})
	},
	html.UnescapeString,
}
