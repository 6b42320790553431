// Command canned is the provider with data sources, here canned_instance and canned_instances, that answer what the real
// ones read, without I/O. benchplan builds it.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
	real "github.com/filetransfer/terraform-provider-filetransfer/internal/provider"
)

const (
	address  = "registry.terraform.io/filetransfer/canned"
	typeName = "canned"
)

func main() {
	if err := serve(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "canned:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context) error {
	values, err := readDocument(ctx, instancetest.Newer().JSON())
	if err != nil {
		return err
	}
	newProvider := func() provider.Provider { return &cannedProvider{Provider: real.New("canned")(), values: values} }
	return providerserver.Serve(ctx, newProvider, providerserver.ServeOpts{Address: address})
}

// readDocument returns what the data source makes of a document, by way of the function that does the same.
func readDocument(ctx context.Context, document string) (map[string]tftypes.Value, error) {
	functions, ok := real.New("canned")().(provider.ProviderWithFunctions)
	if !ok {
		return nil, fmt.Errorf("the provider has no functions")
	}
	for _, newFunction := range functions.Functions(ctx) {
		parse := newFunction()
		var metadata function.MetadataResponse
		parse.Metadata(ctx, function.MetadataRequest{}, &metadata)
		if metadata.Name != "parse_instance" {
			continue
		}
		var definition function.DefinitionResponse
		parse.Definition(ctx, function.DefinitionRequest{}, &definition)
		result, failure := definition.Definition.Return.NewResultData(ctx)
		if failure != nil {
			return nil, failure
		}
		response := function.RunResponse{Result: result}
		parse.Run(ctx, function.RunRequest{Arguments: function.NewArgumentsData([]attr.Value{types.StringValue(document)})}, &response)
		if response.Error != nil {
			return nil, response.Error
		}
		details, err := response.Result.Value().ToTerraformValue(ctx)
		if err != nil {
			return nil, err
		}
		var values map[string]tftypes.Value
		if err := details.As(&values); err != nil {
			return nil, err
		}
		values["response_body"] = tftypes.NewValue(tftypes.String, document)
		return values, nil
	}
	return nil, fmt.Errorf("the provider has no function parse_instance")
}

// cannedProvider has the schema of the real provider and shares nothing with its data sources.
type cannedProvider struct {
	provider.Provider
	values map[string]tftypes.Value
}

// Metadata names the provider.
func (p *cannedProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = typeName
}

// Configure does nothing.
func (p *cannedProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

// DataSources returns data sources with the schemas of the real ones.
func (p *cannedProvider) DataSources(ctx context.Context) []func() datasource.DataSource {
	var sources []func() datasource.DataSource
	for _, newSource := range p.Provider.DataSources(ctx) {
		sources = append(sources, func() datasource.DataSource { return &cannedDataSource{newSource(), p.values} })
	}
	return sources
}

// cannedDataSource has the schema of a real data source.
type cannedDataSource struct {
	datasource.DataSource
	values map[string]tftypes.Value
}

// Read answers the arguments as configured and the same values every time.
func (d *cannedDataSource) Read(_ context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	state, err := d.state(req.Config.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Unexpected configuration", err.Error())
		return
	}
	resp.State.Raw = state
}

func (d *cannedDataSource) state(config tftypes.Value) (tftypes.Value, error) {
	var values map[string]tftypes.Value
	if err := config.As(&values); err != nil {
		return tftypes.Value{}, err
	}
	values = maps.Clone(values) // As gives the configuration's own map
	baseURLs, plural := values["base_urls"]
	if !plural {
		maps.Copy(values, d.values)
		return tftypes.NewValue(config.Type(), values), nil
	}
	var instances map[string]tftypes.Value
	if err := baseURLs.As(&instances); err != nil {
		return tftypes.Value{}, err
	}
	instances = maps.Clone(instances)
	listType, ok := values["instances"].Type().(tftypes.Map)
	if !ok {
		return tftypes.Value{}, fmt.Errorf("instances is %s", values["instances"].Type())
	}
	for key, baseURL := range instances {
		instance := maps.Clone(d.values)
		delete(instance, "response_body")
		instance["base_url"] = baseURL
		instances[key] = tftypes.NewValue(listType.ElementType, instance)
	}
	values["instances"] = tftypes.NewValue(listType, instances)
	values["errors"] = tftypes.NewValue(values["errors"].Type(), map[string]tftypes.Value{})
	return tftypes.NewValue(config.Type(), values), nil
}
