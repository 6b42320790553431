package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

var _ function.Function = (*parseInstanceFunction)(nil)

type parseInstanceFunction struct{}

func (*parseInstanceFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "parse_instance"
}

func (*parseInstanceFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Parse the JSON document of an instance",
		MarkdownDescription: "Parses the JSON document that an instance of Stend returns for `GET {base_url}/instance`. The function " +
			"sends no request.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "document",
				MarkdownDescription: "The JSON document. If it is not valid, the error lists what is wrong with it.",
			},
		},
		Return: function.ObjectReturn{AttributeTypes: detailsTypes},
	}
}

func (*parseInstanceFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var document string
	if resp.Error = req.Arguments.Get(ctx, &document); resp.Error != nil {
		return
	}
	details, err := instance.Parse([]byte(document))
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, invalidDocument(err))
		return
	}
	resp.Error = resp.Result.Set(ctx, types.ObjectValueMust(detailsTypes, newDetailsModel(details).values()))
}

// invalidDocument returns a message without text of the document, because nobody can know whether it is sensitive.
func invalidDocument(err error) string {
	documentErr, _ := errors.AsType[*instance.DocumentError](err)
	if documentErr.NotJSON {
		return "This is not a JSON document: " + documentErr.Faults[0].Problem + ". To pass the content of a file, use file(...)"
	}
	return "This is not an instance document:" + listed(documentErr.Lines())
}
