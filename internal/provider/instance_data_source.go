package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ datasource.DataSourceWithConfigure = (*instanceDataSource)(nil)

const defaultReadTimeout = time.Minute

type instanceDataSource struct{ provider *providerData }

// instanceModel is the configuration and the state of filetransfer_instance.
type instanceModel struct {
	BaseURL        types.String `tfsdk:"base_url"`
	RequestHeaders types.Map    `tfsdk:"request_headers"`
	Timeouts       types.Object `tfsdk:"timeouts"`
	ResponseBody   types.String `tfsdk:"response_body"`
	detailsModel
}

func (d *instanceDataSource) Metadata(
	_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_instance"
}

func (d *instanceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := detailsAttributes()
	attributes["base_url"] = schema.StringAttribute{
		Optional: true,
		Computed: true,
		MarkdownDescription: "Base URL of the instance, such as `https://files.example.org/api`. The provider reads " +
			"`{base_url}/instance`. Default: the provider's `base_url`.",
		Validators: []validator.String{validateText(parseBaseURL)},
	}
	attributes["request_headers"] = requestHeadersAttribute("Extra request headers for this read. They are sent only to "+
		"the origin (scheme, host, and port) of the instance, and override the provider's.", false)
	attributes["response_body"] = computedString("The JSON document as the instance returned it. Use it for fields that " +
		"have no attribute yet: `jsondecode(data.filetransfer_instance.files.response_body).newField`.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the limits and expiry options of an instance of the file transfer service Stend.",
		Attributes:          attributes,
		Blocks:              map[string]schema.Block{"timeouts": readTimeoutsBlock("the whole read, with all its attempts")},
	}
}

func (d *instanceDataSource) Configure(
	_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse,
) {
	d.provider, _ = req.ProviderData.(*providerData) // nil while Terraform only validates
}

func (d *instanceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model instanceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	headers, diags := parseHeaders(path.Root("request_headers"), model.RequestHeaders)
	resp.Diagnostics.Append(diags...)
	baseURL, invalid := d.provider.baseURL, d.provider.noBaseURL
	if isSet(model.BaseURL) {
		baseURL, invalid = parseBaseURL("base_url", model.BaseURL.ValueString())
		invalid = withPath(path.Root("base_url"), invalid)
	}
	resp.Diagnostics.Append(invalid)
	if resp.Diagnostics.HasError() || d.provider.deferOrRefuse(req, resp) {
		return
	}

	limit := newTimeLimit(model.Timeouts, "read", defaultReadTimeout)
	result, failed := d.provider.read(ctx, d.provider.newRequest(baseURL, headers), limit)
	if failed != nil {
		if model.BaseURL.IsNull() { // the provider block has it
			failed.argument = path.Empty()
		}
		resp.Diagnostics.Append(failed.diagnostic())
		return
	}
	resp.Diagnostics.Append(smallLimitsWarning(baseURL.Raw, result))
	model.BaseURL = types.StringValue(baseURL.Raw)
	model.ResponseBody = types.StringValue(string(result.Document))
	model.detailsModel = newDetailsModel(result.Details)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
