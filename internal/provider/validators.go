package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpguts"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// valueValidator makes a validator from a function of values that are neither null nor unknown.
type valueValidator[T attr.Value] func(at path.Path, value T) diag.Diagnostics

var (
	_ validator.String = valueValidator[types.String](nil)
	_ validator.Map    = valueValidator[types.Map](nil)
	_ validator.Number = valueValidator[types.Number](nil)
)

// Nothing shows the descriptions of validators. Those of the attributes say what is valid.

func (v valueValidator[T]) Description(context.Context) string         { return "" }
func (v valueValidator[T]) MarkdownDescription(context.Context) string { return "" }

func (v valueValidator[T]) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	v.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (v valueValidator[T]) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	v.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (v valueValidator[T]) ValidateNumber(_ context.Context, req validator.NumberRequest, resp *validator.NumberResponse) {
	v.check(req.Path, req.ConfigValue, &resp.Diagnostics)
}

func (v valueValidator[T]) check(at path.Path, value attr.Value, diags *diag.Diagnostics) {
	if isSet(value) {
		diags.Append(v(at, value.(T))...)
	}
}

// textValidator makes a validator from a function that returns what is wrong with a text and what to write, or "".
func textValidator(summary string, problem func(text string) string) valueValidator[types.String] {
	return func(at path.Path, value types.String) (diags diag.Diagnostics) {
		if found := problem(value.ValueString()); found != "" {
			diags.AddAttributeError(at, summary, at.String()+" "+found)
		}
		return diags
	}
}

// wholeNumber validates whole numbers.
func wholeNumber(least, most int64) valueValidator[types.Number] {
	validValues := fmt.Sprintf("a whole number from %d to %d", least, most)
	return func(at path.Path, value types.Number) (diags diag.Diagnostics) {
		number := value.ValueBigFloat()
		if whole, ok := wholeNumberOf(number); ok && least <= whole && whole <= most {
			return nil
		}
		found := "a number with a huge exponent"
		if exponent := number.MantExp(nil); -64 <= exponent && exponent <= 128 { // writing out a huge one takes seconds
			found = number.Text('g', 40)
		}
		diags.AddAttributeError(at, "Invalid number", fmt.Sprintf("%s is %s.\n\nWrite %s.", at, found, validValues))
		return diags
	}
}

// wholeNumberOf returns a number as an int64, and whether it is one. It ignores the last 12 of the 512 bits with which Terraform
// calculates, because 4.2 * 1000000000 is not quite 4200000000 there.
func wholeNumberOf(number *big.Float) (int64, bool) {
	whole, accuracy := new(big.Float).SetPrec(500).Set(number).Int64()
	return whole, accuracy == big.Exact
}

const summaryBaseURL = "Invalid base URL"

var baseURLValidator = textValidator(summaryBaseURL, func(text string) string {
	_, err := address.Parse(text)
	return describeInvalidURL(text, err)
})

// describeInvalidURL says what is wrong with a base URL. It returns "" if err is nil.
func describeInvalidURL(text string, err error) string {
	return describeInvalidText(text, err, `a URL like "https://files.example.org" or "https://example.org/files/api"`)
}

// describeInvalidText says why a text cannot be used, and what to write instead. It returns "" if err is nil. It quotes the text, because a
// value from a variable or from the environment is shown nowhere else, but only up to where a secret may begin.
func describeInvalidText(text string, err error, expected string) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, address.ErrUserInfo):
		return fmt.Sprintf("cannot be used, and is not shown here, because %s.\n\nWrite %s, without user info.", err, expected)
	default:
		return fmt.Sprintf("is %s, which cannot be used: %s.\n\nWrite %s.", quotedBeginning(text), firstCharacters(err.Error()), expected)
	}
}

// quotedBeginning quotes a text up to its query, its fragment, or a character that cannot be printed, such as a line break of a key that
// was pasted.
func quotedBeginning(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return r == '?' || r == '#' || !unicode.IsPrint(r) })
	if end < 0 {
		return strconv.Quote(safetext.Cut(text, 200))
	}
	return strconv.Quote(safetext.Cut(text[:end]+"…", 200))
}

