package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

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

func newInstancesDataSource() datasource.DataSource { return &instancesDataSource{} }

func (d *instancesDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instances"
}

func (d *instancesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := readArgumentAttributes("Extra request headers for every instance listed. They override the provider's. For instances with different " +
		"tokens, use `filetransfer_instance` with `for_each`.")
	maps.Copy(attributes, map[string]schema.Attribute{
		"base_urls": schema.MapAttribute{
			ElementType: types.StringType,
			Required:    true,
			MarkdownDescription: "Base URLs of the instances, under keys of your own, each as in `filetransfer_instance`. At least one. If two keys " +
				"point to the same instance, it is requested once.",
			Validators: []validator.Map{baseURLsValidator},
		},
		"max_concurrency": schema.NumberAttribute{
			Optional: true,
			MarkdownDescription: fmt.Sprintf("Largest number of requests at once, from 1 to %d. Instances that wait for a retry do not count. "+
				"Default: `%d`.", maxConcurrencyLimit, defaultMaxConcurrency),
			Validators: []validator.Number{wholeNumber(1, maxConcurrencyLimit)},
		},
		"allow_failures": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "If `true`, the read succeeds, and instances that could not be read are in `errors` and in one warning. If `false`, one " +
				"failure fails the read, and each instance that failed is an error with its key. Default: `false`.",
		},
		"instances": schema.MapAttribute{
			Computed:    true,
			ElementType: listedInstanceObject, // not nested attributes: terraform test cannot mock them
			MarkdownDescription: "The instances that were read, under the keys of `base_urls`. Each has the attributes of " +
				"`filetransfer_instance` except `response_body`.",
		},
		"errors": schema.MapAttribute{
			ElementType: types.StringType,
			Computed:    true,
			MarkdownDescription: "Reason why each instance could not be read, under the keys of `base_urls`: a short text such as `connection failed`, which " +
				"changes only when the cause changes. Empty if all were read.",
		},
	})
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads many instances of the file transfer service at once, much faster than `filetransfer_instance` with " +
			"`for_each`.",
		Attributes: attributes,
		Blocks:     readTimeoutBlocks(),
	}
}

var listedInstanceObject = func() types.ObjectType {
	attributes := map[string]attr.Type{"base_url": types.StringType}
	maps.Copy(attributes, detailsType.AttrTypes)
	return types.ObjectType{AttrTypes: attributes}
}()

var listedInstanceType = terraformType(listedInstanceObject)

// fleetMember is an instance to read, and the keys that point to it.
type fleetMember struct {
	baseURL address.BaseURL
	keys    []string

	// Set by readFleet: either err, or values and warnings.
	err      error
	values   map[string]tftypes.Value
	warnings []instance.Warning
}

// summary returns a name for the instance that is unique within a read.
func (m *fleetMember) summary() string { return fmt.Sprintf("%q (%s)", m.keys[0], m.baseURL.Written) }

