package provider

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// failureReport is what a user reads about a read or a wait that failed.
type failureReport struct {
	err      *client.ReadError
	argument path.Path // the argument at fault
	summary  string
	evidence string // what was asked, and what came back
	attempts string // how many attempts were made, and which time limit ended them; may be ""
	remedy   string // what to do; may be ""
	anchor   string // the section of the troubleshooting page, such as "#status", or ""
}

// moreHelp ends every report.
const moreHelp = "More: https://registry.terraform.io/providers/filetransfer/filetransfer/latest/docs/guides/troubleshooting"

func (r *failureReport) diagnostic() diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(r.argument, r.summary,
		paragraphs(r.evidence, r.attempts, r.remedy, moreHelp+r.anchor))
}

// anchor returns the section of the troubleshooting page about a kind of failure.
func anchor(kind client.Kind) string {
	return "#" + strings.ToLower(strings.ReplaceAll(string(kind), " ", "-"))
}

// readReport returns the report about a read that failed with a [*client.ReadError].
func (d *providerData) readReport(err error, request client.Request, limit timeLimit) *failureReport {
	failed := err.(*client.ReadError) //nolint:errorlint,forcetypeassert // the client promises it, and never wraps it
	r := &failureReport{
		err: failed, argument: path.Root("base_url"), evidence: "GET " + failed.URL + ".",
		attempts: d.attempts(failed, limit),
	}
	if failure := failed.Failure; failure != nil {
		r.summary, r.remedy, r.anchor = summary(failure), remedy(failure), anchor(failure.Kind)
		r.evidence = d.evidence(failure, request)
	}
	if failed.Ending == client.Canceled { // which needs no remedy
		r.summary, r.remedy = "Read canceled", ""
	}
	return r
}

// waitReport returns the report about a wait that failed: that of a read, with what only a wait has to tell. unmet is
// what was not as expected in the last document.
func (d *providerData) waitReport(
	err error, request client.Request, limit timeLimit, stableFor time.Duration, unmet []difference,
) *failureReport {
	r := d.readReport(err, request, limit)
	if r.err.Ending == client.Canceled {
		r.summary = "Wait canceled"
	}
	failure := r.err.Failure
	if failure == nil {
		return r
	}
	if len(unmet) > 0 {
		r.argument = path.Root("expected").AtName(unmet[0].name) // with the path of the block, Terraform would show no line
		if failure.Kind != client.NotAsExpected {
			r.evidence = paragraphs(r.evidence,
				"The last document that the instance returned was not what is expected:"+bullets(expectedTexts(unmet), 0))
		}
	}
	if r.err.Held != nil {
		d.addStreak(r, request, stableFor)
	}
	return r
}

// addStreak adds what the last streak of a wait shows. The instance was as expected and did not stay so, which is what
// the remedy is about, whatever ended the streak. Only a cache has a remedy of its own.
func (d *providerData) addStreak(r *failureReport, request client.Request, stableFor time.Duration) {
	failure := r.err.Failure
	held := fmt.Sprintf("it reported what is expected for %s, and stable_for is %s.",
		formatDuration(r.err.Held.Round(time.Second/10)), formatDuration(stableFor))
	if failure.Kind == client.NotStable { // the time ran out in the streak
		before := "No attempt failed."
		if r.err.Before != nil {
			before = "The last failure before that: " + d.evidence(r.err.Before, request)
		}
		r.argument = path.Root("stable_for")
		r.evidence = paragraphs(d.requestText(failure.Route, request)+": "+held, before)
		return
	}
	r.evidence = paragraphs(r.evidence, "Before that, "+held)
	if failure.Kind != client.AnsweredByCache {
		r.anchor = anchor(client.NotStable)
		if r.err.Ending != client.Canceled {
			r.remedy = failureMessages[client.NotStable].remedy
		}
	}
}

// evidence returns what an attempt asked, and what came back.
func (d *providerData) evidence(failure *client.Failure, request client.Request) string {
	evidence := d.requestText(failure.Route, request) + ": " + failure.Reason
	if len(failure.Faults) > 0 {
		return evidence + ":" + bullets(failure.Faults, failure.MoreFaults)
	}
	return sentence(evidence)
}

// requestText returns what an attempt asked for, and in parentheses what is special about it.
func (d *providerData) requestText(route client.Route, request client.Request) string {
	var special []string
	if route.Address != "" {
		special = append(special, route.Address)
	}
	if route.ConnectTo != "" {
		special = append(special, "connect_to "+route.ConnectTo)
	}
	if route.Proxy != "" {
		special = append(special, "through the proxy "+route.Proxy)
	}
	if route.HeadersSent {
		special = append(special, "with request_headers")
	}
	if route.RedirectedTo != "" {
		special = append(special, "redirected to "+route.RedirectedTo)
	}
	if route.HeadersWithheld {
		special = append(special, "without request_headers")
	}
	if len(d.headers) > 0 && d.baseURL.Origin == "" {
		special = append(special, "without the provider's request_headers, which need its base_url")
	} else if len(d.headers) > 0 && d.baseURL.Origin != request.BaseURL.Origin {
		special = append(special, "without the provider's request_headers, which are only for "+d.baseURL.Origin)
	}
	if route.Age > 0 {
		special = append(special, fmt.Sprintf("from a cache, %d s old", int64(route.Age.Seconds())))
	}
	if len(special) == 0 {
		return "GET " + route.URL
	}
	return fmt.Sprintf("GET %s (%s)", route.URL, strings.Join(special, ", "))
}

// attempts says how many attempts were made, and which time limits ended them, or returns "".
func (d *providerData) attempts(err *client.ReadError, limit timeLimit) string {
	if err.Ending == client.Canceled {
		return "Canceled after " + count(err.Attempts, "attempt") + "."
	}
	var sentences []string
	if err.Attempts > 1 {
		sentences = append(sentences, count(err.Attempts, "attempt")+" made.")
	}
	if err.Ending == client.OutOfTime {
		sentences = append(sentences, "The time limit was "+limit.String()+".")
	}
	if err.Failure.TimedOut {
		attempt := timeLimit{"the provider's request_timeout", d.requestTimeout}
		sentences = append(sentences, "The time limit of each attempt was "+attempt.String()+".")
	}
	return strings.Join(sentences, " ")
}
