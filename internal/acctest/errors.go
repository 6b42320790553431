package acctest

import (
	"regexp"
	"strings"
)

// WrappedText matches texts in this order in what a CLI prints. It breaks lines where it likes, and may draw a bar before each.
func WrappedText(texts ...string) *regexp.Regexp {
	var patterns []string
	for _, text := range texts {
		words := strings.Fields(text)
		for i, word := range words {
			words[i] = regexp.QuoteMeta(word)
		}
		patterns = append(patterns, strings.Join(words, `[\s│]+`))
	}
	return regexp.MustCompile(`(?s)` + strings.Join(patterns, ".*"))
}
