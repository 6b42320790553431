package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/sync/semaphore"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

var _ datasource.DataSourceWithConfigure = (*instancesDataSource)(nil)

const (
	defaultMaxConcurrency = 16
	mostMaxConcurrency    = 256
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
	attributes := readArgumentAttributes("every instance listed. Instances with different tokens are for " +
		"`filetransfer_instance` with `for_each`.")
	maps.Copy(attributes, map[string]schema.Attribute{
		"base_urls": schema.MapAttribute{
			ElementType: types.StringType,
			Required:    true,
			MarkdownDescription: "The instances, as `http` or `https` URLs under keys of your own: `{base_url}/instance` is read. A path is kept, " +
				"trailing slashes do not matter. No user info, query or fragment. At least one. Keys whose URLs mean the same share one request.",
			Validators: []validator.Map{mapvalidator.SizeAtLeast(1), baseURLsValidator{}},
		},
		"max_concurrency": schema.NumberAttribute{
			Optional: true,
			MarkdownDescription: fmt.Sprintf("How many requests are under way at once, from 1 to %d. An instance that waits for its next attempt "+
				"does not count. Default: `%d`.", mostMaxConcurrency, defaultMaxConcurrency),
			Validators: []validator.Number{wholeNumberValidator{least: 1, most: mostMaxConcurrency}},
		},
		"allow_failures": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether the read succeeds although instances could not be read: they are then in `errors`, and one warning " +
				"lists them. Otherwise any failure fails the read, and every failing instance is reported. Default: `false`.",
		},
		"instances": schema.MapNestedAttribute{
			Computed:            true,
			MarkdownDescription: "The instances that were read, under the keys of `base_urls`. Never null.",
			NestedObject:        schema.NestedAttributeObject{Attributes: listedInstanceAttributes()},
		},
		"errors": schema.MapAttribute{
			ElementType: types.StringType,
			Computed:    true,
			MarkdownDescription: "What went wrong with the instances that could not be read, under the keys of `base_urls`. Empty when all were " +
				"read, never null. The texts are the same from run to run as long as the cause is.",
		},
	})
	return schema.Schema{
		MarkdownDescription: "Reads many instances of the file transfer service at once (`GET {base_url}/instance` of each), each as " +
			"`filetransfer_instance` does. Much faster than that data source with `for_each`, and an instance that fails " +
			"need not cost you the others.",
		Attributes: attributes,
	}
})

// listedInstanceAttributes describe one instance of the map.
func listedInstanceAttributes() map[string]schema.Attribute {
	attributes := detailsAttributes()
	attributes["base_url"] = schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: "The instance's base URL, as written in `base_urls`. Never null.",
	}
	return attributes
}

var (
	instancesType      = sync.OnceValue(func() tftypes.Object { return terraformTypes(instancesSchema().Attributes) })
	listedInstanceType = terraformTypes(listedInstanceAttributes())
)

func (d *instancesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = instancesSchema()
}

