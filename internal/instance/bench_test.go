package instance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// plainDetails is the newer response format for encoding/json, which checks next to nothing of what Parse checks: the
// yardstick, not an alternative.
type plainDetails struct {
	FileMaxSize            int64             `json:"fileMaxSize"`
	ChunkSize              int64             `json:"chunkSize"`
	RequirePassword        bool              `json:"requirePassword"`
	APIVersion             string            `json:"apiVersion"`
	FileMaxAge             string            `json:"fileMaxAge"`
	MaxTransfersInMerge    int64             `json:"maxTransfersInMerge"`
	RecommendedExpireTimes []plainExpireTime `json:"recommendedExpireTimes"`
}

type plainExpireTime struct {
	Label     string `json:"label"`
	InSeconds int64  `json:"inSeconds"`
	Value     int64  `json:"value"`
}

// BenchmarkParse compares Parse with encoding/json on the newer response format. The ratio must not exceed 0.6.
func BenchmarkParse(b *testing.B) {
	document, err := os.ReadFile(filepath.Join("testdata", "newer.json"))
	if err != nil {
		b.Fatal(err)
	}
	parse := func(b *testing.B) {
		details, err := instance.Parse(document, nil)
		if err != nil || len(details.RecommendedExpireTimes) != 8 {
			b.Fatalf("details %+v, error %v", details, err)
		}
	}
	unmarshal := func(b *testing.B) {
		var details plainDetails
		if err := json.Unmarshal(document, &details); err != nil || len(details.RecommendedExpireTimes) != 8 {
			b.Fatalf("details %+v, error %v", details, err)
		}
	}

	b.Run("Parse", func(b *testing.B) {
		b.SetBytes(int64(len(document)))
		b.ReportAllocs()
		for b.Loop() {
			parse(b)
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.SetBytes(int64(len(document)))
		b.ReportAllocs()
		for b.Loop() {
			unmarshal(b)
		}
	})
	// Both by turns in one run: whatever else the machine does slows both down alike, so that the ratio is meaningful on
	// a busy one too.
	b.Run("ratio", func(b *testing.B) {
		const turn = 20 // calls for one reading of the clock
		var parsing, unmarshalling time.Duration
		for b.Loop() {
			start := time.Now()
			for range turn {
				parse(b)
			}
			middle := time.Now()
			for range turn {
				unmarshal(b)
			}
			parsing += middle.Sub(start)
			unmarshalling += time.Since(middle)
		}
		b.ReportMetric(float64(parsing)/float64(unmarshalling), "ratio")
		b.ReportMetric(0, "ns/op") // of both, many times over: leave it out
	})
}
