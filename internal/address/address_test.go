package address_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
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
		// Only what needs an escape gets one.
		"path, some escaped":        {"https://h.example/ü/a%2Fb", "https://h.example", "/%C3%BC/a%2Fb"},
		"path, space":               {"https://h.example/a b%2fc", "https://h.example", "/a%20b%2fc"},
		"path, braces":              {"https://h.example/{a}|%2F", "https://h.example", "/%7Ba%7D%7C%2F"},
		"path, dots, escaped":       {"https://h.example/a/%2e%2e/ü", "https://h.example", "/a/%2e%2e/%C3%BC"},
		"path, escape of a letter":  {"https://h.example/%41%c3%bc", "https://h.example", "/%41%c3%bc"},
		"path, escaped percent":     {"https://h.example/%2541ä", "https://h.example", "/%2541%C3%A4"},
		"path, all signs":           {"https://h.example/-._~!$&'()*+,;=:@[]\"<>\\^`", "https://h.example", "/-._~!$&'()*+,;=:@[]%22%3C%3E%5C%5E%60"},
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			effective := test.origin + test.path
			// The effective base URL is its own normal form.
			for _, text := range []string{test.text, effective} {
				got, err := address.Parse(text)
				if err != nil || got.Written != text || got.Effective != effective || got.Origin != test.origin ||
					got.DocumentURL.String() != effective+"/instance" || got.DocumentURL.RequestURI() != test.path+"/instance" {
					t.Errorf("Parse(%q) = %+v, error %v, want the effective base URL %q", text, got, err, effective)
				}
			}
		})
	}
}

// What a server gets is the path as it is written, with nothing in it that cannot be sent.
func TestPathOnTheWire(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.RequestURI) }))
	t.Cleanup(server.Close)
	for path, want := range map[string]string{
		"":                "/instance",
		"/":               "/instance",
		"/api/":           "/api/instance",
		"/ü/a%2Fb":        "/%C3%BC/a%2Fb/instance",
		"/a b/%2F":        "/a%20b/%2F/instance",
		"/{a}|b/%2f":      "/%7Ba%7D%7Cb/%2f/instance",
		"/a/%2e%2e/ü/..":  "/a/%2e%2e/%C3%BC/../instance",
		"//a//b%3Fc%23d/": "//a//b%3Fc%23d/instance",
		"/*/ä;b=c@d":      "/*/%C3%A4;b=c@d/instance",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			baseURL, err := address.Parse(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultTransport.RoundTrip(&http.Request{URL: baseURL.DocumentURL, Header: http.Header{}})
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if got, err := io.ReadAll(response.Body); err != nil || string(got) != want {
				t.Errorf("the server was asked for %q (%v), want %q", got, err, want)
			}
		})
	}
}

