package provider

import (
	"context"
	"net/http"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
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

// readOperation holds the settings of a read, of one instance or of many. Messages about a failure depend on them too.
type readOperation struct {
	provider *providerData
	purpose  purpose
	// waits is true if the read waits until the instance is ready.
	waits bool
	// timeout limits the whole read. timeoutArgument names it.
	timeout         time.Duration
	timeoutArgument string
	// until is what a record waits for.
	until client.Condition
	// headers are the extra headers of a data source, and semaphore is that of many reads; see [client.Request].
	headers   http.Header
	semaphore chan struct{}
}

// read reads an instance, or waits for op.until. The context must end after op.timeout. Reads that share a semaphore must
// share its deadline: one that runs out of time would leave its slot to another that has none left.
func (op readOperation) read(ctx context.Context, baseURL address.BaseURL) (*client.Result, *client.ReadError) {
	request := op.provider.withHeaders(client.Request{BaseURL: baseURL, Headers: op.headers, Semaphore: op.semaphore})
	if op.waits {
		result, err := op.provider.client.Wait(ctx, request, op.until)
		return result, client.AsReadError(err)
	}
	result, err := op.provider.client.Read(ctx, request)
	return result, client.AsReadError(err)
}

// fromDataSource reports whether a data source reads. These have the arguments wait_until_ready and request_headers.
func (op readOperation) fromDataSource() bool { return op.purpose == readOne || op.purpose == readMany }
