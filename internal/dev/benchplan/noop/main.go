// Command noop is the provider with a data source filetransfer_instance and a resource filetransfer_instance_record that
// have the schemas of the real ones, and do nothing: what Terraform and the plugin protocol take by themselves.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	real "github.com/filetransfer/terraform-provider-filetransfer/internal/provider"
)

func main() {
	// Without a log that nobody reads, as the real provider.
	for _, variable := range []string{"TF_LOG_SDK", "TF_LOG_PROVIDER_FILETRANSFER"} {
		_ = os.Setenv(variable, "OFF")
	}
	err := providerserver.Serve(context.Background(), func() provider.Provider { return noOpProvider{real.New("noop")()} },
		providerserver.ServeOpts{Address: "registry.terraform.io/filetransfer/filetransfer"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type noOpProvider struct{ provider.Provider }

func (noOpProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (p noOpProvider) DataSources(ctx context.Context) (all []func() datasource.DataSource) {
	for _, newSource := range p.Provider.DataSources(ctx) {
		all = append(all, func() datasource.DataSource { return noOpDataSource{newSource()} })
	}
	return all
}

func (p noOpProvider) Resources(ctx context.Context) (all []func() resource.Resource) {
	for _, newResource := range p.Provider.Resources(ctx) {
		all = append(all, func() resource.Resource { return noOpResource{newResource()} })
	}
	return all
}

type noOpDataSource struct{ datasource.DataSource }

func (noOpDataSource) Read(_ context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.State.Raw = complete(req.Config.Raw)
}

type noOpResource struct{ resource.Resource }

func (noOpResource) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = complete(req.Plan.Raw)
}

func (noOpResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse)       {}
func (noOpResource) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}
func (noOpResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// complete returns the object with values for the attributes that an instance gives. The arguments stay null.
func complete(object tftypes.Value) tftypes.Value {
	values := map[string]tftypes.Value{}
	if err := object.As(&values); err != nil {
		panic(err) // no configuration or plan is anything else
	}
	values = maps.Clone(values) // As gives the object's own map
	for name, value := range values {
		switch name {
		case "request_headers", "timeouts", "wait_until_ready":
		default:
			if value.IsNull() || !value.IsKnown() {
				values[name] = anyValue(value.Type())
			}
		}
	}
	return tftypes.NewValue(object.Type(), values)
}

// anyValue returns a value of about the size that an instance's has.
func anyValue(of tftypes.Type) tftypes.Value {
	switch of := of.(type) {
	case tftypes.List:
		return tftypes.NewValue(of, slices.Repeat([]tftypes.Value{anyValue(of.ElementType)}, 8))
	case tftypes.Object:
		values := map[string]tftypes.Value{}
		for name, attribute := range of.AttributeTypes {
			values[name] = anyValue(attribute)
		}
		return tftypes.NewValue(of, values)
	}
	switch {
	case of.Is(tftypes.Number):
		return tftypes.NewValue(of, 20000000)
	case of.Is(tftypes.Bool):
		return tftypes.NewValue(of, true)
	default:
		return tftypes.NewValue(of, "30 minutes")
	}
}
