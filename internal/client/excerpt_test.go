package client

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"
)

func TestMessageOf(t *testing.T) {
	t.Parallel()
	const page = "text/html; charset=utf-8"
	tests := map[string]struct {
		contentType, body, want string
	}{
		"empty":                 {"", "", ""},
		"service's error":       {"application/json", `{"statusCode":404,"error":"Not Found","message":"Route GET:/instance/ not found"}`, "Route GET:/instance/ not found"},
		"error only":            {"application/json", `{"error":"Not Found"}`, "Not Found"},
		"empty message":         {"application/json", `{"error":"Not Found","message":""}`, "Not Found"},
		"JSON as text":          {"text/plain", ` {"message":"x"} `, "x"},
		"other JSON":            {"application/json", `{"detail":"x"}`, `{"detail":"x"}`},
		"message no text":       {"application/json", `{"message":{"a":1}}`, `{"message":{"a":1}}`},
		"JSON that is cut":      {"application/json", `{"message":"x`, `{"message":"x`},
		"JSON list":             {"application/json", `["x"]`, `["x"]`},
		"JSON null":             {"application/json", `null`, `null`},
		"text":                  {"text/plain", "upstream failed", "upstream failed"},
		"text with a bracket":   {"text/plain", "1 < 2", "1 < 2"},
		"page":                  {page, "<html><head><title>404</title></head><body><h1>Not found</h1></body></html>", "Not found"},
		"page by its start":     {"", " \n<!DOCTYPE html><p>Hello", "Hello"},
		"page with a title":     {page, "<title>Blocked</title>", "Blocked"},
		"page, upper case":      {"TEXT/HTML", "<P>Hello<BR>you</P>", "Hello you"},
		"scripts and styles":    {page, "<script>a<b</script><style>p{}</style><p>Hello<script src=x>1", "Hello"},
		"comments":              {page, "<!-- <p>no</p> -->Hello<!-- no", "Hello"},
		"entities":              {page, "<p>a &lt;b&gt; &amp; &#x1b; &uuml;", "a <b> & \x1b ü"},
		"tag that is cut":       {page, "Hello <a href=", "Hello"},
		"no tags":               {page, "Hello", "Hello"},
		"nothing but tags":      {page, "<p></p>", ""},
		"title in upper case":   {page, "<TITLE lang=en>Blocked</TITLE><P>", "Blocked"},
		"scripted word in text": {page, "<p>the scripted</p>", "the scripted"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(strings.Fields(messageOf(test.contentType, []byte(test.body))), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestStatusReason(t *testing.T) {
	t.Parallel()
	redact := newRedactor(nil)
	tests := map[string]struct {
		status int
		body   string
		want   string
	}{
		"no body":        {404, "", "status 404 Not Found"},
		"unknown status": {599, "", "status 599"},
		"body":           {503, "Try later", "status 503 Service Unavailable: Try later"},
		"blank body":     {503, " \r\n\x00", "status 503 Service Unavailable"},
		"long body":      {400, strings.Repeat("ä", 500), "status 400 Bad Request: " + strings.Repeat("ä", 199) + "…"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := statusReason(test.status, "", []byte(test.body), redact); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestCleanURL(t *testing.T) {
	t.Parallel()
	redact := newRedactor(http.Header{"X": {"secret value"}})
	tests := map[string]struct{ url, want string }{
		"plain":               {"https://h.example/a", "https://h.example/a"},
		"query and fragment":  {"https://h.example/a?b#c", "https://h.example/a"},
		"user info":           {"https://user:pass@h.example/a", "https://h.example/a"},
		"escaped":             {"https://h.example/a%2Fb%20c", "https://h.example/a%2Fb%20c"},
		"secret, escaped":     {"https://h.example/secret%20value/x%2F", "https://h.example/(redacted)/x/"},
		"secret, all escaped": {"https://h.example/%73%65%63%72%65%74%20%76alue", "https://h.example/(redacted)"},
		"no host":             {"file:///etc/passwd", "file:"},
		"opaque":              {"javascript:alert(1)", "javascript:"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(test.url)
			if err != nil {
				t.Fatal(err)
			}
			if got := cleanURL(u, redact); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A hostile page is read in one pass, and leaves nothing of its markup.
func TestHTMLTextOfHostilePages(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"<!--", "<script", "<title", "<", "<style>", "</script>", "<!-- -->", "<title></title>"} {
		page := strings.Repeat(piece, errorBodyLimit/len(piece))
		if got := htmlText(page); got != "" {
			t.Errorf("%d bytes of %q give %d bytes", len(page), piece, len(got))
		}
	}
}

func mustBeSafe(t *testing.T, text string, limit int) {
	t.Helper()
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("not printable: %q", text)
	}
	if n := utf8.RuneCountInString(text); n > limit {
		t.Errorf("%d characters, want at most %d: %q", n, limit, text)
	}
}

// FuzzExcerpt checks that what is repeated of a body is printable, bounded and
// without the request's headers.
func FuzzExcerpt(f *testing.F) {
	for contentType, body := range map[string]string{
		"application/json":         `{"statusCode":404,"error":"Not Found","message":"Route \u001b[1m secret-value"}`,
		"text/html":                "<!-- x --><html><head><title>T&#27;</title><script>1<2</script></head><body><p>secret-value&nbsp;é</body>",
		"application/octet-stream": "\x1f\x8b\x08\x00\xff\xfe\x00secret\x00-value",
		"text/\x1b[31mplain":       "\u202esecret-value\r\n\tgone\ufeff",
		"":                         "<",
	} {
		f.Add(contentType, []byte(body), "secret-value")
	}
	f.Fuzz(func(t *testing.T, contentType string, body []byte, secret string) {
		secret = strings.TrimSpace(secret)
		redact := newRedactor(http.Header{"X": {secret}})
		excerpt := redact.clean(messageOf(contentType, body), excerptLimit)
		mustBeSafe(t, excerpt, excerptLimit)
		mustBeSafe(t, statusReason(400, contentType, body, redact), excerptLimit+len("status 400 Bad Request: "))
		content := contentOf(http.Header{"Content-Type": {contentType}, "Content-Encoding": {contentType}}, body, redact)
		mustBeSafe(t, content, excerptLimit+3*contentTypeLimit+100)

		// What is not a part of our own words must be gone.
		if len(secret) < minSecretPart || !httpguts.ValidHeaderFieldValue(secret) || strings.Contains(secret, "redacted") || strings.Contains(redacted, secret) {
			return
		}
		if strings.Contains(excerpt, secret) {
			t.Errorf("%q has the secret %q", excerpt, secret)
		}
	})
}
