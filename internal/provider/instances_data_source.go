package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

var _ datasource.DataSourceWithConfigure = (*instancesDataSource)(nil)

const (
	defaultMaxConcurrency = 32
	maxConcurrencyLimit   = 256
)

type instancesDataSource struct{ dataSource }

// instancesModel is the configuration and the state of filetransfer_instances.
type instancesModel struct {
	BaseURLs       types.Map    `tfsdk:"base_urls"`
	MaxConcurrency types.Number `tfsdk:"max_concurrency"`
	AllowFailures  types.Bool   `tfsdk:"allow_failures"`
	Instances      types.Map    `tfsdk:"instances"`
	Errors         types.Map    `tfsdk:"errors"`
	readModel
}

func newInstancesDataSource() datasource.DataSource { return &instancesDataSource{} }

func (d *instancesDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instances"
}

func (d *instancesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := readAttributes("Extra request headers for every instance listed, each sent only to its origin " +
		"(scheme, host and port). They override the provider's.")
	maps.Copy(attributes, map[string]schema.Attribute{
		"base_urls": schema.MapAttribute{
			ElementType:         types.StringType,
			Required:            true,
			MarkdownDescription: "Base URLs of the instances, under keys of your own, each as in `filetransfer_instance`.",
			Validators:          []validator.Map{baseURLsValidator},
		},
		"max_concurrency": schema.NumberAttribute{
			Optional: true,
			MarkdownDescription: fmt.Sprintf("Largest number of requests at once, from 1 to %d. Instances that wait for a "+
				"retry do not count. Default: `%d`.", maxConcurrencyLimit, defaultMaxConcurrency),
			Validators: []validator.Number{wholeNumber{1, maxConcurrencyLimit}},
		},
		"allow_failures": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to go on without instances that could not be read. They are then in `errors`, and " +
				"one warning names them. If `false`, each is an error with its key. Default: `false`.",
		},
		"instances": schema.MapAttribute{
			Computed:    true,
			ElementType: listedInstanceType, // not nested attributes: terraform test cannot mock them
			MarkdownDescription: "The instances that were read, under the keys of `base_urls`. Each has the attributes of " +
				"`filetransfer_instance` except `response_body`.",
		},
		"errors": schema.MapAttribute{
			ElementType: types.StringType,
			Computed:    true,
			MarkdownDescription: "Reason why each instance could not be read, under the keys of `base_urls`: a short text " +
				"such as `connection failed`, which changes only when the cause changes. Empty if all were read.",
		},
	})
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads many instances of the file transfer service Stend at once.",
		Attributes:          attributes,
		Blocks:              readBlocks(),
	}
}

// listedInstanceType is the type of an element of instances.
var listedInstanceType = func() types.ObjectType {
	attributes := maps.Clone(detailsTypes)
	attributes["base_url"] = types.StringType
	return types.ObjectType{AttrTypes: attributes}
}()

func listedInstance(details *instance.Details, baseURL attr.Value) types.Object {
	values := newDetailsModel(details).values()
	values["base_url"] = baseURL
	return types.ObjectValueMust(listedInstanceType.AttrTypes, values)
}

// fleetMember is an instance to read, and the keys that point to it.
type fleetMember struct {
	baseURL address.BaseURL
	keys    []string

	// Set by readFleet: one of the two.
	details *instance.Details
	err     *client.ReadError
}

// name returns a name for the instance that is unique within a read.
func (m *fleetMember) name() string { return fmt.Sprintf("%q (%s)", m.keys[0], m.baseURL.Written) }

// fleetMembers returns the instances in base_urls, by key. Keys for one instance share a member. Skips unknown URLs.
func fleetMembers(baseURLs types.Map) (members []*fleetMember, diags diag.Diagnostics) {
	byEffective := make(map[string]*fleetMember)
	invalid, anySecret := make(map[string]*address.SyntaxError), false
	elements := baseURLs.Elements()
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		value := elements[key].(types.String)
		if value.IsUnknown() {
			continue
		}
		baseURL, err := address.ParseBaseURL(value.ValueString())
		if syntaxErr, ok := errors.AsType[*address.SyntaxError](err); ok {
			if value.IsNull() {
				syntaxErr = &address.SyntaxError{Problem: "is null", Remedy: "Remove the key, or set it to a URL."}
			}
			invalid[key], anySecret = syntaxErr, anySecret || syntaxErr.Secret
			continue
		}
		member, shared := byEffective[baseURL.Effective]
		if !shared {
			member = &fleetMember{baseURL: baseURL}
			byEffective[baseURL.Effective] = member
			members = append(members, member)
		}
		member.keys = append(member.keys, key)
	}
	for _, key := range slices.Sorted(maps.Keys(invalid)) {
		argument := path.Root("base_urls").AtMapKey(key)
		at := argument
		if anySecret { // all base URLs may be on one line, which Terraform would print for each
			at = path.Empty()
		}
		diags.Append(syntaxError(at, summaryBaseURL, argument.String(), invalid[key]))
	}
	return members, diags
}

func (d *instancesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model instancesModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	op, diags := d.operation(ctx, readMany, model.readModel)
	resp.Diagnostics.Append(diags...)
	members, diags := fleetMembers(model.BaseURLs)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || d.deferOrRefuse(true, req, resp) {
		return
	}

	op.semaphore = make(chan struct{}, int64Or(model.MaxConcurrency, defaultMaxConcurrency))
	readCtx, cancel := context.WithTimeout(ctx, op.timeout)
	defer cancel()
	readFleet(readCtx, members, op)
	baseURLs := model.BaseURLs.Elements()
	total := len(baseURLs)
	var warnings []instanceWarnings
	failed, instances := make(map[string]*fleetMember), make(map[string]attr.Value, total)
	for _, member := range members {
		if member.err == nil {
			warnings = append(warnings, instanceWarnings{member.name(), quoted(member.keys), member.details.Warnings})
		}
		for _, key := range member.keys {
			if member.err != nil {
				failed[key] = member
			} else {
				instances[key] = listedInstance(member.details, baseURLs[key])
			}
		}
	}
	if len(failed) > 0 && ctx.Err() != nil {
		resp.Diagnostics.AddError(summaryCanceled,
			fmt.Sprintf("Reading the instances was canceled. %d of %d were not read yet.", len(failed), total))
		return
	}
	if !model.AllowFailures.ValueBool() {
		resp.Diagnostics.Append(fleetErrors(failed, op)...)
	} else if len(failed) > 0 {
		resp.Diagnostics.Append(fleetWarning(failed, total, op))
	}
	resp.Diagnostics.Append(warningDiagnostics(warnings...)...)
	if resp.Diagnostics.HasError() {
		return
	}
	failures := make(map[string]attr.Value, len(failed))
	for key, member := range failed {
		failures[key] = types.StringValue(member.err.Failure.Class)
	}
	model.Instances = types.MapValueMust(listedInstanceType, instances)
	model.Errors = types.MapValueMust(types.StringType, failures)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// readFleet reads all members concurrently and sets their results.
func readFleet(ctx context.Context, members []*fleetMember, op readOperation) {
	var reads sync.WaitGroup
	for _, member := range members {
		reads.Go(func() {
			result, err := op.read(ctx, member.baseURL)
			if member.err = err; err == nil {
				member.details = result.Details
			}
		})
	}
	reads.Wait()
}
