package provider

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

const baseURLForm = "An `http` or `https` URL without user info, query, or fragment."

// The functions below return attributes for the schemas of the provider, the data sources and the resource alike.

func optionalString(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

func optionalBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
}

// optionalNumber is a NumberAttribute, because an Int64Attribute asks the user to report a bug about a fraction, and refuses 4.2 *
// 1000000000.
func optionalNumber(description string, least, most int64) schema.NumberAttribute {
	validators := []validator.Number{wholeNumber(least, most)}
	return schema.NumberAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
}

// optionalDuration has a positive duration. defaultDuration is 0 if there is no default.
func optionalDuration(description string, defaultDuration time.Duration) schema.StringAttribute {
	if defaultDuration > 0 {
		description += " Default: `\"" + formatDuration(defaultDuration) + "\"`."
	}
	return optionalString(description, textValidator(parseDuration))
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

// requestHeadersAttribute is marked as sensitive in the provider block alone. Marking it so in a data source would taint every expression
// that uses the whole object. Users mark values themselves.
func requestHeadersAttribute(description string, sensitive bool) schema.MapAttribute {
	kept := ""
	if !sensitive {
		kept = " Terraform stores them in the state, so put secrets in the provider block."
	}
	return schema.MapAttribute{
		ElementType:         types.StringType,
		Optional:            true,
		Sensitive:           sensitive,
		MarkdownDescription: description + kept + " These cannot be set: `" + strings.Join(client.ReservedHeaders, "`, `") + "`.",
		Validators:          []validator.Map{headersValidator},
	}
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

// limitOf returns the time limit that an argument of a block timeouts sets.
func limitOf(timeouts types.Object, name string, defaultLimit time.Duration) timeLimit {
	return timeLimit{"timeouts." + name, durationOr(timeoutOf(timeouts, name), defaultLimit)}
}

// timeoutOf returns an argument of a block timeouts, which is null if there is no block.
func timeoutOf(timeouts types.Object, name string) types.String {
	timeout, ok := timeouts.Attributes()[name].(types.String)
	if !ok {
		return types.StringNull()
	}
	return timeout
}

// blockAs reads a block into a model. If the block is absent, all values of the model are null.
func blockAs(ctx context.Context, block types.Object, model any) diag.Diagnostics {
	return block.As(ctx, model, basetypes.ObjectAsOptions{UnhandledNullAsEmpty: true})
}

// isSet reports whether a value is neither null nor unknown.
func isSet(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }

// durationOr returns value as a duration. It returns defaultDuration if value is null, unknown, invalid or not positive.
func durationOr(value types.String, defaultDuration time.Duration) time.Duration {
	if duration, err := time.ParseDuration(value.ValueString()); err == nil && duration > 0 {
		return duration
	}
	return defaultDuration
}

// isKnownDuration reports whether the duration in effect is known: value is null, so that it is the default, or a valid duration. An
// invalid one has an error of its own.
func isKnownDuration(value types.String) bool { return value.IsNull() || durationOr(value, 0) > 0 }

// int64Or returns a whole number as an int64, or defaultNumber if it is null or unknown.
func int64Or(number types.Number, defaultNumber int64) int64 {
	if !isSet(number) {
		return defaultNumber
	}
	whole, _ := wholeNumberOf(number.ValueBigFloat())
	return whole
}
