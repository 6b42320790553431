package client

import (
	"net/http"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	bearer := http.Header{"Authorization": {"Bearer abc/DEF+123"}}
	tests := map[string]struct {
		header     http.Header
		text, want string
	}{
		"no headers":           {nil, "abc", "abc"},
		"not there":            {bearer, "nothing of it", "nothing of it"},
		"value":                {bearer, "got Bearer abc/DEF+123!", "got (redacted)!"},
		"twice":                {bearer, "Bearer abc/DEF+123Bearer abc/DEF+123", "(redacted)(redacted)"},
		"token":                {bearer, "got abc/DEF+123.", "got (redacted)."},
		"lower case":           {bearer, "got bearer abc/def+123.", "got (redacted)."},
		"token, lower case":    {bearer, "http://abc/def+123", "http://(redacted)"},
		"path":                 {bearer, "/Bearer%20abc%2FDEF+123", "/(redacted)"},
		"query":                {bearer, "?a=Bearer+abc%2FDEF%2B123&b", "?a=(redacted)&b"},
		"JSON with \\/":        {bearer, `"abc\/DEF+123"`, `"(redacted)"`},
		"scheme alone":         {bearer, "Bearer", "(redacted)"}, // long enough to be one
		"cookie":               {http.Header{"Cookie": {"a=secret-1; b=secret-2"}}, "a is secret-1 and b is secret-2", "a is (redacted) and b is (redacted)"},
		"quoted in JSON":       {http.Header{"X": {`a"b\c<d>`}}, `{"x":"a\"b\\c\u003cd\u003e"}`, `{"x":"(redacted)"}`},
		"quoted by Go":         {http.Header{"X": {"a\"b\\c\td"}}, `"a\"b\\c\td"`, `"(redacted)"`},
		"in HTML":              {http.Header{"X": {`<a&b>`}}, "<p>&lt;a&amp;b&gt;</p>", "<p>(redacted)</p>"},
		"spaces around":        {http.Header{"X": {"  secret\t"}}, "it is secret", "it is (redacted)"},
		"spaces within":        {http.Header{"X": {"a  b\tc"}}, "it is a b c", "it is (redacted)"},
		"two short characters": {http.Header{"X": {"on"}}, "on and on", "on and on"},
		"three characters":     {http.Header{"X": {"123"}}, "1234", "(redacted)4"},
		"empty":                {http.Header{"X": {""}}, "text", "text"},
		"longest first":        {http.Header{"X": {"secret"}, "Y": {"secret-and-more"}}, "secret-and-more", "(redacted)"},
		"several values":       {http.Header{"X": {"first-one", "second-one"}}, "second-one, first-one", "(redacted), (redacted)"},
		"cut":                  {bearer, "got Bearer abc/D…", "got (redacted)…"},
		"cut, quoted":          {bearer, `the string "xBearer abc/DEF+12…`, `the string "x(redacted)…`},
		"cut without a sign":   {bearer, "got Bearer abc/D", "got (redacted)"},
		"cut, too short":       {bearer, "got abc/D…", "got abc/D…"},
		"cut in the token":     {bearer, "got abc/DE…", "got (redacted)…"},
		"UTF-8":                {http.Header{"X": {"gehörtö"}}, "es gehörtö", "es (redacted)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := newRedactor(test.header).redact(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestRedactorCleans(t *testing.T) {
	t.Parallel()
	redact := newRedactor(http.Header{"X": {"secret-value"}, "Y": {"pw42"}})
	tests := map[string]struct {
		text  string
		limit int
		want  string
	}{
		"plain":                     {"some text", 20, "some text"},
		"control characters":        {"a\x1b[31mb\x00c\u202ed\ufffd", 20, "a[31mbcd"},
		"one line":                  {" a\r\n\tb\u00a0 ", 20, "a b"},
		"cut":                       {"abcdefghij", 5, "abcd…"},
		"redacted before it is cut": {"xx secret-value", 9, "xx (reda…"},
		"put together by cleaning":  {"sec\x00ret-\x1bvalue", 20, "(redacted)"},
		"longer once redacted":      {"not pw42.", 200, "not (redacted)."},
		"not by the limit":          {"secret-valu", 20, "(redacted)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := redact.clean(test.text, test.limit); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Headers of any size must not make a failure slow.
func TestRedactLongHeaders(t *testing.T) {
	t.Parallel()
	header := make(http.Header)
	for _, name := range []string{"A", "B", "C", "D"} {
		header[name] = []string{strings.Repeat(name, 16<<10)}
	}
	text := strings.Repeat("A", 64<<10-1) + "…"
	if got := newRedactor(header).redact(text); got != strings.Repeat(redacted, 4)[:len(got)-len("…")]+"…" {
		t.Errorf("got %.100q", got)
	}
}
