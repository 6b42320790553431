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
		"path, escaped slash last":  {"https://h.example/a%2F", h, "/a%2F"},
		"path, escaped, lower case": {"https://h.example/a%2fb%c3%a4", h, "/a%2fb%c3%a4"},
		"path, escaped percent":     {"https://h.example/100%25", h, "/100%25"},
		"path, escaped mark":        {"https://h.example/a%3Fb%23c", h, "/a%3Fb%23c"},
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
		"lowest port":               {"https://h.example:1", "https://h.example:1", ""},
		"highest port":              {"https://h.example:65535", "https://h.example:65535", ""},
		"empty port":                {"https://h.example:/x", h, "/x"},
		"IPv6":                      {"http://[2001:DB8::1]", "http://[2001:db8::1]", ""},
		"IPv6, port":                {"http://[::1]:8080/x/", "http://[::1]:8080", "/x"},
		"IPv6, port, zeros":         {"http://[::1]:08080", "http://[::1]:8080", ""},
		"IPv6, default port":        {"https://[::1]:443", "https://[::1]", ""},
		"IPv6, zone":                {"http://[FE80::1%25Eth0]:8080/", "http://[fe80::1%25Eth0]:8080", ""},
		"punctuation":               {"http://my_in-stan~ce:3000", "http://my_in-stan~ce:3000", ""},
		"unicode host":              {"https://bücher.example", "https://xn--bcher-kva.example", ""},
		"unicode host, upper case":  {"https://BÜCHER.example", "https://xn--bcher-kva.example", ""},
		"unicode host, decomposed":  {"https://bu\u0308cher.example", "https://xn--bcher-kva.example", ""},
		"unicode host, escaped":     {"https://b%c3%bccher.example", "https://xn--bcher-kva.example", ""},
		"letter that folds to i":    {"https://\u0130.example", "https://xn--i-9bb.example", ""},
		"letter that folds to k":    {"https://\u212a.example", "https://k.example", ""},
		"ASCII, invalid Punycode":   {"https://xn--.example", "https://xn--.example", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := address.ParseBaseURL(test.text)
			if err != nil {
				t.Fatalf("ParseBaseURL(%q): %v", test.text, err)
			}
			effective := test.origin + test.path
			checkText(t, "Written", got.Written, test.text)
			checkText(t, "Effective", got.Effective, effective)
			checkText(t, "Origin", got.Origin, test.origin)
			checkText(t, "Document", got.Document.String(), effective+"/instance")
			checkText(t, "String", got.String(), strings.TrimRight(test.text, "/")+"/instance")
		})
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(test.text)
			if err != nil {
				t.Fatal(err)
			}
			checkText(t, "HostPort", address.HostPort(u), test.hostPort)
			checkText(t, "OriginOf", address.OriginOf(u), test.origin)
		})
	}
}

func TestBaseURLIsRefusedWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	const (
		write     = "https://files.example.org"
		noNumber  = "has a port that is not a number"
		badHost   = "has a character in its host that a host cannot have"
		badEscape = "has an invalid percent-encoding"
		unseen    = "cannot be seen, or that changes the direction of text"
	)
	tests := map[string]struct {
		text            string
		problem, remedy string // parts of them
		secret          bool   // it may contain one
	}{
		"empty":                        {"", "is empty", "https://", false},
		"host only":                    {"files.example.org", "no scheme", "https://", false},
		"no scheme":                    {"//files.example.org", "no scheme", "https://", false},
		"host and port":                {"localhost:8080", "has no scheme", "https://", false},
		"other scheme":                 {"ftp://h.example", "a scheme other than http and https", "https://", false},
		"user and password":            {"https://user:s3cret@h.example", "user info", "Remove it", true},
		"user":                         {"https://s3cret@h.example", "user info", "Remove it", true},
		"empty user info":              {"https://@h.example", "user info", "Remove it", true},
		"user info, invalid character": {"https://us er:s3cret@h.example", "not a valid URL", write, true},
		"user info, invalid escape":    {"https://user:s3cret%zz@h.example", badEscape, "%25", true},
		"user info, all escaped":       {"http://u%3As3cret%40h", badEscape, "%25", true},
		"user info, escaped at sign":   {"http://u:s3cret%40h", noNumber, "from 1 to 65535", true},
		"password with a slash":        {"https://user:s3cret/x@h.example", noNumber, "from 1 to 65535", true},
		"password with a mark":         {"https://user:s3cret?x@h.example", noNumber, "from 1 to 65535", true},
		"password with a number sign":  {"https://user:s3cret#x@h.example", noNumber, "from 1 to 65535", true},
		"password without a scheme":    {"user:s3cret", "other than http and https", "https://", true},
		"password after slashes":       {"//user:s3cret", "has no scheme", "https://", true},
		"password after one slash":     {"htps:/user:s3cret", "other than http and https", "https://", true},
		"password and a line break":    {"https://user:s3cret\n", "control character", "Remove it.", true},
		"query":                        {"https://h.example/?token=s3cret", "query", "Remove the question mark", true},
		"empty query":                  {"https://h.example/x?", "query", "Remove the question mark", true},
		"fragment":                     {"https://h.example/#s3cret", "fragment", "Remove the number sign", true},
		"empty fragment":               {"https://h.example/x#", "fragment", "Remove the number sign", true},
		"no host":                      {"https://", "no host", write, false},
		"no host but a port":           {"https://:8080/", "no host", write, false},
		"opaque":                       {"http:h.example", "no host", write, false},
		"opaque, upper case":           {"HTTP:h.example", "no host", write, false},
		"port 0":                       {"http://h.example:0", "out of range", "from 1 to 65535", false},
		"port too high":                {"http://h.example:65536", "out of range", "from 1 to 65535", false},
		"port not a number":            {"http://h.example:http", noNumber, "from 1 to 65535", true},
		"port of IPv6 not a number":    {"http://[::1]:s3cret", noNumber, "from 1 to 65535", true},
		"port and a space":             {"http://h.example:80 ", "begins or ends with a space", "Remove it.", false},
		"space before":                 {" https://h.example", "begins or ends with a space", "Remove it.", false},
		"space in the host":            {"https://h .example", badHost, write, false},
		"line break":                   {"https://h.example\n", "control character", "Remove it.", false},
		"tab":                          {"https://h.example/\tx", "control character", "Remove it.", false},
		"invalid percent-encoding":     {"https://h.example/100%", badEscape, "%25", false},
		"escaped ASCII in the host":    {"https://h%41.example", badEscape, "%25", false},
		"left of a template":           {"https://$(HOST)/", badHost, write, false},
		"host not UTF-8":               {"https://h%ff.example", badHost, write, false},
		"host without an ASCII form":   {"https://\u0301h.example", badHost, write, false},
		"host with invisible escape":   {"https://h%ef%b8%8f.example", badHost, write, false},
		"direction of text":            {"https://h.example/\u202e", unseen, "type the URL", false},
		"blank braille":                {"https://h.example/\u2800", unseen, "type the URL", false},
		"filler":                       {"https://h.example/\u3164", unseen, "type the URL", false},
		"variation selector":           {"https://h.example/\ufe0f", unseen, "type the URL", false},
		"not UTF-8":                    {"https://h.example/\xff", "is not valid UTF-8", write, false},
		"private key":                  {"-----BEGIN PRIVATE KEY-----\ns3cret\n", "control character", "Remove it.", true},
		"private key, carriage return": {"-----BEGIN PRIVATE KEY-----\rs3cret\r", "control character", "Remove it.", true},
		"space after the path":         {"https://h.example/x ", "begins or ends with a space", "Remove it.", false},
		"IPv4 address and port":        {"192.0.2.1:3000", "has no scheme", "https://", false},
		"IPv6 without brackets":        {"http://::1", noNumber, "from 1 to 65535", true},
		"IPv6 without an end":          {"http://[::1", "no closing one", "http://[::1]:8080", false},
		"IPv6 not an address":          {"http://[h]/", "brackets around a host", "Remove the brackets", false},
		"IPv4 in brackets":             {"http://[192.0.2.1]:3000", "brackets around a host", "http://[::1]:8080", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := address.ParseBaseURL(test.text)
			refused, ok := errors.AsType[*address.SyntaxError](err)
			if !ok {
				t.Fatalf("got %v and error %v, want a *SyntaxError", u, err)
			}
			if !strings.Contains(refused.Problem, test.problem) || !strings.Contains(refused.Remedy, test.remedy) {
				t.Errorf("Problem = %q, Remedy = %q, want %q and %q in them",
					refused.Problem, refused.Remedy, test.problem, test.remedy)
			}
			checkText(t, "Error", err.Error(), refused.Problem+": "+refused.Remedy)
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("Error = %q, want it without the secret", err)
			}
			if padded := strings.TrimSpace(test.text) != test.text; refused.Padded != padded {
				t.Errorf("Padded = %t, want %t", refused.Padded, padded)
			}
			if refused.Secret != test.secret {
				t.Errorf("Secret = %t, want %t", refused.Secret, test.secret)
			}
		})
	}
}

// FuzzParseBaseURL checks that what is accepted reads {base_url}/instance and has an effective form that is its own,
// and that what is refused is not repeated where it may be a secret.
func FuzzParseBaseURL(f *testing.F) {
	for _, text := range []string{
		"https://user:pass@h.example:8443/a%2Fb//?q=1#f", "http://[fe80::1%25eth0]:80/", "HTTP://B\u00dcCHER.example/ä b",
		"localhost:8080", "http:h", "http://h#", "http://h?", "http://h:0", "http://h:018765", "//h", " http://h",
		"http://h\n", "http://\u0130:443", "http://h/%zz", "http://h%ff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := address.ParseBaseURL(text)
		if err != nil {
			if _, ok := errors.AsType[*address.SyntaxError](err); !ok {
				t.Fatalf("%q: error of type %T", text, err)
			}
			if _, rest, found := strings.Cut(text, "://"); found {
				// Long enough not to be a part of our own words.
				info, _, found := strings.Cut(rest, "@")
				if found && len(info) > 3 && strings.ContainsAny(info, "0123456789%") && strings.Contains(err.Error(), info) {
					t.Errorf("%q: the error repeats the user info: %v", text, err)
				}
			}
			return
		}
		if strings.ContainsAny(text, "?#") {
			t.Errorf("%q has a query or a fragment", text)
		}
		if !strings.HasSuffix(u.String(), "/instance") || strings.ContainsAny(u.String(), "?#") {
			t.Errorf("%q reads %s", text, u)
		}
		for _, form := range []string{u.Effective, strings.TrimSuffix(u.String(), "/instance")} {
			again, err := address.ParseBaseURL(form)
			if err != nil {
				t.Errorf("%q: %q is refused: %v", text, form, err)
				continue
			}
			if again.Effective != u.Effective || again.Origin != u.Origin {
				t.Errorf("%q: %q has the effective form %q, want %q", text, form, again.Effective, u.Effective)
			}
		}
	})
}
