package provider

import (
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// benchmarkRead reads a data source. Neither encoding the configuration nor decoding the state is part of it: that is
// Terraform's work.
func benchmarkRead(b *testing.B, name string, arguments args) {
	b.Helper()
	b.ReportAllocs() // those of the instance in this process included
	server, _ := configure(b.Context(), b, nil)
	config := configuration(b, name, arguments)
	for b.Loop() {
		resp, err := server.ReadDataSource(b.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: config})
		if err != nil || len(resp.Diagnostics) > 0 {
			b.Fatalf("%v\n%s", err, diagnostics(resp.Diagnostics))
		}
	}
}

// BenchmarkRead reads filetransfer_instance. The client's benchmark compares with a plain GET.
func BenchmarkRead(b *testing.B) {
	benchmarkRead(b, instanceName, args{"base_url": instancetest.New(b).URL()})
}

// BenchmarkFleet reads filetransfer_instances of several sizes.
func BenchmarkFleet(b *testing.B) {
	instance := instancetest.New(b, instancetest.WithDefault(good))
	for _, size := range []int{1000, 10_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			baseURLs, _ := under(instance.URL(), size)
			benchmarkRead(b, instancesName, args{"base_urls": baseURLs})
		})
	}
}
