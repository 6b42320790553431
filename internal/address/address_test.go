package address_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	const h = "https://h.example"
	tests := map[string]struct {
		text, origin, path string
	}{
		"bare":                      {"https://h.example", h, ""},
		"trailing slashes":          {"https://h.example///", h, ""},
		"path":                      {"https://h.example/files/api", h, "/files/api"},
		"path, trailing slashes":    {"https://h.example/files/api//", h, "/files/api"},
		"path, doubled slash":       {"https://h.example//files", h, "//files"},
		"path, dots":                {"https://h.example/a/../b/.", h, "/a/../b/."},
		"path, escaped slash":       {"https://h.example/a%2Fb", h, "/a%2Fb"},
		"path, escaped, lower case": {"https://h.example/a%2fb%c3%a4", h, "/a%2fb%c3%a4"},
		"path, escaped percent":     {"https://h.example/100%25", h, "/100%25"},
		"path, escaped marks":       {"https://h.example/a%3Fb%23c", h, "/a%3Fb%23c"},
		"path, unicode":             {"https://h.example/ä", h, "/%C3%A4"},
		"path, space":               {"https://h.example/a b", h, "/a%20b"},
		"path, at sign":             {"https://h.example/user:pass@x", h, "/user:pass@x"},
		"path ends in /instance":    {"https://h.example/instance", h, "/instance"},
		"upper case":                {"HTTPS://H.Example/X", h, "/X"},
		"final dot":                 {"https://h.example.", "https://h.example.", ""},
		"default port":              {"https://h.example:443", h, ""},
		"default port of http":      {"http://h.example:80", "http://h.example", ""},
		"default port of the other": {"http://h.example:443", "http://h.example:443", ""},
		"default port, zeros":       {"https://h.example:0443/x", h, "/x"},
		"port, zeros":               {"http://h.example:018765", "http://h.example:18765", ""},
		"highest port":              {"https://h.example:65535", "https://h.example:65535", ""},
		"empty port":                {"https://h.example:/x", h, "/x"},
		"IPv6":                      {"http://[2001:DB8::1]", "http://[2001:db8::1]", ""},
		"IPv6, port":                {"http://[::1]:8080/x/", "http://[::1]:8080", "/x"},
		"IPv6, port, zeros":         {"http://[::1]:08080", "http://[::1]:8080", ""},
		"IPv6, default port":        {"https://[::1]:443", "https://[::1]", ""},
		"IPv6, zone":                {"http://[FE80::1%25Eth0]:8080/", "http://[fe80::1%25Eth0]:8080", ""},
		"punctuation":               {"http://my_in-stan~ce:3000", "http://my_in-stan~ce:3000", ""},
		"unicode host":              {"https://bücher.example", "https://xn--bcher-kva.example", ""},
		"unicode host, decomposed":  {"https://bu\u0308cher.example", "https://xn--bcher-kva.example", ""},
		"unicode host, escaped":     {"https://b%c3%bccher.example", "https://xn--bcher-kva.example", ""},
		"letter that folds to i":    {"https://\u0130.example", "https://xn--i-9bb.example", ""},
		"letter that folds to k":    {"https://\u212a.example", "https://k.example", ""},
		"ASCII, invalid Punycode":   {"https://xn--.example", "https://xn--.example", ""},
	}
	for name, test := range tests {
		got, err := address.ParseBaseURL(test.text)
		if err != nil {
			t.Errorf("%s: ParseBaseURL(%q): %v", name, test.text, err)
			continue
		}
		effective := test.origin + test.path
		checkText(t, name+": Written", got.Written, test.text)
		checkText(t, name+": Effective", got.Effective, effective)
		checkText(t, name+": Origin", got.Origin, test.origin)
		checkText(t, name+": Document", got.Document.String(), effective+"/instance")
		checkText(t, name+": String", got.String(), strings.TrimRight(test.text, "/")+"/instance")

		again, err := address.ParseBaseURL(effective)
		if err != nil || again.Effective != effective {
			t.Errorf("ParseBaseURL(%q), an effective base URL: Effective = %q, error %v", effective, again.Effective, err)
		}
	}
}

