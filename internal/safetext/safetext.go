// Package safetext finds the text in what came from a network, and makes it safe to print in a terminal, a log or a diagnostic.
package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text as one line of printable characters. Each run of white space becomes one space, and none is left at the ends. Control
// characters (which start escape sequences), format characters (such as right-to-left overrides) and invalid UTF-8 are dropped.
func Line(text string) string {
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
	return strings.Join(strings.Fields(printable), " ")
}

// Cut returns at most limit characters (runes) of line. A line that was cut ends in "…". The limit must be positive.
func Cut(line string, limit int) string {
	characters := []rune(line)
	if len(characters) <= limit {
		return line
	}
	return strings.TrimRight(string(characters[:limit-1]), " ") + "…"
}
