package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// None of these validators prints a value that may be a secret. A null or unknown value is checked by none.
var (
	_ validator.String = stringValidator{}
	_ validator.Number = numberValidator{}
	_ validator.Map    = mapValidator{}
)

const baseURLDescription = "An `http` or `https` URL without user info, query or fragment; a path is kept, trailing slashes do not matter."

var headersDescription = "Header names are case-insensitive and must be unique; values must not contain line breaks. `Host` sets the request's host, " +
	"`Accept` and `User-Agent` can be overridden; `" + strings.Join(client.RefusedHeaders, "`, `") + "` are refused. Default: none."

// expectation says what a validator accepts.
type expectation string

func (e expectation) Description(context.Context) string         { return string(e) }
func (e expectation) MarkdownDescription(context.Context) string { return string(e) }

type stringValidator struct {
	expectation
	// check returns what is wrong with the text of the attribute, or nil.
	check func(at path.Path, text string) diag.Diagnostic
}

func (v stringValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if known(req.ConfigValue) {
		resp.Diagnostics.Append(v.check(req.Path, req.ConfigValue.ValueString()))
	}
}

// numberValidator checks a number that has to be whole. The framework's attribute for integers would have a user
// report what is not one as a bug.
type numberValidator struct {
	expectation
	least, most int64
}

func wholeNumber(least, most int64) numberValidator {
	return numberValidator{expectation(fmt.Sprintf("a whole number from %d to %d", least, most)), least, most}
}

func (v numberValidator) ValidateNumber(_ context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if !known(req.ConfigValue) {
		return
	}
	number := req.ConfigValue.ValueBigFloat()
	if whole, accuracy := number.Int64(); accuracy != big.Exact || whole < v.least || whole > v.most {
		resp.Diagnostics.AddAttributeError(outermost(req.Path), summaryNumber,
			fmt.Sprintf("%s is %s.\n\nWrite %s.", req.Path, number.Text('g', maxDigits), v.expectation))
	}
}

type mapValidator struct {
	expectation
	check func(at path.Path, value types.Map) diag.Diagnostics
}

func (v mapValidator) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	if known(req.ConfigValue) {
		resp.Diagnostics.Append(v.check(req.Path, req.ConfigValue)...)
	}
}

var baseURLValidator = stringValidator{
	"an http or https URL with a host, without user info, query or fragment",
	func(at path.Path, text string) diag.Diagnostic {
		if _, err := client.ParseBaseURL(text); err != nil {
			return baseURLError(at, text, at.String(), err)
		}
		return nil
	},
}

// mayHoldSecret tells whether a text that should be a base URL has, or may have, user info, a query or a fragment.
// One that is not even a URL may be meant to have a password if it has more than the colon of the scheme.
func mayHoldSecret(text string) bool {
	_, err := url.Parse(text)
	return strings.ContainsAny(text, "@?#%") || err != nil && strings.Count(text, ":") > 1
}

// baseURLError says what is wrong with the base URL in argument. If the text may include a secret, the error is not
// on the attribute: Terraform prints the lines of the configuration with the attribute at fault.
func baseURLError(at path.Path, text, argument string, err error) diag.Diagnostic {
	if mayHoldSecret(text) {
		at = path.Empty()
	}
	text = err.Error()
	if fault, ok := errors.AsType[*client.BaseURLError](err); ok { // always
		text = fmt.Sprintf("%s %s. %s", argument, fault.Problem, fault.Remedy)
	}
	return errorAt(at, summaryBaseURL, text)
}

// baseURLsValidator checks the base URLs of a fleet.
var baseURLsValidator = mapValidator{
	"at least one http or https URL with a host, without user info, query or fragment",
	func(at path.Path, value types.Map) diag.Diagnostics {
		if len(value.Elements()) == 0 {
			return diag.Diagnostics{errorAt(at, summaryBaseURL, fmt.Sprintf("%s is empty. Name at least one instance.", at))}
		}
		_, diags := fleetMembers(stringsOf(value))
		return diags
	},
}

