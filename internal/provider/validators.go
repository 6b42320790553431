package provider

import (
	"context"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// The types below make validators from functions of values that are set. These must not print sensitive or long values.
type (
	stringValidator struct {
		validValues
		validate func(at path.Path, text string) diag.Diagnostic
	}
	mapValidator struct {
		validValues
		validate func(at path.Path, values types.Map) diag.Diagnostics
	}
	validValues string // a description of them
)

var (
	_ validator.String = stringValidator{}
	_ validator.Number = wholeNumber{}
	_ validator.Map    = mapValidator{}
)

func (v validValues) Description(context.Context) string         { return string(v) }
func (v validValues) MarkdownDescription(context.Context) string { return string(v) }

func (v stringValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if isSet(req.ConfigValue) {
		resp.Diagnostics.Append(v.validate(req.Path, req.ConfigValue.ValueString()))
	}
}

func (v mapValidator) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	if isSet(req.ConfigValue) {
		resp.Diagnostics.Append(v.validate(req.Path, req.ConfigValue)...)
	}
}

// wholeNumber validates integers. For a fraction, the framework's Int64Attribute asks the user to report a bug.
type wholeNumber struct{ least, most int64 }

func (v wholeNumber) Description(context.Context) string {
	return fmt.Sprintf("a whole number from %d to %d", v.least, v.most)
}

func (v wholeNumber) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v wholeNumber) ValidateNumber(ctx context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	if !isSet(req.ConfigValue) {
		return
	}
	number := req.ConfigValue.ValueBigFloat()
	if whole, accuracy := number.Int64(); accuracy == big.Exact && v.least <= whole && whole <= v.most {
		return
	}
	written := number.Text('f', -1)
	if number.IsInt() {
		written = number.Text('f', 0) // all digits, although Terraform may have sent a float
	}
	detail := fmt.Sprintf("%s is %s.\n\nWrite %s.", req.Path, safetext.Line(written, maxDigits), v.Description(ctx))
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid number", strings.Replace(detail, "….", "…", 1))
}

var baseURLValidator = stringValidator{
	"an http or https URL with a host, without user info, query or fragment",
	func(at path.Path, text string) diag.Diagnostic {
		_, err := address.ParseBaseURL(text)
		return syntaxError(at, summaryBaseURL, at.String(), err)
	},
}

var connectToValidator = stringValidator{
	"a host and a port from 1 to 65535",
	func(at path.Path, text string) diag.Diagnostic {
		_, err := address.ParseHostPort(text)
		return syntaxError(at, summaryConnectTo, at.String(), err)
	},
}

var baseURLsValidator = mapValidator{
	"http or https URLs with a host, without user info, query or fragment",
	func(_ path.Path, baseURLs types.Map) diag.Diagnostics {
		_, invalid := fleetMembers(baseURLs)
		return invalid
	},
}

const durationExpected = `a positive duration such as "500ms", "10s" or "1m30s"`

var durationValidator = stringValidator{
	durationExpected,
	func(at path.Path, text string) diag.Diagnostic {
		duration, err := time.ParseDuration(text)
		problem := ""
		switch {
		case err != nil:
			problem = "is not a duration"
		case duration <= 0:
			problem = "is not positive"
		default:
			return nil
		}
		return diag.NewAttributeErrorDiagnostic(at, "Invalid duration", fmt.Sprintf(
			"%s is %s, which %s.\n\nWrite %s; the units are ms, s, m and h.", at, quoteShort(text), problem, durationExpected))
	},
}

// quoteShort returns text in quotes. Returns "a long text" if it is longer than 40 bytes: it may be a key.
func quoteShort(text string) string {
	if len(text) > 40 {
		return "a long text"
	}
	return strconv.Quote(text)
}

var caCertsValidator = stringValidator{
	"one or more certificates in PEM form",
	func(at path.Path, text string) diag.Diagnostic {
		err := client.CheckCACerts(text)
		if err == nil {
			return nil
		}
		remedy := "Set it to certificates, each in a block of its own, as a certificate authority hands them out."
		if name := strings.TrimSpace(text); name != "" && len(name) <= longestFileName && !strings.ContainsAny(name, "\n ") {
			remedy = "Set it to the certificates themselves, for example file(\"ca.pem\"), not to the name of a file."
		}
		return errorAt(pemPath(at, text), "Invalid CA certificates",
			fmt.Sprintf("%s cannot be used: %s.\n\n%s", at, err, remedy))
	},
}

const longestFileName = 255

// pemPath returns the path for an error about PEM text, empty if the text may contain a private key; see errorAt.
func pemPath(at path.Path, text string) path.Path {
	hasKey := strings.Contains(text, "PRIVATE KEY")
	mayBeKey := len(text) > longestFileName && !strings.Contains(text, "BEGIN CERTIFICATE")
	if hasKey || mayBeKey {
		return path.Empty()
	}
	return at
}

var headersValidator = mapValidator{
	"HTTP header names, each once, with values of one line",
	func(at path.Path, headers types.Map) diag.Diagnostics {
		_, invalid := parseHeaders(at, headers)
		return invalid
	},
}
