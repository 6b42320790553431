package provider

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestReadTimeout(t *testing.T) {
	t.Parallel()
	waiting := types.BoolValue(true)
	tests := map[string]struct {
		config readModel
		want   time.Duration
	}{
		"default":                   {readModel{}, time.Minute},
		"not waiting":               {readModel{WaitUntilReady: types.BoolValue(false)}, time.Minute},
		"waiting":                   {readModel{WaitUntilReady: waiting}, 10 * time.Minute},
		"waiting, empty timeouts":   {readModel{WaitUntilReady: waiting, Timeouts: &readTimeoutsModel{}}, 10 * time.Minute},
		"timeouts.read":             {readModel{Timeouts: &readTimeoutsModel{Read: types.StringValue("5s")}}, 5 * time.Second},
		"waiting and timeouts.read": {readModel{WaitUntilReady: waiting, Timeouts: &readTimeoutsModel{Read: types.StringValue("1h")}}, time.Hour},
	}
	for name, test := range tests {
		if got := new(dataSource).operation(readOne, test.config).timeout; got != test.want {
			t.Errorf("%s: the timeout is %s, want %s", name, got, test.want)
		}
	}
}
