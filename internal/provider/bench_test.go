package provider

import (
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// BenchmarkRead reads filetransfer_instance, with the instance in the same process.
func BenchmarkRead(b *testing.B) {
	b.ReportAllocs()
	data, baseURL := newTestData(b, providerModel{}, retryModel{}), instancetest.New(b).URL()
	for b.Loop() {
		_, diags := readInstance(b.Context(), b, data, func(model *instanceModel) { model.BaseURL = types.StringValue(baseURL) })
		requireNoDiagnostics(b, diags)
	}
}

// BenchmarkFleet reads filetransfer_instances of several sizes.
func BenchmarkFleet(b *testing.B) {
	instance := instancetest.New(b, instancetest.WithDefault(good))
	for _, size := range []int{1000, 10_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.ReportAllocs()
			data, baseURLs := newTestData(b, providerModel{}, retryModel{}), baseURLsUnder(instance.URL(), size)
			for b.Loop() {
				_, diags := readInstances(b.Context(), b, data, baseURLs, func(*instancesModel) {})
				requireNoDiagnostics(b, diags)
			}
		})
	}
}
