package provider

import (
	"testing"
	"time"
)

func TestFormatDuration(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"500ms", "1.5s", "1m", "1m30s", "10m", "1h", "1h0m5s", "1h10m", "20h"} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			duration, err := time.ParseDuration(want)
			if got := formatDuration(duration); got != want || err != nil {
				t.Errorf("%s is %q", want, got)
			}
		})
	}
}
