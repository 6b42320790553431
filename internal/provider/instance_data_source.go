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

type instanceDataSource struct{ dataSource }

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
	attributes["request_headers"] = requestHeadersAttribute("Extra request headers for this read, sent only to the "+
		"origin of the instance. They override the provider's.", false)
	attributes["response_body"] = computedString("The JSON document as the instance returned it. Use it with " +
		"`jsondecode` for fields that have no attribute yet.")
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the limits and expiry options of an instance of the file transfer service Stend.",
		Attributes:          attributes,
		Blocks:              map[string]schema.Block{"timeouts": readTimeoutsBlock("the whole read, with all its attempts")},
	}
}

func (d *instanceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model instanceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	headers, diags := parseHeaders(path.Root("request_headers"), model.RequestHeaders)
	resp.Diagnostics.Append(diags...)
	baseURL, invalid, argument := d.provider.baseURL, d.provider.noBaseURL, path.Empty()
	if isSet(model.BaseURL) {
		argument = path.Root("base_url")
		baseURL, invalid = parseBaseURL("base_url", model.BaseURL.ValueString())
		invalid = withPath(argument, invalid)
	}
	resp.Diagnostics.Append(invalid)
	if resp.Diagnostics.HasError() || d.provider.deferOrRefuse(req, resp) {
		return
	}

	request, limit := d.provider.newRequest(baseURL, headers), newTimeLimit(model.Timeouts, "read", defaultReadTimeout)
	result, failed := d.provider.read(ctx, request, limit)
	if failed != nil {
		report := failureReport{failed: failed, provider: d.provider, request: request, limit: limit, baseURL: argument}
		resp.Diagnostics.Append(report.diagnostic())
		return
	}
	resp.Diagnostics.Append(smallLimitsWarning(baseURL.Raw, result.Details))
	model.BaseURL = types.StringValue(baseURL.Raw)
	model.ResponseBody = types.StringValue(string(result.Document))
	model.detailsModel = newDetailsModel(result.Details)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
