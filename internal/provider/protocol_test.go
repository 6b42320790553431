package provider

import (
	"context"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// protocolServer is a provider behind its protocol.
type protocolServer struct {
	tfprotov6.ProviderServer
}

// newProtocolServer configures a provider, with nothing but the arguments.
func newProtocolServer(tb testing.TB, p provider.Provider, arguments ...map[string]tftypes.Value) protocolServer {
	tb.Helper()
	server := protocolServer{providerserver.NewProtocol6(p)()}
	config := providerConfig(tb, p, arguments...)
	resp, err := server.ConfigureProvider(tb.Context(), &tfprotov6.ConfigureProviderRequest{TerraformVersion: "1.0.0", Config: &config})
	if err != nil || len(resp.Diagnostics) > 0 {
		tb.Fatalf("configuring: %v, %+v", err, resp)
	}
	return server
}

// providerConfig is a provider block with these arguments.
func providerConfig(tb testing.TB, p provider.Provider, arguments ...map[string]tftypes.Value) tfprotov6.DynamicValue {
	tb.Helper()
	var resp provider.SchemaResponse
	p.Schema(tb.Context(), provider.SchemaRequest{}, &resp)
	merged := make(map[string]tftypes.Value)
	for _, values := range arguments {
		maps.Copy(merged, values)
	}
	return configOf(tb, terraformTypes(resp.Schema.Attributes), merged)
}

func dynamicValue(tb testing.TB, value tftypes.Value) tfprotov6.DynamicValue {
	tb.Helper()
	encoded, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		tb.Fatal(err)
	}
	return encoded
}

// configOf is a configuration with these arguments, and null for the others.
func configOf(tb testing.TB, objectType tftypes.Object, arguments map[string]tftypes.Value) tfprotov6.DynamicValue {
	tb.Helper()
	values := make(map[string]tftypes.Value)
	for name, attributeType := range objectType.AttributeTypes {
		values[name] = tftypes.NewValue(attributeType, nil)
	}
	maps.Copy(values, arguments)
	return dynamicValue(tb, tftypes.NewValue(objectType, values))
}

// read reads a data source that must give no diagnostics.
func (s protocolServer) read(tb testing.TB, typeName string, config tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	tb.Helper()
	state, diagnostics := s.readAll(tb.Context(), tb, typeName, config)
	if len(diagnostics) > 0 {
		tb.Fatalf("reading: %+v", diagnostics)
	}
	return state
}

// readAll reads a data source.
func (s protocolServer) readAll(ctx context.Context, tb testing.TB, typeName string, config tfprotov6.DynamicValue) (*tfprotov6.DynamicValue, []*tfprotov6.Diagnostic) {
	tb.Helper()
	resp, err := s.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: typeName, Config: &config})
	if err != nil {
		tb.Fatal(err)
	}
	return resp.State, resp.Diagnostics
}

func text(value string) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }

func texts(values map[string]string) tftypes.Value {
	elements := make(map[string]tftypes.Value)
	for key, value := range values {
		elements[key] = text(value)
	}
	return tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, elements)
}

// attributesOf decodes a state into its attributes.
func attributesOf(tb testing.TB, state *tfprotov6.DynamicValue, objectType tftypes.Object) map[string]tftypes.Value {
	tb.Helper()
	value, err := state.Unmarshal(objectType)
	if err != nil {
		tb.Fatal(err)
	}
	return elementsOf(tb, value)
}

// elementsOf returns the elements of a map or the attributes of an object.
func elementsOf(tb testing.TB, value tftypes.Value) map[string]tftypes.Value {
	tb.Helper()
	var elements map[string]tftypes.Value
	if err := value.As(&elements); err != nil {
		tb.Fatal(err)
	}
	return elements
}

func textOf(tb testing.TB, value tftypes.Value) string {
	tb.Helper()
	var text string
	if err := value.As(&text); err != nil {
		tb.Fatal(err)
	}
	return text
}
