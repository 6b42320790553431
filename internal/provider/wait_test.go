package provider_test

import (
	"net/http"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestEveryWaitReachesTheNewServer: a release behind one address, whose balancer leads new connections to the new server. The
// connections to the old server live on, and one of them is in the pool. Without a pool, each attempt makes one.
func TestEveryWaitReachesTheNewServer(t *testing.T) {
	t.Parallel()
	waits := object{"wait_until_ready": true, "timeouts": object{"read": "5s"}}
	released := expecting(object{"chunk_size": int64(30000000)})
	tests := map[string]struct {
		before instancetest.Step // what the old server answers while a read waits
		wait   func(t *testing.T, server testProvider, created result, baseURL string) result
	}{
		"record, created": {good, func(t *testing.T, server testProvider, _ result, baseURL string) result {
			t.Helper()
			return server.apply(t, result{}, object{"base_url": baseURL}.with(released).with(timeout("create", "5s")))
		}},
		"record, updated": {good, func(t *testing.T, server testProvider, created result, baseURL string) result {
			t.Helper()
			return server.apply(t, created, object{"base_url": baseURL}.with(released).with(timeout("update", "5s")))
		}},
		"wait_until_ready": {instancetest.Status(404), func(t *testing.T, server testProvider, _ result, baseURL string) result {
			t.Helper()
			return server.read(t.Context(), t, instanceName, waits.with(object{"base_url": baseURL}))
		}},
		"fleet": {instancetest.Status(404), func(t *testing.T, server testProvider, _ result, baseURL string) result {
			t.Helper()
			return server.read(t.Context(), t, instancesName, waits.with(object{"base_urls": object{"it": baseURL}}))
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("chunkSize", 30000000)))
			before := instancetest.New(t)
			balancer := instancetest.NewBalancer(t, before)
			server := recordProvider(t, shortRetries(1))
			created := server.create(t, object{"base_url": balancer.Origin()})
			server.refresh(t.Context(), t, created).requireSuccess(t) // leaves a connection in the pool
			asked := 0
			before.SetDefault(instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
				if asked++; asked == 3 {
					balancer.Switch(after)
				}
				test.before(before, w, r)
			}))
			test.wait(t, server, created, balancer.Origin()).requireSuccess(t)
			assertEqual(t, "requests to the old and the new server", []int{len(before.Requests()), len(after.Requests())}, []int{5, 1})
			assertEqual(t, "connections", balancer.Connections(), 6)
		})
	}
}
