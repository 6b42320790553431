package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// maxListed is the maximum number of keys or faults that a message lists.
const maxListed = 20

// count returns a number with a noun: "1 attempt", "2 attempts".
func count[N int | int64](number N, noun string) string {
	if number == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", number, noun)
}

// sentence returns text that ends in a period, unless it was cut.
func sentence(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}

// paragraphs joins texts with blank lines, and leaves out empty ones.
func paragraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}

// bullets returns a list of at most maxListed lines, and the number of the others.
func bullets(lines []string) string {
	listed := lines[:min(len(lines), maxListed)]
	list := "\n  - " + strings.Join(listed, "\n  - ")
	if more := len(lines) - len(listed); more > 0 {
		list += fmt.Sprintf("\n  - and %d more", more)
	}
	return list
}

// texts returns the text of each of some values.
func texts[T any](values []T, text func(T) string) []string {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = text(value)
	}
	return list
}

// firstText returns the first of some texts and the number of the others, or "" if there are none.
func firstText(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	return fmt.Sprintf("%s, and %d more", texts[0], len(texts)-1)
}

var zerosAtEnd = regexp.MustCompile("([hm])(0m)?0s$")

// formatDuration returns a duration as a user would write it: "1m", not "1m0s".
func formatDuration(duration time.Duration) string {
	return zerosAtEnd.ReplaceAllString(duration.String(), "$1")
}
