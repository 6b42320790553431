package provider

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// All reads of many instances have one deadline. With a deadline each, one could get the place of another that has just run out of time,
// and its instance would be blamed without being really asked.
func TestReadAll_OneDeadline(t *testing.T) {
	t.Parallel()
	deadlines, mutex := make(map[time.Time]bool), sync.Mutex{}
	refusing, err := client.New(client.Config{
		RequestTimeout: time.Hour, Retry: client.Retry{MaxAttempts: 1, MinDelay: time.Second, MaxDelay: time.Second},
		Log: func(context.Context, string, ...map[string]any) {},
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			mutex.Lock()
			defer mutex.Unlock()
			deadline, _ := ctx.Deadline()
			deadlines[deadline] = true
			return nil, net.ErrClosed
		},
	})
	baseURL, invalid := address.Parse("http://h")
	if err != nil || invalid != nil {
		t.Fatal(err, invalid)
	}
	baseURLs := make(map[string]address.BaseURL)
	for i := range 50 {
		baseURLs[fmt.Sprint(i)] = baseURL
	}
	reads := (&providerData{client: refusing}).readAll(t.Context(), baseURLs, nil, timeLimit{"timeouts.read", time.Minute}, 32)
	if len(reads) != 50 || len(deadlines) != 1 {
		t.Errorf("%d reads have %d deadlines, want 50 and 1", len(reads), len(deadlines))
	}
}
