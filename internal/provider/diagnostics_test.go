package provider

import (
	"testing"
	"time"
)

func TestSentence(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"no such host":  "No such host.",
		"No such host.": "No such host.",
		"étrange":       "Étrange.",
		"2 faults":      "2 faults.",
		"cut short…":    "Cut short…",
	}
	for text, want := range tests {
		if got := sentence(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	t.Parallel()
	tests := map[string]time.Duration{
		"500ms":  500 * time.Millisecond,
		"1s":     time.Second,
		"1.5s":   1500 * time.Millisecond,
		"1m":     time.Minute,
		"1m30s":  90 * time.Second,
		"10m":    10 * time.Minute,
		"1h":     time.Hour,
		"1h0m5s": time.Hour + 5*time.Second,
		"1h10m":  70 * time.Minute,
		"20h":    20 * time.Hour,
	}
	for want, duration := range tests {
		if got := formatDuration(duration); got != want {
			t.Errorf("%d is %q, want %q", duration, got, want)
		}
	}
}
