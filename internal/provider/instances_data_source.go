package provider

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

var _ datasource.DataSourceWithConfigure = (*instancesDataSource)(nil)

type instancesDataSource struct{ dataSource }

// instancesModel is the configuration and the state of filetransfer_instances.
type instancesModel struct {
	BaseURLs       types.Map    `tfsdk:"base_urls"`
	RequestHeaders types.Map    `tfsdk:"request_headers"`
	Timeouts       types.Object `tfsdk:"timeouts"`
	AllowFailures  types.Bool   `tfsdk:"allow_failures"`
	Instances      types.Map    `tfsdk:"instances"`
	Errors         types.Map    `tfsdk:"errors"`
}

func (d *instancesDataSource) Metadata(
	_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_instances"
}

func (d *instancesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads many instances of the file transfer service Stend at once.",
		Attributes: map[string]schema.Attribute{
			"base_urls": schema.MapAttribute{
				ElementType:         types.StringType,
				Required:            true,
				MarkdownDescription: "Base URLs of the instances to read. You choose the keys.",
				Validators: []validator.Map{validate[types.Map](func(at path.Path, baseURLs types.Map) diag.Diagnostics {
					_, diags := parseBaseURLs(at, baseURLs)
					return diags
				})},
			},
			"request_headers": requestHeadersAttribute("Extra request headers for every instance listed. They override the "+
				"provider's.", false),
			"allow_failures": optionalBool("Whether to go on if some instances cannot be read, which are then in " +
				"`errors` instead of `instances`. Default: `false`."),
			"instances": schema.MapAttribute{
				Computed: true,
				// Not nested attributes: terraform test cannot mock them.
				ElementType: types.ObjectType{AttrTypes: listedInstanceTypes},
				MarkdownDescription: "The instances that were read, under the keys of `base_urls`. Each has `base_url` and " +
					"what `filetransfer_instance` reads, except `response_body`.",
			},
			"errors": schema.MapAttribute{
				ElementType: types.StringType,
				Computed:    true,
				MarkdownDescription: "What went wrong with each instance that could not be read, by key, such as " +
					"`connection failed`.",
			},
		},
		Blocks: map[string]schema.Block{"timeouts": readTimeoutsBlock("reading all of the instances, with all attempts")},
	}
}

// listedInstanceTypes are the types of an element of instances.
var listedInstanceTypes = func() map[string]attr.Type {
	attributes := maps.Clone(detailsTypes)
	attributes["base_url"] = types.StringType
	return attributes
}()

// instanceRead is one read of many. After it, one of result and failed is set.
type instanceRead struct {
	failureReport
	result *client.Result
}

// name returns the key and the URL.
func (r *instanceRead) name() string { return fmt.Sprintf("%q (%s)", r.key, r.request.BaseURL.Raw) }

