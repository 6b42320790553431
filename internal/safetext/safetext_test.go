package safetext_test

import (
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

func TestLine(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text  string
		limit int
		want  string
	}{
		"plain":                           {"Not Found", 20, "Not Found"},
		"empty":                           {"", 20, ""},
		"localized text is kept":          {"30 分, 1 año", 20, "30 分, 1 año"},
		"combining marks are kept":        {"an\u0303o", 20, "an\u0303o"},
		"white space folds":               {"  a\r\n\tb  ", 20, "a b"},
		"terminal escapes lose their ESC": {"\x1b[31mred\x1b[0m", 20, "[31mred[0m"},
		"C1 control characters":           {"a\u009b31mb", 20, "a31mb"},
		"direction overrides":             {"abc\u202etxt.exe", 20, "abctxt.exe"},
		"bytes that are not UTF-8":        {"a\xff\xfeb", 20, "ab"},
		"exactly the limit":               {"abcde", 5, "abcde"},
		"cut at the limit":                {"abcdef", 5, "abcd…"},
		"the cut leaves no space":         {"abc defgh", 5, "abc…"},
		"trailing space does not count":   {"abcde   ", 5, "abcde"},
		"limit counts characters":         {"分分分分分分", 5, "分分分分…"},
		"more bytes than the limit":       {strings.Repeat("é", 80), 100, strings.Repeat("é", 80)},
		"characters as the limit":         {strings.Repeat("aé", 80), 160, strings.Repeat("aé", 80)},
		"room for the ellipsis only":      {"abc", 1, "…"},
	}
	for name, test := range tests {
		if got := safetext.Line(test.text, test.limit); got != test.want {
			t.Errorf("%s: Line(%q, %d) = %q, want %q", name, test.text, test.limit, got, test.want)
		}
	}
}

// Dropped characters may hide a secret, and a cut may leave half of one.
func TestRedactedLine(t *testing.T) {
	t.Parallel()
	redact := strings.NewReplacer("s3cret", "(redacted)", "two\nlines", "(redacted)", "longer-s3cr3t", "(redacted)").Replace
	tests := map[string]struct{ text, want string }{
		"secret":                     {"no s3cret!", "no (redacted)!"},
		"uncovered by cleaning":      {"s3\u200bcret", "(redacted)"},
		"changed by cleaning":        {"two\nlines", "(redacted)"},
		"cut after it was redacted":  {"12345678 s3cret", "12345678 (red…"},
		"uncovered, and then cut":    {"12345678 longer\u200b-s3cr3t", "12345678 (red…"},
		"secret beyond the limit":    {"12345678901 s3cret", "12345678901 (…"},
		"characters as the limit":    {strings.Repeat("é", 14), strings.Repeat("é", 14)},
		"characters above the limit": {strings.Repeat("é", 15), strings.Repeat("é", 13) + "…"},
	}
	for name, test := range tests {
		if got := safetext.RedactedLine(test.text, redact, 14); got != test.want {
			t.Errorf("%s: RedactedLine(%q) = %q, want %q", name, test.text, got, test.want)
		}
	}
}
