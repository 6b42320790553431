package safetext_test

import (
	"slices"
	"strings"
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

func TestHeaderSecrets(t *testing.T) {
	t.Parallel()
	for value, want := range map[string][]string{
		"staging":          nil, // too short
		" s3cret-8\t":      {"s3cret-8"},
		"Bearer  s3cret-8": {"Bearer  s3cret-8", "s3cret-8"},
		"Token s3cret7":    {"Token s3cret7"},
		"basic  ZGVwbG95OnMzY3I=": {
			"basic  ZGVwbG95OnMzY3I=", "ZGVwbG95OnMzY3I=", "ZGVwbG95OnMzY3I=", "deploy:s3cr", "s3cr",
		},
		"Bearer ZGVwbG95OnMzY3I=": {"Bearer ZGVwbG95OnMzY3I=", "ZGVwbG95OnMzY3I="},
		"Basic ZGVwbG95OnMzY3I=:": {"Basic ZGVwbG95OnMzY3I=:", "ZGVwbG95OnMzY3I=:"}, // not Base64
	} {
		if got := safetext.HeaderSecrets(value); !slices.Equal(got, want) {
			t.Errorf("HeaderSecrets(%q) = %q, want %q", value, got, want)
		}
	}
}

func TestUserSecrets(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string][]string{
		{"s", "p"}:         nil, // s:p is a part of words
		{"not", ""}:        {"bm90Og==", "not:"},
		{"t0k3", ""}:       {"dDBrMzo=", "t0k3:", "t0k3"}, // a token
		{"user", "p4s"}:    {"dXNlcjpwNHM=", "user:p4s"},
		{"user", "p4ss"}:   {"dXNlcjpwNHNz", "user:p4ss", "p4ss"},
		{"deployer", "p4"}: {"ZGVwbG95ZXI6cDQ=", "deployer:p4", "deployer"},
	} {
		if got := safetext.UserSecrets(pair[0], pair[1]); !slices.Equal(got, want) {
			t.Errorf("UserSecrets(%q) = %q, want %q", pair, got, want)
		}
	}
}

func TestRedactorLine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ secret, text, want string }{
		"none":                {"", "s3cret-8", "s3cret-8"},
		"verbatim":            {"s3cret+<&>", "no s3cret+<&>!", "no (redacted)!"},
		"dot":                 {"s3cret.8", "s3cret-8", "s3cret-8"}, // it is no pattern
		"host of a URL":       {"S3cret-T0ken", "ftp://s3cret-t0ken/", "ftp://(redacted)/"},
		"path":                {"s3/cr<t-8", "ftp://h/s3/cr%3Ct-8", "ftp://h/(redacted)"},
		"path segment":        {"s3/cr =t-8", "ftp://h/s3%2Fcr%20=t-8", "ftp://h/(redacted)"},
		"query":               {"s3/cr t-8", "ftp://h/?s3%2fcr+t-8", "ftp://h/?(redacted)"},
		"JSON of PHP":         {`s3cret/"T0ken`, `s3cret\/\"T0ken`, "(redacted)"},
		"JSON of .NET":        {"s3crét+T0ken", `s3cr\u00E9t\u002BT0ken`, "(redacted)"},
		"entities of Go":      {`s3"c&r't`, "s3&#34;c&amp;r&#39;t", "(redacted)"},
		"entities of PHP":     {`s3"c<r't`, "s3&quot;c&lt;r&#039;t", "(redacted)"},
		"entities in hex":     {"s3cret/T0ken'", "s3cret&#x2F;T0ken&#x27;", "(redacted)"},
		"invalid UTF-8":       {"s3\xff\xfecret", "s3\xff\xfecret", "(redacted)"},
		"a longer one":        {"s3cret-8,s3cret-8-T0ken", "s3cret-8-T0ken s3cret-8", "(redacted) (redacted)"},
		"part of it verbatim": {"s3/cr '(t)*!-8,'(t)*!-8", "s3%2Fcr%20'(t)*!-8", "(redacted)"},
		"not printable":       {"s3cret\u200b-8", "s3cret\u200b-8", "(redacted)"},
		"behind such a thing": {"s3cret-8", "s3\u200bcret-8", "(redacted)"},
		"across the cut":      {"s3cret-8", strings.Repeat("x", 35) + "s3cret-8", strings.Repeat("x", 35) + "(red…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := redactor(test.secret).Line(test.text, 40); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestRedactorQuoted(t *testing.T) {
	t.Parallel()
	if got, want := redactor(`s3cret"8`).Quoted("30\ns3cret\"8 and more", 20), `"30\n(redacted) and…`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRedactorBody(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ body, want string }{
		"text":                         {" Down\n until 10:00 ", "Down until 10:00"},
		"text that nobody can read":    {"a\xffb", ""},
		"a long text":                  {strings.Repeat("x", 100), strings.Repeat("x", 59) + "…"},
		"message":                      {`{"code":1,"message":"No <route>"}`, "No <route>"},
		"blank message":                {`{"message": " ", "error": "b"}`, `{"message":" ","error":"b"}`},
		"message that is no text":      {`{"message": {"a": [1.50, 1e99]}}`, `{"message":{"a":[1.50,1e99]}}`},
		"message in upper case":        {`{"Message":"x"}`, `{"Message":"x"}`},
		"JSON behind a mark":           {"\ufeff" + `{"message":"x"}`, "x"},
		"two JSON documents":           {"1\n2", "1 2"},
		"title":                        {"<html><title>No\n tenant</title><h1>Oops", "No tenant"},
		"title in upper case":          {" <TITLE lang=en>a < &lt;b&gt; &#x1b;&uuml;</TITLE>no", "a < <b> ü"},
		"title that is not text":       {"<title>&nbsp;</title><h1>Down</h1>", "Down"},
		"title in a comment":           {"<p>Down<!-- <title>no</title>\n --><p>Sorry", "Down Sorry"},
		"title in Latin-1":             {"<title>f\xfcr alle</title>", "fr alle"},
		"page":                         {"<p>By <b>our</b> rule &amp;<!-- no -->our<br/>law", "By our rule & our law"},
		"page with less than":          {"<p>5 < 6", "5 < 6"},
		"tag without an end":           {"<p>Down<a href=", "Down"},
		"style and script":             {"<style>p {}\n</style><script src=x>x('<p>')</script >Down", "Down"},
		"comment without an end":       {"<p>Down<!-- <b>x", "Down"},
		"style without an end":         {"<p>Down<style>p <b>x", "Down"},
		"script without an end":        {"<p>Down<SCRIPT>x <b>x", "Down"},
		"XML":                          {"<?xml version=\"1.0\"?><Code>NoSuchBucket</Code>", "NoSuchBucket"},
		"secret that looks like a tag": {"<p>not s3cret<x>8</p>", "not (redacted)"},
		"secret of JSON":               {`{"message":"not s3cret\u003Cx\u003E8"}`, "not (redacted)"},
		"secret across the cut":        {strings.Repeat("x", 55) + "s3cret<x>8", strings.Repeat("x", 55) + "(red…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := redactor("s3cret<x>8").Body([]byte(test.body), 60); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// redactor returns a redactor for secrets that are separated by commas, or for none.
func redactor(secrets string) safetext.Redactor {
	if secrets == "" {
		return safetext.NewRedactor(nil)
	}
	return safetext.NewRedactor(strings.Split(secrets, ","))
}
