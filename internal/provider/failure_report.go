package provider

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// failureReport puts into words why a read or a wait failed.
type failureReport struct {
	failed   *client.ReadFailure
	provider *providerData
	request  client.Request
	limit    timeLimit
	baseURL  path.Path // the argument that names the instance, or empty if the provider block does
	key      string    // the instance's key among several, or ""

	isWait    bool          // a read has neither of the following
	stableFor time.Duration // as in the configuration
	unmet     []difference  // what was not as expected in the last document
}

// A report ends with a link to the troubleshooting page, and most have a section of it.
const (
	moreHelp = "More: " +
		"https://registry.terraform.io/providers/filetransfer/filetransfer/latest/docs/guides/troubleshooting"
	canceledAnchor = "#read-canceled-wait-canceled"
)

// diagnostic returns the error that a user sees.
func (r failureReport) diagnostic() diag.Diagnostic {
	failure, streak := r.failed.Failure, r.failed.Streak
	var summary, remedy, section string
	switch {
	case r.failed.Ending == client.Canceled: // which needs no remedy
		summary, section = "Read canceled", canceledAnchor
		if r.isWait {
			summary = "Wait canceled"
		}
	case streak != nil && failure.Kind != client.AnsweredByCache:
		// The instance was as expected and did not stay so, which is what to mend, whatever ended the streak.
		summary, remedy, section = summaryOf(failure), failureMessages[client.NotStable].remedy, anchor(client.NotStable)
	default:
		summary, remedy, section = summaryOf(failure), remedyOf(failure), anchor(failure.Kind)
	}
	if remedy != "" && failure.Kind == client.NotAsExpected && slices.ContainsFunc(r.unmet, difference.isMisread) {
		remedy += mayBeMisread
	}
	if remedy != "" && r.key != "" {
		remedy += readTheOthers
	}
	argument := r.baseURL
	if len(r.unmet) > 0 { // with the path of the block, Terraform would show no line
		argument = path.Root("expected").AtName(r.unmet[0].name)
	} else if failure != nil && failure.Kind == client.NotStable {
		argument = path.Root("stable_for")
	}
	return diag.NewAttributeErrorDiagnostic(argument, summary,
		paragraphs(r.evidence(), r.attempts(), remedy, moreHelp+section))
}

// anchor returns the section of the troubleshooting page about a kind of failure.
func anchor(kind client.Kind) string {
	return "#" + strings.ToLower(strings.ReplaceAll(string(kind), " ", "-"))
}

// evidence returns what was asked, and what came back.
func (r failureReport) evidence() string {
	failure, streak := r.failed.Failure, r.failed.Streak
	if failure == nil {
		return r.requestText(client.Route{URL: r.request.BaseURL.DocumentURL.String()}) + ": no answer yet."
	}
	var streakText string
	if streak != nil {
		streakText = fmt.Sprintf("it reported what is expected for %s, and stable_for is %s.",
			formatDuration(streak.Lasted.Round(time.Second/10)), formatDuration(r.stableFor))
	}
	if failure.Kind == client.NotStable { // the time ran out in the streak
		before := "No attempt failed until then."
		if streak.FailureBefore != nil {
			before = "The last failure before that: " + r.failureText(streak.FailureBefore)
		}
		return paragraphs(r.requestText(failure.Route)+": "+streakText, before)
	}
	parts := []string{r.failureText(failure)}
	if r.key != "" {
		parts[0] = fmt.Sprintf("Instance %q: %s", r.key, parts[0])
	}
	if len(r.failed.Differences) > 0 && failure.Kind != client.NotAsExpected {
		parts = append(parts,
			"The last document that the instance returned was not what is expected:"+bullets(r.failed.Differences))
	}
	if streak != nil {
		parts = append(parts, "Before that, "+streakText)
	}
	return paragraphs(parts...)
}

// failureText returns what an attempt asked, and what came back.
func (r failureReport) failureText(failure *client.Failure) string {
	text := r.requestText(failure.Route) + ": " + failure.Reason
	if len(failure.Faults) > 0 {
		return text + ":" + bullets(failure.Faults)
	}
	return sentence(text)
}

// requestText returns what an attempt asked for, and in parentheses what is special about it.
func (r failureReport) requestText(route client.Route) string {
	var special []string
	add := func(isSo bool, text string) {
		if isSo {
			special = append(special, text)
		}
	}
	add(route.Address != "", route.Address)
	add(route.ConnectTo != "", "connect_to "+route.ConnectTo)
	add(route.Proxy != "", "through the proxy "+route.Proxy)
	add(route.HeadersSent, "with request_headers")
	add(route.RedirectedTo != "", "redirected to "+route.RedirectedTo)
	add(route.HeadersWithheld, "without request_headers")
	hasHeaders, origin := len(r.provider.headers) > 0, r.provider.baseURL.Origin
	add(hasHeaders && origin == "", "without the provider's request_headers, which need its base_url")
	add(hasHeaders && origin != "" && origin != r.request.BaseURL.Origin,
		"without the provider's request_headers, which are only for "+origin)
	add(route.Age > 0, fmt.Sprintf("from a cache, %d s old", int64(route.Age.Seconds())))
	if len(special) == 0 {
		return "GET " + route.URL
	}
	return fmt.Sprintf("GET %s (%s)", route.URL, strings.Join(special, ", "))
}

// attempts says how many attempts were made, and which time limits ended them, or returns "".
func (r failureReport) attempts() string {
	made := count(r.failed.Attempts, "attempt")
	if r.failed.Ending == client.Canceled {
		return "Canceled after " + made + "."
	}
	text := ""
	if r.failed.Attempts > 1 {
		text = made + " made. "
	}
	if r.failed.Ending == client.OutOfTime {
		text += "The time limit was " + r.limit.String() + ". "
	}
	if r.failed.Failure.TimedOut {
		attempt := timeLimit{"the provider's request_timeout", r.provider.requestTimeout}
		text += "The time limit of each attempt was " + attempt.String() + "."
	}
	return strings.TrimSpace(text)
}
