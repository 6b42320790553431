package client

import (
	"context"
	"errors"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// maxGap is the maximum time from an answer to the next request of a streak. A longer gap means that this process was
// stopped, or the machine suspended, and nobody knows how the instance was.
const maxGap = 3 * time.Second

// minSilence is how long an attempt that is cut off must have lasted to tell something.
const minSilence = 3 * time.Second

// Wait reads an instance again and again, until it has been as expected for as long as stableFor, or the context ends.
// Every failure is tried again. With a stableFor of 0, one answer is enough. It returns the last result, or why there
// is none. The failure is the last one that tells something. That may also be an answer that was not as expected
// ([NotAsExpected]) or that came from a cache ([AnsweredByCache]), or a streak that was too short when the time ran out
// ([NotStable]).
//
// unmet returns what is not as expected, in texts that may quote the instance, or nothing.
func (c *Client) Wait(
	ctx context.Context, request Request, stableFor time.Duration, unmet func(*instance.Details) []string,
) (*Result, *ReadFailure) {
	r, delays := c.newReader(request), backoff{retry: c.config.Retry}
	var s streak
	var lastFailure *Failure
	var differences []string
	for goesOn := true; goesOn; {
		began := time.Now()
		result, failure := r.attempt(ctx)
		if failure == nil {
			failure = r.check(result, unmet)
		}
		if failure == nil {
			differences = nil
			if s.add(result.Route, r.askedAt); s.lasted >= stableFor {
				return result, nil
			}
			delays = backoff{retry: c.config.Retry} // the next failure has the shortest delay again
			r.log(ctx, "The instance is as expected", result.Route, map[string]any{"held": s.lasted.String()})
			goesOn = sleep(ctx, 250*time.Millisecond+jitter(500*time.Millisecond))
			continue
		}
		if saysNothing(ctx, failure, time.Since(began)) && (s.isHolding || lastFailure != nil) {
			break
		}
		if failure.Kind == NotAsExpected {
			differences = failure.Faults
		}
		lastFailure, s.isHolding = failure, false
		goesOn = r.pause(ctx, delays.next(failure.retryAfter), failure)
	}
	failed := r.waitFailed(ctx, s, lastFailure)
	failed.Differences = differences
	return nil, failed
}

// saysNothing reports whether an attempt that lasted for some time tells nothing about the instance, because it was
// canceled, or soon cut off.
func saysNothing(ctx context.Context, failure *Failure, lasted time.Duration) bool {
	return failure.isCutOff && (lasted <= minSilence || errors.Is(ctx.Err(), context.Canceled))
}

// check returns a failure if an answer is a copy that a cache has kept, or is not as expected.
func (r *reader) check(result *Result, unmet func(*instance.Details) []string) *Failure {
	if result.Route.Age > 0 {
		return &Failure{Route: result.Route, Kind: AnsweredByCache, Reason: "this answer is a copy that a cache has kept"}
	}
	var faults []string
	for _, text := range unmet(result.Details) {
		faults = append(faults, r.show(text, maxText))
	}
	if len(faults) == 0 {
		return nil
	}
	return &Failure{Route: result.Route, Kind: NotAsExpected, Reason: "the document is not as expected", Faults: faults}
}

// streak is a series of answers that were all as expected.
type streak struct {
	route     *Route        // that of its last answer, or nil if there was no streak yet
	isHolding bool          // nothing has ended it
	since     time.Time     // when its first answer had been read: how long that one took proves nothing
	readAt    time.Time     // when its last answer had been read, by the clock of the system alone
	lasted    time.Duration // from since to the beginning of its last request
}

// add adds an answer to the streak, or begins another one. The request was sent at askedAt.
func (s *streak) add(route Route, askedAt time.Time) {
	now := time.Now()
	if s.isHolding && askedAt.Sub(s.readAt) <= maxGap {
		s.lasted = askedAt.Sub(s.since)
	} else {
		*s = streak{isHolding: true, since: now}
	}
	// Without its monotonic part, which stands still while a machine is suspended.
	s.route, s.readAt = &route, now.Round(0)
}

// waitFailed returns why a wait failed whose context has ended. lastFailure may be from before the streak.
func (r *reader) waitFailed(ctx context.Context, s streak, lastFailure *Failure) *ReadFailure {
	failed := r.failed(ctx, lastFailure)
	if s.route != nil {
		failed.Streak = &Streak{Lasted: s.lasted}
	}
	if s.isHolding {
		const reason = "it was as expected, but not for long enough"
		failed.Failure = &Failure{Route: *s.route, Kind: NotStable, Reason: reason}
		failed.Streak.FailureBefore = lastFailure
	}
	return failed
}
