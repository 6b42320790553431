package provider

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// waitReport is the message about a wait that failed. It is that of a read, with what only a wait has to tell.
type waitReport struct {
	read      readReport
	err       *client.WaitError
	stableFor time.Duration
}

func (w *waitReport) summary() string {
	switch {
	case w.read.err.Ending == client.Canceled:
		return "Wait canceled"
	case w.err.Streak != nil:
		return "Instance was not stable for long enough"
	default:
		return w.read.summary()
	}
}

// path returns the path of the argument that the message is about.
func (w *waitReport) path() path.Path {
	switch {
	case len(w.err.Differences) > 0: // with the path of the block, Terraform would show no line
		return path.Root("expected").AtName(w.err.Differences[0].Name)
	case w.err.Streak != nil:
		return path.Root("stable_for")
	default:
		return path.Root("base_url")
	}
}

func (w *waitReport) detail() string {
	isCanceled := w.read.err.Ending == client.Canceled // often by somebody who wants to see what goes on
	switch {
	case isCanceled && w.err.Streak == nil && w.read.err.Failure != nil:
		return canceledDetail(w.read.err, w.evidence(), w.remedy())
	case isCanceled:
		return canceledDetail(w.read.err, w.evidence(), "")
	}
	return paragraphs(w.evidence(), count(w.read.err.Attempts, "attempt")+" made. "+w.read.ending(), w.remedy(), moreHelp)
}

// evidence returns what the last attempts found, or "" if none was complete.
func (w *waitReport) evidence() string {
	switch {
	case w.err.Streak != nil:
		return w.streakEvidence()
	case w.read.err.Failure != nil:
		return w.failureEvidence()
	default:
		return ""
	}
}

func (w *waitReport) remedy() string {
	switch {
	case w.err.Streak == nil:
		return w.read.remedy()
	case w.err.Streak.Cache != "":
		return failureMessages[client.Cached].remedy + " If the instance was only ready too late, raise the time limit."
	case w.read.err.Failure == nil:
		return "No attempt failed, so raise the time limit. If the instance was as expected for much less time than that, find out what makes " +
			"the answers slow, because each counts for 3s at most."
	default:
		return "Check the log of the instance: it may stop and start again, or one of several servers may still run the old release. If it " +
			"only needs longer, raise the time limit."
	}
}

// failureEvidence returns what the last attempt found, which had failed. If that was another failure than the last answer that was read, or
// came after a streak, it also returns these.
func (w *waitReport) failureEvidence() string {
	failure := w.read.err.Failure
	var evidence []string
	switch {
	case failure.Kind == client.NotAsExpected:
		evidence = []string{failure.RequestSummary + " answered, but not what is expected:" + bullets(textsOf(w.err.Differences))}
	case len(w.err.Differences) > 0:
		evidence = []string{w.read.evidence(),
			"The last document that the instance returned was not what is expected:" + bullets(textsOf(w.err.Differences))}
	default:
		evidence = []string{w.read.evidence()}
	}
	if w.err.BrokenStreak != nil {
		evidence = append(evidence, fmt.Sprintf("Before that, it reported what is expected for %s, and stable_for is %s.",
			heldText(w.err.BrokenStreak), formatDuration(w.stableFor)))
	}
	return paragraphs(evidence...)
}

// streakEvidence returns how long the instance had been as expected when the wait ended, and what kept it from being so for longer.
func (w *waitReport) streakEvidence() string {
	streak := w.err.Streak
	held := fmt.Sprintf("GET %s reported what is expected, but not for long enough: for %s, and stable_for is %s.",
		w.read.err.URL, heldText(streak), formatDuration(w.stableFor))
	if streak.Cache != "" {
		held += fmt.Sprintf(" The last answer came from %s.", streak.Cache)
	}
	if w.err.Unanswered > 0 {
		held += fmt.Sprintf(" The last request had no answer after %s.", tenths(w.err.Unanswered))
	}
	before := ""
	if w.read.err.Failure != nil {
		before = "The last failure before that: " + sentence(w.read.err.Failure.String())
	}
	return paragraphs(held, before)
}

// heldText says how long a streak lasted, such as "2.5s (12 answers)".
func heldText(streak *client.Streak) string {
	return fmt.Sprintf("%s (%s)", tenths(streak.Held), count(streak.Answers, "answer"))
}

// tenths returns a duration that was measured, in tenths of a second.
func tenths(duration time.Duration) string { return formatDuration(duration.Round(time.Second / 10)) }

// textsOf says what each difference is.
func textsOf(differences []client.Difference) (texts []string) {
	for _, difference := range differences {
		texts = append(texts, difference.String())
	}
	return texts
}
