package safetext_test

import (
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"30 分, an\u0303o":         "30 分, an\u0303o",
		"  a\r\n\t\u00a0b  ":      "a b",
		"\x1b[31mred\x1b[0m":      "[31mred[0m",
		"abc\u202etxt.exe\u200b":  "abctxt.exe",
		"a\xff\xfeb":              "ab",
		"line\u2028break\u0085 x": "line break x",
	} {
		if got := safetext.Line(text); got != want {
			t.Errorf("Line(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{"分分分分分": "分分分分分", "分分分分分分": "分分分分…", "abc def": "abc…"} {
		if got := safetext.Cut(line, 5); got != want {
			t.Errorf("Cut(%q, 5) = %q, want %q", line, got, want)
		}
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ body, want string }{
		"text":                      {" Down\n until 10:00 ", "Down until 10:00"},
		"text that nobody can read": {"a\xffb", ""},
		"message":                   {`{"code":1,"message":"No <route>"}`, "No <route>"},
		"blank message":             {`{"message": " ", "error": "b"}`, `{"message":" ","error":"b"}`},
		"message that is no text":   {`{"message": {"a": [1.50, 1e99]}}`, `{"message":{"a":[1.50,1e99]}}`},
		"message in upper case":     {`{"Message":"x"}`, `{"Message":"x"}`},
		"two JSON documents":        {"1\n2", "1 2"},
		"title":                     {"<html><title>No\n tenant</title><h1>Oops", "No tenant"},
		"title in upper case":       {" <TITLE lang=en>a < &lt;b&gt; &#x1b;&uuml;</TITLE>no", "a < <b> ü"},
		"title that is not text":    {"<title>&nbsp;</title><h1>Down</h1>", "Down"},
		"title in a comment":        {"<p>Down<!-- <title>no</title>\n --><p>Sorry", "Down Sorry"},
		"title in Latin-1":          {"<title>f\xfcr alle</title>", "fr alle"},
		"page":                      {"<p>By <b>our</b> rule &amp;<!-- no -->our<br/>law", "By our rule & our law"},
		"page with less than":       {"<p>5 < 6", "5 < 6"},
		"tag without an end":        {"<p>Down<a href=", "Down"},
		"style and script":          {"<style>p {}\n</style><script src=x>x('<p>')</script >Down", "Down"},
		"comment without an end":    {"<p>Down<!-- <b>x", "Down"},
		"style without an end":      {"<p>Down<style>p <b>x", "Down"},
		"script without an end":     {"<p>Down<SCRIPT>x <b>x", "Down"},
		"XML":                       {"<?xml version=\"1.0\"?><Code>NoSuchBucket</Code>", "NoSuchBucket"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := safetext.Line(safetext.Body([]byte(test.body))); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
