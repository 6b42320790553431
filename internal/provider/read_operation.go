package provider

import (
	"context"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// purpose is what an instance is read for.
type purpose int

const (
	readOne       purpose = iota + 1 // the data source of one instance
	readMany                         // the data source of many
	refreshRecord                    // a record that is refreshed
	waitForRecord                    // a record that is created or updated
)

// readOperation holds the settings of a read, which messages about its failure depend on too.
type readOperation struct {
	provider *providerData
	purpose  purpose
	// waits is true if the read waits until the instance is ready.
	waits bool
	// timeout limits the whole read. timeoutArgument names it.
	timeout         time.Duration
	timeoutArgument string
	// stableFor is how long the instance must go on reporting what is expected, or 0.
	stableFor time.Duration
}

// read reads an instance, or waits until the condition holds. The error is a [*client.ReadError].
func (op readOperation) read(ctx context.Context, request client.Request, until client.Condition) (*client.Result, error) {
	request = op.provider.withHeaders(request)
	if op.waits {
		return op.provider.client.Wait(ctx, request, until)
	}
	return op.provider.client.Read(ctx, request)
}

// fromDataSource reports whether a data source reads. These have the arguments wait_until_ready and request_headers.
func (op readOperation) fromDataSource() bool {
	return op.purpose == readOne || op.purpose == readMany
}
