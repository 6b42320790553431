package client

import "time"

// stableInterval is the delay between the attempts of a streak.
const stableInterval = time.Second

// Streak describes successive attempts that succeeded, in a read with [Request.StableFor].
type Streak struct {
	// Attempts is the number of attempts.
	Attempts int
	// Lasted is the time between the ends of the first and the last attempt.
	Lasted time.Duration

	began time.Time // the end of the first attempt
	ended bool      // an attempt has failed since
}

// extend adds an attempt that succeeded now, or starts again if the streak has ended.
func (s *Streak) extend() {
	now := time.Now()
	if s.ended || s.Attempts == 0 {
		*s = Streak{began: now}
	}
	s.Attempts++
	s.Lasted = now.Sub(s.began)
}
