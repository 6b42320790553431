package provider

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

var _ function.Function = (*parseInstanceFunction)(nil)

type parseInstanceFunction struct{}

func newParseInstanceFunction() function.Function { return &parseInstanceFunction{} }

func (*parseInstanceFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "parse_instance"
}

func (*parseInstanceFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Parse an instance document from a file or another source",
		MarkdownDescription: "Parses the JSON document of a Stend instance (the answer to `GET {base_url}/instance`) from a " +
			"file or a data source. It sends no request and never warns, even if expiry options (of 1.1.1) are 60 times " +
			"too small.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name: "document",
				MarkdownDescription: "The JSON document of any supported release. An invalid document is an error that lists its " +
					"faults.",
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
	hide := func(string) string { return "" } // nobody can know whether Terraform has marked the document as sensitive
	details, err := instance.Parse([]byte(document), hide)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, invalidDocument(document, err))
		return
	}
	resp.Error = resp.Result.Set(ctx, types.ObjectValueMust(detailsTypes, newDetailsModel(details).values()))
}

// fileName matches text that looks like a file name and cannot be JSON.
var fileName = regexp.MustCompile(`^[^{}\[\]<>"\n]{1,200}\.[A-Za-z]{2,5}$`)

// invalidDocument returns a message about an invalid document, with one fault per line.
func invalidDocument(document string, err error) string {
	documentErr, _ := errors.AsType[*instance.DocumentError](err)
	list := bullets(documentErr.Lines())
	switch {
	case !documentErr.NotJSON:
		return "This is not an instance document:" + list
	case fileName.MatchString(document):
		return "This is not a JSON document. It looks like a file name: pass the content of the file, with file(...)"
	case strings.HasPrefix(strings.TrimSpace(document), "<"):
		return "This is not a JSON document, but an HTML page"
	default:
		return "This is not a JSON document:" + list
	}
}
