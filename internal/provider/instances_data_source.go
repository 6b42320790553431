package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

var _ datasource.DataSourceWithConfigure = (*instancesDataSource)(nil)

const (
	defaultMaxConcurrency = 32
	maxConcurrencyLimit   = 256
)

type instancesDataSource struct {
	provider *providerData
}

func newInstancesDataSource() datasource.DataSource { return &instancesDataSource{} }

func (d *instancesDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instances"
}

// instancesSchema is built once: the type of a state is needed at every read.
var instancesSchema = sync.OnceValue(func() schema.Schema {
	attributes := readArgumentAttributes("every instance listed. For instances with different tokens use `filetransfer_instance` with `for_each`.")
	maps.Copy(attributes, map[string]schema.Attribute{
		"base_urls": schema.MapAttribute{
			ElementType: types.StringType,
			Required:    true,
			MarkdownDescription: "Base URLs of the instances, under keys of your own: `{base_url}/instance` of each is read. " + baseURLDescription +
				" At least one. If two keys point to the same instance, it is requested once.",
			Validators: []validator.Map{baseURLsValidator{}},
		},
		"max_concurrency": schema.NumberAttribute{
			Optional: true,
			MarkdownDescription: fmt.Sprintf("Number of requests under way at once, from 1 to %d. Instances waiting for a retry do not count toward "+
				"the limit. Default: `%d`.", maxConcurrencyLimit, defaultMaxConcurrency),
			Validators: []validator.Number{wholeNumberValidator{least: 1, most: maxConcurrencyLimit}},
		},
		"allow_failures": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether the read succeeds if instances could not be read: they are then in `errors`, and one warning lists them. " +
				"Otherwise any failure fails the read, and every failing instance is reported. Default: `false`.",
		},
		"instances": schema.MapAttribute{
			Computed:    true,
			ElementType: listedInstanceObject, // not nested attributes: Terraform's mocks cannot set those
			MarkdownDescription: "The instances that were read, under the keys of `base_urls`. Each has the attributes of the data source " +
				"`filetransfer_instance` except `response_body`, with `base_url` as written in `base_urls`.",
		},
		"errors": schema.MapAttribute{
			ElementType: types.StringType,
			Computed:    true,
			MarkdownDescription: "What went wrong with the instances that could not be read, under the keys of `base_urls`: a short text such as " +
				"`connection failed` or `status 503 Service Unavailable`, which changes only when the cause changes. Empty if all were read.",
		},
	})
	return schema.Schema{
		MarkdownDescription: "Reads many instances of the file transfer service at once (`GET {base_url}/instance` of each), each as " +
			"`filetransfer_instance` does. Much faster than that data source with `for_each`, and one failing instance does not have to " +
			"fail the whole read.",
		Attributes: attributes,
	}
})

// listedInstanceObject is an element of instances.
var listedInstanceObject = func() types.ObjectType {
	attributes := map[string]attr.Type{"base_url": types.StringType}
	maps.Copy(attributes, detailsObject.AttrTypes)
	return types.ObjectType{AttrTypes: attributes}
}()

var (
	instancesType      = sync.OnceValue(func() tftypes.Type { return terraformType(instancesSchema().Type()) })
	listedInstanceType = terraformType(listedInstanceObject)
)

func (d *instancesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = instancesSchema()
}

func (d *instancesDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.provider = configured(req.ProviderData, &resp.Diagnostics)
}

// fleetArguments are the arguments that only this data source has.
type fleetArguments struct {
	baseURLs       map[string]string
	maxConcurrency int64
	allowFailures  bool
}

func fleetArgumentsFrom(ctx context.Context, config tfsdk.Config, values map[string]tftypes.Value) (fleetArguments, diag.Diagnostics) {
	arguments := fleetArguments{maxConcurrency: defaultMaxConcurrency}
	diags := config.GetAttribute(ctx, path.Root("base_urls"), &arguments.baseURLs)
	if !values["max_concurrency"].IsNull() {
		var number types.Number
		diags.Append(config.GetAttribute(ctx, path.Root("max_concurrency"), &number)...)
		arguments.maxConcurrency, _ = number.ValueBigFloat().Int64() // validated
	}
	if !values["allow_failures"].IsNull() {
		diags.Append(config.GetAttribute(ctx, path.Root("allow_failures"), &arguments.allowFailures)...)
	}
	return arguments, diags
}

