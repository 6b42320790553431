package provider

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestReadTimeoutIsLongerWhileWaiting(t *testing.T) {
	t.Parallel()
	timeouts := func(read any) tftypes.Value {
		block := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"read": tftypes.String}}
		return tftypes.NewValue(block, map[string]tftypes.Value{"read": tftypes.NewValue(tftypes.String, read)})
	}
	tests := map[string]struct {
		config map[string]tftypes.Value
		want   time.Duration
	}{
		"nothing":               {nil, time.Minute},
		"waiting":               {map[string]tftypes.Value{"wait_until_ready": boolValue(true)}, 10 * time.Minute},
		"waiting, no read":      {map[string]tftypes.Value{"wait_until_ready": boolValue(true), "timeouts": timeouts(nil)}, 10 * time.Minute},
		"timeouts":              {map[string]tftypes.Value{"timeouts": timeouts("5s")}, 5 * time.Second},
		"waiting with timeouts": {map[string]tftypes.Value{"wait_until_ready": boolValue(true), "timeouts": timeouts("1h")}, time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := new(dataSource).operation(readOne, test.config).timeout; got != test.want {
				t.Errorf("the timeout is %s, want %s", got, test.want)
			}
		})
	}
}
