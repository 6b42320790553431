package client

import (
	"html"
	"regexp"
	"strings"
)

const (
	// maxExcerpt is the maximum number of bytes of a body that are searched for text to show.
	maxExcerpt = 8 << 10
	// messageLimit is the maximum number of characters of an instance's text in an error.
	messageLimit = 200
)

// isHTML reports whether a body is an HTML page, by its Content-Type or first character.
func isHTML(contentType, body string) bool {
	return strings.Contains(strings.ToLower(contentType), "html") || strings.HasPrefix(strings.TrimSpace(body), "<")
}

var htmlTitle = regexp.MustCompile(`(?i)<title[^>]*>([^<]*)</title`)

// titleOf returns the title of an HTML page, or "".
func titleOf(page string) string {
	title := htmlTitle.FindStringSubmatch(page)
	if title == nil {
		return ""
	}
	return html.UnescapeString(title[1])
}