// fleetMember is one instance to read, for every key that points to it.
type fleetMember struct {
	baseURL client.BaseURL
	keys    []string

	// What reading gave: either an error, or values and warnings.
	err      error
	values   map[string]tftypes.Value
	warnings []instance.Warning
}

// fleetMembers groups the keys by the instance that they point to, in the order of the keys.
func fleetMembers(baseURLs map[string]string) ([]*fleetMember, diag.Diagnostics) {
	var members []*fleetMember
	var diags diag.Diagnostics
	byEffective := make(map[string]*fleetMember, len(baseURLs))
	secret := slices.ContainsFunc(slices.Collect(maps.Values(baseURLs)), mayHoldSecret)
	for _, key := range slices.Sorted(maps.Keys(baseURLs)) {
		baseURL, err := client.ParseBaseURL(baseURLs[key])
		if err != nil {
			at := path.Root("base_urls").AtMapKey(key)
			argument := at.String()
			if secret {
				at = path.Empty()
			}
			diags.Append(baseURLError(at, baseURLs[key], argument, err))
			continue
		}
		member, shared := byEffective[baseURL.Effective()]
		if !shared {
			member = &fleetMember{baseURL: baseURL}
			byEffective[baseURL.Effective()] = member
			members = append(members, member)
		}
		member.keys = append(member.keys, key)
	}
	return members, diags
}

