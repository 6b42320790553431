package provider

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// cannedProvider is the provider with data sources that answer what the real
// one has answered once, without I/O: the floor that Terraform's plugin
// protocol and framework set for our schemas.
type cannedProvider struct {
	filetransferProvider
	state tftypes.Value
}

func (p *cannedProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (p *cannedProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &cannedDataSource{state: p.state} },
	}
}

type cannedDataSource struct {
	instanceDataSource
	state tftypes.Value
}

func (d *cannedDataSource) Configure(context.Context, datasource.ConfigureRequest, *datasource.ConfigureResponse) {
}

func (d *cannedDataSource) Read(_ context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.State.Raw = d.state
}

// BenchmarkRead compares one read of filetransfer_instance with the plain GET
// of the same URL, and with a read of the same schema that does nothing. Its
// metrics are medians of one run: get_µs, canned_µs, read_µs, what read takes
// above canned (to stay at most 150 µs), and the ratios of each turn.
func BenchmarkRead(b *testing.B) {
	server := instancetest.New(b, instancetest.WithDocument(instancetest.Newer()))
	config, canned, ours := readers(b, server)

	plain := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
	defer plain.CloseIdleConnections()
	get := func() {
		request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, server.URL()+"/instance", http.NoBody)
		if err != nil {
			b.Fatal(err)
		}
		response, err := plain.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			b.Fatal(err)
		}
		_ = response.Body.Close()
	}

	var gets, canneds, reads []time.Duration
	for b.Loop() { // in turns, so that all three see the same machine
		gets = append(gets, timed(get))
		canneds = append(canneds, timed(func() { canned.read(b, "filetransfer_instance", config) }))
		reads = append(reads, timed(func() { ours.read(b, "filetransfer_instance", config) }))
	}
	microseconds := func(times []time.Duration) float64 { return float64(median(times).Nanoseconds()) / 1000 }
	b.ReportMetric(microseconds(gets), "get_µs")
	b.ReportMetric(microseconds(canneds), "canned_µs")
	b.ReportMetric(microseconds(reads), "read_µs")
	b.ReportMetric(microseconds(reads)-microseconds(canneds), "above_canned_µs")
	b.ReportMetric(medianRatio(reads, gets), "read/get")
	b.ReportMetric(medianRatio(reads, canneds), "read/canned")
	b.ReportMetric(0, "ns/op") // of all three: leave it out
}

// BenchmarkReadAllocations counts the allocations of one read, those of the
// instance in this process included, and of one that does nothing.
func BenchmarkReadAllocations(b *testing.B) {
	server := instancetest.New(b, instancetest.WithDocument(instancetest.Newer()))
	config, canned, ours := readers(b, server)
	for _, subject := range []struct {
		name   string
		server protocolServer
	}{{"canned", canned}, {"read", ours}} {
		b.Run(subject.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				subject.server.read(b, "filetransfer_instance", config)
			}
		})
	}
}

// readers returns the configuration of a read of the instance, and the two
// providers that answer it: the canned one with what ours has read.
func readers(b *testing.B, server *instancetest.Server) (config tfprotov6.DynamicValue, canned, ours protocolServer) {
	b.Helper()
	config = configOf(b, instanceType(), map[string]tftypes.Value{"base_url": text(server.URL())})
	ours = newProtocolServer(b, New("bench")())
	state, err := ours.read(b, "filetransfer_instance", config).Unmarshal(instanceType())
	if err != nil {
		b.Fatal(err)
	}
	return config, newProtocolServer(b, &cannedProvider{state: state}), ours
}

func timed(run func()) time.Duration {
	start := time.Now()
	run()
	return time.Since(start)
}

func median[T float64 | time.Duration](values []T) T {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

// medianRatio is the median of the ratios of each turn.
func medianRatio(times, reference []time.Duration) float64 {
	ratios := make([]float64, len(times))
	for i := range times {
		ratios[i] = float64(times[i]) / float64(reference[i])
	}
	return median(ratios)
}

// BenchmarkFleet reads 1,000 instances of 20 ms each, 16 at once. ideal is what
// the waiting alone takes; fetch/ideal is how much longer reading takes, and
// read/ideal the whole read through the protocol server.
func BenchmarkFleet(b *testing.B) {
	const (
		instances   = 1000
		concurrency = 16
		delay       = 20 * time.Millisecond
	)
	ideal := time.Duration(float64(instances) / concurrency * float64(delay))
	document := instancetest.Newer().JSON()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(delay) // the instance that is measured, not a test that waits
		_, _ = io.WriteString(w, document)
	}))
	defer server.Close()
	baseURLs := make(map[string]string)
	values := make(map[string]tftypes.Value)
	for i := range instances {
		key := fmt.Sprintf("instance%04d", i)
		baseURLs[key] = server.URL + "/" + key
		values[key] = tftypes.NewValue(tftypes.String, baseURLs[key])
	}
	config := configOf(b, instancesType(), map[string]tftypes.Value{
		"base_urls": tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, values),
	})

	p := &filetransferProvider{version: "bench"}
	ours := newProtocolServer(b, p)
	model := providerModel{}
	data, diags := model.configure(b.Context(), "bench")
	if diags.HasError() {
		b.Fatal(diags)
	}

	var fetch, read time.Duration
	for b.Loop() {
		members, diags := fleetMembers(baseURLs)
		if diags.HasError() {
			b.Fatal(diags)
		}
		source := instancesDataSource{provider: data}
		start := time.Now()
		source.readFleet(b.Context(), members, readArguments{}, concurrency)
		fetch += time.Since(start)

		start = time.Now()
		ours.read(b, "filetransfer_instances", config)
		read += time.Since(start)
	}
	b.ReportMetric(fetch.Seconds()/float64(b.N)/ideal.Seconds(), "fetch/ideal")
	b.ReportMetric(read.Seconds()/float64(b.N)/ideal.Seconds(), "read/ideal")
}
