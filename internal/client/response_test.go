package client

import (
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

func TestMessageOfABody(t *testing.T) {
	t.Parallel()
	const page, service, title = "text/html; charset=utf-8", "application/json", "<title>seen</title>"
	tests := map[string]struct {
		contentType, body, want string
	}{
		"empty":              {"", "", ""},
		"service's error":    {service, `{"statusCode":404,"error":"Not Found","message":"Route GET:/x not found"}`, "Route GET:/x not found"},
		"empty message":      {service, `{"error":"Not Found","message":""}`, "Not Found"},
		"JSON as text":       {"text/plain", ` {"message":"x"} `, "x"},
		"other JSON":         {service, `{"detail":"x"}`, `{"detail":"x"}`},
		"message no text":    {service, `{"message":{"a":1}}`, `{"message":{"a":1}}`},
		"JSON that is cut":   {service, `{"message":"x`, `{"message":"x`},
		"text":               {"text/plain", "upstream failed...", "upstream failed"},
		"long text":          {"text/plain", strings.Repeat("ä", 500), strings.Repeat("ä", 199) + "…"},
		"control characters": {"text/plain", " \x1b[1mbold\r\n\tand\x00 \u202emore", "[1mbold and more"},
		"page":               {page, "<html><head><title>Not found</title></head><body><h1>Oops</h1></body></html>", "Not found"},
		"page by its start":  {"", " \n<!DOCTYPE html><TITLE lang=en>Hello\n you</TITLE>", "Hello you"},
		"page, upper case":   {"TEXT/HTML", "Hello <title>you</title>", "you"},
		"entities":           {page, "<title>a &lt;b&gt; &amp; &#x1b;&uuml;</title>", "a <b> & ü"},
		"no title":           {page, "<p>Hello</p>", ""},
		"title that is cut":  {page, "<title>Hello", ""},
		"empty title":        {page, "<title></title>", ""},
		// Protects the processor, from pages that are made to be slow to read.
		"title within 8 KiB": {page, strings.Repeat("<!--<style></style>", 3000)[:8<<10-len(title)] + title, "seen"},
		"title after 8 KiB":  {page, strings.Repeat("<!--<style></style>", 3000)[:8<<10-len(title)+2] + title, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newRedactor(nil, nil).excerpt(messageOf(http.Header{"Content-Type": {test.contentType}}, []byte(test.body)))
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			title, isPage := PageTitle(test.body)
			if looksLikeOne := strings.HasPrefix(strings.TrimSpace(test.body), "<"); isPage != looksLikeOne || isPage && title != test.want {
				t.Errorf("PageTitle: got %q, %t, want %q, %t", title, isPage, test.want, looksLikeOne)
			}
		})
	}
}

func checkSafe(t *testing.T, text string, limit int) {
	t.Helper()
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("not printable: %q", text)
	}
	if n := utf8.RuneCountInString(text); n > limit {
		t.Errorf("%d characters, want at most %d: %q", n, limit, text)
	}
}

// FuzzMessage checks that what is repeated of a response is printable, bounded and without the request's headers.
func FuzzMessage(f *testing.F) {
	for contentType, body := range map[string]string{
		"application/json":         `{"statusCode":404,"error":"Not Found","message":"Route \u001b[1m secret-value"}`,
		"text/html":                "<!-- x --><html><head><title>T&#27;secret-value&nbsp;</title><script>1<2</script></head>",
		"application/octet-stream": "\x1f\x8b\x08\x00\xff\xfe\x00secret\x00-value",
		"text/\x1b[31mplain":       "\u202esecret-value\r\n\tgone\ufeff",
	} {
		f.Add(contentType, []byte(body))
	}
	f.Fuzz(func(t *testing.T, declared string, body []byte) {
		const secret = "secret-value"
		redact := newRedactor(http.Header{"X": {secret}}, nil)
		head := http.Header{"Content-Type": {declared}, "Content-Encoding": {declared}}
		shown, content := redact.excerpt(messageOf(head, body)), describeContent(head, redact)
		checkSafe(t, shown, messageLimit)
		checkSafe(t, content, messageLimit+3*contentTypeLimit+100)
		if strings.Contains(shown+content, secret) {
			t.Errorf("%q or %q has the secret", shown, content)
		}
	})
}

// FuzzRedirectTarget checks that a redirect which is followed leads to what can be asked for, and that none is
// printed with its query or user info.
func FuzzRedirectTarget(f *testing.F) {
	for _, location := range []string{
		"/a", "?b", "#c", "//h.example/x", "https://h.example:8443/a%2Fb?token=1#f", "http://user:pass@h.example/",
		"file:///etc/passwd", "http:opaque", "http://[fe80::1%25eth0]/", "http://h%ff/", "http://<h>/ä b", "http://[::1",
		"//::", "ftp://h\u202e/", "http://h:/", "../..//x",
	} {
		f.Add("https://files.example.org/api", location)
	}
	f.Fuzz(func(t *testing.T, base, location string) {
		from, err := address.ParseBaseURL(base)
		if err != nil {
			return
		}
		redact := newRedactor(nil, nil)
		target, reason := redirectTarget(from.Document, location, redact)
		checkSafe(t, reason, 2*urlLimit)
		if reason != "" {
			return
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.String(), http.NoBody)
		if err != nil {
			t.Fatalf("%q to %q leads to %q: %v", base, location, target, err)
		}
		if to := request.URL; address.OriginOf(to) != address.OriginOf(target) || to.Scheme != "http" && to.Scheme != "https" || to.Hostname() == "" ||
			from.Document.Scheme == "https" && to.Scheme != "https" {
			t.Errorf("%q to %q leads to %q", base, location, to)
		}
		if request.URL.User != nil || request.URL.Fragment != "" {
			t.Errorf("%q to %q leads to %q", base, location, request.URL)
		}
		printed := printable(target, redact)
		checkSafe(t, printed, 2*urlLimit)
		if strings.ContainsAny(printed, "?#@") && !strings.ContainsAny(target.Host+target.EscapedPath(), "?#@") {
			t.Errorf("%q to %q is printed as %q", base, location, printed)
		}
	})
}
