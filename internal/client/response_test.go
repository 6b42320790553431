package client

import (
	"net/http"
	"strings"
	"testing"
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
		got := newRedactor(nil, nil).excerpt(messageOf(http.Header{"Content-Type": {test.contentType}}, []byte(test.body)))
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// A text of parse_instance has no Content-Type.
