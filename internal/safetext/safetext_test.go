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
		if got := safetext.Line(text); got != want {
			t.Errorf("Line(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"": "", "abcde": "abcde", "abcdef": "abcd…", "abc def": "abc…",
		"分分分分分": "分分分分分", "分分分分分分": "分分分分…",
	} {
		if got := safetext.Cut(line, 5); got != want {
			t.Errorf("Cut(%q, 5) = %q, want %q", line, got, want)
		}
	}
	if got := safetext.Cut("abc", 1); got != "…" {
		t.Errorf(`Cut("abc", 1) = %q, want "…"`, got)
	}
}
