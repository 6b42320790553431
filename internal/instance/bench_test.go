package instance_test

import (
	"slices"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

func BenchmarkParse(b *testing.B) {
	const entries = 8
	const entry = `{"label": "30 minutes", "inSeconds": 1800, "value": 30}`
	document := []byte(withEntries(slices.Repeat([]string{entry}, entries)...))
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		if details, err := instance.Parse(document, nil); err != nil || len(details.RecommendedExpireTimes) != entries {
			b.Fatalf("details %+v, error %v", details, err)
		}
	}
}