// Two spellings are one instance if they differ in what no server can tell apart.
func TestEffective(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		a, b string
		same bool
	}{
		"case of scheme and host": {"HTTPS://H.example/x", "https://h.EXAMPLE/x", true},
		"default port":            {"https://h/x", "https://h:443/x", true},
		"trailing slashes":        {"https://h/x", "https://h/x//", true},
		"character that is sent":  {"https://h/ü", "https://h/%C3%BC", true},
		"case of the path":        {"https://h/x", "https://h/X", false},
		"case of an escape":       {"https://h/%2F", "https://h/%2f", false},
		"escaped slash":           {"https://h/a%2Fb", "https://h/a/b", false},
		"escaped slash, and ü":    {"https://h/ü/a%2Fb", "https://h/ü/a/b", false},
		"escaped letter":          {"https://h/a", "https://h/%61", false},
		"escaped dots":            {"https://h/ü/%2e%2e", "https://h/ü/..", false},
		"other port":              {"https://h", "https://h:80", false},
		"other scheme":            {"https://h", "http://h", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, errA := address.Parse(test.a)
			b, errB := address.Parse(test.b)
			if errA != nil || errB != nil || (a.Effective == b.Effective) != test.same {
				t.Errorf("%s has the effective base URL %q (%v), and %s has %q (%v), want the same: %t",
					test.a, a.Effective, errA, test.b, b.Effective, errB, test.same)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{ // by a part of the error
		"it is empty":       {""},
		"no scheme":         {"files.example.org", "//files.example.org", "localhost:8080", "HTTP:h.example"},
		`the scheme "ftp"`:  {"ftp://h.example"},
		"no host":           {"https://", "https://:8080/"},
		"port":              {"http://h.example:0", "http://h.example:65536", "http://h.example:http", "http://::1"},
		"no valid host":     {"https://a\"b.example", "https://a<b.example"},
		"white space":       {" https://h.example", "https://h.example\n"},
		"host name":         {"https://h .example"},
		"cannot be printed": {"https://h.example/\tx", "https://h.example/\u009b1m", "https://fi\u00adles.example"},
		"invalid label":     {"https://\u0301h.example"}, // begins with a combining mark
		"URL escape":        {"https://h.example/100%", "https://h%41.example"},
		"missing ']'":       {"http://[::1"},
		"invalid":           {"http://[h]/", "http://[192.0.2.1]:3000"},
		"an @":              {"https://me:pass@h.example", "https://@h.example"},
		"a query":           {"https://h.example/?a=b", "https://h.example/x?", "https://h.example?%zz"},
		"a fragment":        {"https://h.example/#x", "https://h.example/x#", "https://h.example#%zz"},
		// As a file of variables may have it, or a command of Windows.
		"begins with a quotation mark": {`"https://h.example"`, "'https://h.example'", "“https://h.example”", `"h.example"`},
	} {
		for _, text := range texts {
			t.Run(text, func(t *testing.T) {
				t.Parallel()
				if got, err := address.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("Parse(%q) = %+v, error %v, want an error with %q", text, got, err, want)
				}
			})
		}
	}
}

// An error may quote parts of a text, but never one that may be a secret.
func TestErrorsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for _, text := range []string{
		"https://h?token=hunter2", "https://h:8443?hunter2", "https://h:x?hunter2", "https://h#hunter2", "https://h/#%hunter2", "h:1?hunter2",
		"h:1#hunter2", "h:hunter2@x", "https://h/%?hunter2", "ftp://h?hunter2", "h?hunter2", "https://h:1\x1bhunter2", "h:1\nhunter2",
		"https://me:hunter2@h:x", "https://me:hunter2%40h", "https://hunter2@h", "https://hunter2%40h:1", "me:hunter2@h:1",
		"me:hunter2%40h:1", "h:hunter2%40x", "hunter2://me@h", "https://[hunter2]/@", "https://\u0301hunter2/@", "https://h:hunter2/@",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, errURL := address.Parse(text)
			_, errHostPort := address.ParseHostPort(text)
			for _, err := range []error{errURL, errHostPort} {
				if err == nil || strings.Contains(err.Error(), secret) {
					t.Errorf("the error about %q is %v, want one without %q", text, err, secret)
				}
				if hasUserInfo := strings.Contains(text, "@") || strings.Contains(text, "%40"); errors.Is(err, address.ErrUserInfo) != hasUserInfo {
					t.Errorf("the error about %q is %v, want ErrUserInfo: %t", text, err, hasUserInfo)
				}
			}
		})
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if hostPort, origin := address.HostPort(u), address.OriginOf(u); hostPort != test.hostPort || origin != test.origin {
				t.Errorf("got %q and %q, want %q and %q", hostPort, origin, test.hostPort, test.origin)
			}
		})
	}
}

func TestParseHostPort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"127.0.0.1:8443": "127.0.0.1:8443", "[::1]:80": "[::1]:80", "[FE80::1%Eth0]:80": "[fe80::1%Eth0]:80",
		"My_Tunnel:65535": "my_tunnel:65535", "bücher.example:1": "xn--bcher-kva.example:1",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if got, err := address.ParseHostPort(text); err != nil || got != want {
				t.Errorf("ParseHostPort(%q) = %q, error %v, want %q", text, got, err, want)
			}
		})
	}
	for _, text := range []string{
		"", "h", "127.0.0.1", ":80", "h:", "h:0", "h:65536", "h:http", "h:+80", "http://h:80", "h:80/", "h/x:80", "me:pass@h:80",
		"me@h:80", "h?a:80", "h#a:80", "h%41:80", "h h:80", "h:80 ", "\nh:80", "h:80\n", "::1", "::1:80", "a:b:80", "[::1]",
		"[h]:80", "[127.0.0.1]:80", "[]:80", "h\x1b:80", "h\u009b:80", `h":80`, `h\x:80`, "<h>:80", "[fe80::1%a\n]:80", "\u0301h:80",
		"me:pass%40h:80", "me%40h:80", `"h:80"`, "'h:80'", "“h:80”",
	} {
		t.Run("refused "+text, func(t *testing.T) {
			t.Parallel()
			if got, err := address.ParseHostPort(text); err == nil {
				t.Errorf("ParseHostPort(%q) = %q, want it refused", text, got)
			}
		})
	}
}
