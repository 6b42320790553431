// Package safetext makes text that came from a network safe to print in a terminal, a log or a diagnostic.
package safetext

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns text as one line of printable characters, at most limit characters (runes) long; a longer text is cut
// and ends in "…". limit must be positive.
//
// Every run of white space becomes one space. Control characters (a terminal's escape sequences start with one),
// format characters (they can reverse the direction of what follows) and bytes that are not UTF-8 are left out.
func Clean(text string, limit int) string {
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

// CleanSecrets cleans a text from which redact removes secrets. It redacts before and after cleaning: what Clean leaves out
// may be all that disguised a secret. It cuts last, so that no half of one remains.
func CleanSecrets(text string, redact func(string) string, limit int) string {
	return cut(redact(Clean(redact(text), math.MaxInt)), limit)
}

func cut(line string, limit int) string {
	characters := []rune(line)
	if len(characters) <= limit {
		return line
	}
	return strings.TrimRight(string(characters[:max(limit-1, 0)]), " ") + "…"
}
