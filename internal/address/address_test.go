package address_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

// Two spellings of an instance are equal when they are normalized. What a server can tell apart stays as it is.
func TestParse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, origin, path string }{
		"trailing slashes":          {"https://h.example///", "https://h.example", ""},
		"trailing slash of a path":  {"https://h.example/files/api/", "https://h.example", "/files/api"},
		"doubled slash, dots":       {"https://h.example//a/../b/.", "https://h.example", "//a/../b/."},
		"escaped slash at the end":  {"https://h.example/a%2F/", "https://h.example", "/a%2F"},
		"escaped ? and #":           {"https://h.example/100%25%3Fb%23c", "https://h.example", "/100%25%3Fb%23c"},
		"escaped and not":           {"https://h.example/ü/a%2Fb", "https://h.example", "/%C3%BC/a%2Fb"},
		"spaces and braces":         {"https://h.example/{a} b%2fc", "https://h.example", "/%7Ba%7D%20b%2fc"},
		"escaped letter":            {"https://h.example/%61", "https://h.example", "/%61"},
		"signs that need no escape": {"https://h/-._~!$&'()*+,;=:@[]", "https://h", "/-._~!$&'()*+,;=:@[]"},
		"upper case":                {"HTTPS://H.Example/X", "https://h.example", "/X"},
		"default port of https":     {"https://h.example:443/x", "https://h.example", "/x"},
		"default port of http":      {"http://h.example:80", "http://h.example", ""},
		"default port of the other": {"http://h.example:443", "http://h.example:443", ""},
		"empty port":                {"https://h.example:/x", "https://h.example", "/x"},
		"highest port":              {"https://h.example:65535", "https://h.example:65535", ""},
		"underscore":                {"http://my_in-stance:3000", "http://my_in-stance:3000", ""},
		"IPv6":                      {"http://[2001:DB8::1]:8080/x", "http://[2001:db8::1]:8080", "/x"},
		"IPv6 with a default port":  {"https://[::1]:443", "https://[::1]", ""},
		"IPv6 with a zone":          {"http://[FE80::1%25Eth0]:8080/", "http://[fe80::1%25Eth0]:8080", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			normalized := test.origin + test.path
			for _, text := range []string{test.text, normalized} { // what is normalized stays as it is
				got, err := address.Parse(text)
				if err != nil || got.Raw != text || got.Normalized != normalized || got.Origin != test.origin {
					t.Fatalf("Parse(%q) = %+v, error %v, want %q", text, got, err, normalized)
				}
				document, asksFor := got.DocumentURL.String(), got.DocumentURL.RequestURI()
				if document != normalized+"/instance" || asksFor != test.path+"/instance" {
					t.Errorf("the document of %q is at %s, which asks for %s", text, document, asksFor)
				}
			}
		})
	}
}

// An error says what is wrong, and contains nothing of the text. Each text has "hunter2" where a password may be.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "it is empty",
		" https://hunter2":              "white space",
		"https://hunter2\n":             "white space",
		"https://h/\x1bhunter2":         "cannot be printed",
		"https://hunter2\u00ad.example": "cannot be printed",
		"hunter2.example:80":            "it has no scheme",
		"hunter2://h.example":           "it does not begin with",
		`"https://hunter2"`:             "it does not begin with", // as a command of Windows may set it
		"https://h.example/?hunter2":    "a query",
		"https://h.example?%hunter2":    "a query",
		"https://h.example/#hunter2":    "a fragment",
		"https://h.example/%hunter2":    "not a valid URL",
		"https://h:hunter2/":            "not a valid URL",
		"https://h hunter2":             "not a valid URL",
		"http://[::1hunter2":            "not a valid URL",
		"http://[hunter2]":              "not a valid URL",
		"https://me:hunter2@h.example":  "user info",
		"https://@h.example":            "user info",
		"https://":                      "it has no host",
		"https://:80/hunter2":           "it has no host",
		"https://hünter2.example":       `begins with "xn--"`,
		"https://h%c3%bcnter2.example":  `begins with "xn--"`,
		"https://hunter2*":              "a character that no host has",
		"https://[::1%25a%20hunter2]":   "a character that no host has",
		"https://hunter2:0":             "from 1 to 65535",
		"https://hunter2:65536":         "from 1 to 65535",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := address.Parse(text)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "unter2") {
				t.Errorf("the error about %q is %v, want %q and nothing of the text", text, err, want)
			}
		})
	}
}

// A redirect may lead to a URL that is not a base URL.
func TestRedirectTarget(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ origin, hostPort string }{
		"https://me:s3cret@H.example/x?y#z": {"https://h.example", "h.example:443"},
		"http://[FE80::1%25Eth0]:80/":       {"http://[fe80::1%25Eth0]", "[fe80::1%Eth0]:80"},
		"https://h:80":                      {"https://h:80", "h:80"},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			origin, hostPort := address.Origin(u), address.HostPort(u)
			if origin != want.origin || hostPort != want.hostPort {
				t.Errorf("got %q and %q, want %q and %q", origin, hostPort, want.origin, want.hostPort)
			}
			if err := address.CheckHost(u); err != nil {
				t.Errorf("CheckHost: %v", err)
			}
		})
	}
}

func TestParseHostPort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"127.0.0.1:8443":    "127.0.0.1:8443",
		"[::1]:80":          "[::1]:80", // the default port stays
		"[FE80::1%Eth0]:80": "[fe80::1%Eth0]:80",
		"My_Tunnel:65535":   "my_tunnel:65535",
	} {
		if got, err := address.ParseHostPort(text); err != nil || got != want {
			t.Errorf("ParseHostPort(%q) = %q, error %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "h", "127.0.0.1", ":80", "h:", "h:0", "h:65536", "h:http", "h:+80", // no host, or no port
		"http://h:80", "h:80/", "h/x:80", "me:pass@h:80", "h?a:80", "h#a:80", // more than these
		"h%41:80", "h h:80", "h:80 ", "\nh:80", "hü:80", `"h:80"`, "<h>:80", // no host has such characters
		"::1", "::1:80", "[::1]", "[h]:80", "[127.0.0.1]:80", "127.0.0.1%a:80", "[]:80", "[fe80::1%a\n]:80", // IPv6
	} {
		if got, err := address.ParseHostPort(text); err == nil {
			t.Errorf("ParseHostPort(%q) = %q, want it refused", text, got)
		}
	}
}
