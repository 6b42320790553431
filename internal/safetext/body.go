package safetext

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/html"
)

// OfBody returns what a person can read in a body: the message of an object in JSON or else the JSON, the title of a page in HTML or else
// its text, or plain text. It does not trust the Content-Type, because error pages often have a wrong one. What it returns is not safe to
// print yet.
func OfBody(body []byte) string {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\uFEFF")))
	if bytes.HasPrefix(body, []byte("<")) {
		return textOfPage(body)
	}
	var members map[string]any
	if json.Unmarshal(body, &members) == nil {
		if message, _ := members["message"].(string); Line(message) != "" {
			return message
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

// textOfPage returns the title of a page in HTML or XML, or else its text, without what a browser does not show.
func textOfPage(page []byte) string {
	var text strings.Builder
	element := "" // the one that the next text is in
	for tokenizer := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch tokenizer.Next() {
		case html.ErrorToken: // the end of the page
			return text.String()
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := tokenizer.TagName()
			element = string(name)
			text.WriteByte(' ')
		case html.TextToken:
			shown := tokenizer.Text()
			switch {
			case element == "title" && len(bytes.TrimSpace(shown)) > 0:
				return string(shown)
			case element != "script" && element != "style":
				text.Write(shown)
			}
		default:
			element = ""
			text.WriteByte(' ')
		}
	}
}
