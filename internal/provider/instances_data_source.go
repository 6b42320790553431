package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
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

func (d *instancesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := readArgumentAttributes("every instance listed. For instances with different tokens use `filetransfer_instance` with `for_each`.")
	maps.Copy(attributes, map[string]schema.Attribute{
		"base_urls": schema.MapAttribute{
			ElementType: types.StringType,
			Required:    true,
			MarkdownDescription: "Base URLs of the instances, under keys of your own: `{base_url}/instance` of each is read. " + baseURLDescription +
				" At least one. If two keys point to the same instance, it is requested once.",
			Validators: []validator.Map{baseURLsValidator},
		},
		"max_concurrency": schema.NumberAttribute{
			Optional: true,
			MarkdownDescription: fmt.Sprintf("Number of requests under way at once, from 1 to %d. Instances waiting for a retry do not count toward "+
				"the limit. Default: `%d`.", maxConcurrencyLimit, defaultMaxConcurrency),
			Validators: []validator.Number{wholeNumber(1, maxConcurrencyLimit)},
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
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads many instances of the file transfer service at once (`GET {base_url}/instance` of each), each as " +
			"`filetransfer_instance` does. Much faster than that data source with `for_each`, and one failing instance does not have to " +
			"fail the whole read.",
		Attributes: attributes,
	}
}

// listedInstanceObject is an element of instances.
var listedInstanceObject = func() types.ObjectType {
	attributes := map[string]attr.Type{"base_url": types.StringType}
	maps.Copy(attributes, detailsObject.AttrTypes)
	return types.ObjectType{AttrTypes: attributes}
}()

var listedInstanceType = terraformType(listedInstanceObject)

func (d *instancesDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.provider = configured(req.ProviderData, &resp.Diagnostics)
}

// fleetArguments are the arguments that only this data source has.
type fleetArguments struct {
	baseURLs       map[string]types.String
	maxConcurrency int64
	allowFailures  bool
}

func fleetArgumentsFrom(ctx context.Context, config tfsdk.Config) (fleetArguments, diag.Diagnostics) {
	var baseURLs types.Map
	var maxConcurrency types.Number
	var allowFailures types.Bool
	diags := config.GetAttribute(ctx, path.Root("base_urls"), &baseURLs)
	diags.Append(config.GetAttribute(ctx, path.Root("max_concurrency"), &maxConcurrency)...)
	diags.Append(config.GetAttribute(ctx, path.Root("allow_failures"), &allowFailures)...)
	arguments := fleetArguments{stringsOf(baseURLs), defaultMaxConcurrency, allowFailures.ValueBool()}
	if known(maxConcurrency) {
		arguments.maxConcurrency, _ = maxConcurrency.ValueBigFloat().Int64() // validated
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
func fleetMembers(baseURLs map[string]types.String) (members []*fleetMember, diags diag.Diagnostics) {
	secret := false
	for _, value := range baseURLs {
		secret = secret || mayHoldSecret(value.ValueString())
	}
	place := func(at path.Path) path.Path {
		if secret { // all base URLs may be on one line of the configuration, which Terraform would print
			return path.Empty()
		}
		return at
	}
	byEffective := make(map[string]*fleetMember, len(baseURLs))
	for _, key := range slices.Sorted(maps.Keys(baseURLs)) {
		value, at := baseURLs[key], path.Root("base_urls").AtMapKey(key)
		if value.IsUnknown() {
			continue
		}
		if value.IsNull() {
			diags.Append(errorAt(place(at.ParentPath()), summaryBaseURL, fmt.Sprintf("%s is null. Remove the key, or set it to a URL.", at)))
			continue
		}
		baseURL, err := client.ParseBaseURL(value.ValueString())
		if err != nil {
			diags.Append(baseURLError(place(at), value.ValueString(), at.String(), err))
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
	arguments, diags := readArgumentsFrom(ctx, req.Config)
	fleet, faults := fleetArgumentsFrom(ctx, req.Config)
	diags.Append(faults...)
	members, faults := fleetMembers(fleet.baseURLs)
	diags.Append(faults...)
	resp.Diagnostics.Append(diags...)
	if diags.HasError() || deferOrFail(req, resp, d.provider.unknownFor(true)) {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, arguments.timeout)
	defer cancel()
	d.readFleet(ctx, members, arguments, fleet.maxConcurrency)
	for _, member := range members {
		if _, ok := client.AsFailure(member.err); member.err != nil && !ok { // canceled
			resp.Diagnostics.Append(readError(path.Empty(), member.err, situation{fleet: true}))
			return
		}
	}
	resp.Diagnostics.Append(d.fleetDiagnostics(members, arguments, fleet)...)
	if resp.Diagnostics.HasError() {
		return
	}
	values := valuesOf(req.Config.Raw)
	values["instances"], values["errors"] = fleetValues(members, fleet.baseURLs)
	resp.State.Raw = tftypes.NewValue(req.Config.Raw.Type(), values)
}

// readFleet reads all members. Each is converted as soon as it has arrived, while others are still under way.
func (d *instancesDataSource) readFleet(ctx context.Context, members []*fleetMember, arguments readArguments, maxConcurrency int64) {
	turns := &turns{places: maxConcurrency}
	var reads sync.WaitGroup
	for _, member := range members {
		first := turns.ask() // here, so that instances are asked in the order of their keys
		reads.Go(func() {
			result, err := d.provider.read(ctx, client.Request{
				BaseURL:    member.baseURL,
				Headers:    arguments.headers,
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
	mutex  sync.Mutex
	places int64
	queue  []chan struct{}
}

// ask joins the queue.
func (t *turns) ask() chan struct{} {
	turn := make(chan struct{})
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.queue = append(t.queue, turn)
	t.serve()
	return turn
}

// serve gives the places that are free to the first in the queue. The caller has the mutex.
func (t *turns) serve() {
	for t.places > 0 && len(t.queue) > 0 {
		close(t.queue[0])
		t.queue = t.queue[1:]
		t.places--
	}
}

// wait waits for a place, which the caller gives back by calling done. If the context ends first, the turn is left in
// the queue: nobody needs a place any more, because all readers share the context.
func (t *turns) wait(ctx context.Context, turn chan struct{}) (done func(), err error) {
	select {
	case <-turn:
		return func() {
			t.mutex.Lock()
			defer t.mutex.Unlock()
			t.places++
			t.serve()
		}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fleetValues makes the attributes instances and errors.
func fleetValues(members []*fleetMember, baseURLs map[string]types.String) (instances, failures tftypes.Value) {
	read := make(map[string]tftypes.Value, len(baseURLs))
	failed := make(map[string]tftypes.Value)
	for _, member := range members {
		for _, key := range member.keys {
			if failure, ok := client.AsFailure(member.err); ok {
				failed[key] = stringValue(failure.Class())
				continue
			}
			values := maps.Clone(member.values)
			values["base_url"] = stringValue(baseURLs[key].ValueString())
			read[key] = tftypes.NewValue(listedInstanceType, values)
		}
	}
	return tftypes.NewValue(tftypes.Map{ElementType: listedInstanceType}, read),
		tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, failed)
}

// fleetDiagnostics reports failures, each under its key, and warnings.
func (d *instancesDataSource) fleetDiagnostics(members []*fleetMember, arguments readArguments, fleet fleetArguments) diag.Diagnostics {
	var diags diag.Diagnostics
	var warnings []instanceWarnings
	failed := make(map[string]*fleetMember)
	for _, member := range members {
		warnings = append(warnings, instanceWarnings{quoted(member.keys), member.warnings})
		for _, key := range member.keys {
			if member.err != nil {
				failed[key] = member
			}
		}
	}
	keys := slices.Sorted(maps.Keys(failed))
	if fleet.allowFailures && len(keys) > 0 {
		diags.AddWarning(summaryFailures, d.failuresDetail(keys, failed, len(fleet.baseURLs), arguments))
	}
	if !fleet.allowFailures {
		for _, key := range keys {
			at := path.Root("base_urls").AtMapKey(key)
			failure := readError(at, failed[key].err, d.situation(failed[key], arguments, at.String()))
			diags.AddAttributeError(at, failure.Summary(), fmt.Sprintf("Instance %q: %s", key, failure.Detail()))
		}
	}
	diags.Append(warningDiagnostics(warnings...)...)
	return diags
}

func (d *instancesDataSource) situation(member *fleetMember, arguments readArguments, baseURLArgument string) situation {
	s := d.provider.situation(member.baseURL, arguments.timeout, arguments.waitUntilReady)
	s.fleet, s.baseURLArgument = true, baseURLArgument
	return s
}

// failuresDetail lists the failures of a fleet that are allowed, and what to do: each remedy once, with its keys.
func (d *instancesDataSource) failuresDetail(keys []string, failed map[string]*fleetMember, total int, arguments readArguments) string {
	var lines, order []string
	keysOf := make(map[string][]string)
	for _, key := range keys {
		lines = append(lines, fmt.Sprintf("\n  - %q: %s", key, failed[key].err))
		failure, _ := client.AsFailure(failed[key].err)
		for _, remedy := range remedies(failure, d.situation(failed[key], arguments, "its URL in base_urls")) {
			if keysOf[remedy] == nil {
				order = append(order, remedy)
			}
			keysOf[remedy] = append(keysOf[remedy], key)
		}
	}
	var detail strings.Builder
	fmt.Fprintf(&detail, "%d of %d could not be read. As allow_failures is true, they are in errors and not in instances:%s",
		len(keys), total, listed(lines, "", "\n  - "))
	for _, remedy := range order {
		fmt.Fprintf(&detail, "\n\n%s: %s", quoted(keysOf[remedy]), remedy)
	}
	return detail.String()
}

// quoted lists keys.
func quoted(keys []string) string {
	list := make([]string, len(keys))
	for i, key := range keys {
		list[i] = strconv.Quote(key)
	}
	return listed(list, ", ", ", ")
}
