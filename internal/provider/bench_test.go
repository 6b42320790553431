package provider

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// noOpProvider has the data source filetransfer_instance with a read that makes no request: what the plugin protocol
// and the framework cost by themselves.
type noOpProvider struct {
	filetransferProvider
	state tftypes.Value
}

func (p *noOpProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (p *noOpProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return &noOpDataSource{state: p.state} }}
}

type noOpDataSource struct {
	instanceDataSource
	state tftypes.Value
}

func (d *noOpDataSource) Read(_ context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.State.Raw = d.state
}

// benchmarkRead reads a data source. Neither encoding the configuration nor decoding the state is part of it: that is
// Terraform's work.
func benchmarkRead(b *testing.B, server protocol, name string, arguments args) {
	b.Helper()
	b.ReportAllocs() // those of the instance in this process included
	config := configuration(b, name, arguments)
	for b.Loop() {
		resp, err := server.ReadDataSource(b.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: config})
		if err != nil || len(resp.Diagnostics) > 0 {
			b.Fatalf("%v\n%s", err, diagnostics(resp.Diagnostics))
		}
	}
}

// BenchmarkRead compares a read of filetransfer_instance with a plain GET of the same URL, and with a no-op data source
// that has the same state.
func BenchmarkRead(b *testing.B) {
	instance := instancetest.New(b)
	arguments := args{"base_url": instance.URL()}
	b.Run("get", func(b *testing.B) {
		plain := &http.Client{Transport: &http.Transport{}}
		defer plain.CloseIdleConnections()
		for b.Loop() {
			response, err := plain.Get(instance.URL() + "/instance")
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
	})
	server, _ := configure(b.Context(), b, nil)
	b.Run("read", func(b *testing.B) { benchmarkRead(b, server, instanceName, arguments) })
	state := valueOf(b, schemaOf(instanceName).ValueType(), server.read(b.Context(), b, instanceName, arguments).must(b))
	noOp := protocol{ProviderServer: providerserver.NewProtocol6(&noOpProvider{state: state})()}
	b.Run("noop", func(b *testing.B) { benchmarkRead(b, noOp, instanceName, arguments) })
}

// BenchmarkFleet reads filetransfer_instances of several sizes.
func BenchmarkFleet(b *testing.B) {
	instance := instancetest.New(b, instancetest.WithDefault(good))
	server, _ := configure(b.Context(), b, nil)
	for _, size := range []int{1000, 10_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			baseURLs, _ := under(instance.URL(), size)
			benchmarkRead(b, server, instancesName, args{"base_urls": baseURLs})
		})
	}
}
