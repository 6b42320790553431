package provider

import (
	"testing"
	"time"
)

func TestReadTimeoutIsLongerWhileWaiting(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arguments args
		want      time.Duration
	}{
		"nothing":               {nil, time.Minute},
		"waiting":               {args{"wait_until_ready": true}, 10 * time.Minute},
		"waiting, no read":      {args{"wait_until_ready": true, "timeouts": args{}}, 10 * time.Minute},
		"timeouts":              {args{"timeouts": args{"read": "5s"}}, 5 * time.Second},
		"waiting with timeouts": {args{"wait_until_ready": true, "timeouts": args{"read": "1h"}}, time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := new(dataSource).operation(readOne, elementsOf(valueOf(t, schemaOf(instanceName).ValueType(), test.arguments)))
			mustEqual(t, "the timeout", got.timeout, test.want)
		})
	}
}
