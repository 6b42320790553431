package client

import "time"

// stableInterval is the delay between the attempts of a streak.
const stableInterval = time.Second

// Streak describes successive attempts that succeeded, in a read with [Request.StableFor].
type Streak struct {
	// Attempts is the number of attempts.
	Attempts int
	// Lasted is the time from the end of the first attempt to the beginning of the last: how long the last answer took proves nothing.
	Lasted time.Duration

	since time.Time // the end of the first attempt
	ended bool      // an attempt has failed since
}

// extend adds an attempt that began then and has just succeeded, or starts again if the streak has ended.
func (s *Streak) extend(began time.Time) {
	if s.ended || s.Attempts == 0 {
		*s = Streak{since: time.Now()}
	}
	s.Attempts++
	s.Lasted = max(0, began.Sub(s.since))
}
