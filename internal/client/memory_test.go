package client_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A redirect with a large head leaves nothing behind: a read has one response at a time. Parsed, 16 KiB of small fields take eighteen times
// as much.
func TestRedirectsAreNotKeptInMemory(t *testing.T) { //nolint:paralleltest // it measures what the whole process has
	const reads, mostOfEach = 64, 256 << 10
	head := strings.Repeat("a:\r\n", 3800)
	arrived, release := make(chan struct{}, reads), make(chan struct{})
	server := instancetest.NewRaw(t, func(c net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		if request.URL.Path == "/5" {
			arrived <- struct{}{}
			<-release
			return
		}
		next := strings.NewReplacer("/instance", "/1", "/1", "/2", "/2", "/3", "/3", "/4", "/4", "/5").Replace(request.URL.Path)
		_, _ = fmt.Fprintf(c, "HTTP/1.1 302 Found\r\nLocation: %s\r\n%s\r\n", next, head)
	})
	config := newConfig()
	config.Retry.MaxAttempts = 1
	c, request := newClient(t, config), newRequest(t, "http://"+server.Address())
	idle := heapInUse()
	var group sync.WaitGroup
	for range reads {
		group.Go(func() { _, _ = read(t, c, request) })
	}
	for range reads {
		receive(t, "a request after five redirects", arrived)
	}
	if each := (heapInUse() - idle) / reads; each > mostOfEach {
		t.Errorf("each read takes %d bytes over idle, want at most %d", each, mostOfEach)
	}
	close(release)
	group.Wait()
}

func heapInUse() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
