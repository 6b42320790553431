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
// metrics are medians of one run: get_µs, canned_µs, read_µs, and read_µs less
// canned_µs as above_canned_µs.
func BenchmarkRead(b *testing.B) {
	server := instancetest.New(b, instancetest.WithDocument(instancetest.Newer()))
	config := configOf(b, instanceType(), map[string]tftypes.Value{"base_url": text(server.URL())})
	ours := newProtocolServer(b, New("bench")())

	state, err := ours.read(b, "filetransfer_instance", config).Unmarshal(instanceType())
	if err != nil {
		b.Fatal(err)
	}
	canned := newProtocolServer(b, &cannedProvider{state: state})

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

	subjects := []struct {
		name string
		run  func()
	}{
		{"get", get},
		{"canned", func() { canned.read(b, "filetransfer_instance", config) }},
		{"read", func() { ours.read(b, "filetransfer_instance", config) }},
	}
	medians := make(map[string]float64)
	times := make(map[string][]time.Duration)
	for b.Loop() { // in turns, so that all three see the same machine
		for _, subject := range subjects {
			start := time.Now()
			subject.run()
			times[subject.name] = append(times[subject.name], time.Since(start))
		}
	}
	for _, subject := range subjects {
		slices.Sort(times[subject.name])
		medians[subject.name] = float64(times[subject.name][len(times[subject.name])/2].Nanoseconds()) / 1000
		b.ReportMetric(medians[subject.name], subject.name+"_µs")
	}
	b.ReportMetric(medians["read"]-medians["canned"], "above_canned_µs")
}

// BenchmarkReadAllocations counts the allocations of one read.
func BenchmarkReadAllocations(b *testing.B) {
	server := instancetest.New(b, instancetest.WithDocument(instancetest.Newer()))
	config := configOf(b, instanceType(), map[string]tftypes.Value{"base_url": text(server.URL())})
	ours := newProtocolServer(b, New("bench")())
	b.ReportAllocs()
	for b.Loop() {
		ours.read(b, "filetransfer_instance", config)
	}
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
