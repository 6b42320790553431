package provider

import (
	"context"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

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

// reader returns a function that reads a data source. Neither encoding the configuration nor decoding the state is
// part of it: that is Terraform's work.
func reader(b *testing.B, server protocol, name string, arguments args) func() *tfprotov6.DynamicValue {
	b.Helper()
	config := configuration(b, name, arguments)
	return func() *tfprotov6.DynamicValue {
		resp, err := server.ReadDataSource(b.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: config})
		if err != nil || len(resp.Diagnostics) > 0 {
			b.Fatalf("%v\n%s", err, diagnostics(resp.Diagnostics))
		}
		return resp.State
	}
}

// readers returns reads of an instance: ours, and one of a no-op data source with the same state.
func readers(b *testing.B, baseURL string) (ours, noOp func() *tfprotov6.DynamicValue) {
	b.Helper()
	server, _ := configure(b.Context(), b, nil)
	ours = reader(b, server, instanceName, args{"base_url": baseURL})
	state, err := ours().Unmarshal(schemaOf(instanceName).ValueType())
	if err != nil {
		b.Fatal(err)
	}
	without := protocol{ProviderServer: providerserver.NewProtocol6(&noOpProvider{state: state})()}
	return ours, reader(b, without, instanceName, args{"base_url": baseURL})
}

// times are the times of subjects that take turns, so that all of them see the same machine.
type times map[string][]time.Duration

func (t times) measure(subject string, run func()) {
	start := time.Now()
	run()
	t[subject] = append(t[subject], time.Since(start))
}

// report reports the median of the ratios of each turn.
func (t times) report(b *testing.B, subject, reference string) {
	b.Helper()
	var ratios []float64
	for i, duration := range t[subject] {
		ratios = append(ratios, duration.Seconds()/t[reference][i].Seconds())
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], subject+"/"+reference)
}

// BenchmarkRead compares a read of filetransfer_instance with a plain GET of the same URL, and with a no-op data
// source.
func BenchmarkRead(b *testing.B) {
	server := instancetest.New(b)
	ours, noOp := readers(b, server.URL())
	plain := &http.Client{Transport: &http.Transport{}}
	defer plain.CloseIdleConnections()
	get := func() {
		response, err := plain.Get(server.URL() + "/instance")
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	took := make(times)
	for b.Loop() {
		took.measure("get", get)
		took.measure("noop", func() { noOp() })
		took.measure("read", func() { ours() })
	}
	took.report(b, "read", "get")
	took.report(b, "read", "noop")
	b.ReportMetric(0, "ns/op") // of all three: leave it out
}

// BenchmarkReadAllocations counts the allocations of a read, those of the instance in this process included, and of a
// no-op data source.
func BenchmarkReadAllocations(b *testing.B) {
	ours, noOp := readers(b, instancetest.New(b).URL())
	for name, read := range map[string]func() *tfprotov6.DynamicValue{"noop": noOp, "read": ours} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read()
			}
		})
	}
}

// BenchmarkFleet compares filetransfer_instances of 2,000 with 2,000 no-op data sources, and of 10,000 with one of
// 1,000. Nothing of Terraform is in it: with Terraform, no-op data sources cost much more, see
// internal/dev/benchplan.
func BenchmarkFleet(b *testing.B) {
	instance := instancetest.New(b, instancetest.WithDefault(good))
	server, _ := configure(b.Context(), b, nil)
	fleet := func(size int) func() {
		baseURLs, _ := under(instance.URL(), size)
		read := reader(b, server, instancesName, args{"base_urls": baseURLs})
		return func() { read() }
	}
	of1000, of2000, of10000 := fleet(1000), fleet(2000), fleet(10000)
	_, noOp := readers(b, instance.URL())
	took := make(times)
	for b.Loop() {
		took.measure("1000", of1000)
		took.measure("2000", of2000)
		took.measure("10000", of10000)
		took.measure("2000noops", func() {
			for range 2000 {
				noOp()
			}
		})
	}
	took.report(b, "2000", "2000noops")
	took.report(b, "10000", "1000")
	b.ReportMetric(0, "ns/op")
}