// firstCharacters returns the beginning of an error that may quote an argument, safe to print.
func firstCharacters(text string) string { return safetext.Cut(safetext.Line(text), 200) }

var baseURLsValidator valueValidator[types.Map] = func(at path.Path, baseURLs types.Map) diag.Diagnostics {
	_, invalid := parseBaseURLs(at, baseURLs)
	return invalid
}

var connectToValidator = textValidator("Invalid connect_to", func(text string) string {
	_, err := address.ParseHostPort(text)
	return describeInvalidHostPort(text, err)
})

// describeInvalidHostPort says what is wrong with a host and port. It returns "" if err is nil.
func describeInvalidHostPort(text string, err error) string {
	return describeInvalidText(text, err, `a host and a port, like "127.0.0.1:8443" or "[::1]:8443"`)
}

const validDurations = `a positive duration such as "500ms", "10s" or "1m30s"`

var durationValidator = textValidator("Invalid duration", func(text string) string {
	if duration, err := time.ParseDuration(text); err == nil && duration > 0 {
		return ""
	}
	return fmt.Sprintf("is %s.\n\nWrite %s.", strconv.Quote(safetext.Cut(text, 40)), validDurations)
})

var versionValidator = textValidator("Invalid version", func(text string) string {
	if _, ok := instance.ParseVersion(text); ok {
		return ""
	}
	return fmt.Sprintf("is %s.\n\n"+`Write the version that the instance reports, with three numbers: "2.1.0" or "2.1.0-rc.1".`,
		strconv.Quote(safetext.Cut(text, 40)))
})

var caCertsValidator = textValidator("Invalid CA certificates", func(text string) string {
	if usable, _ := client.CountCACerts(text); usable > 0 {
		return ""
	}
	return "has no certificate that can be used.\n\n" +
		`Set it to one or more blocks that begin with "-----BEGIN CERTIFICATE-----", for example with file("ca.pem").`
})

var headersValidator valueValidator[types.Map] = func(at path.Path, headers types.Map) diag.Diagnostics {
	_, invalid := parseHeaders(at, headers)
	return invalid
}

// parseHeaders parses request_headers. An unknown value is taken as empty.
//
// Its errors have no path, because Terraform would print the lines of the attribute. They contain no values, and no names that are not
// valid, because these may be swapped values.
func parseHeaders(at path.Path, headers types.Map) (http.Header, diag.Diagnostics) {
	parsed := make(http.Header, len(headers.Elements()))
	var diags diag.Diagnostics
	invalidNames := 0
	elements := headers.Elements()
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
			problem = "cannot be set. To send requests for one name to another server, put the name into base_url, and the server's " +
				"address into connect_to of the provider"
		case canonical == "Proxy-Authorization":
			problem = "cannot be set, because the instance would get it instead of the proxy. Put the credentials into the URL of the " +
				"proxy, in HTTP_PROXY or HTTPS_PROXY"
		case slices.Contains(client.ReservedHeaders, canonical):
			problem = "is set by the provider itself. Remove it"
		case parsed[canonical] != nil:
			problem = "is there more than once, because header names are not case-sensitive. Keep one of them"
		case value.IsNull():
			problem = "is null. Set a value, or remove the header"
		case !httpguts.ValidHeaderFieldValue(value.ValueString()):
			problem = "has a value with a line break or another control character. If it comes from a file, wrap it in trimspace()"
		}
		if problem != "" {
			diags.AddError("Invalid request header", fmt.Sprintf("The header %s in %s %s.", canonical, at, problem))
		}
		parsed[canonical] = []string{value.ValueString()}
	}
	if invalidNames > 0 {
		diags.AddError("Invalid request header", fmt.Sprintf("%s in %s cannot be used: a name has only letters, digits, hyphens and a "+
			"few other signs. It is not shown here, because it may be a value that was swapped with its name.",
			count(invalidNames, "header name"), at))
	}
	return parsed, diags
}
