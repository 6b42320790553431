package provider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ datasource.DataSourceWithConfigure = (*instanceDataSource)(nil)

type instanceDataSource struct{ dataSource }

// instanceModel is the configuration and the state of filetransfer_instance.
type instanceModel struct {
	BaseURL      types.String `tfsdk:"base_url"`
	ResponseBody types.String `tfsdk:"response_body"`
	readModel
	detailsModel
}

func newInstanceDataSource() datasource.DataSource { return &instanceDataSource{} }

func (d *instanceDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance"
}

func (d *instanceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := detailsAttributes()
	attributes["base_url"] = schema.StringAttribute{
		Optional: true,
		Computed: true,
		MarkdownDescription: "Base URL of the instance. The provider reads `{base_url}/instance`. " + baseURLForm +
			" Default: the provider's `base_url`.",
		Validators: []validator.String{baseURLValidator},
	}
	attributes["response_body"] = computedString("The JSON document as delivered, for fields that this version " +
		"of the provider does not know: `jsondecode(data.filetransfer_instance.files.response_body).newField`.")
	maps.Copy(attributes, readAttributes("Extra request headers for this read. They are sent only to the origin "+
		"(scheme, host and port) of the instance, and override the provider's."))
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the limits of an instance of the file transfer service Stend " +
			"(`GET {base_url}/instance`).",
		Attributes: attributes,
		Blocks:     readBlocks(),
	}
}

func (d *instanceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model instanceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	op, diags := d.operation(ctx, readOne, model.readModel)
	resp.Diagnostics.Append(diags...)
	baseURL, invalid := d.provider.baseURLFor(model.BaseURL)
	resp.Diagnostics.Append(invalid)
	ownBaseURL := !model.BaseURL.IsNull()
	if resp.Diagnostics.HasError() || d.deferOrRefuse(ownBaseURL, req, resp) {
		return
	}

	readCtx, cancel := context.WithTimeout(ctx, op.timeout)
	defer cancel()
	result, err := op.read(readCtx, baseURL)
	if err != nil {
		at := path.Empty()
		if ownBaseURL {
			at = path.Root("base_url")
		}
		resp.Diagnostics.Append(readDiagnostic(at, err, op))
		return
	}
	warnings := instanceWarnings{baseURL.Written, baseURL.String(), result.Details.Warnings}
	resp.Diagnostics.Append(warningDiagnostics(warnings)...)
	model.BaseURL = types.StringValue(baseURL.Written)
	model.ResponseBody = types.StringValue(string(result.Document))
	model.detailsModel = newDetailsModel(result.Details)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
