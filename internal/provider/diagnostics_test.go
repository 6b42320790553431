package provider

import (
	"testing"
	"time"
)

func TestSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no such host": "No such host.", "No such host.": "No such host.", "étrange": "Étrange.",
		"2 faults": "2 faults.", "cut short…": "Cut short…",
	} {
		mustEqual(t, text, sentence(text), want)
	}
}

func TestFormatDuration(t *testing.T) {
	t.Parallel()
	for want, duration := range map[string]time.Duration{
		"500ms": 500 * time.Millisecond, "1s": time.Second, "1m": time.Minute, "1m30s": 90 * time.Second, "10m": 10 * time.Minute,
		"1h": time.Hour, "1h10m": 70 * time.Minute, "1h0m5s": time.Hour + 5*time.Second,
		"20h": 20 * time.Hour, "1.5s": 1500 * time.Millisecond,
	} {
		mustEqual(t, want, formatDuration(duration), want)
	}
}
