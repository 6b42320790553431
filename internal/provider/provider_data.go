package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

const (
	baseURLVariable       = "FILETRANSFER_BASE_URL"
	defaultRequestTimeout = 15 * time.Second
	maxAttemptsLimit      = 100
)

var defaultRetry = client.Retry{MaxAttempts: 4, MinDelay: 500 * time.Millisecond, MaxDelay: 10 * time.Second}

// providerData is the configured provider block, for data sources and resources.
type providerData struct {
	client *client.Client
	// baseURL is the provider's base URL. It is zero if there is none, as noBaseURL says, or if it is not known yet.
	baseURL address.BaseURL
	// noBaseURL says why the provider has no base URL, or is nil. Only reads that would use it report that.
	noBaseURL diag.Diagnostic
	// headers and connectTo apply only to the origin of baseURL. connectTo may be "".
	headers        http.Header
	connectTo      string
	requestTimeout time.Duration
	// unusableCAs says how many certificates of ca_cert_pem cannot be used, or is "".
	unusableCAs string
	// unknown lists the arguments that are not known yet, sorted, such as "retry.min_delay".
	unknown []string
}

// newProviderData returns the data for the configuration of a provider block, of which some arguments may be unknown.
func newProviderData(config providerModel, unknown []string, userAgent string) (*providerData, diag.Diagnostics) {
	headers, diags := parseHeaders(path.Root("request_headers"), config.RequestHeaders)
	data := &providerData{headers: headers, requestTimeout: durationOr(config.RequestTimeout, defaultRequestTimeout), unknown: unknown}
	data.baseURL, data.noBaseURL = providerBaseURL(config.BaseURL)
	if isSet(config.ConnectTo) {
		var invalid diag.Diagnostic
		if data.connectTo, invalid = parseConnectTo("connect_to", config.ConnectTo.ValueString()); invalid != nil {
			diags.Append(diag.WithPath(path.Root("connect_to"), invalid))
		}
	}
	if diags.HasError() {
		return nil, diags
	}
	diags.Append(data.warnings(config)...)
	if usable, total := client.CountCACerts(config.CACertPEM.ValueString()); usable < total {
		data.unusableCAs = fmt.Sprintf("%d of %d blocks in ca_cert_pem cannot be used.", total-usable, total)
	}
	tls := client.TLS{CACertPEM: config.CACertPEM.ValueString(), Insecure: config.Insecure.ValueBool()}
	if isSet(config.ClientCertPEM) && isSet(config.ClientKeyPEM) {
		tls.ClientCertPEM, tls.ClientKeyPEM = config.ClientCertPEM.ValueString(), config.ClientKeyPEM.ValueString()
	}
	var err error
	data.client, err = client.New(client.Config{
		UserAgent:      userAgent,
		RequestTimeout: data.requestTimeout,
		Retry:          config.Retry.settings(),
		TLS:            tls,
		ConnectTo:      data.connectTo, ConnectToOrigin: data.baseURL.Origin,
		Log: tflog.Debug,
	})
	if err != nil {
		diags.AddError("Invalid TLS configuration", sentence(firstCharacters(err.Error()))+
			"\n\nCheck ca_cert_pem, client_cert_pem and client_key_pem.")
	}
	return data, diags
}

// providerBaseURL returns the base URL of the argument, or else of the environment, or why there is none. It returns neither if the argument
// is unknown.
func providerBaseURL(argument types.String) (address.BaseURL, diag.Diagnostic) {
	switch fromEnvironment := os.Getenv(baseURLVariable); {
	case argument.IsUnknown():
		return address.BaseURL{}, nil
	case !argument.IsNull():
		return parseBaseURL("The provider's base_url", argument.ValueString())
	case fromEnvironment != "":
		return parseBaseURL("The environment variable "+baseURLVariable, fromEnvironment)
	default:
		return address.BaseURL{}, noInstance
	}
}

var noInstance = diag.NewErrorDiagnostic("No instance to read", "base_url is set neither here nor in the provider block, and the environment "+
	"variable "+baseURLVariable+" is not set, or is empty.\n\nSet one of them. To use a provider block with an alias, set the argument provider.")

// baseURLFor returns the base URL to read, which is a data source's own or else the provider's. It returns zero if that is not known yet.
func (d *providerData) baseURLFor(own types.String) (address.BaseURL, diag.Diagnostic) {
	if isSet(own) {
		return parseBaseURL("base_url", own.ValueString())
	}
	return d.baseURL, d.noBaseURL
}

// requestFor returns a request for an instance with extra headers, to which it adds the provider's if they are for its origin.
func (d *providerData) requestFor(baseURL address.BaseURL, extra http.Header) client.Request {
	headers := make(http.Header)
	if d.baseURL.Origin == baseURL.Origin {
		maps.Copy(headers, d.headers)
	}
	maps.Copy(headers, extra)
	return client.Request{BaseURL: baseURL, Headers: headers}
}

// read reads an instance within a time limit. It returns a result, or the message about what failed.
func (d *providerData) read(ctx context.Context, request client.Request, limit timeLimit) (*client.Result, *report) {
	ctx, cancel := context.WithTimeout(ctx, limit.duration)
	defer cancel()
	result, err := d.client.Read(ctx, request)
	if failed, ok := errors.AsType[*client.ReadError](err); ok {
		return nil, d.readReport(failed, request, limit)
	}
	return result, nil
}

// wait waits within a time limit until an instance reports what is expected. It returns a result, or the message about what failed.
func (d *providerData) wait(
	ctx context.Context, request client.Request, limit timeLimit, expected expectedModel, stableFor time.Duration,
) (*client.Result, *report) {
	ctx, cancel := context.WithTimeout(ctx, limit.duration)
	defer cancel()
	result, err := d.client.Wait(ctx, request, client.Condition{
		StableFor: stableFor,
		Differences: func(details *instance.Details) []client.Difference {
			return d.unexpected(expected, newDetailsModel(details))
		},
	})
	if failed, ok := errors.AsType[*client.WaitError](err); ok {
		return nil, d.waitReport(failed, request, limit, stableFor)
	}
	return result, nil
}

// redacted returns text from an instance on one line that is safe to print, without the provider's secrets in it.
func (d *providerData) redacted(text string) string { return d.client.SafeLine(text, d.headers) }
