package client

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// What waits for the first connection to an origin has a place there, and gives
// it back when it is cancelled.
func TestCancelledInLaneGivesItsPlaceBack(t *testing.T) {
	t.Parallel()
	const places = 32
	synctest.Test(t, func(t *testing.T) {
		var lanes lanes
		lane := lanes.of(origin{scheme: "https", host: "files.example.org", port: "443"})
		connected, leave, err := lane.enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer leave() // its place stays taken
		for range places {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() {
				_, _, err := lane.enter(ctx)
				ended <- err
			}()
			synctest.Wait()
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Fatalf("error %v, want %v", err, context.Canceled)
			}
		}

		connected()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for i := range places - 1 {
			_, leave, err := lane.enter(ctx)
			if err != nil {
				t.Fatalf("of the other places, only %d are free: %v", i, err)
			}
			defer leave()
		}
	})
}
