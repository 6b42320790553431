package provider

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

var _ datasource.DataSourceWithConfigure = (*instanceDataSource)(nil)

type instanceDataSource struct{ dataSource }

func newInstanceDataSource() datasource.DataSource { return &instanceDataSource{} }

func (d *instanceDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance"
}

func (d *instanceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := computedAttributes("The JSON document as delivered, for fields that this version of the provider does not know: " +
		"`jsondecode(data.filetransfer_instance.files.response_body).newField`.")
	attributes["base_url"] = schema.StringAttribute{
		Optional:            true,
		Computed:            true,
		MarkdownDescription: "Base URL of the instance: `{base_url}/instance` is read. " + baseURLForm + " Default: the provider's `base_url`.",
		Validators:          []validator.String{baseURLValidator},
	}
	maps.Copy(attributes, readArgumentAttributes("Extra request headers for this read. They are sent only to the origin (scheme, host "+
		"and port) of the instance, and override the provider's."))
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the limits of an instance of the file transfer service Stend (`GET {base_url}/instance`).",
		Attributes:          attributes,
		Blocks:              readTimeoutBlocks(),
	}
}

func (d *instanceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	values := elementsOf(req.Config.Raw)
	headers, diags := parseHeaders(path.Root("request_headers"), values["request_headers"])
	baseURL, invalid := d.provider.baseURLFor(values["base_url"])
	diags.Append(invalid)
	resp.Diagnostics.Append(diags...)
	ownBaseURL := !values["base_url"].IsNull()
	if diags.HasError() || d.deferOrRefuse(ownBaseURL, req, resp) {
		return
	}

	op := d.operation(readOne, values)
	ctx, cancel := context.WithTimeout(ctx, op.timeout)
	defer cancel()
	result, err := d.provider.client.Read(ctx, d.provider.withHeaders(client.Request{BaseURL: baseURL, Headers: headers, UntilReady: op.waits}))
	if err != nil {
		at := path.Empty()
		if ownBaseURL {
			at = path.Root("base_url")
		}
		resp.Diagnostics.Append(readError(at, err, op))
		return
	}
	resp.Diagnostics.Append(warningDiagnostics(instanceWarnings{baseURL.Written, baseURL.String(), result.Details.Warnings})...)
	maps.Copy(values, instanceValues(baseURL, result))
	resp.State.Raw = tftypes.NewValue(req.Config.Raw.Type(), values)
}
