package provider

import (
	"context"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// None of these validators prints the value of a sensitive argument, or a long one. All skip null and unknown values.
var (
	_ validator.String = stringValidator{}
	_ validator.Number = numberValidator{}
	_ validator.Map    = mapValidator{}
)

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
	if !req.ConfigValue.IsNull() && !req.ConfigValue.IsUnknown() {
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
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	number := req.ConfigValue.ValueBigFloat()
	if whole, accuracy := number.Int64(); accuracy != big.Exact || whole < v.least || whole > v.most {
		resp.Diagnostics.AddAttributeError(rootAttribute(req.Path), summaryNumber,
			fmt.Sprintf("%s is %s.\n\nWrite %s.", req.Path, number.Text('g', maxDigits), v.expectation))
	}
}

type mapValidator struct {
	expectation
	check func(at path.Path, elements tftypes.Value) diag.Diagnostics
}

func (v mapValidator) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	if value, err := req.ConfigValue.ToTerraformValue(ctx); err == nil && isSet(value) {
		resp.Diagnostics.Append(v.check(req.Path, value)...)
	}
}

var baseURLValidator = stringValidator{
	"an http or https URL with a host, without user info, query or fragment",
	func(at path.Path, text string) diag.Diagnostic {
		if _, err := client.ParseBaseURL(text); err != nil {
			return baseURLError(at, at.String(), err)
		}
		return nil
	},
}

var connectToValidator = stringValidator{
	"a host and a port from 1 to 65535",
	func(at path.Path, text string) diag.Diagnostic {
		if _, err := client.ParseAddress(text); err != nil {
			return connectToError(text, err)
		}
		return nil
	},
}

// baseURLsValidator checks the base URLs of a fleet.
var baseURLsValidator = mapValidator{
	"at least one http or https URL with a host, without user info, query or fragment",
	func(at path.Path, baseURLs tftypes.Value) diag.Diagnostics {
		urls := elementsOf(baseURLs)
		if len(urls) == 0 {
			return diag.Diagnostics{errorAt(at, summaryBaseURL, fmt.Sprintf("%s is empty. Name at least one instance.", at))}
		}
		_, diags := fleetMembers(urls)
		return diags
	},
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
		shown := strconv.Quote(text)
		const limit = 40
		if len(text) > limit { // not even a part of it: it may be anything, such as a key
			shown = "a long text"
		}
		return errorAt(rootAttribute(at), summaryDuration,
			fmt.Sprintf("%s is %s, which %s.\n\nWrite %s; the units are ms, s, m and h.", at, shown, fault, durationExpected))
	},
}

// rootAttribute returns the attribute of a block that a path begins with: Terraform cannot locate an attribute inside of
// another.
func rootAttribute(at path.Path) path.Path {
	for len(at.Steps()) > 1 {
		at = at.ParentPath()
	}
	return at
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
	func(at path.Path, headers tftypes.Value) diag.Diagnostics {
		_, diags := parseHeaders(at, headers)
		return diags
	},
}
