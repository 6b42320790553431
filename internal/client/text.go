package client

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/html"
)

// textOf returns what a person can read in a body: the message of an error in JSON or else the JSON, the title of a page in
// HTML or else its text, or plain text. It does not trust the Content-Type, because error pages often have a wrong one.
func textOf(body []byte) string {
	body = bytes.TrimSpace(body)
	var members map[string]any
	switch value := jsontext.Value(bytes.Clone(body)); {
	case bytes.HasPrefix(body, []byte("<")):
		return textOfPage(body)
	case json.Unmarshal(body, &members) == nil:
		for _, name := range []string{"message", "error"} {
			if message, ok := members[name].(string); ok && message != "" {
				return message
			}
		}
		fallthrough
	case value.IsValid(jsontext.AllowDuplicateNames(true)):
		// Without escapes, which could hide a secret.
		_ = value.Format(jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(false), jsontext.Multiline(false))
		return string(value)
	case utf8.Valid(body):
		return string(body)
	default:
		return "" // nobody can read it
	}
}

// textOfPage returns the title of a page, or else its text.
func textOfPage(page []byte) string {
	var title, text strings.Builder
	element := ""
	for tokens := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch tokens.Next() {
		case html.ErrorToken: // the end of the page
			if strings.TrimSpace(title.String()) != "" {
				return title.String()
			}
			return text.String()
		case html.StartTagToken:
			name, _ := tokens.TagName()
			element = string(name)
		case html.EndTagToken:
			element = ""
		case html.TextToken:
			switch element {
			case "title":
				title.WriteString(html.UnescapeString(string(tokens.Raw())))
			case "script", "style":
			default:
				text.WriteString(" " + html.UnescapeString(string(tokens.Raw())))
			}
		}
	}
}
