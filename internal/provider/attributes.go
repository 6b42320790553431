package provider

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// The functions below return attributes of datasource/schema, which the provider and the resource have, too: the
// interfaces of the framework's schema packages ask for the same methods.

func optionalString(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

func optionalBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
}

// optionalDuration has a positive duration. defaultDuration is 0 if there is no default.
func optionalDuration(description string, defaultDuration time.Duration) schema.StringAttribute {
	if defaultDuration > 0 {
		description += " Default: `\"" + formatDuration(defaultDuration) + "\"`."
	}
	return optionalString(description, validateText(parseDuration))
}

func computedString(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func computedBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
}

func computedInt64(description string) schema.Int64Attribute {
	return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
}

// readTimeoutsBlock is our own, because that of terraform-plugin-framework-timeouts accepts negative durations.
func readTimeoutsBlock(limited string) schema.SingleNestedBlock {
	return schema.SingleNestedBlock{
		MarkdownDescription: "How long the read may take.",
		Attributes: map[string]schema.Attribute{
			"read": optionalDuration("Time for "+limited+", such as `\"1m30s\"`.", defaultReadTimeout),
		},
	}
}

// timeLimit is the time limit of a read or a wait, and what sets it.
type timeLimit struct {
	name     string
	duration time.Duration
}

func (l timeLimit) String() string { return fmt.Sprintf("%s (%s)", l.name, formatDuration(l.duration)) }

// newTimeLimit returns the time limit that an argument of a block timeouts sets.
func newTimeLimit(timeouts types.Object, name string, defaultLimit time.Duration) timeLimit {
	argument, _ := timeouts.Attributes()[name].(types.String) // null if there is no block
	return timeLimit{"timeouts." + name, durationOr(argument, defaultLimit)}
}

// durationOr returns value as a duration, or defaultDuration if it is null, unknown, or invalid, which has an error of
// its own.
func durationOr(value types.String, defaultDuration time.Duration) time.Duration {
	if duration, err := time.ParseDuration(value.ValueString()); err == nil && duration > 0 {
		return duration
	}
	return defaultDuration
}

// isSet reports whether a value is neither null nor unknown.
func isSet(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }

// isKnown reports whether an argument of a block is known, which may be null.
func isKnown(block types.Object, name string) bool {
	argument := block.Attributes()[name] // nil if there is no block
	return !block.IsUnknown() && (argument == nil || !argument.IsUnknown())
}

// blockAs reads a block into a model. If the block is absent, all values of the model are null.
func blockAs(ctx context.Context, block types.Object, model any) diag.Diagnostics {
	return block.As(ctx, model, basetypes.ObjectAsOptions{UnhandledNullAsEmpty: true})
}

// validate makes a validator from a function of values that are neither null nor unknown.
type validate[T attr.Value] func(at path.Path, value T) diag.Diagnostics

var (
	_ validator.String = validate[types.String](nil)
	_ validator.Map    = validate[types.Map](nil)
	_ validator.Number = validate[types.Number](nil)
)

// Nothing shows the descriptions of validators. Those of the attributes say what is valid.

func (v validate[T]) Description(context.Context) string         { return "" }
func (v validate[T]) MarkdownDescription(context.Context) string { return "" }

