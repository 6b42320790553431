package client_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Protects the machine from a fleet of hostile instances: at most 1 MiB for each, with the worst answers that we know of.
//
// What is measured is what is reachable while all reads are under way. The server's own share, which is in this process
// too, counts as well.
//
//nolint:paralleltest // it measures the memory of the whole process
func TestFleetOfWorstResponsesStaysWithin1MiBEach(t *testing.T) {
	// The process grows to three times what is reachable before the garbage collector runs, see main.go.
	const reachableEach = mebibyte / 3
	const reads = 64 // as good as 256: what one takes does not depend on how many there are
	const steady = 8 // looks that find no more than those before them
	list := func(entries string) string {
		return instancetest.Newer().With("recommendedExpireTimes", instancetest.Raw("["+entries+"]")).JSON()
	}
	labels := func(character string) string {
		const entries, size = 100, (64<<10 - 1000) / 100
		entry := fmt.Sprintf(`{"label":"%s","inSeconds":60,"value":1}`, strings.Repeat(character, (size-40)/len(character)))
		return list(strings.Repeat(entry+",", entries-1) + entry)
	}
	var fields strings.Builder
	for i := range 2_700 {
		fmt.Fprintf(&fields, "%x:\r\n", i)
	}
	full := func(status string) string { return "HTTP/1.1 " + status + "\r\n" + fields.String() }
	tests := map[string]struct {
		answer instancetest.Step
		silent bool // after its text, without end
	}{
		"full head, status that is retried": {instancetest.Verbatim(full("503 X")+"Content-Length: 65536\r\n\r\n"+strings.Repeat("x", 64<<10-1), instancetest.Silent()), true},
		"full head, redirect":               {instancetest.Verbatim(full("302 X")+"Location: /\r\nContent-Length: 9\r\n\r\n", instancetest.Silent()), true},
		"longest labels":                    {instancetest.AnswerDocument(labels("x")), false},
		"labels to escape":                  {instancetest.AnswerDocument(labels(`\n`)), false},
		"unknown members":                   {instancetest.AnswerDocument(unknownMembers()), false},
		"nested deeply":                     {instancetest.AnswerDocument(`{"k":` + strings.Repeat(`{"k":`, 9_000) + "0" + strings.Repeat("}", 9_001)), false},
		"faults":                            {instancetest.AnswerDocument(list(strings.Repeat("{},", 20_000) + "{}")), false},
		"full head and labels": {
			instancetest.Verbatim(head+fields.String()+"Content-Length: "+strconv.Itoa(len(labels("x")))+"\r\n\r\n"+labels("x"), instancetest.CloseConnection()), false,
		},
		"heads of many fields": {instancetest.Verbatim(head+strings.Repeat("a:\r\n", (16<<10-len(head))/len("a:\r\n")-1), instancetest.Silent()), true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			underWay := make(chan struct{}) // all at once
			server := instancetest.New(t, instancetest.WithDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) == reads {
					close(underWay)
				}
				select {
				case <-underWay:
				case <-r.Context().Done():
				}
				test.answer(s, w, r)
			}))
			c, request := prepare(t, server.URL(), timeout(long), attempts(1))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			idle, most := reachable(), uint64(0)
			results, failures := make([]*client.Result, reads), make([]error, reads)
			var running sync.WaitGroup
			for i := range reads {
				running.Go(func() { results[i], failures[i] = c.Read(ctx, request) })
			}
			promptly(t, func() { <-underWay })
			done := make(chan struct{})
			go func() {
				defer close(done)
				running.Wait()
			}()
			look, over := time.NewTicker(20*time.Millisecond), false
			for since := 0; !over; since++ {
				select {
				case <-done:
					over = true
				case <-look.C:
				}
				if now := reachable(); now > most {
					most, since = now, 0
				}
				if test.silent && since == steady { // all of the text has come
					look.Reset(time.Millisecond) // reads may take most at their end
					cancel()
				}
			}
			runtime.KeepAlive(results)
			runtime.KeepAlive(failures)
			t.Logf("at most %d KiB over idle for each", int64(most-idle)>>10/reads)
			if most > idle+reads*reachableEach {
				t.Errorf("%d MiB over idle", (most-idle)>>20)
			}
		})
	}
}

// unknownMembers is a document with as many members as fit, each with a name of its own.
func unknownMembers() string {
	var document strings.Builder
	document.WriteString(strings.TrimSuffix(instancetest.Newer().JSON(), "}"))
	for i := 0; document.Len() < 64<<10-16; i++ {
		fmt.Fprintf(&document, `,"%x":0`, i)
	}
	return document.String() + "}"
}

// reachable is what the garbage collector finds in use. What is allocated after it has looked does not count.
func reachable() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	runtime.GC()
	metrics.Read(live)
	return live[0].Value.Uint64()
}

// What a server sends without end takes little memory either.
//
//nolint:paralleltest // it measures what the whole process allocates
func TestEndlessResponsesAllocateLittle(t *testing.T) {
	instance := func(step instancetest.Step) string { return instancetest.New(t, instancetest.WithDefault(step)).URL() }
	urls := map[string]string{
		"64 MiB":               instance(instancetest.AnswerDocument(strings.Repeat(" ", 64*mebibyte))),
		"64 MiB, gzip":         instance(gzipped(strings.Repeat(" ", 64*mebibyte))),
		"endless":              instance(instancetest.EndlessBody(200, " ")),
		"endless error":        instance(instancetest.EndlessBody(410, "x")),
		"announced as endless": instance(verbatim("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n{")),
		"endless head":         rawServer(t, "http", writesForever("HTTP/1.1 200 OK\r\nX: ", "x")),
	}
	for name, url := range urls {
		t.Run(name, func(t *testing.T) {
			c, request := prepare(t, url, attempts(1))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := c.Read(t.Context(), request)
			runtime.ReadMemStats(&after)
			if _, ok := client.AsFailure(err); !ok {
				t.Errorf("error %v", err)
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > mebibyte {
				t.Errorf("%d KiB were allocated", allocated>>10)
			}
		})
	}
}
