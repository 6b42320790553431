package address_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

func TestBaseURLIsReadAsWritten(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text, effective string
	}{
		"bare":                      {"https://h.example", "https://h.example"},
		"trailing slashes":          {"https://h.example///", "https://h.example"},
		"path":                      {"https://h.example/files/api", "https://h.example/files/api"},
		"path, trailing slashes":    {"https://h.example/files/api//", "https://h.example/files/api"},
		"path, doubled slash":       {"https://h.example//files", "https://h.example//files"},
		"path, dots":                {"https://h.example/a/../b/.", "https://h.example/a/../b/."},
		"path, escaped slash":       {"https://h.example/a%2Fb", "https://h.example/a%2Fb"},
		"path, escaped slash last":  {"https://h.example/a%2F", "https://h.example/a%2F"},
		"path, escaped, lower case": {"https://h.example/a%2fb%c3%a4", "https://h.example/a%2fb%c3%a4"},
		"path, escaped percent":     {"https://h.example/100%25", "https://h.example/100%25"},
		"path, escaped mark":        {"https://h.example/a%3Fb%23c", "https://h.example/a%3Fb%23c"},
		"path, unicode":             {"https://h.example/ä", "https://h.example/%C3%A4"},
		"path, space":               {"https://h.example/a b", "https://h.example/a%20b"},
		"path, at sign":             {"https://h.example/user:pass@x", "https://h.example/user:pass@x"},
		"path ends in /instance":    {"https://h.example/instance", "https://h.example/instance"},
		"upper case":                {"HTTPS://H.Example/X", "https://h.example/X"},
		"default port":              {"https://h.example:443", "https://h.example"},
		"the other's default port":  {"http://h.example:443", "http://h.example:443"},
		"highest port":              {"https://h.example:65535", "https://h.example:65535"},
		"empty port":                {"https://h.example:/x", "https://h.example/x"},
		"IPv6":                      {"http://[2001:DB8::1]", "http://[2001:db8::1]"},
		"IPv6, port":                {"http://[::1]:8080/x/", "http://[::1]:8080/x"},
		"IPv6, default port":        {"https://[::1]:443", "https://[::1]"},
		"IPv6, zone":                {"http://[FE80::1%25Eth0]:8080/", "http://[fe80::1%25Eth0]:8080"},
		"underscore":                {"http://my_instance:3000", "http://my_instance:3000"},
		"unicode host":              {"https://bücher.example", "https://xn--bcher-kva.example"},
		"unicode host, upper case":  {"https://BÜCHER.example", "https://xn--bcher-kva.example"},
		"unicode host, decomposed":  {"https://bu\u0308cher.example", "https://xn--bcher-kva.example"},
		"unicode host, escaped":     {"https://b%c3%bccher.example", "https://xn--bcher-kva.example"},
		"letter that folds to i":    {"https://\u0130.example", "https://xn--i-9bb.example"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := address.ParseBaseURL(test.text)
			if err != nil {
				t.Fatalf("refused: %v", err)
			}
			if want := strings.TrimRight(test.text, "/") + "/instance"; u.String() != want || u.Written != test.text {
				t.Errorf("shown as %s and %s, want %s", u, u.Written, want)
			}
			if u.Effective != test.effective {
				t.Errorf("effective form %s, want %s", u.Effective, test.effective)
			}
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
		"other scheme":                 {"ftp://files.example.org", "has a scheme other than http and https", "https://", false},
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
		"port 0":                       {"http://h.example:0", "out of range", "from 1 to 65535", false},
		"port too high":                {"http://h.example:65536", "out of range", "from 1 to 65535", false},
		"port not a number":            {"http://h.example:http", noNumber, "from 1 to 65535", true},
		"space before":                 {" https://h.example", "begins or ends with a space", "Remove it.", false},
		"space in the host":            {"https://h .example", badHost, write, false},
		"line break":                   {"https://h.example\n", "control character", "Remove it.", false},
		"tab":                          {"https://h.example/\tx", "control character", "Remove it.", false},
		"invalid percent-encoding":     {"https://h.example/100%", badEscape, "%25", false},
		"escaped ASCII in the host":    {"https://h%41.example", badEscape, "%25", false},
		"left of a template":           {"https://$(HOST)/", badHost, write, false},
		"host not UTF-8":               {"https://h%ff.example", badHost, write, false},
		"direction of text":            {"https://h.example/\u202e", unseen, "type the URL", false},
		"blank braille":                {"https://h.example/\u2800", unseen, "type the URL", false},
		"filler":                       {"https://h.example/\u3164", unseen, "type the URL", false},
		"variation selector":           {"https://h.example/\ufe0f", unseen, "type the URL", false},
		"not UTF-8":                    {"https://h.example/\xff", "is not valid UTF-8", write, false},
		"private key":                  {"-----BEGIN PRIVATE KEY-----\ns3cret\n", "control character", "Remove it.", true},
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
				t.Errorf("problem %q and remedy %q, want %q and %q", refused.Problem, refused.Remedy, test.problem, test.remedy)
			}
			if err.Error() != refused.Problem+": "+refused.Remedy {
				t.Errorf("the error is %q", err)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error %q repeats the secret", err)
			}
			if padded := strings.TrimSpace(test.text) != test.text; refused.Padded != padded {
				t.Errorf("Padded is %t", refused.Padded)
			}
			if refused.Secret != test.secret {
				t.Errorf("Secret is %t", refused.Secret)
			}
		})
	}
}

func TestOriginIsSchemeHostAndPort(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		a, b string
		same bool
	}{
		"path":             {"https://h.example/a", "https://h.example/b", true},
		"default port":     {"https://h.example:443", "https://h.example", true},
		"empty port":       {"http://h.example:", "http://h.example:80", true},
		"scheme":           {"https://h.example", "http://h.example", false},
		"scheme, one port": {"https://h.example:8080", "http://h.example:8080", false},
		"port":             {"https://h.example", "https://h.example:8443", false},
		"host":             {"https://h.example", "https://i.example", false},
		"zone":             {"http://[fe80::1%25Eth0]", "http://[FE80::1%25eth0]", false},
		"final dot":        {"https://h.example", "https://h.example.", false},
		"letter like i":    {"https://files.example", "https://f\u0130les.example", false},
		"letter like k":    {"https://k.example", "https://\u212a.example", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, errA := address.ParseBaseURL(test.a)
			b, errB := address.ParseBaseURL(test.b)
			if same := a.Origin == b.Origin; errA != nil || errB != nil || same != test.same {
				t.Errorf("%s and %s have the same origin: %t, want %t", test.a, test.b, same, test.same)
			}
		})
	}
}

// FuzzParseBaseURL checks that what is accepted reads {base_url}/instance and has an effective form that is its own,
// and that what is refused is not repeated where it may be a secret.
func FuzzParseBaseURL(f *testing.F) {
	for _, text := range []string{
		"https://user:pass@h.example:8443/a%2Fb//?q=1#f", "http://[fe80::1%25eth0]:80/", "HTTP://B\u00dcCHER.example/ä b", "http://h%ff",
		"localhost:8080", "http:h", "http://h#", "http://h?", "http://h:0", "//h", " http://h", "http://h\n", "http://\u0130:443", "http://h/%zz",
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
