package provider

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpguts"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// requestHeadersAttribute is marked as sensitive in the provider block alone. Marking it so in a data source would
// taint every expression that uses the whole object. Users mark values themselves.
func requestHeadersAttribute(description string, sensitive bool) schema.MapAttribute {
	addition := " These cannot be set: `" + strings.Join(client.ReservedHeaders, "`, `") + "`."
	if !sensitive {
		addition = " Terraform stores them in the state, so put secrets in the provider block."
	}
	return schema.MapAttribute{
		ElementType:         types.StringType,
		Optional:            true,
		Sensitive:           sensitive,
		MarkdownDescription: description + addition,
		Validators: []validator.Map{validate[types.Map](func(at path.Path, headers types.Map) diag.Diagnostics {
			_, diags := parseHeaders(at, headers)
			return diags
		})},
	}
}

// parseHeaders parses request_headers. An unknown value is taken as empty.
//
// Its errors have no path, because Terraform would print the lines of the attribute. They contain no values, and no
// names that are not valid, because these may be swapped values.
func parseHeaders(at path.Path, headers types.Map) (http.Header, diag.Diagnostics) {
	elements := headers.Elements()
	parsed := make(http.Header, len(elements))
	var diags diag.Diagnostics
	invalidNames := 0
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		if !httpguts.ValidHeaderFieldName(name) {
			invalidNames++
			continue
		}
		value := elements[name].(types.String)
		canonical := http.CanonicalHeaderKey(name)
		problem := ""
		switch {
		case canonical == "Host":
			problem = "cannot be set. To send requests for one name to another server, put the name into base_url, and the " +
				"server's address into connect_to of the provider"
		case canonical == "Proxy-Authorization":
			problem = "cannot be set, because the instance would get it instead of the proxy. Put the credentials into the " +
				"URL of the proxy, in HTTP_PROXY or HTTPS_PROXY"
		case slices.Contains(client.ReservedHeaders, canonical):
			problem = "cannot be set, because it is about the connection or the body, which are up to the provider. Remove it"
		case parsed[canonical] != nil:
			problem = "is set more than once, because header names are not case-sensitive. Keep one of them"
		case value.IsNull():
			problem = "is null. Set a value, or remove the header"
		case !httpguts.ValidHeaderFieldValue(value.ValueString()):
			problem = "has a value with a line break or another control character. " +
				"If it comes from a file, wrap it in trimspace()"
		}
		if problem != "" {
			diags.AddError("Invalid request header", fmt.Sprintf("The header %s in %s %s.", canonical, at, problem))
		}
		parsed[canonical] = []string{value.ValueString()}
	}
	if invalidNames > 0 {
		diags.AddError("Invalid request header", fmt.Sprintf("%s in %s cannot be used: a name has only letters, digits, "+
			"hyphens and a few other signs. Such a name is not shown here, because it may be a value that was swapped with it.",
			count(invalidNames, "header name"), at))
	}
	return parsed, diags
}
