package provider

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// report is the message about a read or a wait that failed.
type report struct {
	err      *client.ReadError
	argument path.Path // the argument at fault
	summary  string
	evidence string // what was asked, and what came back
	attempts string // how many attempts were made, and which time limit ended them; may be ""
	remedy   string // what to do; may be ""
	topic    string // the section of the troubleshooting page, such as "#status", or ""
}

// detail returns the text below the summary.
func (r *report) detail() string {
	return paragraphs(r.evidence, r.attempts, r.remedy, moreHelp+r.topic)
}

// ofKey makes it the message about one instance of many.
func (r *report) ofKey(key string) *report {
	r.argument = path.Root("base_urls").AtMapKey(key)
	r.evidence = fmt.Sprintf("Instance %q: %s", key, r.evidence)
	r.remedy += readTheOthers
	return r
}

const readTheOthers = " To read the other instances anyway, set allow_failures = true."

func (r *report) diagnostic() diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(r.argument, r.summary, r.detail())
}

// moreHelp ends every message about a read or a wait that failed.
const moreHelp = "More: https://registry.terraform.io/providers/filetransfer/filetransfer/latest/docs/guides/troubleshooting"

// topicOf returns the section of the troubleshooting page about a kind of failure.
func topicOf(kind client.Kind) string {
	return "#" + strings.ToLower(strings.ReplaceAll(string(kind), " ", "-"))
}

// readReport returns the message about a read that failed.
func (d *providerData) readReport(err *client.ReadError, request client.Request, limit timeLimit) *report {
	r := &report{err: err, argument: path.Root("base_url"), evidence: "GET " + err.URL + ".", attempts: d.attempts(err, limit)}
	if failure := err.Failure; failure != nil {
		r.summary, r.remedy, r.topic = summaryOf(failure), remedyOf(failure), topicOf(failure.Kind)
		r.evidence = d.evidence(failure, request)
	}
	if err.Ending == client.Canceled {
		r.summary = "Read canceled"
	}
	return r
}

// waitReport returns the message about a wait that failed: that of a read, with what only a wait has to tell.
func (d *providerData) waitReport(err *client.WaitError, request client.Request, limit timeLimit, stableFor time.Duration) *report {
	r := d.readReport(err.ReadError, request, limit)
	if err.Ending == client.Canceled {
		r.summary = "Wait canceled"
	}
	failure := err.Failure
	if failure == nil {
		return r
	}
	if len(err.Differences) > 0 {
		r.argument = path.Root("expected").AtName(err.Differences[0].Name) // with the path of the block, Terraform would show no line
		if failure.Kind != client.NotAsExpected {
			r.evidence = paragraphs(r.evidence, "The last document that the instance returned was not what is expected:"+bullets(textsOf(err.Differences)))
		}
	}
	if err.Streak != nil {
		d.addStreak(r, err, request, stableFor)
	}
	return r
}

// addStreak adds what the last streak of a wait shows. The instance was as expected and did not stay so, which is what the remedy is about,
// whatever ended the streak.
func (d *providerData) addStreak(r *report, err *client.WaitError, request client.Request, stableFor time.Duration) {
	kind, asked := client.NotStable, err.Failure.Asked
	held := fmt.Sprintf("it reported what is expected for %s (%s), and stable_for is %s",
		formatDuration(err.Streak.Held.Round(time.Second/10)), count(err.Streak.Answers, "answer"), formatDuration(stableFor))
	if err.Failure.Kind != client.NotStable { // it ended the streak
		r.evidence = paragraphs(r.evidence, "Before that, "+held+".")
	} else { // the time ran out in the streak
		if asked.FromCache {
			kind = client.Cached
			held += "; the last answer came from " + cacheOf(asked)
		}
		before := "No attempt failed."
		if err.Before != nil {
			before = "The last failure before that: " + d.evidence(err.Before, request)
		}
		r.argument = path.Root("stable_for")
		r.evidence = paragraphs(d.whatWasAsked(asked, request)+": "+held+".", before)
	}
	r.remedy, r.topic = failureMessages[kind].remedy, topicOf(kind)
}

// evidence returns what an attempt asked, and what came back.
func (d *providerData) evidence(failure *client.Failure, request client.Request) string {
	evidence := d.whatWasAsked(failure.Asked, request) + ": " + failure.Reason
	if len(failure.Faults) > 0 {
		return evidence + ":" + listed(failure.Faults)
	}
	if failure.Kind == client.CertificateNotTrusted && failure.CertificateFault == client.UnknownAuthority {
		return strings.TrimSpace(sentence(evidence) + " " + d.unusableCAs)
	}
	return sentence(evidence)
}

// whatWasAsked returns what an attempt asked for, and in parentheses what is special about it.
func (d *providerData) whatWasAsked(asked client.Asked, request client.Request) string {
	providerHeaders := "without the provider's request_headers, which need its base_url"
	if d.baseURL.Origin != "" {
		providerHeaders = "without the provider's request_headers, which are only for " + d.baseURL.Origin
	}
	var special []string
	for _, part := range []struct {
		isTrue bool
		text   string
	}{
		{asked.Peer != "", asked.Peer},
		{asked.ConnectTo != "", "connect_to " + asked.ConnectTo},
		{asked.ProxyVariable != "", "through the proxy in " + asked.ProxyVariable},
		{asked.HeadersSent, "with request_headers"},
		{asked.CertificateSent, "with client_cert_pem"},
		{asked.RedirectedTo != "", "redirected to " + asked.RedirectedTo},
		{asked.HeadersWithheld, "without request_headers"},
		{asked.CertificateWithheld, "without client_cert_pem"},
		{len(d.headers) > 0 && request.BaseURL.Origin != d.baseURL.Origin, providerHeaders},
		{asked.FromCache, "from " + cacheOf(asked)},
	} {
		if part.isTrue {
			special = append(special, part.text)
		}
	}
	if len(special) == 0 {
		return "GET " + asked.URL
	}
	return fmt.Sprintf("GET %s (%s)", asked.URL, strings.Join(special, ", "))
}

func cacheOf(asked client.Asked) string {
	return fmt.Sprintf("a cache, %d s old", int64(asked.Age.Seconds()))
}

// attempts says how many attempts were made, and which time limit ended them, or returns "".
func (d *providerData) attempts(err *client.ReadError, limit timeLimit) string {
	if err.Ending == client.Canceled {
		return "Canceled after " + count(err.Attempts, "attempt") + "."
	}
	var sentences []string
	if err.Attempts > 1 {
		sentences = append(sentences, count(err.Attempts, "attempt")+" made.")
	}
	switch {
	case err.Ending == client.OutOfTime:
		sentences = append(sentences, "The time limit was "+limit.String()+".")
	case err.Failure.CutOff == client.CutOffByRequestTimeout:
		attempt := timeLimit{"the provider's request_timeout", d.requestTimeout}
		sentences = append(sentences, "The time limit of each attempt was "+attempt.String()+".")
	}
	return strings.Join(sentences, " ")
}

// textsOf says what each difference is.
func textsOf(differences []client.Difference) (texts []string) {
	for _, difference := range differences {
		texts = append(texts, difference.String())
	}
	return texts
}
