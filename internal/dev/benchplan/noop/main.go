// Command noop is the provider with a data source filetransfer_instance and a resource filetransfer_instance_record that
// have the schemas of the real ones, and do nothing: what Terraform and the plugin protocol take by themselves.
package main

import (
	"context"
	"fmt"
	"os"

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

func (d noOpDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var schema datasource.SchemaResponse
	d.Schema(ctx, datasource.SchemaRequest{}, &schema)
	resp.State.Raw = complete(req.Config.Raw, func(name string) bool { return schema.Schema.Attributes[name].IsComputed() })
}

type noOpResource struct{ resource.Resource }

func (r noOpResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var schema resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &schema)
	resp.State.Raw = complete(req.Plan.Raw, func(name string) bool { return schema.Schema.Attributes[name].IsComputed() })
}

func (noOpResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (noOpResource) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

func (noOpResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// complete returns the object with a value for each computed attribute that has none.
func complete(object tftypes.Value, computed func(name string) bool) tftypes.Value {
	var values map[string]tftypes.Value
	if err := object.As(&values); err != nil {
		panic(err) // no object has another type
	}
	completed := map[string]tftypes.Value{}
	for name, value := range values {
		if computed(name) && (value.IsNull() || !value.IsKnown()) {
			value = anyValue(value.Type())
		}
		completed[name] = value
	}
	return tftypes.NewValue(object.Type(), completed)
}

// anyValue returns a value of about the size that an instance's has.
func anyValue(of tftypes.Type) tftypes.Value {
	switch typed := of.(type) {
	case tftypes.List:
		var elements []tftypes.Value
		for range 8 {
			elements = append(elements, anyValue(typed.ElementType))
		}
		return tftypes.NewValue(typed, elements)
	case tftypes.Object:
		values := map[string]tftypes.Value{}
		for name, attribute := range typed.AttributeTypes {
			values[name] = anyValue(attribute)
		}
		return tftypes.NewValue(typed, values)
	}
	switch {
	case of.Is(tftypes.Number):
		return tftypes.NewValue(of, 20000000)
	case of.Is(tftypes.Bool):
		return tftypes.NewValue(of, true)
	case of.Is(tftypes.String):
		return tftypes.NewValue(of, "30 minutes")
	default:
		return tftypes.NewValue(of, nil)
	}
}
