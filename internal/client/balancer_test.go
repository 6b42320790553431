package client_test

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// balancer starts a balancer of connections, as kube-proxy is one: choose returns the server that the n-th connection leads to.
func balancer(t *testing.T, choose func(n int64) *instancetest.Server) (url string) {
	t.Helper()
	var connections atomic.Int64
	return rawServer(t, "http", func(c net.Conn) {
		server, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", choose(connections.Add(1)).Address())
		if err != nil {
			return
		}
		go func() {
			_, _ = io.Copy(server, c)
			_ = server.Close()
		}()
		_, _ = io.Copy(c, server)
	})
}

// A connection from before a wait leads to the old server: one that was idle when the wait succeeded, and one that was in use.
func TestReadAfterAWaitMeetsTheNewServer(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	slow := instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-release
		_, _ = io.WriteString(w, instancetest.Older().JSON())
	})
	old := instancetest.New(t, instancetest.WithScript(slow), instancetest.WithDocument(instancetest.Older()))
	replacement := instancetest.New(t)
	c, request := newClient(t, newConfig()), newRequest(t, balancer(t, func(n int64) *instancetest.Server {
		if n <= 2 {
			return old
		}
		return replacement
	}))
	inUse := make(chan error)
	go func() {
		_, err := c.Read(t.Context(), request)
		inUse <- err
	}()
	<-asked
	check(t, "chunk size before", mustRead(t, c, request).Details.ChunkSizeBytes, 10000000)
	if _, err := c.Wait(t.Context(), request, stableFor(0)); err != nil {
		t.Fatal(err)
	}
	check(t, "chunk size after the wait", mustRead(t, c, request).Details.ChunkSizeBytes, 20000000)
	close(release)
	check(t, "error of the slow read", <-inUse, nil)
	check(t, "chunk size after the slow read", mustRead(t, c, request).Details.ChunkSizeBytes, 20000000)
}

// The connection of an attempt that failed leads to the same server again.
func TestRetryMeetsAnotherServer(t *testing.T) {
	t.Parallel()
	failing := instancetest.New(t, instancetest.WithDefault(instancetest.Status(503)))
	good := instancetest.New(t)
	c, request := newClient(t, newConfig()), newRequest(t, balancer(t, func(n int64) *instancetest.Server {
		if n == 1 {
			return failing
		}
		return good
	}))
	for range 3 {
		check(t, "chunk size", mustRead(t, c, request).Details.ChunkSizeBytes, 20000000)
	}
	check(t, "number of requests to the server that fails", len(failing.Requests()), 3)
}
