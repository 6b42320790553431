// Package safetext makes text that came from a network safe to print in a terminal, a log or a diagnostic.
package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns text as one line of printable characters, at most limit characters (runes) long; a longer text is cut
// and ends in "…".
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
	line := strings.Join(strings.Fields(printable), " ")
	characters := []rune(line)
	if len(characters) <= limit {
		return line
	}
	return strings.TrimRight(string(characters[:max(limit-1, 0)]), " ") + "…"
}
