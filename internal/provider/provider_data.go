package provider

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

const (
	baseURLVariable       = "FILETRANSFER_BASE_URL"
	defaultRequestTimeout = 15 * time.Second
)

var defaultRetry = client.Retry{MaxAttempts: 4, MinDelay: 500 * time.Millisecond, MaxDelay: 10 * time.Second}

// providerData is the configured provider block, for data sources and resources.
type providerData struct {
	client *client.Client
	// baseURL is the provider's base URL. It is zero if there is none, as noBaseURL says, or if it is not known yet.
	baseURL address.BaseURL
	// noBaseURL says why the provider has no base URL, or is nil. Only reads that would use it report that.
	noBaseURL      diag.Diagnostic
	headers        http.Header // only for the origin of baseURL
	requestTimeout time.Duration
	// unknown lists the arguments that are not known yet, sorted, such as "retry.min_delay".
	unknown []string
}

// newProviderData returns the data for the configuration of a provider block, of which some arguments may be unknown.
func newProviderData(config providerModel, unknown []string, userAgent string) (*providerData, diag.Diagnostics) {
	headers, diags := parseHeaders(path.Root("request_headers"), config.RequestHeaders)
	data := &providerData{
		headers: headers, requestTimeout: durationOr(config.RequestTimeout, defaultRequestTimeout), unknown: unknown,
	}
	data.baseURL, data.noBaseURL = providerBaseURL(config.BaseURL)
	settings := client.Config{
		UserAgent:       userAgent,
		RequestTimeout:  data.requestTimeout,
		Retry:           config.Retry.settings(),
		Insecure:        config.Insecure.ValueBool(),
		ConnectToOrigin: data.baseURL.Origin,
		Log:             tflog.Debug,
	}
	var invalid diag.Diagnostic
	if isSet(config.ConnectTo) {
		settings.ConnectTo, invalid = parseConnectTo("connect_to", config.ConnectTo.ValueString())
		diags.Append(withPath(path.Root("connect_to"), invalid))
	}
	settings.RootCAs, invalid = parseCACerts(config.CACertPEM.ValueString())
	diags.Append(withPath(path.Root("ca_cert_pem"), invalid))
	settings.ClientCertificate, invalid = parseClientCertificate(config.ClientCertPEM, config.ClientKeyPEM)
	diags.Append(withPath(path.Root("client_cert_pem"), invalid)) // never at the key, whose lines Terraform would print
	if diags.HasError() {
		return nil, diags
	}
	diags.Append(config.warnings()...)
	data.client = client.New(settings)
	return data, diags
}

// withPath returns a diagnostic at an attribute, or nil if it is nil.
func withPath(at path.Path, diagnostic diag.Diagnostic) diag.Diagnostic {
	if diagnostic == nil {
		return nil
	}
	return diag.WithPath(at, diagnostic)
}

// settings returns the settings of the block, with defaults for values that are null or unknown, and if m is nil.
func (m *retryModel) settings() client.Retry {
	retry := defaultRetry
	if m == nil {
		return retry
	}
	if isSet(m.MaxAttempts) {
		retry.MaxAttempts = int64Value(m.MaxAttempts).ValueInt64()
	}
	retry.MinDelay = durationOr(m.MinDelay, retry.MinDelay)
	retry.MaxDelay = durationOr(m.MaxDelay, retry.MaxDelay)
	return retry
}

