package client

import (
	"context"
	"errors"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// maxGap is the maximum time from an answer to the next request of a streak. A longer gap means that this process was
// stopped, or the machine suspended, and nobody knows how the instance was. An attempt that is cut off sooner says
// nothing.
const maxGap = 3 * time.Second

// Wait reads an instance again and again, until it has been as expected for as long as stableFor, or the context ends.
// Every failure is tried again. With a stableFor of 0, one answer is enough.
//
// unmet returns what is not as expected, in texts that are safe to print, or nothing. The error is always a
// [*ReadError], whose Failure is what the wait met last. That may also be an answer that was not as expected
// ([NotAsExpected]) or that came from a cache ([AnsweredByCache]), or a streak that was too short when the time ran out
// ([NotStable]).
func (c *Client) Wait(
	ctx context.Context, request Request, stableFor time.Duration, unmet func(*instance.Details) []string,
) (*Result, error) {
	r, delays := c.newReader(request), backoff{retry: c.config.Retry}
	var s streak
	var last *Failure
	for {
		began := time.Now()
		result, failure := r.attempt(ctx)
		if failure == nil {
			failure = check(result, unmet)
		}
		goesOn := false
		switch {
		case failure == nil:
			if s.add(result.Route, r.askedAt); s.held >= stableFor {
				return result, nil
			}
			delays = backoff{retry: c.config.Retry} // the next failure has the shortest delay again
			r.log(ctx, "The instance is as expected", result.Route, map[string]any{"held": s.held.String()})
			goesOn = sleep(ctx, 250*time.Millisecond+jitter(500*time.Millisecond))
		case ctx.Err() != nil && (s.isHolding || last != nil) &&
			(errors.Is(ctx.Err(), context.Canceled) || time.Since(began) <= maxGap):
			// An attempt that was canceled, or cut off soon, says nothing about the instance.
		default:
			last, s.isHolding = failure, false
			goesOn = r.pause(ctx, delays.next(failure.retryAfter), failure)
		}
		if !goesOn {
			return nil, r.waitEnded(ctx, s, last)
		}
	}
}

// check returns a failure if an answer is a copy that a cache has kept, or is not as expected.
func check(result *Result, unmet func(*instance.Details) []string) *Failure {
	if result.Route.Age > 0 {
		return &Failure{Route: result.Route, Kind: AnsweredByCache, Reason: "this answer is a copy that a cache has kept"}
	}
	if faults := unmet(result.Details); len(faults) > 0 {
		return &Failure{Route: result.Route, Kind: NotAsExpected, Reason: "the document is not as expected", Faults: faults}
	}
	return nil
}

// streak is a series of answers that were all as expected.
type streak struct {
	route     *Route        // that of its last answer, or nil if there was no streak yet
	isHolding bool          // nothing has ended it
	since     time.Time     // when its first answer had been read: how long that one took proves nothing
	readAt    time.Time     // when its last answer had been read, by the clock of the system alone
	held      time.Duration // from since to the beginning of its last request
}

// add adds an answer to the streak, or begins another one. The request was sent at askedAt.
func (s *streak) add(route Route, askedAt time.Time) {
	now := time.Now()
	if s.isHolding && askedAt.Sub(s.readAt) <= maxGap {
		s.held = askedAt.Sub(s.since)
	} else {
		*s = streak{isHolding: true, since: now}
	}
	// Without its monotonic part, which stands still while a machine is suspended.
	s.route, s.readAt = &route, now.Round(0)
}

// waitEnded returns the error of a wait that the context has ended.
func (r *reader) waitEnded(ctx context.Context, s streak, last *Failure) *ReadError {
	if s.route == nil {
		return r.ended(ctx, last)
	}
	var before *Failure
	if s.isHolding {
		before = last
		last = &Failure{Route: *s.route, Kind: NotStable, Reason: "it was as expected, but not for long enough"}
	}
	err := r.ended(ctx, last)
	err.Held, err.Before = &s.held, before
	return err
}
