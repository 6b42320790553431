// Command noop is the provider, but it reads one instance and then says the same of all of them, and it leaves records as
// they are: what Terraform, the plugin protocol and the framework take by themselves.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	real "github.com/filetransfer/terraform-provider-filetransfer/internal/provider"
)

func main() {
	// Without a log that nobody reads, and collecting garbage as rarely, as the real provider.
	debug.SetGCPercent(200)
	for _, variable := range []string{"TF_LOG_SDK", "TF_LOG_PROVIDER_FILETRANSFER"} {
		_ = os.Setenv(variable, "OFF")
	}
	err := providerserver.Serve(context.Background(), func() provider.Provider { return noOp{real.New("noop")()} },
		providerserver.ServeOpts{Address: "registry.terraform.io/filetransfer/filetransfer"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type noOp struct{ provider.Provider }

func (p noOp) DataSources(ctx context.Context) (all []func() datasource.DataSource) {
	for _, newSource := range p.Provider.DataSources(ctx) {
		first := new(firstRead)
		all = append(all, func() datasource.DataSource {
			return dataSource{newSource().(datasource.DataSourceWithConfigure), first}
		})
	}
	return all
}

func (p noOp) Resources(ctx context.Context) (all []func() resource.Resource) {
	for _, newResource := range p.Provider.Resources(ctx) {
		all = append(all, func() resource.Resource { return record{newResource().(resource.ResourceWithConfigure)} })
	}
	return all
}

type dataSource struct {
	datasource.DataSourceWithConfigure
	first *firstRead
}

type firstRead struct {
	once  sync.Once
	state tftypes.Value
}

func (d dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	d.first.once.Do(func() {
		d.DataSourceWithConfigure.Read(ctx, req, resp)
		d.first.state = resp.State.Raw
	})
	resp.State.Raw = d.first.state
}

type record struct{ resource.ResourceWithConfigure }

// Read leaves the state as it was when the record was created.
func (record) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}
