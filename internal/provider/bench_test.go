package provider_test

import (
	"strconv"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// BenchmarkRead reads filetransfer_instance, with the instance in the same process.
func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	s, source := configured(b, nil), arguments{"base_url": instancetest.New(b).URL()}
	for b.Loop() {
		requireRead(b, s, source)
	}
}

// BenchmarkInstances reads filetransfer_instances of several sizes.
func BenchmarkInstances(b *testing.B) {
	server := instancetest.New(b, instancetest.WithDefault(good))
	for _, size := range []int{1000, 10_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.ReportAllocs()
			s, source := configured(b, nil), arguments{"base_urls": baseURLsUnder(server.URL(), size)}
			for b.Loop() {
				requireRead(b, s, source)
			}
		})
	}
}
