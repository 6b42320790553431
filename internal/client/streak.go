package client

import "time"

// Streak describes successive attempts of a wait that succeeded.
type Streak struct {
	// Attempts is the number of attempts.
	Attempts int
	// Lasted is the time from the end of the first attempt to the beginning of the last: how long the last answer took proves nothing.
	Lasted time.Duration

	firstEnded time.Time
	// answers holds when attempts ended: the last one that is at least ageUnit ago, and those after it.
	answers []time.Time
	ended   bool // an attempt has failed since
}

// extend adds an attempt that began then and has just succeeded, or starts again if the streak has ended.
func (s *Streak) extend(began time.Time) {
	now := time.Now()
	if s.ended || s.Attempts == 0 {
		*s = Streak{firstEnded: now}
	}
	s.Attempts++
	s.Lasted = max(0, began.Sub(s.firstEnded))
	for len(s.answers) > 1 && now.Sub(s.answers[1]) >= ageUnit {
		s.answers = s.answers[1:]
	}
	s.answers = append(s.answers, now)
}

// lastedFor reports whether the streak lasted for stableFor. Answers of a cache need at least the time in which their age can be told.
func (s *Streak) lastedFor(stableFor time.Duration, age cacheAge) bool {
	if age.known && stableFor > 0 {
		stableFor = max(stableFor, ageUnit)
	}
	return s.Lasted >= stableFor
}

// answeredBefore returns when the last answer of the streak came that is at least ageUnit before now. Returns began if there is none.
func (s *Streak) answeredBefore(now, began time.Time) time.Time {
	newest := began
	for _, answer := range s.answers {
		if !s.ended && now.Sub(answer) >= ageUnit {
			newest = answer
		}
	}
	return newest
}
