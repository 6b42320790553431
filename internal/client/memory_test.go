package client_test

import (
	"io"
	"net"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Protects the machine from a fleet of hostile instances.
//
// What is measured is what is reachable while the reads are under way: memory that the collector could free is a
// matter of the process's settings, which main has, and of timing. The server's own share, which is in this process
// too, counts as well.
//
//nolint:paralleltest // it measures the memory of the whole process
func TestFleetOfWorstDocumentsStaysWithin96MiB(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("minutes with the race detector")
	}
	const reads = 256
	const member = `"k":{"k":{}},` // of all documents this makes the most faults a byte
	for name, size := range map[string]int{"1 MiB": mebibyte, "16 KiB": 16<<10 - 1} {
		t.Run(name, func(t *testing.T) {
			server := it.New(t, it.WithDocument("{"+strings.Repeat(member, size/len(member)-1)+`"z":0}`))
			c, request := prepare(t, server.URL(), timeout(10*long))
			idle, most := reachable(), uint64(0)
			var running sync.WaitGroup
			for range reads {
				running.Go(func() {
					_, err := c.Read(t.Context(), request)
					if failure, ok := client.AsFailure(err); !ok || failure.Kind != client.KindDocument {
						t.Errorf("%v", err)
					}
				})
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				running.Wait()
			}()
			for over := false; !over; {
				most = max(most, reachable())
				select {
				case <-done:
					over = true
				default:
				}
			}
			t.Logf("at most %d KiB over idle", int64(most-idle)>>10)
			if most > idle+96*mebibyte {
				t.Errorf("%d MiB over idle", (most-idle)>>20)
			}
		})
	}
}

func reachable() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// What a server sends without end costs no more than the limit of a body.
//
//nolint:paralleltest // it measures what the whole process allocates
func TestEndlessResponsesAllocateLittle(t *testing.T) {
	endlessHead := func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX: ")
		flood(t.Context(), c, strings.Repeat("x", 64<<10))
	}
	tests := map[string]place{
		"64 MiB":             does(it.AnswerDocument(strings.Repeat(" ", 64*mebibyte))),
		"64 MiB, gzip":       does(gzipped(strings.Repeat(" ", 64*mebibyte))),
		"endless":            does(it.EndlessBody()),
		"endless error":      does(it.Func(endlessError)),
		"said to be endless": does(verbatim("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n{")),
		"endless head":       on("http", endlessHead),
	}
	for name, place := range tests {
		t.Run(name, func(t *testing.T) {
			url, _, _ := place.open(t, it.WithPath(""))
			c, request := prepare(t, url, attempts(1))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := c.Read(t.Context(), request)
			runtime.ReadMemStats(&after)
			if _, ok := client.AsFailure(err); !ok {
				t.Errorf("error %v", err)
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 16*mebibyte {
				t.Errorf("%d KiB were allocated", allocated>>10)
			}
		})
	}
}
