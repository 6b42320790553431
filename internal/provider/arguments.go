package provider

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpguts"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// parser parses a text. The error says what is wrong with it, and begins with name, which says where the text comes from.
type parser[T any] func(name, text string) (T, diag.Diagnostic)

const summaryBaseURL = "Invalid base URL"

// parseBaseURL parses a base URL.
func parseBaseURL(name, text string) (address.BaseURL, diag.Diagnostic) {
	baseURL, err := address.Parse(text)
	return baseURL, invalidAddress(summaryBaseURL, name, text, err, `a URL like "https://files.example.org" or "https://example.org/files/api"`)
}

// parseConnectTo parses a host and a port.
func parseConnectTo(name, text string) (string, diag.Diagnostic) {
	hostPort, err := address.ParseHostPort(text)
	return hostPort, invalidAddress("Invalid connect_to", name, text, err, `a host and a port, like "127.0.0.1:8443" or "[::1]:8443"`)
}

// invalidAddress returns the error about an address that cannot be used, or nil if err is nil. It quotes the text, because a value from a
// variable or from the environment is shown nowhere else, but only up to where a secret may begin.
func invalidAddress(summary, name, text string, err error, expected string) diag.Diagnostic {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, address.ErrUserInfo):
		return diag.NewErrorDiagnostic(summary, fmt.Sprintf(
			"%s cannot be used, and is not shown here, because %s.\n\nWrite %s, without user info.", name, err, expected))
	default:
		return diag.NewErrorDiagnostic(summary, fmt.Sprintf(
			"%s is %s, which cannot be used: %s.\n\nWrite %s.", name, quotedBeginning(text), firstCharacters(err.Error()), expected))
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

const validDurations = `a positive duration such as "500ms", "10s" or "1m30s"`

func parseDuration(name, text string) (time.Duration, diag.Diagnostic) {
	duration, err := time.ParseDuration(text)
	if err != nil || duration <= 0 {
		return 0, diag.NewErrorDiagnostic("Invalid duration", fmt.Sprintf(
			"%s is %s.\n\nWrite %s.", name, strconv.Quote(safetext.Cut(text, 40)), validDurations))
	}
	return duration, nil
}

func parseVersion(name, text string) (instance.Version, diag.Diagnostic) {
	version, ok := instance.ParseVersion(text)
	if !ok {
		return version, diag.NewErrorDiagnostic("Invalid version", fmt.Sprintf("%s is %s.\n\nWrite the version that the instance reports, "+
			`with three numbers: "2.1.0" or "2.1.0-rc.1".`, name, strconv.Quote(safetext.Cut(text, 40))))
	}
	return version, nil
}

// parseCACerts returns the number of certificates that can be used.
func parseCACerts(name, text string) (int, diag.Diagnostic) {
	usable, _ := client.CountCACerts(text)
	found := "has no certificate that can be used"
	switch {
	case usable > 0:
		return usable, nil
	case strings.Contains(text, "PRIVATE KEY-----"):
		found = "has a private key, and no certificate that can be used"
	}
	return 0, diag.NewErrorDiagnostic("Invalid CA certificates", name+" "+found+".\n\n"+
		`Set it to one or more blocks that begin with "-----BEGIN CERTIFICATE-----", for example with file("ca.pem").`)
}

// parseHeaders parses request_headers. An unknown value is taken as empty.
//
// Its errors have no path, because Terraform would print the lines of the attribute. They contain no values, and no names that are not
// valid, because these may be swapped values.
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
			problem = "cannot be set. To send requests for one name to another server, put the name into base_url, and the server's " +
				"address into connect_to of the provider"
		case canonical == "Proxy-Authorization":
			problem = "cannot be set, because the instance would get it instead of the proxy. Put the credentials into the URL of the " +
				"proxy, in HTTP_PROXY or HTTPS_PROXY"
		case slices.Contains(client.ReservedHeaders, canonical):
			problem = "is set by the provider itself. Remove it"
		case parsed[canonical] != nil:
			problem = "is set more than once, because header names are not case-sensitive. Keep one of them"
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
