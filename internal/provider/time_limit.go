package provider

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// timeLimit is the time limit of a read or a wait, and what sets it.
type timeLimit struct {
	name     string
	duration time.Duration
}

func (l timeLimit) String() string {
	return fmt.Sprintf("%s (%s)", l.name, formatDuration(l.duration))
}

// limitOf returns the time limit that an argument of a block timeouts sets.
func limitOf(timeouts types.Object, name string, defaultLimit time.Duration) timeLimit {
	return timeLimit{"timeouts." + name, durationOr(timeoutOf(timeouts, name), defaultLimit)}
}

// timeoutOf returns an argument of a block timeouts, which is null if there is no block.
func timeoutOf(timeouts types.Object, name string) types.String {
	timeout, ok := timeouts.Attributes()[name].(types.String)
	if !ok {
		return types.StringNull()
	}
	return timeout
}
