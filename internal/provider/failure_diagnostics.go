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

// failureSummaries holds the summary of the error for each kind of failure.
var failureSummaries = map[client.Kind]string{
	client.KindResolve:               "Host name of the instance not found",
	client.KindNameServer:            "Host name lookup failed",
	client.KindConnect:               "Instance not reachable",
	client.KindTimeout:               "Instance did not answer in time",
	client.KindBroken:                "Connection to the instance broke",
	client.KindCertificate:           summaryCertificate,
	client.KindCertificateExpired:    summaryCertificate,
	client.KindCertificateName:       summaryCertificate,
	client.KindCertificateSelfSigned: summaryCertificate,
	client.KindTLS:                   summaryHandshake,
	client.KindTLSVersion:            summaryHandshake,
	client.KindTLSHostName:           summaryHandshake,
	client.KindTLSProtocol:           summaryHandshake,
	client.KindClientCertificate:     summaryHandshake,
	client.KindProxy:                 "Instance not reachable through the proxy",
	client.KindNotHTTP:               summaryNotHTTP,
	client.KindHTTPSOnly:             summaryNotHTTP,
	client.KindHTTP2Only:             summaryNotHTTP,
	client.KindDamagedBody:           summaryNotHTTP,
	client.KindRedirect:              "Redirect of the instance not followed",
	client.KindStatus:                "Instance answered with status", // and the status
	client.KindLargeHead:             summaryTooLarge,
	client.KindLargeBody:             summaryTooLarge,
	client.KindNotJSON:               summaryNotJSON,
	client.KindWebPage:               summaryNotJSON,
	client.KindEmptyBody:             summaryNotJSON,
	client.KindCutShort:              summaryNotJSON,
	client.KindEncodedBody:           summaryNotJSON,
	client.KindDocument:              summaryNotDocument,
	client.KindErrorMessage:          summaryNotDocument,
	client.KindUnexpected:            "Instance does not report what is expected",
	client.KindCached:                "A cache answered instead of the instance",
}

const (
	summaryCertificate = "Certificate of the instance not trusted"
	summaryHandshake   = "TLS handshake with the instance failed"
	summaryNotHTTP     = "Response of the instance is not valid HTTP"
	summaryTooLarge    = "Response of the instance too large"
	summaryNotJSON     = "Response of the instance is not JSON"
	summaryNotDocument = "Response is not an instance document"
	summaryUnstable    = "Instance was not stable for long enough"
)

// readError returns an error for a failed read, at an attribute: what was requested, what went wrong, how often it was tried, and what
// to do. A canceled read has no attribute at fault.
func readError(at path.Path, err error, op readOperation) diag.Diagnostic {
	failed := client.AsReadError(err)
	if failed.Ending == client.Canceled {
		return canceledError(failed, op)
	}
	return errorAt(at, failureSummary(failed), failureDetail(failed, op))
}

func failureSummary(failed *client.ReadError) string {
	switch failure := failed.Failure; {
	case failed.Ending == client.Unstable:
		return summaryUnstable
	case failure.StatusCode > 0 && failure.Kind != client.KindProxy:
		return fmt.Sprintf("%s %d", failureSummaries[client.KindStatus], failure.StatusCode)
	default:
		return failureSummaries[failure.Kind]
	}
}

func failureDetail(failed *client.ReadError, op readOperation) string {
	return paragraphs(whatHappened(failed), whatCameBefore(failed, op), howItEnded(failed, op), sentences(adviceOn(failed, op)...))
}

// canceledError returns an error for a canceled read, with its last failure.
func canceledError(failed *client.ReadError, op readOperation) diag.Diagnostic {
	detail := "Reading the instance was canceled after " + attempts(failed.Attempts)
	if failed.Failure == nil {
		return diag.NewErrorDiagnostic(summaryCanceled, detail+": GET "+failed.URL+".")
	}
	return diag.NewErrorDiagnostic(summaryCanceled, paragraphs(detail+". The last one that finished failed:",
		whatHappened(failed), whatCameBefore(failed, op), sentences(adviceOn(failed, op)...)))
}

func attempts(number int) string {
	if number == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", number)
}

// whatHappened returns what was requested and what went wrong.
func whatHappened(failed *client.ReadError) string {
	switch failure := failed.Failure; {
	case failed.Ending == client.Unstable:
		return sentence(failed.Error())
	case failure.Kind == client.KindDocument:
		return failed.Target() + " answered JSON that the provider cannot read as an instance document:\n  - " +
			strings.Join(failure.Faults, "\n  - ")
	case failure.Kind == client.KindUnexpected:
		return failed.Target() + " answered, but the instance does not report what is expected:" + differenceList(failed.Differences)
	default:
		return sentence(failed.Target() + ": " + failure.Reason)
	}
}

// whatCameBefore returns what a wait met before its last failure.
func whatCameBefore(failed *client.ReadError, op readOperation) string {
	differing, stable := "", ""
	if len(failed.Differences) > 0 && failed.Failure.Kind != client.KindUnexpected {
		differing = "Before that, the instance answered, but did not report what is expected:" + differenceList(failed.Differences)
	}
	if streak := failed.Streak; streak.Attempts > 0 {
		lasted := "once"
		if streak.Attempts > 1 {
			lasted = fmt.Sprintf("for %s (%d answers)", formatDuration(streak.Lasted.Round(time.Second/10)), streak.Attempts)
		}
		stable = fmt.Sprintf("The instance last reported what is expected %s. stable_for is %s.", lasted, formatDuration(op.stableFor))
	}
	if failed.Ending == client.Unstable && failed.Failure != nil {
		stable += " Before that: " + sentence(failed.Target()+": "+failed.Failure.Reason)
	}
	return paragraphs(differing, stable)
}

// paragraphs joins the nonempty texts with blank lines.
func paragraphs(texts ...string) string { return joinNonempty(texts, "\n\n") }

// sentences joins the nonempty texts with spaces.
func sentences(texts ...string) string { return joinNonempty(texts, " ") }

func joinNonempty(texts []string, separator string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}

// howItEnded returns the number of attempts, if more than one, and the time limit that ended them, if any.
func howItEnded(failed *client.ReadError, op readOperation) string {
	made, limit, timeout := "", "", formatDuration(op.timeout)
	if failed.Attempts > 1 {
		made = attempts(failed.Attempts) + " were made."
	}
	switch {
	case op.waits && failed.OutOfTime():
		limit = fmt.Sprintf("The wait ended: %s is %s.", op.timeoutArgument, timeout)
	case failed.Ending == client.TimeRanOut:
		limit = fmt.Sprintf("The time for the whole read, %s (%s), ran out.", op.timeoutArgument, timeout)
	case failed.Ending == client.NoTimeLeft:
		limit = fmt.Sprintf("The time for the whole read, %s (%s), leaves no room for another attempt.", op.timeoutArgument, timeout)
	case failed.Failure.TimedOut:
		limit = fmt.Sprintf("The time for one attempt, the provider's request_timeout (%s), ran out.",
			formatDuration(op.provider.requestTimeout))
	}
	return sentences(made, limit)
}
