package safetext_test

import (
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

func TestLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "",
		"30 分, an\u0303o":         "30 分, an\u0303o",
		"  a\r\n\t\u00a0b  ":      "a b",
		"\x1b[31mred\x1b[0m":      "[31mred[0m",
		"a\u009b31mb\x00":         "a31mb",
		"abc\u202etxt.exe\u200b":  "abctxt.exe",
		"a\xff\xfeb":              "ab",
		"line\u2028break\u0085 x": "line break x",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if got := safetext.Line(text); got != want {
				t.Errorf("Line(%q) = %q, want %q", text, got, want)
			}
		})
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for line, test := range map[string]struct {
		limit int
		want  string
	}{
		"": {5, ""}, "abcde": {5, "abcde"}, "abcdef": {5, "abcd…"}, "abc def": {5, "abc…"},
		"分分分分分": {5, "分分分分分"}, "分分分分分分": {5, "分分分分…"}, "abc": {1, "…"},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			if got := safetext.Cut(line, test.limit); got != test.want {
				t.Errorf("Cut(%q, %d) = %q, want %q", line, test.limit, got, test.want)
			}
		})
	}
}
