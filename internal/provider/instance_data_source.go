package provider

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

var _ datasource.DataSourceWithConfigure = (*instanceDataSource)(nil)

type instanceDataSource struct {
	provider *providerData
}

func newInstanceDataSource() datasource.DataSource { return &instanceDataSource{} }

func (d *instanceDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance"
}

// instanceSchema is built once: the type of a state is needed at every read.
var instanceSchema = sync.OnceValue(func() schema.Schema {
	attributes := detailsAttributes()
	maps.Copy(attributes, readArgumentAttributes(
		"this read, for example for a reverse proxy in front of the instance."))
	attributes["base_url"] = schema.StringAttribute{
		Optional: true,
		Computed: true,
		MarkdownDescription: "The instance, as an `http` or `https` URL: `{base_url}/instance` is read. A path is kept, trailing slashes " +
			"do not matter. No user info, query or fragment. Default: the provider's `base_url`.",
		Validators: []validator.String{baseURLValidator{}},
	}
	attributes["response_body"] = schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "The JSON document as delivered, for fields that this version of the provider does not know: " +
			"`jsondecode(data.filetransfer_instance.example.response_body).newField`. Never null.",
	}
	return schema.Schema{
		MarkdownDescription: "Reads an instance of the file transfer service (`GET {base_url}/instance`) and gives what it says in one " +
			"typed schema, whether it answers in the older or the newer shape or something between.",
		Attributes: attributes,
	}
})

var instanceType = sync.OnceValue(func() tftypes.Object { return terraformTypes(instanceSchema().Attributes) })

func (d *instanceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = instanceSchema()
}

func (d *instanceDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.provider = configuredProvider(req, resp)
}

func (d *instanceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	values, diags := configValues(req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	arguments, diags := readArgumentsFrom(ctx, req.Config, values)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	at := path.Empty()
	if !values["base_url"].IsNull() {
		at = path.Root("base_url")
	}
	text, baseURL, diags := d.instance(values["base_url"])
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	unknown := d.provider.unknownFor(baseURL, arguments.waitUntilReady)
	if (baseURL != nil || slices.Contains(unknown, "base_url")) && deferOrFail(req, resp, unknown) {
		return
	}
	if baseURL == nil {
		resp.Diagnostics.AddError("No instance to read",
			"Neither the data source nor the provider has a base_url, and the environment variable "+baseURLVariable+" is not set.\n\nSet one of them.")
		return
	}

	headers := d.provider.headersFor(*baseURL, arguments.headers)
	ctx, cancel := context.WithTimeout(maskSecrets(ctx, headers), arguments.timeout)
	defer cancel()
	result, err := d.provider.client.Read(ctx, client.Request{
		BaseURL:    *baseURL,
		Headers:    headers,
		UntilReady: arguments.waitUntilReady,
	})
	if deferOrFail(req, resp, d.provider.unknownBehind(err)) {
		return
	}
	if err != nil {
		resp.Diagnostics.Append(readError(at, err, arguments))
		return
	}
	resp.Diagnostics.Append(warningDiagnostics([]instanceWarnings{{baseURL.String(), result.Details.Warnings}})...)

	maps.Copy(values, detailsValues(result.Details))
	values["base_url"] = tftypes.NewValue(tftypes.String, text)
	values["response_body"] = tftypes.NewValue(tftypes.String, string(result.Document))
	resp.State.Raw = tftypes.NewValue(instanceType(), values)
}

// instance returns the base URL to read, as written and parsed: the data
// source's own, else the provider's, else none.
func (d *instanceDataSource) instance(own tftypes.Value) (text string, baseURL *client.BaseURL, diags diag.Diagnostics) {
	if own.IsNull() {
		if d.provider.baseURL == nil {
			return "", nil, nil
		}
		return d.provider.baseURL.text, &d.provider.baseURL.parsed, nil
	}
	err := own.As(&text)
	if err == nil {
		var parsed client.BaseURL
		if parsed, err = client.ParseBaseURL(text); err == nil {
			return text, &parsed, nil
		}
	}
	diags.Append(baseURLError(path.Root("base_url"), text, "base_url", err))
	return "", nil, diags
}
