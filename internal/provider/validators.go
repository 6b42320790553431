package provider

import (
	"context"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// check is a validator for strings, numbers and maps.
type check struct {
	// accepts describes the valid values.
	accepts string
	// run adds an error if value, which is neither null nor unknown, is invalid. It must not print sensitive or long values.
	run func(at path.Path, value tftypes.Value, diags *diag.Diagnostics)
}

var (
	_ validator.String = check{}
	_ validator.Number = check{}
	_ validator.Map    = check{}
)

func (c check) Description(context.Context) string         { return c.accepts }
func (c check) MarkdownDescription(context.Context) string { return c.accepts }

func (c check) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	c.validate(ctx, req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (c check) ValidateNumber(ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	c.validate(ctx, req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (c check) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	c.validate(ctx, req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (c check) validate(ctx context.Context, at path.Path, configured attr.Value, diags *diag.Diagnostics) {
	if value, err := configured.ToTerraformValue(ctx); err == nil && isSet(value) {
		c.run(at, value, diags)
	}
}

// wholeNumber returns a check for integers. For a fraction, the framework's Int64Attribute would ask the user to report a bug.
func wholeNumber(least, most int64) check {
	accepts := fmt.Sprintf("a whole number from %d to %d", least, most)
	return check{accepts, func(at path.Path, value tftypes.Value, diags *diag.Diagnostics) {
		number := goValue[*big.Float](value)
		if whole, accuracy := number.Int64(); accuracy != big.Exact || whole < least || whole > most {
			diags.AddAttributeError(at, summaryNumber, fmt.Sprintf("%s is %s.\n\nWrite %s.", at, safetext.Line(number.Text('g', -1), maxDigits), accepts))
		}
	}}
}

var baseURLValidator = check{
	"an http or https URL with a host, without user info, query or fragment",
	func(at path.Path, value tftypes.Value, diags *diag.Diagnostics) {
		_, err := address.ParseBaseURL(goValue[string](value))
		diags.Append(syntaxError(at, summaryBaseURL, at.String(), err))
	},
}

var connectToValidator = check{
	"a host and a port from 1 to 65535",
	func(at path.Path, value tftypes.Value, diags *diag.Diagnostics) {
		_, err := address.ParseHostPort(goValue[string](value))
		diags.Append(syntaxError(at, summaryConnectTo, at.String(), err))
	},
}

var baseURLsValidator = check{
	"at least one http or https URL with a host, without user info, query or fragment",
	func(at path.Path, baseURLs tftypes.Value, diags *diag.Diagnostics) {
		urls := elementsOf(baseURLs)
		if len(urls) == 0 {
			diags.Append(errorAt(at, summaryBaseURL, fmt.Sprintf("%s is empty. Name at least one instance.", at)))
		}
		_, invalid := fleetMembers(urls)
		diags.Append(invalid...)
	},
}

const durationExpected = `a positive duration such as "500ms", "10s" or "1m30s"`

var durationValidator = check{
	durationExpected,
	func(at path.Path, value tftypes.Value, diags *diag.Diagnostics) {
		text := goValue[string](value)
		duration, err := time.ParseDuration(text)
		if err == nil && duration > 0 {
			return
		}
		problem := "is not a duration"
		if err == nil {
			problem = "is not positive"
		}
		diags.AddAttributeError(at, summaryDuration,
			fmt.Sprintf("%s is %s, which %s.\n\nWrite %s; the units are ms, s, m and h.", at, shown(text), problem, durationExpected))
	},
}

// shown returns text in quotes. Returns "a long text" if it is longer than 40 bytes: it may be a key.
func shown(text string) string {
	const limit = 40
	if len(text) > limit {
		return "a long text"
	}
	return strconv.Quote(text)
}

var caCertsValidator = check{
	"one or more certificates in PEM form",
	func(at path.Path, value tftypes.Value, diags *diag.Diagnostics) {
		text := goValue[string](value)
		if err := client.CheckCACerts(text); err != nil {
			diags.Append(errorAt(pemPath(at, text), summaryCACerts,
				fmt.Sprintf("%s cannot be used: %s.\n\nSet it to the certificates themselves, for example file(\"ca.pem\"), not to the name of a file.", at, err)))
		}
	},
}

// pemPath returns the path for an error about PEM text. Returns the empty path if the text may contain a private key; see errorAt.
func pemPath(at path.Path, text string) path.Path {
	const longestFileName = 255
	if strings.Contains(text, "PRIVATE KEY") || len(text) > longestFileName && !strings.Contains(text, "BEGIN CERTIFICATE") {
		return path.Empty()
	}
	return at
}

var headersValidator = check{
	"HTTP header names, each once, with values of one line",
	func(at path.Path, headers tftypes.Value, diags *diag.Diagnostics) {
		_, invalid := parseHeaders(at, headers)
		diags.Append(invalid...)
	},
}
