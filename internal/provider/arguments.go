package provider

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
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

// These arguments are in several schemas. The attribute types of data sources fit those of providers and resources too.

func durationAttribute(description, defaultDuration string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: description + " Default: " + defaultDuration + ".",
		Validators:          []validator.String{durationValidator},
	}
}

// inMarkdown returns a duration as Markdown code.
func inMarkdown(duration time.Duration) string { return "`\"" + formatDuration(duration) + "\"`" }

func requestHeadersAttribute(description string) schema.MapAttribute {
	last := len(client.RefusedHeaders) - 1
	refused := "`" + strings.Join(client.RefusedHeaders[:last], "`, `") + "` and `" + client.RefusedHeaders[last] + "`"
	return schema.MapAttribute{
		ElementType:         types.StringType,
		Optional:            true,
		Sensitive:           true,
		MarkdownDescription: description + " " + refused + " are refused. Default: none.",
		Validators:          []validator.Map{headersValidator},
	}
}

// blockAs returns a block as a model. If it is absent, or unknown as a whole, all values of the model are null.
func blockAs[T any](ctx context.Context, block types.Object) (model T, diags diag.Diagnostics) {
	diags = block.As(ctx, &model, basetypes.ObjectAsOptions{UnhandledNullAsEmpty: true, UnhandledUnknownAsEmpty: true})
	return model, diags
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
	var invalid []client.InvalidHeader
	elements := headers.Elements()
	values := make(map[string]string, len(elements))
	for _, name := range slices.Sorted(maps.Keys(elements)) { // for a stable order of errors
		switch value := elements[name].(types.String); {
		case value.IsNull():
			invalid = append(invalid, client.InvalidHeader{
				Name: name, Reason: "the value is null; remove the header, or set a value",
			})
		case value.IsUnknown():
			values[name] = "unknown"
		default:
			values[name] = value.ValueString()
		}
	}
	parsed, more := client.ParseHeaders(values)
	var diags diag.Diagnostics
	for _, header := range append(invalid, more...) {
		if strings.ContainsAny(values[header.Name], "\r\n") {
			header.Reason += "; if it comes from a file, wrap it in trimspace()"
		}
		// Without a path: Terraform would print the lines of the attribute, which may contain a secret.
		diags.AddError("Invalid request header",
			fmt.Sprintf("%s cannot be used: %s.", at.AtMapKey(header.Name), header.Reason))
	}
	return parsed, diags
}
