package provider

import (
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
