package provider

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// failedRead is what the texts about a failed read depend on.
type failedRead struct {
	err *client.ReadError
	op  readOperation
}

// readDiagnostic returns an error for a failed read, at an attribute unless it was canceled: what failed, and what to do.
func readDiagnostic(at path.Path, err *client.ReadError, op readOperation) diag.Diagnostic {
	f := failedRead{err, op}
	if err.Ending != client.Canceled {
		return errorAt(at, failureSummary(err), f.detail())
	}
	happened, afterwards := "Reading the instance was canceled after "+attempts(err.Attempts), ""
	if op.timeoutArgument == updateTimeout {
		afterwards = "The next apply waits again."
	}
	if err.Failure == nil {
		return diag.NewErrorDiagnostic(summaryCanceled, paragraphs(happened+": GET "+err.URL+".", afterwards))
	}
	return diag.NewErrorDiagnostic(summaryCanceled,
		paragraphs(happened+". The last one that finished failed:", f.detail(), afterwards))
}

func failureSummary(err *client.ReadError) string {
	switch failure := err.Failure; {
	case err.Ending == client.Unstable:
		return "Instance was not stable for long enough"
	case failure.StatusCode > 0 && failure.Kind != client.KindProxy:
		return fmt.Sprintf("Instance answered with status %d", failure.StatusCode)
	default:
		return failure.Kind.Summary
	}
}

func (f failedRead) detail() string {
	return paragraphs(f.whatHappened(), f.whatCameBefore(), f.howItEnded(), sentences(f.advice()...))
}

func attempts(number int) string {
	if number == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", number)
}

// whatHappened returns what was requested and what went wrong.
func (f failedRead) whatHappened() string {
	switch {
	case f.err.Ending == client.Unstable:
		return sentence(f.err.Error())
	case f.is(client.KindDocument):
		return f.err.Target() + " answered JSON that the provider cannot read as an instance document:" + bullets(f.err.Failure.Faults)
	case f.is(client.KindUnexpected):
		return f.err.Target() + " answered, but the instance does not report what is expected:" + differenceList(f.err.Differences)
	default:
		return sentence(f.err.Target() + ": " + f.err.Failure.Reason)
	}
}

// whatCameBefore returns what a wait met before its last failure.
func (f failedRead) whatCameBefore() string {
	differing, stable := "", ""
	if len(f.err.Differences) > 0 && !f.is(client.KindUnexpected) {
		differing = "Before that, the instance answered, but did not report what is expected:" + differenceList(f.err.Differences)
	}
	if f.err.Streak.Attempts > 0 {
		lasted := "once"
		if f.err.Streak.Attempts > 1 {
			lasted = fmt.Sprintf("for %s (%d answers)", formatDuration(f.err.Streak.Lasted.Round(time.Second/10)), f.err.Streak.Attempts)
		}
		stable = fmt.Sprintf("The instance last reported what is expected %s. stable_for is %s.",
			lasted, formatDuration(f.op.until.StableFor))
	}
	if f.err.Ending == client.Unstable && f.err.Failure != nil {
		stable += " The last failure before that: " + sentence(f.err.Target()+": "+f.err.Failure.Reason)
	}
	return paragraphs(differing, stable)
}

// howItEnded returns the number of attempts, if more than one, and the time limit that ended them, if any.
func (f failedRead) howItEnded() string {
	made, limit, timeout := "", "", formatDuration(f.op.timeout)
	if f.err.Attempts > 1 && f.err.Ending != client.Canceled {
		made = attempts(f.err.Attempts) + " were made."
	}
	switch {
	case f.op.waits && f.err.OutOfTime():
		limit = fmt.Sprintf("The wait ended: %s is %s.", f.op.timeoutArgument, timeout)
	case f.err.Ending == client.TimeRanOut:
		limit = fmt.Sprintf("The time for the whole read, %s (%s), ran out.", f.op.timeoutArgument, timeout)
	case f.err.Ending == client.NoTimeLeft:
		limit = fmt.Sprintf("The time for the whole read, %s (%s), leaves no room for another attempt.",
			f.op.timeoutArgument, timeout)
	case f.err.Failure.TimedOut:
		limit = fmt.Sprintf("The time for one attempt, the provider's request_timeout (%s), ran out.",
			formatDuration(f.op.provider.requestTimeout))
	}
	return sentences(made, limit)
}

// pathAtFault returns the path of the argument of a record that a failure is about.
func pathAtFault(err *client.ReadError, op readOperation) path.Path {
	switch {
	case op.purpose == refreshRecord: // it has no configuration to point to
		return path.Empty()
	case err.Ending == client.Unstable:
		return path.Root("stable_for")
	case err.Failure != nil && err.Failure.Kind == client.KindUnexpected:
		return expectedPath(err.Differences)
	default:
		return path.Root("base_url")
	}
}

// fleetErrors returns an error for each key of an instance that could not be read.
func fleetErrors(failed map[string]*fleetMember, op readOperation) (diags diag.Diagnostics) {
	for _, key := range slices.Sorted(maps.Keys(failed)) {
		at := path.Root("base_urls").AtMapKey(key)
		failure := readDiagnostic(at, failed[key].err, op)
		diags.AddAttributeError(at, failure.Summary(),
			fmt.Sprintf("Instance %q: %s To read the others without it, set allow_failures = true.", key, failure.Detail()))
	}
	return diags
}

// fleetWarning returns a warning that lists the failures, and each piece of advice once, with the number of keys.
func fleetWarning(failed map[string]*fleetMember, total int, op readOperation) diag.Diagnostic {
	var lines, allAdvice []string
	count := make(map[string]int)
	keys := slices.Sorted(maps.Keys(failed))
	for _, key := range keys {
		err := failed[key].err
		lines = append(lines, fmt.Sprintf("%s%q: %s (%s)", bullet, key, err, attempts(err.Attempts)))
		for _, advice := range (failedRead{err, op}).advice() {
			if count[advice] == 0 {
				allAdvice = append(allAdvice, advice)
			}
			count[advice]++
		}
	}
	texts := []string{fmt.Sprintf(
		"%d of %d could not be read. As allow_failures is true, they are in errors and not in instances:%s",
		len(keys), total, listed(lines, "", bullet))}
	for _, advice := range allAdvice {
		if len(keys) > 1 {
			advice = fmt.Sprintf("For %d of them: %s", count[advice], advice)
		}
		texts = append(texts, advice)
	}
	first := failed[keys[0]].name()
	if more := len(keys) - 1; more > 0 {
		first += fmt.Sprintf(" (and %d more)", more)
	}
	return diag.NewWarningDiagnostic("Instances could not be read: "+first, paragraphs(texts...))
}