// stringsOf returns the elements of a map of strings.
func stringsOf(value types.Map) map[string]types.String {
	elements := make(map[string]types.String, len(value.Elements()))
	for key, element := range value.Elements() {
		elements[key], _ = element.(types.String)
	}
	return elements
}

var digits = regexp.MustCompile("[0-9]+")

const durationExpected = `a positive duration such as "500ms", "10s" or "1m30s"`

var durationValidator = stringValidator{
	durationExpected,
	func(at path.Path, text string) diag.Diagnostic {
		duration, err := time.ParseDuration(text)
		if err == nil && duration > 0 {
			return nil
		}
		fault := "is not a duration"
		if err == nil {
			fault = "is not positive"
		} else if _, err := time.ParseDuration(digits.ReplaceAllLiteralString(text, "1")); err == nil { // its form is right
			fault = "is longer than the longest possible duration, about 292 years"
		}
		const limit = 40
		shown := fmt.Sprintf("%.*q", limit, text)
		if utf8.RuneCountInString(text) > limit {
			shown += "…"
		}
		return errorAt(outermost(at), summaryDuration,
			fmt.Sprintf("%s is %s, which %s.\n\nWrite %s; the units are ms, s, m and h.", at, shown, fault, durationExpected))
	},
}

// outermost returns the attribute of a block that a path begins with: Terraform cannot locate an attribute inside of
// another.
func outermost(at path.Path) path.Path {
	for len(at.Steps()) > 1 {
		at = at.ParentPath()
	}
	return at
}

// durationOr returns a validated duration, or the default if it is not set or not known yet.
func durationOr(value types.String, standard time.Duration) time.Duration {
	if duration, err := time.ParseDuration(value.ValueString()); err == nil && duration > 0 {
		return duration
	}
	return standard
}

// formatDuration prints a duration as a user would write it: "1m", not "1m0s".
func formatDuration(duration time.Duration) string {
	text := duration.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

var caCertsValidator = stringValidator{
	"one or more certificates in PEM form",
	func(at path.Path, text string) diag.Diagnostic {
		if err := client.CheckCACerts(text); err != nil {
			return errorAt(pemPath(at, text), summaryCACerts,
				fmt.Sprintf("%s cannot be used: %s.\n\nSet it to the certificates themselves, for example file(\"ca.pem\"), not to the name of a file.", at, err))
		}
		return nil
	},
}

// pemPath returns where an error about a PEM text goes: on its attribute, or on none if the text is, or may be, a
// private key. Terraform prints the lines of the configuration with the attribute at fault.
func pemPath(at path.Path, text string) path.Path {
	const longestFileName = 255
	if strings.Contains(text, "PRIVATE KEY") || len(text) > longestFileName && !strings.Contains(text, "BEGIN CERTIFICATE") {
		return path.Empty()
	}
	return at
}

var headersValidator = mapValidator{
	"HTTP header names, each once, with values of one line",
	func(at path.Path, value types.Map) diag.Diagnostics {
		_, diags := parseHeaders(at, value)
		return diags
	},
}

// parseHeaders makes a header of request_headers. A value that is not known yet gets a stand-in that is valid for
// every header.
func parseHeaders(at path.Path, headers types.Map) (http.Header, diag.Diagnostics) {
	var faults []client.HeaderFault
	elements := stringsOf(headers)
	values := make(map[string]string, len(elements))
	for _, name := range slices.Sorted(maps.Keys(elements)) { // the same order of errors every time
		switch value := elements[name]; {
		case value.IsNull():
			faults = append(faults, client.HeaderFault{Name: name, Reason: "the value is null; remove the header, or set a value"})
		case value.IsUnknown():
			values[name] = "unknown"
		default:
			values[name] = value.ValueString()
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
