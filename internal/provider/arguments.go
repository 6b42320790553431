package provider

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

const baseURLForm = "An `http` or `https` URL without user info, query or fragment. Trailing slashes do not matter."

// The functions below return arguments that several schemas share. The attribute types of data sources also fit provider and
// resource schemas.

func durationAttribute(description, defaultDuration string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: description + " Default: " + defaultDuration + ".",
		Validators:          []validator.String{durationValidator},
	}
}

// inMarkdown returns a duration as Markdown code.
func inMarkdown(duration time.Duration) string { return "`\"" + formatDuration(duration) + "\"`" }

// refusedHeaders lists the headers that only the client may set: "`Accept-Encoding`, `Connection` and ...".
var refusedHeaders = func() string {
	last := len(client.RefusedHeaders) - 1
	return "`" + strings.Join(client.RefusedHeaders[:last], "`, `") + "` and `" + client.RefusedHeaders[last] + "`"
}()

// requestHeadersAttribute returns the argument request_headers.
func requestHeadersAttribute(description string) schema.MapAttribute {
	return schema.MapAttribute{
		ElementType:         types.StringType,
		Optional:            true,
		Sensitive:           true,
		MarkdownDescription: description + " " + refusedHeaders + " are refused. Default: none.",
		Validators:          []validator.Map{headersValidator},
	}
}

// timeoutOf returns the timeout of an operation in the block timeouts of values, or the default. The block is our own because the one
// in terraform-plugin-framework-timeouts accepts negative durations.
func timeoutOf(values map[string]tftypes.Value, operation string, defaultTimeout time.Duration) time.Duration {
	return durationOr(elementsOf(values["timeouts"])[operation], defaultTimeout)
}

// parseHeaders parses request_headers. An unknown value is replaced by a placeholder that is valid for every header.
func parseHeaders(at path.Path, headers tftypes.Value) (http.Header, diag.Diagnostics) {
	var invalid []client.InvalidHeader
	elements := elementsOf(headers)
	values := make(map[string]string, len(elements))
	for _, name := range slices.Sorted(maps.Keys(elements)) { // for a stable order of errors
		switch value := elements[name]; {
		case value.IsNull():
			invalid = append(invalid, client.InvalidHeader{Name: name, Reason: "the value is null; remove the header, or set a value"})
		case !value.IsKnown():
			values[name] = "unknown"
		default:
			values[name] = goValue[string](value)
		}
	}
	parsed, more := client.ParseHeaders(values)
	var diags diag.Diagnostics
	for _, header := range append(invalid, more...) {
		if strings.ContainsAny(values[header.Name], "\r\n") {
			header.Reason += "; if it comes from a file, wrap it in trimspace()"
		}
		// Without a path: Terraform would print the lines of the attribute, which may contain a secret.
		diags.AddError(summaryHeader, fmt.Sprintf("%s cannot be used: %s.", at.AtMapKey(header.Name), header.Reason))
	}
	return parsed, diags
}