// parseCACerts returns the system's CAs and those in a PEM text, or nil if that is empty.
func parseCACerts(text string) (*x509.CertPool, diag.Diagnostic) {
	if text == "" {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil { // then the user's CAs alone count
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM([]byte(text)) {
		return nil, diag.NewErrorDiagnostic("Invalid CA certificates", "ca_cert_pem has no certificate that can be used.\n\n"+
			`Set it to one or more blocks that begin with "-----BEGIN CERTIFICATE-----", for example with file("ca.pem").`)
	}
	return pool, nil
}

// parseClientCertificate returns the certificate of two arguments that belong together, or nil if they are null or
// unknown.
func parseClientCertificate(certificate, key types.String) (*tls.Certificate, diag.Diagnostic) {
	const summary = "Invalid client certificate"
	switch {
	case certificate.IsUnknown(), key.IsUnknown(), certificate.IsNull() && key.IsNull():
		return nil, nil
	case key.IsNull(), certificate.IsNull():
		return nil, diag.NewErrorDiagnostic(summary, "Only one of client_cert_pem and client_key_pem is set.\n\n"+
			"Set both, or neither. If one PEM file has both, pass it to both arguments.")
	}
	pair, err := tls.X509KeyPair([]byte(certificate.ValueString()), []byte(key.ValueString()))
	if err != nil { // it may quote the argument
		return nil, diag.NewErrorDiagnostic(summary, sentence(safetext.Cut(safetext.Line(err.Error()), 200))+
			"\n\nSet client_cert_pem to a certificate, followed by its chain if it has one, and client_key_pem to its own, "+
			`unencrypted private key, both in PEM form, for example with file("client.pem") and file("client.key").`)
	}
	return &pair, nil
}

// providerBaseURL returns the base URL of the argument, or else of the environment, or why there is none. It returns
// neither if the argument is unknown.
func providerBaseURL(argument types.String) (address.BaseURL, diag.Diagnostic) {
	switch fromEnvironment := os.Getenv(baseURLVariable); {
	case argument.IsUnknown():
		return address.BaseURL{}, nil
	case !argument.IsNull():
		return parseBaseURL("The provider's base_url", argument.ValueString())
	case fromEnvironment != "":
		return parseBaseURL("The environment variable "+baseURLVariable, fromEnvironment)
	default:
		return address.BaseURL{}, diag.NewErrorDiagnostic("No instance to read",
			"base_url is set neither here nor in the provider block, and the environment variable "+baseURLVariable+
				" is not set, or is empty.\n\nSet one of them. To use a provider block with an alias, set the argument provider.")
	}
}

// warnings returns warnings about arguments of the provider that have no effect, or a dangerous one.
func (m providerModel) warnings() (diags diag.Diagnostics) {
	namesNone := m.BaseURL.IsNull() && os.Getenv(baseURLVariable) == ""
	if namesNone && len(m.RequestHeaders.Elements()) > 0 {
		// Without a path, because Terraform would print the lines of the attribute, which may contain a secret.
		diags.AddWarning("Request headers without an instance to send them to",
			"The provider's request_headers are sent only to the origin of its own base_url. This provider block has none, so "+
				"they are never sent.\n\nSet the provider's base_url. Headers that are not secret can be set on the data "+
				"sources, too, which store them in the state.")
	}
	if namesNone && isSet(m.ConnectTo) {
		diags.AddAttributeWarning(path.Root("connect_to"), "connect_to without a base URL",
			"The provider's connect_to is only for the origin of its own base_url. This provider block has none, so "+
				"connect_to is never used.\n\nSet the provider's base_url, or remove connect_to.")
	}
	if m.Insecure.ValueBool() {
		summary := "Certificates are not verified"
		if baseURL, _ := providerBaseURL(m.BaseURL); baseURL.Raw != "" { // Terraform merges warnings with equal summaries
			summary += ": " + baseURL.Raw
		}
		diags.AddAttributeWarning(path.Root("insecure"), summary,
			"insecure is true: anyone on the network path to an instance can read and change the traffic.\n\n"+
				"Set ca_cert_pem to the CA of the instance's certificate instead.")
	}
	return diags
}

// unknownArguments returns the names of the unknown arguments of a provider block.
func unknownArguments(config tftypes.Value) (unknown []string) {
	_ = tftypes.Walk(config, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
		if !value.IsKnown() {
			var names []string
			for _, step := range at.Steps() {
				if name, ok := step.(tftypes.AttributeName); ok { // not a key of request_headers
					names = append(names, string(name))
				}
			}
			unknown = append(unknown, strings.Join(names, "."))
		}
		return true, nil
	})
	slices.Sort(unknown)
	return slices.Compact(unknown)
}

// checkKnown returns an error that lists the arguments of the provider that are not known yet, or nil if all are. It
// ends with otherRemedy, a sentence or "".
func (d *providerData) checkKnown(otherRemedy string) diag.Diagnostic {
	if len(d.unknown) == 0 {
		return nil
	}
	return diag.NewErrorDiagnostic("Provider configuration not known yet",
		"The instance cannot be read yet, because these arguments of the provider are known only after apply:"+
			bullets(d.unknown)+
			"\n\nGive them values that are known when the plan is made, or create what they depend on first (terraform apply "+
			"-target=...)."+otherRemedy)
}

// dataSource is what the data sources have in common.
type dataSource struct{ provider *providerData }

func (d *dataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.provider, _ = req.ProviderData.(*providerData) // nil while Terraform only validates
}

// deferOrRefuse defers a read while arguments of the provider are unknown, or adds an error. It returns true if it did.
func (d *providerData) deferOrRefuse(req datasource.ReadRequest, resp *datasource.ReadResponse) bool {
	unknown := d.checkKnown(" Or let the data source depend on the same resource (depends_on), " +
		"so that it is read during the apply. What has to be replaced because of it is then destroyed before the read.")
	switch {
	case unknown == nil:
		return false
	case !req.ClientCapabilities.DeferralAllowed:
		resp.Diagnostics.Append(unknown)
	default:
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		// The framework has no function that makes a whole state unknown.
		resp.State.Raw = tftypes.NewValue(req.Config.Raw.Type(), tftypes.UnknownValue)
	}
	return true
}

// newRequest returns a request for an instance with extra headers, to which it adds the provider's if they are for its
// origin.
func (d *providerData) newRequest(baseURL address.BaseURL, extra http.Header) client.Request {
	headers := make(http.Header)
	if d.baseURL.Origin == baseURL.Origin {
		maps.Copy(headers, d.headers)
	}
	maps.Copy(headers, extra)
	return client.Request{BaseURL: baseURL, Headers: headers}
}

// read reads an instance within a time limit.
func (d *providerData) read(
	ctx context.Context, request client.Request, limit timeLimit,
) (*client.Result, *client.ReadFailure) {
	ctx, cancel := context.WithTimeout(ctx, limit.duration)
	defer cancel()
	return d.client.Read(ctx, request)
}
