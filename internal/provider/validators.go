package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// None of these validators prints a value that may be a secret.
var (
	_ validator.String = stringValidator{}
	_ validator.Number = wholeNumberValidator{}
	_ validator.Map    = headersValidator{}
	_ validator.Map    = baseURLsValidator{}
)

const baseURLDescription = "An `http` or `https` URL without user info, query or fragment; a path is kept, trailing slashes do not matter."

const durationDescription = "A positive duration such as `\"500ms\"`, `\"10s\"` or `\"1m30s\"`."

var headersDescription = "Header names are case-insensitive and must be unique; values must not contain line breaks. `Host` sets the request's host, " +
	"`Accept` and `User-Agent` can be overridden; `" + strings.Join(client.RefusedHeaders, "`, `") + "` are refused. Default: none."

// stringValidator checks a string that is known.
type stringValidator struct {
	// expects says what is valid.
	expects string
	// check returns what is wrong with the text of the attribute, or nil.
	check func(at path.Path, text string) diag.Diagnostic
}

func (v stringValidator) Description(context.Context) string         { return v.expects }
func (v stringValidator) MarkdownDescription(context.Context) string { return v.expects }

func (v stringValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !known(req.ConfigValue) {
		return
	}
	if fault := v.check(req.Path, req.ConfigValue.ValueString()); fault != nil {
		resp.Diagnostics.Append(fault)
	}
}

var baseURLValidator = stringValidator{
	expects: "an http or https URL with a host, without user info, query or fragment",
	check: func(at path.Path, text string) diag.Diagnostic {
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
	fault, ok := errors.AsType[*client.BaseURLError](err)
	if !ok {
		return errorAt(at, summaryBaseURL, fmt.Sprintf("%s cannot be used.", argument))
	}
	return errorAt(at, summaryBaseURL, fmt.Sprintf("%s %s. %s", argument, fault.Problem, fault.Remedy))
}

// baseURLsValidator checks the base URLs of a fleet together: if one may include a secret, no error is on an
// attribute, as all may be on one line.
type baseURLsValidator struct{}

func (baseURLsValidator) Description(context.Context) string {
	return "at least one http or https URL with a host, without user info, query or fragment"
}

func (v baseURLsValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (baseURLsValidator) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	if !known(req.ConfigValue) {
		return
	}
	elements := req.ConfigValue.Elements()
	if len(elements) == 0 {
		resp.Diagnostics.AddAttributeError(req.Path, summaryBaseURL, fmt.Sprintf("%s is empty. Name at least one instance.", req.Path))
	}
	baseURLs := make(map[string]string, len(elements))
	var nullKeys []string
	for key, element := range elements {
		if element.IsNull() {
			nullKeys = append(nullKeys, key)
		} else if value, ok := element.(types.String); ok && known(value) {
			baseURLs[key] = value.ValueString()
		}
	}
	at := req.Path
	if slices.ContainsFunc(slices.Collect(maps.Values(baseURLs)), mayHoldSecret) {
		at = path.Empty()
	}
	slices.Sort(nullKeys)
	for _, key := range nullKeys {
		resp.Diagnostics.Append(errorAt(at, summaryBaseURL, fmt.Sprintf("%s is null. Remove the key, or set it to a URL.", req.Path.AtMapKey(key))))
	}
	_, diags := fleetMembers(baseURLs)
	resp.Diagnostics.Append(diags...)
}

var durationValidator = stringValidator{
	expects: `a positive duration such as "500ms", "10s" or "1m30s"`,
	check: func(at path.Path, text string) diag.Diagnostic {
		duration, err := time.ParseDuration(text)
		if err == nil && duration > 0 {
			return nil
		}
		fault := "is not a duration"
		if err == nil {
			fault = "is not positive"
		} else if _, err := time.ParseDuration(zeroDigits(text)); err == nil {
			fault = "is longer than the longest possible duration, about 292 years"
		}
		return errorAt(outermost(at), summaryDuration,
			fmt.Sprintf("%s is %s, which %s.\n\nWrite a positive duration such as \"500ms\", \"10s\" or \"1m30s\"; the units are ms, s, m and h.",
				at, quoteShort(text), fault))
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

// zeroDigits turns a duration into one of zero, so that only its form counts.
func zeroDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '0'
		}
		return r
	}, text)
}

// quoteShort quotes a text as it is, cut to what fits into an error.
func quoteShort(text string) string {
	const limit = 40
	if utf8.RuneCountInString(text) > limit {
		return strconv.Quote(string([]rune(text)[:limit])) + "…"
	}
	return strconv.Quote(text)
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

// wholeNumberValidator checks a number that has to be whole. The framework's attribute for integers would have a user
// report what is not one as a bug.
type wholeNumberValidator struct{ least, most int64 }

func (v wholeNumberValidator) Description(context.Context) string {
	return fmt.Sprintf("a whole number from %d to %d", v.least, v.most)
}

func (v wholeNumberValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (v wholeNumberValidator) ValidateNumber(ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if !known(req.ConfigValue) {
		return
	}
	number := req.ConfigValue.ValueBigFloat()
	if whole, accuracy := number.Int64(); accuracy != big.Exact || whole < v.least || whole > v.most {
		resp.Diagnostics.AddAttributeError(outermost(req.Path), summaryNumber,
			fmt.Sprintf("%s is %s.\n\nWrite %s.", req.Path, number.Text('g', maxDigits), v.Description(ctx)))
	}
}

var caCertsValidator = stringValidator{
	expects: "one or more certificates in PEM form",
	check: func(at path.Path, text string) diag.Diagnostic {
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

type headersValidator struct{}

func (headersValidator) Description(context.Context) string {
	return "HTTP header names, each once, with values of one line"
}

func (v headersValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (headersValidator) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	if req.ConfigValue.IsUnknown() {
		return
	}
	_, diags := parseHeaders(req.Path, req.ConfigValue)
	resp.Diagnostics.Append(diags...)
}

// parseHeaders makes a header of request_headers. A value that is not known yet gets a stand-in that is valid for
// every header.
func parseHeaders(at path.Path, headers types.Map) (http.Header, diag.Diagnostics) {
	var diags diag.Diagnostics
	// Not on the attribute: Terraform prints its lines of the configuration, and with them the value.
	fault := func(f client.HeaderFault) {
		diags.AddError(summaryHeader, fmt.Sprintf("%s cannot be used: %s.", at.AtMapKey(f.Name), f.Reason))
	}
	elements := headers.Elements()
	values := make(map[string]string, len(elements))
	for _, name := range slices.Sorted(maps.Keys(elements)) { // the same order of errors every time
		element := elements[name]
		if element.IsNull() {
			fault(client.HeaderFault{Name: name, Reason: "the value is null; remove the header, or set a value"})
			continue
		}
		values[name] = "unknown"
		if value, ok := element.(types.String); ok && known(value) {
			values[name] = value.ValueString()
		}
	}
	parsed, faults := client.ParseHeaders(values)
	for _, f := range faults {
		fault(f)
	}
	return parsed, diags
}
