package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

var _ function.Function = (*parseInstanceFunction)(nil)

type parseInstanceFunction struct{}

func newParseInstanceFunction() function.Function { return &parseInstanceFunction{} }

func (*parseInstanceFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "parse_instance"
}

// detailsObject is the type of an instance's details.
var detailsObject = func() types.ObjectType {
	attributes := make(map[string]attr.Type)
	for name, attribute := range detailsAttributes() {
		attributes[name] = attribute.GetType()
	}
	return types.ObjectType{AttrTypes: attributes}
}()

func (*parseInstanceFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Read an instance document that came another way",
		MarkdownDescription: "Reads the JSON document of an instance (what `GET {base_url}/instance` answers) that came from a file, a snapshot or " +
			"another data source, and returns the same normalized object as the data source " +
			"[`filetransfer_instance`](../data-sources/instance.md), without `base_url` and `response_body`. It uses no network. What gives a warning there is " +
			"read the same way here, silently: functions cannot warn.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "document",
				MarkdownDescription: "The JSON document, in either response shape. A document that is not one is an error that lists every fault.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: detailsObject.AttrTypes},
	}
}

func (*parseInstanceFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var document string
	if resp.Error = req.Arguments.Get(ctx, &document); resp.Error != nil {
		return
	}
	details, err := instance.Parse([]byte(document))
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, documentFault(err))
		return
	}
	value, err := detailsObject.ValueFromTerraform(ctx, tftypes.NewValue(detailsType, detailsValues(details)))
	if err != nil {
		resp.Error = function.NewFuncError(err.Error() + "; this is a bug in the provider, please report it")
		return
	}
	resp.Error = resp.Result.Set(ctx, value)
}

// documentFault says what is wrong with a document, a fault a line.
func documentFault(err error) string {
	fault, ok := errors.AsType[*instance.DocumentError](err)
	if !ok {
		return err.Error()
	}
	text := "This is not an instance document:"
	if fault.NotJSON {
		text = "This is not a JSON document:"
	}
	for _, line := range fault.Lines() {
		text += "\n  - " + line
	}
	return text
}
