package client

import "time"

// Streak describes successive attempts of a wait that succeeded.
type Streak struct {
	Attempts int
	// Lasted is the time from the end of the first attempt to the beginning of the last. How long it took proves nothing.
	Lasted time.Duration

	firstEnded time.Time
	ended      bool // an attempt has failed since
}

// lasts reports whether the last attempt succeeded.
func (s *Streak) lasts() bool { return s.Attempts > 0 && !s.ended }

// extend adds an attempt that began then and has just succeeded, or starts again if the streak has ended.
func (s *Streak) extend(began time.Time) {
	now := time.Now()
	if !s.lasts() {
		*s = Streak{firstEnded: now}
	}
	s.Attempts++
	s.Lasted = max(0, began.Sub(s.firstEnded))
}

// lastedFor reports whether the streak lasted for stableFor. Age counts seconds: answers of a cache need at least one.
func (s *Streak) lastedFor(stableFor time.Duration, age cacheAge) bool {
	if age.known && stableFor > 0 {
		stableFor = max(stableFor, ageUnit)
	}
	return s.Lasted >= stableFor
}
