package provider

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// None of these validators prints a value that may hold a secret.
var (
	_ validator.String = baseURLValidator{}
	_ validator.String = durationValidator{}
	_ validator.String = caCertsValidator{}
	_ validator.Number = wholeNumberValidator{}
	_ validator.Map    = headersValidator{}
	_ validator.Map    = baseURLsValidator{}
)

const (
	durationDescription = "A positive duration such as `\"500ms\"`, `\"10s\"` or `\"1m30s\"`."
	headersDescription  = "Names are made canonical and must differ in more than case; values are one line each. " +
		"`Host` sets the request's host, `Accept` and `User-Agent` may be overridden; `Accept-Encoding`, `Connection`, " +
		"`Content-Length` and `Transfer-Encoding` are refused. Default: none."
)

type baseURLValidator struct{}

func (baseURLValidator) Description(context.Context) string {
	return "an http or https URL with a host, without user info, query or fragment"
}

func (v baseURLValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (baseURLValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !known(req.ConfigValue) {
		return
	}
	if _, err := client.ParseBaseURL(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.Append(baseURLError(req.Path, req.ConfigValue.ValueString(), req.Path.String(), err))
	}
}

// mayHoldSecret tells whether a text that should be a base URL has, or may have,
// user info, a query or a fragment. One that is not even a URL may be meant to
// have a password where it has more than the colon of the scheme.
func mayHoldSecret(text string) bool {
	_, err := url.Parse(text)
	return strings.ContainsAny(text, "@?#") || err != nil && strings.Count(text, ":") > 1
}

// baseURLError says what is wrong with the base URL that source gives. Where
// the text may hold a secret, it does not sit on the attribute: Terraform
// prints the lines of the configuration that an attribute at fault stands on.
func baseURLError(at path.Path, text, source string, err error) diag.Diagnostic {
	if mayHoldSecret(text) {
		at = path.Empty()
	}
	return errorAt(at, "Invalid base URL", fmt.Sprintf("%s is not usable. %s", source, sentence(err)))
}

// baseURLsValidator checks the base URLs of a fleet together: where one may
// hold a secret, no error sits on an attribute, as all may stand on one line.
type baseURLsValidator struct{}

func (baseURLsValidator) Description(context.Context) string {
	return "http or https URLs with a host, without user info, query or fragment"
}

func (v baseURLsValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (baseURLsValidator) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	elements := req.ConfigValue.Elements()
	baseURLs := make(map[string]string, len(elements))
	for _, key := range slices.Sorted(maps.Keys(elements)) { // as errors are to come in the same order every time
		element := elements[key]
		value, ok := element.(types.String)
		switch {
		case ok && known(value):
			baseURLs[key] = value.ValueString()
		case element.IsNull():
			resp.Diagnostics.AddError("Invalid base URL",
				fmt.Sprintf("%s is null. Leave the key out, or give it a URL.", req.Path.AtMapKey(key)))
		}
	}
	_, diags := fleetMembers(baseURLs)
	resp.Diagnostics.Append(diags...)
}

type durationValidator struct{}

func (durationValidator) Description(context.Context) string {
	return `a positive duration such as "500ms", "10s" or "1m30s"`
}

func (v durationValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v durationValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !known(req.ConfigValue) {
		return
	}
	const valueLimit = 40
	text := req.ConfigValue.ValueString()
	duration, err := time.ParseDuration(text)
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid duration",
			fmt.Sprintf("%s is %q, which is not a duration.\n\nWrite %s; the units are ms, s, m and h.", req.Path, safetext.Clean(text, valueLimit), v.Description(ctx)))
	case duration <= 0:
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid duration",
			fmt.Sprintf("%s is %q, which is not positive.\n\nWrite %s.", req.Path, safetext.Clean(text, valueLimit), v.Description(ctx)))
	}
}

// durationOr returns a validated duration, or the default where it is not set
// or not known yet.
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

// wholeNumberValidator checks a number that has to be whole. The framework's
// attribute for integers would have a user report what is not one as a bug.
type wholeNumberValidator struct{ least, most int64 }

func (v wholeNumberValidator) Description(context.Context) string {
	if v.most == math.MaxInt64 {
		return fmt.Sprintf("a whole number, at least %d", v.least)
	}
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
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid number",
			fmt.Sprintf("%s is %s.\n\nWrite %s.", req.Path, number.Text('g', maxDigits), v.Description(ctx)))
	}
}

type caCertsValidator struct{}

func (caCertsValidator) Description(context.Context) string {
	return "one or more certificates in PEM form"
}

func (v caCertsValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (caCertsValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if !known(req.ConfigValue) {
		return
	}
	if err := client.CheckCACerts(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.Append(errorAt(pemPath(req.Path, req.ConfigValue.ValueString()), "CA certificates not usable",
			fmt.Sprintf("%s cannot be used: %s.\n\nGive the certificates themselves, for example file(\"ca.pem\"), not the name of a file.", req.Path, err)))
	}
}

// pemPath returns where an error about a PEM text sits: on its attribute, but
// on none where the text holds, or may hold, a private key. Terraform prints the
// lines of the configuration that an attribute at fault stands on.
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

// parseHeaders makes a header of request_headers. A value that is not known
// yet gets a stand-in that is valid for every header.
func parseHeaders(at path.Path, headers types.Map) (http.Header, diag.Diagnostics) {
	var diags diag.Diagnostics
	// Not on the attribute: Terraform prints the lines of the configuration
	// where it stands, and with them the value.
	fault := func(f client.HeaderFault) {
		diags.AddError("Invalid request header", fmt.Sprintf("%s is not usable: %s.", at.AtMapKey(f.Name), f.Reason))
	}
	elements := headers.Elements()
	values := make(map[string]string, len(elements))
	for _, name := range slices.Sorted(maps.Keys(elements)) { // as errors are to come in the same order every time
		element := elements[name]
		if element.IsNull() {
			fault(client.HeaderFault{Name: name, Reason: "the value is null; leave the header out, or give it a value"})
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
