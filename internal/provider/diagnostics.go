package provider

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// The summaries of all diagnostics but those in failureWords. Each has a section in the troubleshooting guide.
const (
	summaryCACerts       = "Invalid CA certificates"
	summaryBaseURL       = "Invalid base URL"
	summaryCanceled      = "Read canceled"
	summaryContradictory = "Expiry options contradict themselves"
	summaryDuration      = "Invalid duration"
	summaryFailures      = "Instances could not be read"
	summaryHeader        = "Invalid request header"
	summaryInsecure      = "Certificates are not verified"
	summaryKept          = "Instance not read, last known details kept"
	summaryNoCert        = "Client key without its certificate"
	summaryNoInstance    = "No instance to read"
	summaryNoKey         = "Client certificate without its key"
	summaryNumber        = "Invalid number"
	summaryRetryDelays   = "min_delay is longer than max_delay"
	summaryShort         = "Expiry options shorter than a minute"
	summaryTLS           = "Invalid TLS configuration"
	summaryUnknown       = "Provider configuration not known yet"
	summaryUnusedHeaders = "Request headers without an instance to send them to"
)

// maxListed is how many entries or keys a warning lists.
const maxListed = 20

// sentence makes a sentence of a text.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "…") {
		text += "."
	}
	return text
}

// errorAt makes an error on an attribute, or on the whole block if the path is empty.
func errorAt(at path.Path, summary, detail string) diag.Diagnostic {
	if at.Equal(path.Empty()) {
		return diag.NewErrorDiagnostic(summary, detail)
	}
	return diag.NewAttributeErrorDiagnostic(at, summary, detail)
}

// listed joins the first maxListed texts, and says how many more there are.
func listed(texts []string, separator, beforeMore string) string {
	list := strings.Join(texts[:min(len(texts), maxListed)], separator)
	if more := len(texts) - maxListed; more > 0 {
		list += fmt.Sprintf("%sand %d more", beforeMore, more)
	}
	return list
}
