package provider

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

const baseURLForm = "An `http` or `https` URL without user info, query or fragment."

func durationAttribute(description, defaultDuration string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: description + " Default: " + defaultDuration + ".",
		Validators:          []validator.String{durationValidator},
	}
}

// inMarkdown returns a duration as Markdown code.
func inMarkdown(duration time.Duration) string { return "`\"" + formatDuration(duration) + "\"`" }

// requestHeadersAttribute is sensitive in the provider block alone. In a data source, it would make every expression over
// the whole data source sensitive, although it is null; there, what the user marks is.
func requestHeadersAttribute(description string, sensitive bool) schema.MapAttribute {
	last := len(client.RefusedHeaders) - 1
	refused := "`" + strings.Join(client.RefusedHeaders[:last], "`, `") + "` and `" + client.RefusedHeaders[last] + "`"
	return schema.MapAttribute{
		ElementType:         types.StringType,
		Optional:            true,
		Sensitive:           sensitive,
		MarkdownDescription: description + " " + refused + " are refused. Default: none.",
		Validators:          []validator.Map{headersValidator},
	}
}

// blockAs reads a block into a model. If it is absent, all values of the model are null.
func blockAs(ctx context.Context, block types.Object, model any) diag.Diagnostics {
	return block.As(ctx, model, basetypes.ObjectAsOptions{UnhandledNullAsEmpty: true})
}

// isSet reports whether a value is neither null nor unknown.
func isSet(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }

// durationOr returns value as a duration. Returns defaultDuration if null, unknown, invalid or not positive.
func durationOr(value types.String, defaultDuration time.Duration) time.Duration {
	if duration, err := time.ParseDuration(value.ValueString()); err == nil && duration > 0 {
		return duration
	}
	return defaultDuration
}

// isDurationOrNull reports whether durationOr returns what value says. If it is invalid, that is an error already.
func isDurationOrNull(value types.String) bool { return value.IsNull() || durationOr(value, 0) > 0 }

// int64Or returns a whole number as an int64. Returns defaultNumber if null or unknown.
func int64Or(number types.Number, defaultNumber int64) int64 {
	if !isSet(number) {
		return defaultNumber
	}
	value, _ := number.ValueBigFloat().Int64()
	return value
}

// parseHeaders parses request_headers. An unknown value is replaced by a placeholder that is valid for every header.
func parseHeaders(at path.Path, headers types.Map) (http.Header, diag.Diagnostics) {
	placeholder := "unknown"
	values := make(map[string]*string, len(headers.Elements()))
	for name, element := range headers.Elements() {
		if values[name] = element.(types.String).ValueStringPointer(); element.IsUnknown() {
			values[name] = &placeholder
		}
	}
	parsed, invalid := client.ParseHeaders(values)
	var diags diag.Diagnostics
	for _, header := range invalid {
		argument := "A name in " + at.String()
		if header.Name != "" {
			argument = at.AtMapKey(header.Name).String()
		}
		// Without a path: Terraform would print the lines of the attribute, which may contain a secret.
		diags.AddError("Invalid request header", fmt.Sprintf("%s cannot be used: %s.", argument, header.Reason))
	}
	return parsed, diags
}
