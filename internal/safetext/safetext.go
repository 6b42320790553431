// Package safetext makes text that came from a network safe to print in a terminal, a log or a diagnostic.
package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// Clean returns text as one line of printable characters, at most limit characters (runes) long; a longer text is cut
// and ends in "…".
//
// Every run of white space becomes one space. Control characters (a terminal's escape sequences start with one),
// format characters (they can reverse the direction of what follows) and bytes that are not UTF-8 are left out.
func Clean(text string, limit int) string {
	var cleaned strings.Builder
	length, pendingSpace := 0, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			pendingSpace = length > 0
			continue
		case r == utf8.RuneError || !unicode.IsPrint(r):
			continue
		}
		needed := 1
		if pendingSpace {
			needed = 2
		}
		if length+needed > limit {
			return cutForEllipsis(cleaned.String(), limit) + ellipsis
		}
		if pendingSpace {
			cleaned.WriteByte(' ')
			pendingSpace = false
		}
		cleaned.WriteRune(r)
		length += needed
	}
	return cleaned.String()
}

// cutForEllipsis shortens a cleaned text so that the ellipsis fits into limit.
func cutForEllipsis(cleaned string, limit int) string {
	for utf8.RuneCountInString(cleaned) >= max(limit, 1) {
		_, size := utf8.DecodeLastRuneInString(cleaned)
		cleaned = cleaned[:len(cleaned)-size]
	}
	return strings.TrimRight(cleaned, " ")
}