func (d *instancesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	values, diags := valuesOf(req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	arguments, diags := readArgumentsFrom(ctx, req.Config, values)
	resp.Diagnostics.Append(diags...)
	fleet, diags := fleetArgumentsFrom(ctx, req.Config, values)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	members, diags := fleetMembers(fleet.baseURLs)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || deferOrFail(req, resp, d.provider.unknownFor(true)) {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, arguments.timeout)
	defer cancel()
	d.readFleet(ctx, members, arguments, fleet.maxConcurrency)
	if errors.Is(ctx.Err(), context.Canceled) {
		resp.Diagnostics.Append(readError(path.Empty(), ctx.Err(), situation{fleet: true}))
		return
	}
	resp.Diagnostics.Append(d.fleetDiagnostics(members, arguments, fleet.allowFailures)...)
	if resp.Diagnostics.HasError() {
		return
	}
	values["instances"], values["errors"] = fleetValues(members, fleet.baseURLs)
	resp.State.Raw = tftypes.NewValue(instancesType(), values)
}

// readFleet reads all members. Each is converted as soon as it has arrived, while others are still under way.
func (d *instancesDataSource) readFleet(ctx context.Context, members []*fleetMember, arguments readArguments, maxConcurrency int64) {
	turns := newTurns(len(members), maxConcurrency)
	defer turns.end()
	var reads sync.WaitGroup
	for _, member := range members {
		first := turns.ask() // here, so that instances are asked in the order of their keys
		reads.Go(func() {
			headers := d.provider.headersFor(member.baseURL, arguments.headers)
			result, err := d.provider.client.Read(maskSecrets(ctx, headers), client.Request{
				BaseURL:    member.baseURL,
				Headers:    headers,
				UntilReady: arguments.waitUntilReady,
				Admit: func(ctx context.Context) (func(), error) {
					turn := first
					if first = nil; turn == nil {
						turn = turns.ask()
					}
					return turns.wait(ctx, turn)
				},
			})
			if err != nil {
				member.err = err
				return
			}
			member.values, member.warnings = detailsValues(result.Details), result.Details.Warnings
		})
	}
	reads.Wait()
}

// turns gives out places under max_concurrency, first come, first served.
type turns struct {
	queue  chan chan struct{}
	places chan struct{}
	ended  chan struct{}
}

// newTurns returns turns for at most waiting readers that wait at once.
func newTurns(waiting int, places int64) *turns {
	t := &turns{queue: make(chan chan struct{}, waiting), places: make(chan struct{}, places), ended: make(chan struct{})}
	go func() {
		for {
			select {
			case t.places <- struct{}{}:
			case <-t.ended:
				return
			}
			select {
			case turn := <-t.queue:
				close(turn)
			case <-t.ended:
				return
			}
		}
	}()
	return t
}

// end frees what the turns use. No reader may be left.
func (t *turns) end() { close(t.ended) }

// ask joins the queue.
func (t *turns) ask() chan struct{} {
	turn := make(chan struct{})
	t.queue <- turn
	return turn
}

// wait waits for a place, which the caller gives back by calling done. If the context ends first, no place is given
// out any more: all readers share it.
func (t *turns) wait(ctx context.Context, turn chan struct{}) (done func(), err error) {
	select {
	case <-turn:
		return func() { <-t.places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fleetValues makes the attributes instances and errors.
func fleetValues(members []*fleetMember, baseURLs map[string]string) (instances, failures tftypes.Value) {
	read := make(map[string]tftypes.Value, len(baseURLs))
	failed := make(map[string]tftypes.Value)
	for _, member := range members {
		for _, key := range member.keys {
			if member.err != nil {
				failed[key] = stringValue(failureClass(member.err))
				continue
			}
			values := maps.Clone(member.values)
			values["base_url"] = stringValue(baseURLs[key])
			read[key] = tftypes.NewValue(listedInstanceType, values)
		}
	}
	return tftypes.NewValue(tftypes.Map{ElementType: listedInstanceType}, read),
		tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, failed)
}

func failureClass(err error) string {
	if failure, ok := client.AsFailure(err); ok {
		return failure.Class()
	}
	return err.Error()
}

// fleetDiagnostics reports failures, each under its key, and warnings.
func (d *instancesDataSource) fleetDiagnostics(members []*fleetMember, arguments readArguments, allowFailures bool) diag.Diagnostics {
	var diags diag.Diagnostics
	var warnings []instanceWarnings
	failed := make(map[string]*fleetMember)
	listed := 0
	for _, member := range members {
		listed += len(member.keys)
		warnings = append(warnings, instanceWarnings{quoted(member.keys), member.warnings})
		if member.err == nil {
			continue
		}
		for _, key := range member.keys {
			failed[key] = member
		}
	}
	keys := slices.Sorted(maps.Keys(failed))
	switch {
	case len(keys) == 0:
	case allowFailures:
		diags.AddWarning(summaryFailures, d.failuresDetail(keys, failed, listed, arguments))
	default:
		for _, key := range keys {
			at := path.Root("base_urls").AtMapKey(key)
			failure := readError(at, failed[key].err, d.situation(failed[key].baseURL, arguments, at.String()))
			diags.AddAttributeError(at, failure.Summary(), fmt.Sprintf("Instance %q: %s", key, failure.Detail()))
		}
	}
	diags.Append(warningDiagnostics(warnings)...)
	return diags
}

func (d *instancesDataSource) situation(baseURL client.BaseURL, arguments readArguments, baseURLArgument string) situation {
	return situation{
		baseURLArgument: baseURLArgument,
		timeoutArgument: "timeouts.read",
		timeout:         arguments.timeout,
		requestTimeout:  d.provider.requestTimeout,
		waits:           arguments.waitUntilReady,
		canWait:         true,
		fleet:           true,
		headersWithheld: d.provider.withholdsHeaders(baseURL),
	}
}

// failuresDetail lists the failures of a fleet that are allowed, and what to do: each remedy once, with its keys.
func (d *instancesDataSource) failuresDetail(keys []string, failed map[string]*fleetMember, listed int, arguments readArguments) string {
	var detail strings.Builder
	fmt.Fprintf(&detail, "%d of %d could not be read. As allow_failures is true, they are in errors and not in instances:", len(keys), listed)
	var order []string
	keysOf := make(map[string][]string)
	for i, key := range keys {
		if i < maxListed {
			fmt.Fprintf(&detail, "\n  - %q: %s", key, failed[key].err)
		}
		if failure, ok := client.AsFailure(failed[key].err); ok {
			for _, remedy := range remedies(failure, d.situation(failed[key].baseURL, arguments, "base_urls")) {
				if keysOf[remedy] == nil {
					order = append(order, remedy)
				}
				keysOf[remedy] = append(keysOf[remedy], key)
			}
		}
	}
	if more := len(keys) - maxListed; more > 0 {
		fmt.Fprintf(&detail, "\n  - and %d more", more)
	}
	for _, remedy := range order {
		fmt.Fprintf(&detail, "\n\n%s: %s", quoted(keysOf[remedy]), remedy)
	}
	return detail.String()
}

// quoted lists keys.
func quoted(keys []string) string {
	var list []string
	for _, key := range keys[:min(len(keys), maxListed)] {
		list = append(list, fmt.Sprintf("%q", key))
	}
	if more := len(keys) - maxListed; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}
