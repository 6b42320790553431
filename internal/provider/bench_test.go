package provider_test

import (
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// BenchmarkRead reads filetransfer_instance, with the instance in the same process.
func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	s, source := configured(b, nil), arguments{"base_url": instancetest.New(b).URL()}
	for b.Loop() {
		s.requireRead(b, source)
	}
}
