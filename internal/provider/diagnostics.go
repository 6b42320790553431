package provider

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

// Summaries of diagnostics. Of warnings with the same one, Terraform shows only the first: some add a name.
const (
	summaryBaseURL   = "Invalid base URL"
	summaryCanceled  = "Read canceled"
	summaryConnectTo = "Invalid connect_to"
	summaryTLS       = "Invalid TLS configuration"
)

const (
	// maxListed is the maximum number of entries or keys in a warning.
	maxListed = 20
	// maxDigits is the maximum number of characters of a number in an error: enough for any int64.
	maxDigits = 40
)

// sentence returns text with a capital letter, and with a period unless it was cut. text must not be empty.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "…") {
		text += "."
	}
	return text
}

// paragraphs joins the nonempty texts with blank lines.
func paragraphs(texts ...string) string { return joinNonempty(texts, "\n\n") }

// sentences joins the nonempty texts with spaces.
func sentences(texts ...string) string { return joinNonempty(texts, " ") }

func joinNonempty(texts []string, separator string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}

// bullet begins an item of a list.
const bullet = "\n  - "

// bullets returns a list with an item for each text.
func bullets(texts []string) string { return bullet + strings.Join(texts, bullet) }

// errorAt returns an error at an attribute. Terraform prints its lines: if they may have a secret, the path must be empty.
func errorAt(at path.Path, summary, detail string) diag.Diagnostic {
	if at.Equal(path.Empty()) {
		return diag.NewErrorDiagnostic(summary, detail)
	}
	return diag.NewAttributeErrorDiagnostic(at, summary, detail)
}

// listed joins at most maxListed texts, and appends the number of the others.
func listed(texts []string, separator, beforeMore string) string {
	list := strings.Join(texts[:min(len(texts), maxListed)], separator)
	if more := len(texts) - maxListed; more > 0 {
		list += fmt.Sprintf("%sand %d more", beforeMore, more)
	}
	return list
}

// quoted returns at most maxListed keys, in quotes.
func quoted(keys []string) string {
	list := make([]string, len(keys))
	for i, key := range keys {
		list[i] = strconv.Quote(key)
	}
	return listed(list, ", ", ", ")
}

var zerosAtEnd = regexp.MustCompile("([hm])(0m)?0s$")

// formatDuration returns a duration as a user would write it: "1m", not "1m0s".
func formatDuration(duration time.Duration) string {
	return zerosAtEnd.ReplaceAllString(duration.String(), "$1")
}

// syntaxError returns an error for an [*address.SyntaxError], and nil for any other err. See errorAt for secret input.
func syntaxError(at path.Path, summary, argument string, err error) diag.Diagnostic {
	syntaxErr, ok := errors.AsType[*address.SyntaxError](err)
	if !ok {
		return nil
	}
	remedy := syntaxErr.Remedy
	if inConfiguration := !at.Equal(path.Empty()); inConfiguration && syntaxErr.Padded {
		remedy += " trimspace() removes white space around a text."
	}
	if syntaxErr.Secret {
		at = path.Empty()
		remedy += " If a reverse proxy requires a secret, send it with request_headers of the provider, which are sensitive."
	}
	return errorAt(at, summary, fmt.Sprintf("%s %s. %s", argument, syntaxErr.Problem, remedy))
}
