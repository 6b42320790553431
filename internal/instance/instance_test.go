package instance_test

import (
	"math"
	"slices"
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

func TestWarningsOf(t *testing.T) {
	t.Parallel()

	short1 := instance.Warning{Kind: instance.SuspiciouslyShort, Path: "recommendedExpireTimes[0]"}
	contradictory := instance.Warning{Kind: instance.ContradictoryUnits, Path: "recommendedExpireTimes[1]"}
	short2 := instance.Warning{Kind: instance.SuspiciouslyShort, Path: "recommendedExpireTimes[2]"}
	all := []instance.Warning{short1, contradictory, short2}

	tests := map[string]struct {
		warnings []instance.Warning
		kind     instance.WarningKind
		want     []instance.Warning
	}{
		"several of the kind": {all, instance.SuspiciouslyShort, []instance.Warning{short1, short2}},
		"one of the kind":     {all, instance.ContradictoryUnits, []instance.Warning{contradictory}},
		"none of the kind":    {[]instance.Warning{short1}, instance.ContradictoryUnits, nil},
		"none at all":         {nil, instance.SuspiciouslyShort, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			details := instance.Details{Warnings: slices.Clone(test.warnings)}
			if got := details.WarningsOf(test.kind); !slices.Equal(got, test.want) {
				t.Errorf("WarningsOf(%d) = %+v, want %+v", test.kind, got, test.want)
			}
			if !slices.Equal(details.Warnings, test.warnings) {
				t.Errorf("WarningsOf changed the warnings: %+v", details.Warnings)
			}
		})
	}
}