func (v validate[T]) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	v.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (v validate[T]) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	v.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (v validate[T]) ValidateNumber(_ context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	v.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (v validate[T]) check(at path.Path, value attr.Value, diags *diag.Diagnostics) {
	if isSet(value) {
		diags.Append(v(at, value.(T))...)
	}
}

// validateText makes a validator from a parser. The parser's error says what is wrong with a text, and begins with
// name, which says where the text comes from.
func validateText[T any](parse func(name, text string) (T, diag.Diagnostic)) validate[types.String] {
	return func(at path.Path, value types.String) (diags diag.Diagnostics) {
		_, invalid := parse(at.String(), value.ValueString())
		diags.Append(withPath(at, invalid))
		return diags
	}
}

const (
	baseURLForm    = "An `http` or `https` URL without user info, query, or fragment."
	summaryBaseURL = "Invalid base URL"
)

// parseBaseURL parses a base URL. Its error does not quote it, because it may contain a password.
func parseBaseURL(name, text string) (address.BaseURL, diag.Diagnostic) {
	baseURL, err := address.Parse(text)
	if err != nil {
		return baseURL, diag.NewErrorDiagnostic(summaryBaseURL, fmt.Sprintf("%s cannot be used: %s.\n\nWrite a URL like "+
			`"https://files.example.org" or "https://example.org/files/api".`, name, err))
	}
	return baseURL, nil
}

// parseConnectTo parses a host and a port.
func parseConnectTo(name, text string) (string, diag.Diagnostic) {
	hostPort, err := address.ParseHostPort(text)
	if err != nil {
		return "", diag.NewErrorDiagnostic("Invalid connect_to", fmt.Sprintf(
			`%s cannot be used: %s.`+"\n\n"+`Write a host and a port, like "127.0.0.1:8443" or "[::1]:8443".`, name, err))
	}
	return hostPort, nil
}

func parseDuration(name, text string) (time.Duration, diag.Diagnostic) {
	duration, err := time.ParseDuration(text)
	if err != nil || duration <= 0 {
		return 0, diag.NewErrorDiagnostic("Invalid duration", fmt.Sprintf(
			"%s is %s.\n\nWrite a positive duration such as \"500ms\", \"10s\" or \"1m30s\".",
			name, strconv.Quote(safetext.Cut(text, 40))))
	}
	return duration, nil
}

func parseVersion(name, text string) (string, diag.Diagnostic) {
	if !instance.ValidVersion(text) {
		return "", diag.NewErrorDiagnostic("Invalid version", fmt.Sprintf("%s is %s.\n\nWrite the version that the instance "+
			`reports, with three numbers: "2.1.0" or "2.1.0-rc.1".`, name, strconv.Quote(safetext.Cut(text, 40))))
	}
	return text, nil
}

func optionalLimit(description string) schema.NumberAttribute {
	return optionalWholeNumber(description, 0, math.MaxInt64)
}

// optionalWholeNumber is a NumberAttribute, because an Int64Attribute asks the user to report a bug about a fraction,
// and refuses 4.2 * 1000000000.
func optionalWholeNumber(description string, least, most int64) schema.NumberAttribute {
	return schema.NumberAttribute{
		Optional:            true,
		MarkdownDescription: description,
		Validators: []validator.Number{validate[types.Number](func(
			at path.Path, value types.Number,
		) (diags diag.Diagnostics) {
			number := value.ValueBigFloat()
			if whole, ok := wholeNumber(number); ok && least <= whole && whole <= most {
				return nil
			}
			found := "a number with a huge exponent"
			if exponent := number.MantExp(nil); -1000 < exponent && exponent < 1000 { // writing out a huge one takes seconds
				found = number.Text('g', 40)
			}
			diags.AddAttributeError(at, "Invalid number",
				fmt.Sprintf("%s is %s.\n\nWrite a whole number from %d to %d.", at, found, least, most))
			return diags
		})},
	}
}

// int64Value returns a whole number, which may be null or unknown, as an int64.
func int64Value(number types.Number) types.Int64 {
	switch {
	case number.IsNull():
		return types.Int64Null()
	case number.IsUnknown():
		return types.Int64Unknown()
	default:
		whole, _ := wholeNumber(number.ValueBigFloat())
		return types.Int64Value(whole)
	}
}

// wholeNumber returns a number as an int64, and whether it is one. It ignores the last 12 of the 512 bits with which
// Terraform calculates, because 4.2 * 1000000000 is not quite 4200000000 there.
func wholeNumber(number *big.Float) (int64, bool) {
	whole, accuracy := new(big.Float).SetPrec(500).Set(number).Int64()
	return whole, accuracy == big.Exact
}
