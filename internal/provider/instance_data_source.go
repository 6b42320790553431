package provider

import (
	"context"
	"maps"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
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
	attributes := readArgumentAttributes("this read, for example for a reverse proxy in front of the instance.")
	for _, attribute := range detailsAttributes {
		attributes[attribute.name] = attribute.inDataSource()
	}
	attributes["base_url"] = schema.StringAttribute{
		Optional:            true,
		Computed:            true,
		MarkdownDescription: "Base URL of the instance: `{base_url}/instance` is read. " + baseURLDescription + " Default: the provider's `base_url`.",
		Validators:          []validator.String{baseURLValidator},
	}
	attributes["response_body"] = schema.StringAttribute{Computed: true, MarkdownDescription: responseBodyDescription}
	return schema.Schema{
		MarkdownDescription: "Reads an instance of the file transfer service (`GET {base_url}/instance`) and returns its limits and options in one " +
			"typed schema, whichever response format the instance uses.",
		Attributes: attributes,
	}
})

var instanceType = sync.OnceValue(func() tftypes.Type { return terraformType(instanceSchema().Type()) })

func (d *instanceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = instanceSchema()
}

func (d *instanceDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.provider = configured(req.ProviderData, &resp.Diagnostics)
}

func (d *instanceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	values, diags := valuesOf(req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	arguments, diags := readArgumentsFrom(ctx, req.Config, values)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ownBaseURL := !values["base_url"].IsNull()
	baseURL, diags := d.provider.instance(values["base_url"])
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || deferOrFail(req, resp, d.provider.unknownFor(ownBaseURL)) {
		return
	}

	headers := d.provider.headersFor(*baseURL, arguments.headers)
	ctx, cancel := context.WithTimeout(maskSecrets(ctx, headers), arguments.timeout)
	defer cancel()
	result, err := d.provider.client.Read(ctx, client.Request{BaseURL: *baseURL, Headers: headers, UntilReady: arguments.waitUntilReady})
	if err != nil {
		at := path.Empty()
		if ownBaseURL {
			at = path.Root("base_url")
		}
		resp.Diagnostics.Append(readError(at, err, d.situation(*baseURL, arguments)))
		return
	}
	resp.Diagnostics.Append(warningDiagnostics([]instanceWarnings{{baseURL.String(), result.Details.Warnings}})...)

	maps.Copy(values, detailsValues(result.Details))
	values["base_url"] = stringValue(baseURL.Written())
	values["response_body"] = stringValue(string(result.Document))
	resp.State.Raw = tftypes.NewValue(instanceType(), values)
}

func (d *instanceDataSource) situation(baseURL client.BaseURL, arguments readArguments) situation {
	return situation{
		baseURLArgument: "base_url",
		timeoutArgument: "timeouts.read",
		timeout:         arguments.timeout,
		requestTimeout:  d.provider.requestTimeout,
		waits:           arguments.waitUntilReady,
		canWait:         true,
		headersWithheld: d.provider.withholdsHeaders(baseURL),
	}
}