func (d *instancesDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.provider = configuredProvider(req, resp)
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

// fleetMember is one instance to read, for every key whose URL means it.
type fleetMember struct {
	baseURL client.BaseURL
	keys    []string

	// What reading gave: either an error, or values and warnings.
	err      error
	values   map[string]tftypes.Value
	warnings []instance.Warning
}

// fleetMembers groups the keys by the instance that they mean, in the order of
// the keys.
func fleetMembers(baseURLs map[string]string) ([]*fleetMember, diag.Diagnostics) {
	var members []*fleetMember
	var diags diag.Diagnostics
	byEffective := make(map[string]*fleetMember, len(baseURLs))
	secret := slices.ContainsFunc(slices.Collect(maps.Values(baseURLs)), mayHoldSecret)
	for _, key := range slices.Sorted(maps.Keys(baseURLs)) {
		baseURL, err := client.ParseBaseURL(baseURLs[key])
		if err != nil {
			at := path.Root("base_urls").AtMapKey(key)
			source := at.String()
			if secret {
				at = path.Empty()
			}
			diags.Append(baseURLError(at, baseURLs[key], source, err))
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
	values, diags := configValues(req.Config)
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
	if resp.Diagnostics.HasError() {
		return
	}
	var unknown []string
	for _, member := range members {
		unknown = append(unknown, d.provider.unknownFor(&member.baseURL, arguments.waitUntilReady)...)
	}
	if deferOrFail(req, resp, unknown) {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, arguments.timeout)
	defer cancel()
	d.readFleet(ctx, members, arguments, fleet.maxConcurrency)
	if errors.Is(ctx.Err(), context.Canceled) {
		resp.Diagnostics.Append(readError(path.Empty(), ctx.Err(), arguments))
		return
	}
	for _, member := range members {
		unknown = append(unknown, d.provider.unknownBehind(member.err)...)
	}
	if deferOrFail(req, resp, unknown) {
		return
	}
	resp.Diagnostics.Append(fleetDiagnostics(members, arguments, fleet.allowFailures)...)
	if resp.Diagnostics.HasError() {
		return
	}
	values["instances"], values["errors"] = fleetValues(members, fleet.baseURLs)
	resp.State.Raw = tftypes.NewValue(instancesType(), values)
}

// readFleet reads all members. Each is converted as soon as it has arrived,
// while others are still on their way.
func (d *instancesDataSource) readFleet(ctx context.Context, members []*fleetMember, arguments readArguments, maxConcurrency int64) {
	places := semaphore.NewWeighted(maxConcurrency)
	// What waits for its turn at its origin keeps no place from other origins.
	atOrigin := make(map[string]*semaphore.Weighted)
	for _, member := range members {
		if atOrigin[member.baseURL.Origin()] == nil {
			atOrigin[member.baseURL.Origin()] = semaphore.NewWeighted(client.MaxConnsPerHost)
		}
	}
	var reads sync.WaitGroup
	for _, member := range members {
		turns := atOrigin[member.baseURL.Origin()]
		admit := func(ctx context.Context) (func(), error) {
			if err := turns.Acquire(ctx, 1); err != nil {
				return nil, err
			}
			if err := places.Acquire(ctx, 1); err != nil {
				turns.Release(1)
				return nil, err
			}
			return func() {
				places.Release(1)
				turns.Release(1)
			}, nil
		}
		reads.Go(func() {
			headers := d.provider.headersFor(member.baseURL, arguments.headers)
			result, err := d.provider.client.Read(maskSecrets(ctx, headers), client.Request{
				BaseURL:    member.baseURL,
				Headers:    headers,
				UntilReady: arguments.waitUntilReady,
				Admit:      admit,
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

// fleetValues makes the attributes instances and errors.
func fleetValues(members []*fleetMember, baseURLs map[string]string) (instances, failures tftypes.Value) {
	read := make(map[string]tftypes.Value, len(baseURLs))
	failed := make(map[string]tftypes.Value)
	for _, member := range members {
		for _, key := range member.keys {
			if member.err != nil {
				failed[key] = tftypes.NewValue(tftypes.String, stateText(member.err))
				continue
			}
			values := maps.Clone(member.values)
			values["base_url"] = tftypes.NewValue(tftypes.String, baseURLs[key])
			read[key] = tftypes.NewValue(listedInstanceType, values)
		}
	}
	return tftypes.NewValue(tftypes.Map{ElementType: listedInstanceType}, read),
		tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, failed)
}

// stateText is what the state says of a failure: the same from run to run.
func stateText(err error) string {
	if failure, ok := client.AsFailure(err); ok {
		return failure.StateText()
	}
	return err.Error()
}

// fleetDiagnostics reports failures, each under its key, and doubts.
func fleetDiagnostics(members []*fleetMember, arguments readArguments, allowFailures bool) diag.Diagnostics {
	var diags diag.Diagnostics
	var doubts []instanceWarnings
	failures := make(map[string]error)
	listed := 0
	for _, member := range members {
		listed += len(member.keys)
		doubts = append(doubts, instanceWarnings{member.baseURL.String(), member.warnings})
		if member.err == nil {
			continue
		}
		for _, key := range member.keys {
			failures[key] = member.err
		}
	}
	keys := slices.Sorted(maps.Keys(failures))
	switch {
	case len(keys) == 0:
	case allowFailures:
		diags.AddWarning("Instances could not be read", failuresDetail(keys, failures, listed, arguments))
	default:
		for _, key := range keys {
			failure := readError(path.Root("base_urls").AtMapKey(key), failures[key], arguments)
			diags.AddAttributeError(path.Root("base_urls").AtMapKey(key), failure.Summary(), fmt.Sprintf("Instance %q: %s", key, failure.Detail()))
		}
	}
	diags.Append(warningDiagnostics(doubts)...)
	return diags
}

// failuresDetail lists the failures of a fleet that are allowed, and what to do.
func failuresDetail(keys []string, failures map[string]error, listed int, arguments readArguments) string {
	var detail strings.Builder
	fmt.Fprintf(&detail, "%d of %d could not be read. As allow_failures is true, they are in errors and not in instances:", len(keys), listed)
	remedies := make(map[string]bool)
	for i, key := range keys {
		if i < maxListed {
			fmt.Fprintf(&detail, "\n  - %q: %s", key, failures[key])
		}
		if failure, ok := client.AsFailure(failures[key]); ok {
			remedies[remedy(failure, arguments)] = true
		}
	}
	if more := len(keys) - maxListed; more > 0 {
		fmt.Fprintf(&detail, "\n  - and %d more", more)
	}
	for _, remedy := range slices.Sorted(maps.Keys(remedies)) {
		detail.WriteString("\n\n" + remedy)
	}
	return detail.String()
}
