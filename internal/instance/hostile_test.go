package instance_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// hostileDocuments are the documents of about 1 MiB (the most that the client reads) that cost the most memory, each in
// its own way. All of them have faults.
func hostileDocuments() map[string][]byte {
	const size = 1 << 20
	fill := func(before, piece, after string) []byte {
		return []byte(before + strings.Repeat(piece, (size-len(before)-len(after))/len(piece)) + after)
	}
	numbered := func(before, format, after string) []byte {
		document := []byte(before)
		for i := 0; len(document) < size; i++ {
			document = fmt.Appendf(document, format, i)
		}
		return append(document, after...)
	}
	nested := func(open, closing string) string {
		return strings.Repeat(open, 9000) + "0" + strings.Repeat(closing, 9000) + ","
	}
	return map[string][]byte{
		"one duplicate after another":      fill(`{`, `"k":{"k":{}},`, `"k":0}`),
		"a duplicate in every value":       numbered(`{`, `"%x":{"k":{},"k":{}},`, `"k":0}`),
		"unknown names":                    numbered(`{`, `"%x":0,`, `"k":0}`),
		"unknown names in a value":         numbered(`{"x":{`, `"%x":0,`, `"k":0}}`),
		"nested arrays":                    fill(`{"x":[`, nested("[", "]"), `0]}`),
		"nested objects":                   fill(`{"x":[`, nested(`{"a":`, "}"), `0]}`),
		"small objects":                    fill(`{"x":[`, `{"ab":0},`, `0]}`),
		"long age":                         fill(`{"fileMaxAge":"`, `x`, `"}`),
		"long age of control characters":   fill(`{"fileMaxAge":"`, `\u0001`, `"}`),
		"long label":                       fill(`{"recommendedExpireTimes":[{"value":1,"label":"`, `x`, `"}]}`),
		"long number":                      fill(`{"fileMaxSize":`, `9`, `}`),
		"long name above many duplicates":  fill(`{"`, `x`, `":{`+strings.Repeat(`"a":0,"a":0,`, 30)+`"b":0}}`),
		"long names that appear twice":     fill(`{`, `"`+strings.Repeat("x", 40000)+`":0,`, `"b":0}`),
		"entries without fields":           fill(`{"recommendedExpireTimes":[`, `{},`, `0]}`),
		"numbers instead of entries":       fill(`{"recommendedExpireTimes":[`, `0,`, `0]}`),
		"the same field over and over":     fill(`{`, `"chunkSize":[],`, `"b":0}`),
		"values of the wrong type, nested": fill(`{"fileMaxSize":[`, nested("[", "]"), `0]}`),
	}
}

// TestHostileDocumentsCostLittleMemory bounds what reading one document allocates in all, most of which is garbage
// before the next allocation. Not parallel: it counts the allocations of the whole process.
func TestHostileDocumentsCostLittleMemory(t *testing.T) { //nolint:paralleltest // see above
	const mostPerByte = 12
	for name, document := range hostileDocuments() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := instance.Parse(document, nil)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if allocated, most := after.TotalAlloc-before.TotalAlloc, uint64(mostPerByte*len(document)); allocated > most {
			t.Errorf("%s: %d bytes are allocated for a document of %d bytes, want at most %d", name, allocated, len(document), most)
		}
	}
}

func BenchmarkHostileDocuments(b *testing.B) {
	for name, document := range hostileDocuments() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := instance.Parse(document, nil); err == nil {
					b.Fatal("no error")
				}
			}
		})
	}
}