func checkText(t *testing.T, field, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %q, want %q", field, got, want)
	}
}

// A redirect may lead to a URL that is not a base URL.
func TestOriginOfAnyURL(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text, hostPort, origin string
	}{
		"user info, path, query, fragment": {"https://me:s3cret@H.example/x?y#z", "h.example", "https://h.example"},
		"default port, zeros":              {"https://h.example:00443/x", "h.example", "https://h.example"},
		"port, zeros":                      {"http://[::1]:018765", "[::1]:18765", "http://[::1]:18765"},
		"port 0":                           {"http://h.example:00", "h.example:00", "http://h.example:00"},
		"port out of range":                {"http://h.example:65616", "h.example:65616", "http://h.example:65616"},
		"other scheme":                     {"ftp://h.example:80", "h.example:80", "ftp://h.example:80"},
		"no ASCII form":                    {"http://\u0301H.example", "\u0301H.example", "http://%CC%81H.example"},
	}
	for name, test := range tests {
		u, err := url.Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		checkText(t, name+": HostPort", address.HostPort(u), test.hostPort)
		checkText(t, name+": OriginOf", address.OriginOf(u), test.origin)
	}
}

// The words for refused base URLs, written out once more: users rely on them.
const (
	example = `Write it like "https://files.example.org" or "https://example.org/files/api".`
	ipv6    = `Write an IPv6 address like "http://[::1]:8080".`

	noHost      = "has no host: " + example
	badHost     = "has a character in its host that a host cannot have: " + example
	noScheme    = `has no scheme: It must start with "https://" or "http://".`
	otherScheme = `has a scheme other than http and https: It must start with "https://" or "http://".`
	badPort     = "has a port that is out of range: A port is a number from 1 to 65535."
	noNumber    = "has a port that is not a number, or an IPv6 address without brackets: " +
		"A port is a number from 1 to 65535. " + ipv6
	notIPv6   = "has brackets around a host that is not an IPv6 address: Remove the brackets. " + ipv6
	badEscape = "has an invalid percent-encoding: Write a percent sign that stands for itself as %25."
	padded    = "begins or ends with a space or a quotation mark: Remove it."
	control   = "has a control character, such as a line break at its end: Remove it."
	invisible = "has a character that cannot be seen, or that changes the direction of text: " +
		"Remove it: type the URL instead of pasting it."
	userInfo = "has user info (a user name or password before the host): " +
		"Remove it: reading an instance requires no credentials."
	query    = "has a query: Remove the question mark and what follows it: instances are read without a query."
	fragment = "has a fragment: Remove the number sign (#) and what follows it: a fragment is never sent to a server."
)

