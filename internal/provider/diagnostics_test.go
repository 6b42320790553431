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
	tests := map[time.Duration]string{
		500 * time.Millisecond:    "500ms",
		time.Second:               "1s",
		1500 * time.Millisecond:   "1.5s",
		time.Minute:               "1m",
		90 * time.Second:          "1m30s",
		10 * time.Minute:          "10m",
		time.Hour:                 "1h",
		time.Hour + 5*time.Second: "1h0m5s",
		70 * time.Minute:          "1h10m",
		20 * time.Hour:            "20h",
	}
	for duration, want := range tests {
		if got := formatDuration(duration); got != want {
			t.Errorf("%d is %q, want %q", duration, got, want)
		}
	}
}