// fleetMembers returns the instances in baseURLs, in the order of their keys. Keys for the same instance share a member. Null and
// invalid URLs are errors; unknown ones are skipped.
func fleetMembers(baseURLs map[string]tftypes.Value) (members []*fleetMember, diags diag.Diagnostics) {
	byEffective := make(map[string]*fleetMember, len(baseURLs))
	secret := false
	for _, key := range slices.Sorted(maps.Keys(baseURLs)) {
		value, at := baseURLs[key], path.Root("base_urls").AtMapKey(key)
		if !value.IsKnown() {
			continue
		}
		if value.IsNull() {
			diags.Append(errorAt(at.ParentPath(), summaryBaseURL, fmt.Sprintf("%s is null. Remove the key, or set it to a URL.", at)))
			continue
		}
		baseURL, err := address.ParseBaseURL(goValue[string](value))
		if syntaxErr, ok := errors.AsType[*address.SyntaxError](err); ok {
			secret = secret || syntaxErr.Secret
			diags.Append(syntaxError(at, summaryBaseURL, at.String(), err))
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
	if secret { // all base URLs may be on one line; see errorAt
		for i, invalid := range diags {
			diags[i] = diag.NewErrorDiagnostic(invalid.Summary(), invalid.Detail())
		}
	}
	return members, diags
}

func (d *instancesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	values := elementsOf(req.Config.Raw)
	headers, diags := parseHeaders(path.Root("request_headers"), values["request_headers"])
	baseURLs := elementsOf(values["base_urls"])
	members, invalid := fleetMembers(baseURLs)
	diags.Append(invalid...)
	resp.Diagnostics.Append(diags...)
	if diags.HasError() || d.deferOrRefuse(true, req, resp) {
		return
	}

	op := d.operation(readMany, values)
	ctx, cancel := context.WithTimeout(ctx, op.timeout)
	defer cancel()
	d.readFleet(ctx, members, client.Request{
		Headers: headers, UntilReady: op.waits, Semaphore: make(chan struct{}, int64Or(values["max_concurrency"], defaultMaxConcurrency)),
	})
	var warnings []instanceWarnings
	failed := make(map[string]*fleetMember)
	for _, member := range members {
		warnings = append(warnings, instanceWarnings{member.summary(), quoted(member.keys), member.warnings})
		for _, key := range member.keys {
			if member.err != nil {
				failed[key] = member
			}
		}
	}
	if len(failed) > 0 && errors.Is(ctx.Err(), context.Canceled) {
		resp.Diagnostics.AddError(summaryCanceled, fmt.Sprintf("Reading the instances was canceled. %d of %d were not read yet.", len(failed), len(baseURLs)))
		return
	}
	if !goValue[bool](values["allow_failures"]) {
		resp.Diagnostics.Append(failureErrors(failed, op)...)
	} else if len(failed) > 0 {
		resp.Diagnostics.Append(failuresWarning(failed, len(baseURLs), op))
	}
	resp.Diagnostics.Append(warningDiagnostics(warnings...)...)
	if resp.Diagnostics.HasError() {
		return
	}
	values["instances"], values["errors"] = fleetValues(members, baseURLs)
	resp.State.Raw = tftypes.NewValue(req.Config.Raw.Type(), values)
}

// readFleet reads all members concurrently and sets their results.
func (d *instancesDataSource) readFleet(ctx context.Context, members []*fleetMember, request client.Request) {
	var reads sync.WaitGroup
	for _, member := range members {
		reads.Go(func() {
			request := request
			request.BaseURL = member.baseURL
			result, err := d.provider.client.Read(ctx, d.provider.withHeaders(request))
			if member.err = err; err == nil {
				member.values, member.warnings = detailValues(result.Details), result.Details.Warnings
			}
		})
	}
	reads.Wait()
}

// fleetValues returns the attributes instances and errors.
func fleetValues(members []*fleetMember, baseURLs map[string]tftypes.Value) (instances, failures tftypes.Value) {
	read := make(map[string]tftypes.Value, len(baseURLs))
	failed := make(map[string]tftypes.Value)
	for _, member := range members {
		for _, key := range member.keys {
			if failure, ok := client.AsFailure(member.err); ok {
				failed[key] = stringValue(failure.StableReason)
				continue
			}
			values := maps.Clone(member.values)
			values["base_url"] = baseURLs[key]
			read[key] = tftypes.NewValue(listedInstanceType, values)
		}
	}
	return tftypes.NewValue(tftypes.Map{ElementType: listedInstanceType}, read),
		tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, failed)
}

func failureErrors(failed map[string]*fleetMember, op readOperation) (diags diag.Diagnostics) {
	for _, key := range slices.Sorted(maps.Keys(failed)) {
		at := path.Root("base_urls").AtMapKey(key)
		failure := readError(at, failed[key].err, op)
		diags.AddAttributeError(at, failure.Summary(), fmt.Sprintf("Instance %q: %s To read the others without it, set allow_failures = true.", key, failure.Detail()))
	}
	return diags
}

// failuresWarning returns a warning that lists the failures and, once each, their remedies with the number of instances.
func failuresWarning(failed map[string]*fleetMember, total int, op readOperation) diag.Diagnostic {
	var lines, allRemedies []string
	count := make(map[string]int)
	keys := slices.Sorted(maps.Keys(failed))
	for _, key := range keys {
		failure, _ := client.AsFailure(failed[key].err)
		lines = append(lines, fmt.Sprintf("\n  - %q: %s: %s (%s)", key, failure.Target(), failure.Reason, attempts(failure.Attempts)))
		for _, remedy := range remedies(failure, op) {
			if count[remedy] == 0 {
				allRemedies = append(allRemedies, remedy)
			}
			count[remedy]++
		}
	}
	told := []string{fmt.Sprintf("%d of %d could not be read. As allow_failures is true, they are in errors and not in instances:%s",
		len(keys), total, listed(lines, "", "\n  - "))}
	for _, remedy := range allRemedies {
		told = append(told, fmt.Sprintf("For %d of them: %s", count[remedy], remedy))
	}
	return diag.NewWarningDiagnostic(summaryFailures+": "+failed[keys[0]].summary(), paragraphs(told...))
}

// quoted returns at most maxListed keys, in quotes.
func quoted(keys []string) string {
	list := make([]string, len(keys))
	for i, key := range keys {
		list[i] = strconv.Quote(key)
	}
	return listed(list, ", ", ", ")
}
