package client

import (
	"html"
	"net/http"
	"regexp"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

const (
	// shownBody is how many bytes of a body that is not an instance document are looked at for something to show.
	shownBody = 8 << 10
	// messageLimit is how many characters an error repeats of what an instance says.
	messageLimit = 200
)

func isHTML(header http.Header, body string) bool {
	return strings.Contains(strings.ToLower(header.Get("Content-Type")), "html") || strings.HasPrefix(strings.TrimSpace(body), "<")
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

// PageTitle tells whether a text is an HTML page, and returns its title, safe to print, or "".
func PageTitle(text string) (title string, isPage bool) {
	return safetext.Clean(titleOf(text[:min(len(text), shownBody)]), messageLimit), isHTML(nil, text)
}
