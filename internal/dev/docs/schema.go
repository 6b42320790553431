package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/provider"
)

// The types below are the part of the output of `terraform providers schema -json` that this provider needs:
// https://developer.hashicorp.com/terraform/cli/commands/providers/schema#format-summary.
type (
	schemasJSON struct {
		FormatVersion string                        `json:"format_version"`
		Schemas       map[string]providerSchemaJSON `json:"provider_schemas"`
	}
	providerSchemaJSON struct {
		Provider    schemaJSON              `json:"provider"`
		DataSources map[string]schemaJSON   `json:"data_source_schemas"`
		Functions   map[string]functionJSON `json:"functions"`
	}
	schemaJSON struct {
		Version int64     `json:"version"`
		Block   blockJSON `json:"block"`
	}
	blockJSON struct {
		Attributes map[string]attributeJSON `json:"attributes,omitempty"`
		descriptionJSON
	}
	attributeJSON struct {
		Type   tftypes.Type `json:"type,omitempty"`
		Nested *nestedJSON  `json:"nested_type,omitempty"`
		descriptionJSON
		Required  bool `json:"required,omitempty"`
		Optional  bool `json:"optional,omitempty"`
		Computed  bool `json:"computed,omitempty"`
		Sensitive bool `json:"sensitive,omitempty"`
	}
	nestedJSON struct {
		Attributes  map[string]attributeJSON `json:"attributes"`
		NestingMode string                   `json:"nesting_mode"`
	}
	descriptionJSON struct {
		Description string `json:"description,omitempty"`
		Kind        string `json:"description_kind"`
		Deprecated  bool   `json:"deprecated,omitempty"`
	}
	functionJSON struct {
		Description string          `json:"description"`
		Summary     string          `json:"summary"`
		ReturnType  tftypes.Type    `json:"return_type"`
		Parameters  []parameterJSON `json:"parameters,omitempty"`
	}
	parameterJSON struct {
		Name        string       `json:"name"`
		Description string       `json:"description"`
		IsNullable  bool         `json:"is_nullable,omitempty"`
		Type        tftypes.Type `json:"type"`
	}
)

// errUnsupported is about a part of the protocol that nothing here used when this was written.
var errUnsupported = errors.New("internal/dev/docs cannot describe this yet; teach it to")

// providersSchema asks the provider itself, in this process, for what `terraform providers schema -json` prints about
// it. No CLI is needed, and the documentation is the same whichever is there: those without provider functions leave
// them out.
func providersSchema(ctx context.Context, name string) ([]byte, error) {
	server, err := providerserver.NewProtocol6WithError(provider.New("dev")())()
	if err != nil {
		return nil, err
	}
	response, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	for _, diagnostic := range response.Diagnostics {
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			return nil, fmt.Errorf("the provider's schema: %s: %s", diagnostic.Summary, diagnostic.Detail)
		}
	}
	if len(response.ResourceSchemas)+len(response.EphemeralResourceSchemas)+len(response.ActionSchemas)+len(response.ListResourceSchemas) > 0 {
		return nil, fmt.Errorf("a kind of resource: %w", errUnsupported)
	}

	described := providerSchemaJSON{DataSources: map[string]schemaJSON{}, Functions: map[string]functionJSON{}}
	if described.Provider, err = describeSchema(response.Provider); err != nil {
		return nil, err
	}
	for name, schema := range response.DataSourceSchemas {
		if described.DataSources[name], err = describeSchema(schema); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for name, function := range response.Functions {
		if described.Functions[name], err = describeFunction(function); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return json.Marshal(schemasJSON{"1.0", map[string]providerSchemaJSON{name: described}})
}

func describeSchema(schema *tfprotov6.Schema) (schemaJSON, error) {
	if len(schema.Block.BlockTypes) > 0 {
		return schemaJSON{}, fmt.Errorf("nested blocks: %w", errUnsupported)
	}
	attributes, err := describeAttributes(schema.Block.Attributes)
	return schemaJSON{schema.Version, blockJSON{
		attributes,
		describe(schema.Block.Description, schema.Block.DescriptionKind, schema.Block.Deprecated),
	}}, err
}

func describe(text string, kind tfprotov6.StringKind, deprecated bool) descriptionJSON {
	if kind == tfprotov6.StringKindMarkdown {
		return descriptionJSON{text, "markdown", deprecated}
	}
	return descriptionJSON{text, "plain", deprecated}
}

// nestingModes are the protocol's modes in the words of the JSON format.
var nestingModes = map[tfprotov6.SchemaObjectNestingMode]string{
	tfprotov6.SchemaObjectNestingModeSingle: "single",
	tfprotov6.SchemaObjectNestingModeList:   "list",
	tfprotov6.SchemaObjectNestingModeSet:    "set",
	tfprotov6.SchemaObjectNestingModeMap:    "map",
}

func describeAttributes(attributes []*tfprotov6.SchemaAttribute) (map[string]attributeJSON, error) {
	described := make(map[string]attributeJSON, len(attributes))
	for _, attribute := range attributes {
		if attribute.WriteOnly {
			return nil, fmt.Errorf("%s: write-only: %w", attribute.Name, errUnsupported)
		}
		one := attributeJSON{
			Type:            attribute.Type,
			descriptionJSON: describe(attribute.Description, attribute.DescriptionKind, attribute.Deprecated),
			Required:        attribute.Required,
			Optional:        attribute.Optional,
			Computed:        attribute.Computed,
			Sensitive:       attribute.Sensitive,
		}
		if nested := attribute.NestedType; nested != nil {
			inner, err := describeAttributes(nested.Attributes)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", attribute.Name, err)
			}
			one.Nested = &nestedJSON{inner, nestingModes[nested.Nesting]}
		}
		described[attribute.Name] = one
	}
	return described, nil
}

func describeFunction(function *tfprotov6.Function) (functionJSON, error) {
	if function.VariadicParameter != nil {
		return functionJSON{}, fmt.Errorf("a variadic parameter: %w", errUnsupported)
	}
	described := functionJSON{
		Description: function.Description,
		Summary:     function.Summary,
		ReturnType:  function.Return.Type,
	}
	for _, parameter := range function.Parameters {
		described.Parameters = append(described.Parameters, parameterJSON{
			Name:        parameter.Name,
			Description: parameter.Description,
			IsNullable:  parameter.AllowNullValue,
			Type:        parameter.Type,
		})
	}
	return described, nil
}
