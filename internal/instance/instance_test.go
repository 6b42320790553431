package instance_test

import (
	"math"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

func TestInMinutes(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		inSeconds, want int64
	}{
		"zero":           {0, 0},
		"under a minute": {59, 0},
		"a minute":       {60, 1},
		"rounded down":   {119, 1},
		"beyond 32 bits": {15770000000, 262833333},
		"largest":        {math.MaxInt64, 153722867280912930},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (instance.ExpireTime{InSeconds: test.inSeconds}).InMinutes(); got != test.want {
				t.Errorf("InMinutes() of %d seconds = %d, want %d", test.inSeconds, got, test.want)
			}
		})
	}
}