func (d *instancesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model instancesModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	headers, diags := parseHeaders(path.Root("request_headers"), model.RequestHeaders)
	resp.Diagnostics.Append(diags...)
	baseURLs, diags := parseBaseURLs(path.Root("base_urls"), model.BaseURLs)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || d.provider.deferOrRefuse(req, resp) {
		return
	}

	limit := newTimeLimit(model.Timeouts, "read", defaultReadTimeout)
	var succeeded, failed []*instanceRead
	instances, classes := make(map[string]attr.Value), make(map[string]attr.Value)
	for _, read := range d.provider.readAll(ctx, baseURLs, headers, limit) {
		if read.failed != nil {
			failed = append(failed, read)
			continue
		}
		succeeded = append(succeeded, read)
		attributes := newDetailsModel(read.result.Details).values()
		attributes["base_url"] = types.StringValue(read.request.BaseURL.Raw)
		instances[read.key] = types.ObjectValueMust(listedInstanceTypes, attributes)
	}
	resp.Diagnostics.Append(fleetSmallLimitsWarning(succeeded))
	switch {
	case len(failed) == 0:
	case ctx.Err() != nil || !model.AllowFailures.ValueBool():
		resp.Diagnostics.Append(readErrors(failed, len(baseURLs))...)
		return
	default:
		resp.Diagnostics.Append(failuresWarning(failed, len(baseURLs)))
		for _, read := range failed {
			classes[read.key] = types.StringValue(read.failed.Failure.Class())
		}
	}
	model.Instances = types.MapValueMust(types.ObjectType{AttrTypes: listedInstanceTypes}, instances)
	model.Errors = types.MapValueMust(types.StringType, classes)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// readAll makes all reads at once, with one deadline, and returns them in the order of their keys. With a deadline
// each, one read could get the place of another one of the fleet that has just run out of time, and be blamed for an
// instance that was never really asked.
func (d *providerData) readAll(
	ctx context.Context, baseURLs map[string]address.BaseURL, headers http.Header, limit timeLimit,
) (reads []*instanceRead) {
	ctx, cancel := context.WithTimeout(ctx, limit.duration)
	defer cancel()
	var group sync.WaitGroup
	for _, key := range slices.Sorted(maps.Keys(baseURLs)) {
		request := d.newRequest(baseURLs[key], headers)
		request.InFleet = true
		read := &instanceRead{failureReport: failureReport{
			provider: d, request: request, limit: limit, baseURL: path.Root("base_urls").AtMapKey(key), key: key,
		}}
		reads = append(reads, read)
		group.Go(func() { read.result, read.failed = d.client.Read(ctx, request) })
	}
	group.Wait()
	return reads
}

// parseBaseURLs returns the base URLs by key. It leaves out those that are unknown.
func parseBaseURLs(at path.Path, baseURLs types.Map) (map[string]address.BaseURL, diag.Diagnostics) {
	parsed := make(map[string]address.BaseURL)
	var diags diag.Diagnostics
	elements := baseURLs.Elements()
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		at, value := at.AtMapKey(key), elements[key].(types.String)
		switch {
		case value.IsUnknown():
		case value.IsNull():
			diags.AddAttributeError(at, summaryBaseURL, fmt.Sprintf("%s is null.\n\nSet it to a URL, or remove the key.", at))
		default:
			baseURL, invalid := parseBaseURL(at.String(), value.ValueString())
			if invalid != nil {
				diags.Append(diag.WithPath(at, invalid))
				continue
			}
			parsed[key] = baseURL
		}
	}
	return parsed, diags
}

// readErrors returns an error for each of the first instances that could not be read, and one that counts the others.
// Those that a cancellation has ended have one error.
func readErrors(failed []*instanceRead, total int) (diags diag.Diagnostics) {
	finished := slices.DeleteFunc(slices.Clone(failed), func(read *instanceRead) bool {
		return read.failed.Ending == client.Canceled
	})
	if canceled := len(failed) - len(finished); canceled > 0 {
		diags.AddError("Read canceled", paragraphs(
			fmt.Sprintf("%d of %d instances had not been read yet.", canceled, total), moreHelp+canceledAnchor))
	}
	for _, read := range finished[:min(len(finished), maxListed)] {
		diags.Append(read.diagnostic())
	}
	if more := len(finished) - maxListed; more > 0 {
		diags.AddAttributeError(path.Root("base_urls"), "More instances could not be read", paragraphs(fmt.Sprintf(
			"%d instances could not be read, and %d of them have no error of their own.", len(finished), more),
			"Fix what the other errors are about, and read again."+readTheOthers, moreHelp))
	}
	return diags
}

// failuresWarning returns a warning that lists the instances that could not be read, each with the evidence of an
// error.
func failuresWarning(failed []*instanceRead, total int) diag.Diagnostic {
	lines := texts(failed, func(read *instanceRead) string {
		failure := read.failed.Failure
		return fmt.Sprintf("%q: %s: %s (%s)", read.key, read.requestText(failure.Route),
			failure.OneLine(), count(read.failed.Attempts, "attempt"))
	})
	return diag.NewWarningDiagnostic(
		"Instances could not be read: "+firstText(texts(failed, (*instanceRead).name)),
		paragraphs(fmt.Sprintf("%d of %d could not be read. Because allow_failures is true, they are in errors and not in "+
			"instances:%s", len(failed), total, bullets(lines)), moreHelp))
}
