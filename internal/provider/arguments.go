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

// How long a data source's read may take with all its retries.
const (
	defaultReadTimeout      = time.Minute
	defaultReadyReadTimeout = 10 * time.Minute
)

// baseURLForm says what a base URL is.
const baseURLForm = "An `http` or `https` URL without user info, query or fragment. A path is kept, and trailing slashes do not matter."

// The functions below make arguments that several schemas have. An attribute of the framework is the same interface in
// every kind of schema: the provider block and the resource use the data sources' attributes too.

func durationAttribute(description, defaultDuration string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: description + " Default: " + defaultDuration + ".",
		Validators:          []validator.String{durationValidator},
	}
}

// inMarkdown writes a duration as a description does.
func inMarkdown(duration time.Duration) string { return "`\"" + formatDuration(duration) + "\"`" }

// requestHeadersAttribute returns the argument request_headers. The description says what the headers are for.
func requestHeadersAttribute(description string) schema.MapAttribute {
	return schema.MapAttribute{
		ElementType:         types.StringType,
		Optional:            true,
		Sensitive:           true,
		MarkdownDescription: description + " `" + strings.Join(client.RefusedHeaders, "`, `") + "` are refused. Default: none.",
		Validators:          []validator.Map{headersValidator},
	}
}

// timeoutsAttribute returns the argument timeouts. That of terraform-plugin-framework-timeouts accepts "-5s".
func timeoutsAttribute(description string, operations map[string]schema.Attribute) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true, MarkdownDescription: description, Attributes: operations}
}

// readArguments are the arguments that all data sources have.
type readArguments struct {
	headers        http.Header
	waitUntilReady bool
	timeout        time.Duration
	// fleet is true if they are for many instances.
	fleet bool
}

// readArgumentAttributes returns the attributes of readArguments, with the description of request_headers.
func readArgumentAttributes(requestHeaders string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"request_headers": requestHeadersAttribute(requestHeaders),
		"wait_until_ready": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to wait for an instance that starts: every failure is retried until `timeouts.read` expires, and " +
				"`max_attempts` is ignored. Use it only for a new instance: with a wrong URL, the error appears only then. Default: `false`.",
		},
		"timeouts": timeoutsAttribute("See the nested attributes.", map[string]schema.Attribute{
			"read": durationAttribute("Time for the whole read with its retries. A positive duration such as `\"1m30s\"`.",
				inMarkdown(defaultReadTimeout)+", or "+inMarkdown(defaultReadyReadTimeout)+" with `wait_until_ready`"),
		}),
	}
}

// readArgumentsOf reads the arguments from a configuration.
func readArgumentsOf(config map[string]tftypes.Value) (readArguments, diag.Diagnostics) {
	headers, diags := parseHeaders(path.Root("request_headers"), config["request_headers"])
	waitUntilReady := goValue[bool](config["wait_until_ready"])
	timeout := defaultReadTimeout
	if waitUntilReady {
		timeout = defaultReadyReadTimeout
	}
	return readArguments{headers: headers, waitUntilReady: waitUntilReady, timeout: timeoutOf(config, "read", timeout)}, diags
}

// timeoutOf returns the time for an operation: that in timeouts, or the default.
func timeoutOf(values map[string]tftypes.Value, operation string, defaultTimeout time.Duration) time.Duration {
	return durationOr(elementsOf(values["timeouts"])[operation], defaultTimeout)
}

// parseHeaders makes a header of request_headers. A value that is not known yet gets a stand-in that is valid for
// every header.
func parseHeaders(at path.Path, headers tftypes.Value) (http.Header, diag.Diagnostics) {
	var faults []client.HeaderFault
	elements := elementsOf(headers)
	values := make(map[string]string, len(elements))
	for _, name := range slices.Sorted(maps.Keys(elements)) { // the same order of errors every time
		switch value := elements[name]; {
		case value.IsNull():
			faults = append(faults, client.HeaderFault{Name: name, Reason: "the value is null; remove the header, or set a value"})
		case !value.IsKnown():
			values[name] = "unknown"
		default:
			values[name] = goValue[string](value)
		}
	}
	parsed, more := client.ParseHeaders(values)
	var diags diag.Diagnostics
	for _, fault := range append(faults, more...) {
		// Not on the attribute: Terraform prints its lines of the configuration, and with them the value.
		diags.AddError(summaryHeader, fmt.Sprintf("%s cannot be used: %s.", at.AtMapKey(fault.Name), fault.Reason))
	}
	return parsed, diags
}
