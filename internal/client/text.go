package client

import (
	"bytes"
	"cmp"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// textOf returns what a person can read in a body: the message of an error in JSON or else the JSON, the title of a page in
// HTML or else its text, or plain text. It does not trust the Content-Type, because error pages often have a wrong one.
func textOf(body []byte) string {
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("<")) {
		return textOfPage(string(body))
	}
	var members map[string]any
	if json.Unmarshal(body, &members) == nil {
		for _, name := range []string{"message", "error"} {
			if message, _ := members[name].(string); safetext.Line(message) != "" {
				return message
			}
		}
	}
	// On one line, and without escapes, which could hide a secret.
	formatted := jsontext.Value(bytes.Clone(body))
	err := formatted.Format(jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(false), jsontext.Multiline(false))
	switch {
	case err == nil:
		return string(formatted)
	case utf8.Valid(body):
		return string(body)
	default:
		return "" // nobody can read it
	}
}

var (
	pageTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`)
	// pageMarkup matches what a browser does not show.
	pageMarkup = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)>|<!--.*?-->|<[^>]*>`)
)

// textOfPage returns the title of a page in HTML or XML, or else its text.
func textOfPage(page string) string {
	title := ""
	if match := pageTitle.FindStringSubmatch(page); match != nil {
		title = strings.TrimSpace(match[1])
	}
	return html.UnescapeString(cmp.Or(title, pageMarkup.ReplaceAllString(page, " ")))
}
