package provider

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// readTimeouts returns a block timeouts of a data source.
func readTimeouts(read types.String) types.Object {
	return types.ObjectValueMust(map[string]attr.Type{"read": types.StringType}, map[string]attr.Value{"read": read})
}

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
		"waiting, empty timeouts":   {readModel{WaitUntilReady: waiting, Timeouts: readTimeouts(types.StringNull())}, 10 * time.Minute},
		"timeouts.read":             {readModel{Timeouts: readTimeouts(types.StringValue("5s"))}, 5 * time.Second},
		"waiting and timeouts.read": {readModel{WaitUntilReady: waiting, Timeouts: readTimeouts(types.StringValue("1h"))}, time.Hour},
	}
	for name, test := range tests {
		op, diags := new(dataSource).operation(t.Context(), readOne, test.config)
		if op.timeout != test.want || diags.HasError() {
			t.Errorf("%s: the timeout is %s, want %s; diagnostics: %v", name, op.timeout, test.want, diags)
		}
	}
}
