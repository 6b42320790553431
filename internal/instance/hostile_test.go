package instance_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// hostileDocuments returns documents of 64 KiB, the most that the client reads. Each needs much memory in its own way, and has faults.
func hostileDocuments() map[string][]byte {
	const size = 64 << 10
	fill := func(before, piece, after string) []byte {
		return []byte(before + strings.Repeat(piece, (size-len(before)-len(after))/len(piece)) + after)
	}
	nested := func(open, closing string) []byte {
		return []byte(`{"chunkSize":` + strings.Repeat(open, 9990) + "0" + strings.Repeat(closing, 9990) + "}")
	}
	var unknown strings.Builder
	for i := 0; unknown.Len() < size-100; i++ {
		fmt.Fprintf(&unknown, `"%x":0,`, i)
	}
	return map[string][]byte{
		"unknown members":                []byte(`{` + unknown.String() + `"chunkSize":"x"}`),
		"unknown members of an object":   []byte(`{"x":{` + unknown.String() + `"y":0},"chunkSize":"x"}`),
		"unknown members of an entry":    []byte(`{"recommendedExpireTimes":[{` + unknown.String() + `"label":0}]}`),
		"a duplicate after many names":   []byte(`{` + unknown.String() + `"0":0}`),
		"nested arrays":                  nested("[", "]"),
		"nested objects":                 nested(`{"":`, "}"),
		"nested objects without an end":  fill(``, `{"":`, ``),
		"small objects":                  fill(`{"x":[`, `{"ab":0},`, `0]}`),
		"long name that appears twice":   []byte(`{"` + strings.Repeat("x", size/2) + `":0,"` + strings.Repeat("x", size/2-20) + `":0}`),
		"long age":                       fill(`{"fileMaxAge":"`, `x`, `"}`),
		"long age of short words":        fill(`{"fileMaxAge":"`, `x `, `"}`),
		"long age of control characters": fill(`{"fileMaxAge":"`, `\u0001`, `"}`),
		"long label":                     fill(`{"recommendedExpireTimes":[{"value":1,"label":"`, `x`, `"}]}`),
		"long label of emoji":            fill(`{"recommendedExpireTimes":[{"value":1,"label":"`, "\U0001F600", `"}]}`),
		"long number":                    fill(`{"fileMaxSize":`, `9`, `}`),
		"entries without fields":         fill(`{"recommendedExpireTimes":[`, `{},`, `0]}`),
		"numbers instead of entries":     fill(`{"recommendedExpireTimes":[`, `0,`, `0]}`),
	}
}

// Most of what a document allocates becomes garbage at once. What is in use while faults are described, and the stack, which a
// goroutine keeps, count for every read of a fleet.
//
//nolint:paralleltest // it measures the whole process
func TestHostileDocumentsCostLittleMemory(t *testing.T) {
	const mostAllocated, mostInUse, mostStack = 5 << 20, 1 << 20, 256 << 10
	memory := func() (stats runtime.MemStats) {
		runtime.ReadMemStats(&stats)
		return stats
	}
	for name, document := range hostileDocuments() {
		t.Run(name, func(t *testing.T) {
			before := memory()
			if _, err := instance.Parse(document, nil); err == nil {
				t.Error("no error")
			}
			after := memory()
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > mostAllocated {
				t.Errorf("%d bytes are allocated, want at most %d", allocated, mostAllocated)
			}
			if stack := int64(after.StackInuse) - int64(before.StackInuse); stack > mostStack {
				t.Errorf("the stack grows by %d bytes, want at most %d", stack, mostStack)
			}
			if inUse := inUseDuring(document); inUse > mostInUse {
				t.Errorf("%d bytes are in use, want at most %d", inUse, mostInUse)
			}
		})
	}
}

// inUseDuring returns how much memory is in use when Parse redacts the first text of the document.
func inUseDuring(document []byte) (inUse int64) {
	reachable := func() int64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	idle, first := reachable(), true
	_, _ = instance.Parse(document, func(text string) string {
		if first {
			inUse, first = reachable()-idle, false
		}
		return text
	})
	return inUse
}
