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

// readError returns an error for a failed read, at an attribute: what was requested, what went wrong, how often it was tried, and what
// to do. A canceled read has no attribute at fault.
func readError(at path.Path, failed *client.ReadError, op readOperation) diag.Diagnostic {
	if failed.Ending == client.Canceled {
		happened, afterwards := "Reading the instance was canceled after "+attempts(failed.Attempts), ""
		if op.timeoutArgument == updateTimeout {
			afterwards = "The next apply waits again."
		}
		if failed.Failure == nil {
			return diag.NewErrorDiagnostic(summaryCanceled, paragraphs(happened+": GET "+failed.URL+".", afterwards))
		}
		return diag.NewErrorDiagnostic(summaryCanceled,
			paragraphs(happened+". The last one that finished failed:", failureDetail(failed, op), afterwards))
	}
	return errorAt(at, failureSummary(failed), failureDetail(failed, op))
}

func failureSummary(failed *client.ReadError) string {
	switch failure := failed.Failure; {
	case failed.Ending == client.Unstable:
		return "Instance was not stable for long enough"
	case failure.StatusCode > 0 && failure.Kind != client.KindProxy:
		return fmt.Sprintf("Instance answered with status %d", failure.StatusCode)
	default:
		return failure.Kind.Summary
	}
}

func failureDetail(failed *client.ReadError, op readOperation) string {
	return paragraphs(whatHappened(failed), whatCameBefore(failed, op), howItEnded(failed, op), sentences(adviceOn(failed, op)...))
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
		stable = fmt.Sprintf("The instance last reported what is expected %s. stable_for is %s.", lasted, formatDuration(op.until.StableFor))
	}
	if failed.Ending == client.Unstable && failed.Failure != nil {
		stable += " The last failure before that: " + sentence(failed.Target()+": "+failed.Failure.Reason)
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
	if failed.Attempts > 1 && failed.Ending != client.Canceled {
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
