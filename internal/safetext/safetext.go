// Package safetext finds the text in what came from a network, makes it safe to print in a terminal, a log or a
// diagnostic, and tells whether it repeats a secret.
package safetext

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text as one line of printable characters. Each run of white space becomes one space, and none is left at
// the ends. Control characters (which start escape sequences), format characters (such as right-to-left overrides) and
// invalid UTF-8 are dropped.
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

// Body returns what a person can read in a body: the message of an object in JSON or else the JSON, the title of a page
// in HTML or else its text, or plain text. It does not trust the Content-Type, because error pages often have a wrong
// one.
func Body(body []byte) string {
	switch text := strings.TrimSpace(string(body)); {
	case strings.HasPrefix(text, "<"):
		return textOfPage(text)
	case !utf8.ValidString(text): // nobody can read it
		return ""
	case json.Valid([]byte(text)):
		return textOfJSON(text)
	default:
		return text
	}
}

// textOfJSON returns the message of an object, or else the JSON on one line.
func textOfJSON(document string) string {
	var object map[string]any
	if json.Unmarshal([]byte(document), &object) == nil {
		if message, _ := object["message"].(string); Line(message) != "" {
			return message
		}
	}
	var text bytes.Buffer
	_ = json.Compact(&text, []byte(document)) // the document is valid
	return text.String()
}

// A script, a style, a comment or a tag that does not end goes on to the end of the page, as in a browser. A pattern
// that insisted on the end would look for it from each beginning anew, which took seconds.
var (
	hidden = regexp.MustCompile(`(?is)<!--.*?(?:-->|\z)|` +
		`<script\b.*?(?:</script\b[^>]*>|\z)|<style\b.*?(?:</style\b[^>]*>|\z)`)
	title = regexp.MustCompile(`(?is)<title\b[^>]*>(.*?)</title`)
	tag   = regexp.MustCompile(`(?i)<[/!?a-z][^>]*(?:>|\z)`)
)

// textOfPage returns the title of a page in HTML or XML, or else its text, without what a browser does not show.
func textOfPage(page string) string {
	page = hidden.ReplaceAllString(page, " ")
	if found := title.FindStringSubmatch(page); found != nil {
		if text := html.UnescapeString(found[1]); Line(text) != "" {
			return text
		}
	}
	return html.UnescapeString(tag.ReplaceAllString(page, " "))
}
