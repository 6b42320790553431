// Package safetext makes text that came from a network safe to print in a terminal, a log or a diagnostic.
package safetext

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text as one line of at most limit printable characters (runes), which must be positive. Longer text ends
// in "…". Each run of white space becomes one space, and none at the ends. Control characters (which start escape
// sequences), format characters (such as right-to-left overrides) and invalid UTF-8 are dropped.
func Line(text string, limit int) string {
	printable := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return -1
		default:
			return r
		}
	}, text)
	return cut(strings.Join(strings.Fields(printable), " "), limit)
}

// RedactedLine returns [Line] of text with redact applied. It redacts twice, because dropping characters may uncover a
// secret, and cuts last, so that no part of a secret remains.
func RedactedLine(text string, redact func(string) string, limit int) string {
	return cut(redact(Line(redact(text), math.MaxInt)), limit)
}

func cut(line string, limit int) string {
	characters := []rune(line)
	if len(characters) <= limit {
		return line
	}
	return strings.TrimRight(string(characters[:max(limit-1, 0)]), " ") + "…"
}
