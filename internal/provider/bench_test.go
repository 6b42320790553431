package provider_test

import (
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// benchmarkRead reads a data source. Encoding the configuration and decoding the state are Terraform's work, and no part of it.
func benchmarkRead(b *testing.B, name string, config object) {
	b.Helper()
	b.ReportAllocs() // those of the instance in this process included
	p, _ := configure(b.Context(), b, nil)
	encoded := encode(b, name, config)
	for b.Loop() {
		resp, err := p.ReadDataSource(b.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: encoded})
		if err != nil || len(resp.Diagnostics) > 0 {
			b.Fatalf("%v\n%s", err, diagnostics(resp.Diagnostics))
		}
	}
}

// BenchmarkRead reads filetransfer_instance. The client's benchmark compares with a plain GET.
func BenchmarkRead(b *testing.B) {
	benchmarkRead(b, instanceName, object{"base_url": instancetest.New(b).URL()})
}

// BenchmarkFleet reads filetransfer_instances of several sizes.
func BenchmarkFleet(b *testing.B) {
	instance := instancetest.New(b, instancetest.WithDefault(good))
	for _, size := range []int{1000, 10_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			baseURLs, _ := under(instance.URL(), size)
			benchmarkRead(b, instancesName, object{"base_urls": baseURLs})
		})
	}
}
