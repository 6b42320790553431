package instance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

func BenchmarkParse(b *testing.B) {
	document, err := os.ReadFile(filepath.Join("testdata", "newer.json"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		if details, err := instance.Parse(document, nil); err != nil || len(details.RecommendedExpireTimes) != 8 {
			b.Fatalf("details %+v, error %v", details, err)
		}
	}
}