// The configuration's line with a base URL that may contain a secret is not printed. No error repeats a URL.
func TestBaseURLIsRefused(t *testing.T) {
	t.Parallel()
	tests := map[bool]map[string]string{ // by whether the text may contain a secret
		false: {
			"":                           "is empty: " + example,
			"files.example.org":          noScheme,
			"//files.example.org":        noScheme,
			"localhost:8080":             noScheme,
			"192.0.2.1:3000":             noScheme,
			"ftp://h.example":            otherScheme,
			"https://":                   noHost,
			"https://:8080/":             noHost,
			"HTTP:h.example":             noHost,
			"https://HTTP://h.example":   "has two schemes: Remove one of them.",
			"http://h.example:0":         badPort,
			"http://h.example:65536":     badPort,
			"http://h.example:80 ":       padded,
			" https://h.example":         padded,
			`"https://h.example"`:        padded,
			"https://h .example":         badHost,
			"https://$(HOST)/":           badHost,
			"https://h%ff.example":       badHost,
			"https://\u0301h.example":    badHost, // a combining mark has no ASCII form
			"https://h%ef%b8%8f.example": badHost, // an escaped variation selector
			"https://h.example\n":        control,
			"https://h.example/\tx":      control,
			"https://h.example/\u202e":   invisible, // changes the direction of text
			"https://h.example/\u2800":   invisible, // blank braille
			"https://h.example/\u3164":   invisible, // a filler
			"https://h.example/\ufe0f":   invisible, // a variation selector
			"https://h.example/\xff":     "is not valid UTF-8: " + example,
			"https://h.example/100%":     badEscape,
			"https://h%41.example":       badEscape,
			"http://[::1":                "has a host with an opening bracket and no closing one: " + ipv6,
			"http://[h]/":                notIPv6,
			"http://[192.0.2.1]:3000":    notIPv6,
		},
		true: {
			"https://user:s3cret@h.example":         userInfo,
			"https://@h.example":                    userInfo,
			"https://us er:s3cret@h.example":        "is not a valid URL: " + example,
			"https://user:s3cret%zz@h.example":      badEscape,
			"http://u%3As3cret%40h":                 badEscape,
			"http://u:s3cret%40h":                   noNumber,
			"https://user:s3cret/x@h.example":       noNumber,
			"https://user:s3cret?x@h.example":       noNumber,
			"https://user:s3cret#x@h.example":       noNumber,
			"http://h.example:s3cret":               noNumber,
			"http://[::1]:s3cret":                   noNumber,
			"http://::1":                            noNumber,
			"user:s3cret":                           otherScheme,
			"//user:s3cret":                         noScheme,
			"htps:/user:s3cret":                     otherScheme,
			"https://user:s3cret\n":                 control,
			"-----BEGIN PRIVATE KEY-----\ns3cret\n": control,
			"-----BEGIN PRIVATE KEY-----\rs3cret\r": control,
			"https://h.example/?token=s3cret":       query,
			"https://h.example/x?":                  query,
			"https://h.example/#s3cret":             fragment,
			"https://h.example/x#":                  fragment,
		},
	}
	for secret, refusals := range tests {
		for text, want := range refusals {
			_, err := address.ParseBaseURL(text)
			refused, ok := errors.AsType[*address.SyntaxError](err)
			isPadded := strings.HasPrefix(text, " ") || strings.ContainsAny(text[max(0, len(text)-1):], " \n\r")
			if !ok || refused.Error() != want || refused.Secret != secret || refused.Padded != isPadded {
				t.Errorf("ParseBaseURL(%q): error %+v, want %q, Secret = %t, Padded = %t", text, refused, want, secret, isPadded)
			}
		}
	}
}

func TestHostAndPort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"127.0.0.1:8443":     "127.0.0.1:8443",
		"[::1]:80":           "[::1]:80",
		"[fe80::1%Eth0]:080": "[fe80::1%Eth0]:80",
		"localhost:1":        "localhost:1",
		"h:018765":           "h:18765",
		"My_Tunnel:65535":    "My_Tunnel:65535",
		"bücher.example:80":  "xn--bcher-kva.example:80",
		"xn--:80":            "xn--:80",
	} {
		if got, err := address.ParseHostPort(text); err != nil || got != want {
			t.Errorf("ParseHostPort(%q) = %q, error %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "h", "127.0.0.1", ":80", "h:", "h:0", "h:00", "h:65536", "h:http", "h:+80", "h:80 ",
		"http://h:80", "h:80/", "me:hunter2@h:80", "h:80?a", "h h:80", "h%41:80", "h\n:80", "h:80\n",
		"::1", "::1:80", "[::1]", "[h]:80", "[127.0.0.1]:80", "[]:80", "a:b:80", "[fe80::1%a\n]:80",
		"h\u200b:80", "h\ufe0f:80", "\u0301h:80", "\xff:80",
	} {
		got, err := address.ParseHostPort(text)
		const want = `is not a host and a port: Write it like "127.0.0.1:8443" or "[::1]:8443", without a scheme or a path.`
		if refused, ok := errors.AsType[*address.SyntaxError](err); !ok || refused.Error() != want {
			t.Errorf("ParseHostPort(%q) = %q, error %v, want %s", text, got, err, want)
		}
	}
}
