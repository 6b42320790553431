package address_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, origin, path string }{
		"trailing slashes":          {"https://h.example///", "https://h.example", ""},
		"path, trailing slashes":    {"https://h.example/files/api//", "https://h.example", "/files/api"},
		"path, doubled slash, dots": {"https://h.example//a/../b/.", "https://h.example", "//a/../b/."},
		"path, escaped slashes":     {"https://h.example/a%2Fb%2f/", "https://h.example", "/a%2Fb%2f"},
		"path, escaped marks":       {"https://h.example/100%25%3Fb%23c", "https://h.example", "/100%25%3Fb%23c"},
		"path, not escaped":         {"https://h.example/ä b/", "https://h.example", "/%C3%A4%20b"},
		"path, quotation mark":      {"http://0/0'/", "http://0", "/0'"},
		"path, brackets":            {"http://h/[x]%5B/", "http://h", "/[x]%5B"},
		"path ends in /instance":    {"https://h.example/instance", "https://h.example", "/instance"},
		"upper case":                {"HTTPS://H.Example/X", "https://h.example", "/X"},
		"default port of https":     {"https://h.example:443/x", "https://h.example", "/x"},
		"default port of http":      {"http://h.example:80", "http://h.example", ""},
		"default port of the other": {"http://h.example:443", "http://h.example:443", ""},
		"empty port":                {"https://h.example:/x", "https://h.example", "/x"},
		"highest port":              {"https://h.example:65535", "https://h.example:65535", ""},
		"host that DNS never has":   {"http://my_in-stan~ce:3000", "http://my_in-stan~ce:3000", ""},
		"IPv6":                      {"http://[2001:DB8::1]:8080/x/", "http://[2001:db8::1]:8080", "/x"},
		"IPv6, default port":        {"https://[::1]:443", "https://[::1]", ""},
		"IPv6, zone":                {"http://[FE80::1%25Eth0]:8080/", "http://[fe80::1%25Eth0]:8080", ""},
		"IDN":                       {"https://BÜCHER.example", "https://xn--bcher-kva.example", ""},
		"IDN, escaped":              {"https://b%c3%bccher.example", "https://xn--bcher-kva.example", ""},
		"IDN, invalid Punycode":     {"https://xn--.example", "https://xn--.example", ""},
	}
	for name, test := range tests {
		effective := test.origin + test.path
		// The effective base URL is its own normal form.
		for _, text := range []string{test.text, effective} {
			got, err := address.Parse(text)
			if err != nil || got.Written != text || got.Effective != effective || got.Origin != test.origin ||
				got.Document.String() != effective+"/instance" {
				t.Errorf("%s: Parse(%q) = %+v, error %v, want the effective base URL %q", name, text, got, err, effective)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{ // by a part of the error
		"no scheme":         {"", "files.example.org", "//files.example.org", "localhost:8080", "HTTP:h.example"},
		`the scheme "ftp"`:  {"ftp://h.example"},
		"no host":           {"https://", "https://:8080/"},
		"port":              {"http://h.example:0", "http://h.example:65536", "http://h.example:http", "http://::1"},
		"white space":       {" https://h.example", "https://h.example\n"},
		"host name":         {"https://h .example"},
		"cannot be printed": {"https://h.example/\tx", "https://h.example/\u009b1m", "https://fi\u00adles.example"},
		"invalid label":     {"https://\u0301h.example"}, // begins with a combining mark
		"URL escape":        {"https://h.example/100%", "https://h%41.example"},
		"missing ']'":       {"http://[::1"},
		"invalid":           {"http://[h]/", "http://[192.0.2.1]:3000"},
		"user info":         {"https://me:pass@h.example", "https://@h.example"},
		"a query":           {"https://h.example/?a=b", "https://h.example/x?"},
		"a fragment":        {"https://h.example/#x", "https://h.example/x#"},
	} {
		for _, text := range texts {
			if got, err := address.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Parse(%q) = %+v, error %v, want an error with %q", text, got, err, want)
			}
		}
	}
}

// A redirect may lead to a URL that is not a base URL.
func TestOriginOf(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, hostPort, origin string }{
		"user info, path, query, fragment": {"https://me:s3cret@H.example/x?y#z", "h.example:443", "https://h.example"},
		"default port":                     {"http://[::1]:80/", "[::1]:80", "http://[::1]"},
		"port out of range":                {"http://h.example:65616", "h.example:65616", "http://h.example:65616"},
		"other scheme":                     {"ftp://h.example:80", "h.example:80", "ftp://h.example:80"},
		"no ASCII form":                    {"http://\u0301H.example", "\u0301H.example:80", "http://%CC%81H.example"},
	}
	for name, test := range tests {
		u, err := url.Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		if hostPort, origin := address.HostPort(u), address.OriginOf(u); hostPort != test.hostPort || origin != test.origin {
			t.Errorf("%s: got %q and %q, want %q and %q", name, hostPort, origin, test.hostPort, test.origin)
		}
	}
}

func TestParseHostPort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"127.0.0.1:8443": "127.0.0.1:8443", "[::1]:80": "[::1]:80", "[FE80::1%Eth0]:80": "[fe80::1%Eth0]:80",
		"My_Tunnel:65535": "my_tunnel:65535", "bücher.example:1": "xn--bcher-kva.example:1",
	} {
		if got, err := address.ParseHostPort(text); err != nil || got != want {
			t.Errorf("ParseHostPort(%q) = %q, error %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "h", "127.0.0.1", ":80", "h:", "h:0", "h:65536", "h:http", "h:+80", "http://h:80", "h:80/", "h/x:80", "me:pass@h:80",
		"me@h:80", "h?a:80", "h#a:80", "h%41:80", "h h:80", "h:80 ", "\nh:80", "h:80\n", "::1", "::1:80", "a:b:80", "[::1]",
		"[h]:80", "[127.0.0.1]:80", "[]:80", "h\x1b:80", "h\u009b:80", `h":80`, "<h>:80", "[fe80::1%a\n]:80", "\u0301h:80",
	} {
		if got, err := address.ParseHostPort(text); err == nil {
			t.Errorf("ParseHostPort(%q) = %q, want it refused", text, got)
		}
	}
}
