package provider

import (
	"maps"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

const baseURLVariable = "FILETRANSFER_BASE_URL"

const defaultRequestTimeout = 10 * time.Second

const maxAttemptsLimit = 100

var defaultRetry = client.Retry{MaxAttempts: 4, MinDelay: 500 * time.Millisecond, MaxDelay: 10 * time.Second}

// providerData is what data sources and resources get of the provider block.
type providerData struct {
	client *client.Client
	// baseURL is the instance of reads that have no base URL of their own; zero without one. baseURLFault says why it
	// cannot be used: an error of the reads that need it.
	baseURL      address.BaseURL
	baseURLFault diag.Diagnostic
	// headers are for the origin of baseURL, and so is connectTo, "" without one.
	headers        http.Header
	connectTo      string
	requestTimeout time.Duration
	// unknown are the arguments that are not known before apply. What stands in for them is never used: see requireKnownArguments.
	unknown []string
}

// retryOf returns the rules that retry makes, with defaults for what is not set or not known yet.
func retryOf(retry map[string]tftypes.Value) client.Retry {
	return client.Retry{
		MaxAttempts: int64Or(retry["max_attempts"], defaultRetry.MaxAttempts),
		MinDelay:    durationOr(retry["min_delay"], defaultRetry.MinDelay),
		MaxDelay:    durationOr(retry["max_delay"], defaultRetry.MaxDelay),
	}
}

func newProviderData(config map[string]tftypes.Value, userAgent string) (*providerData, diag.Diagnostics) {
	headers, diags := parseHeaders(path.Root("request_headers"), config["request_headers"])
	data := &providerData{headers: headers, requestTimeout: durationOr(config["request_timeout"], defaultRequestTimeout)}
	data.setBaseURL(config["base_url"])
	if isSet(config["connect_to"]) {
		var err error
		data.connectTo, err = address.ParseHostPort(goValue[string](config["connect_to"]))
		diags.Append(syntaxError(path.Root("connect_to"), summaryConnectTo, "connect_to", err))
	}
	if data.lacksBaseURL() && config["base_url"].IsKnown() {
		if len(headers) > 0 {
			// Not on the attribute, as in parseHeaders.
			diags.AddWarning(summaryUnusedHeaders,
				"The provider's request_headers are sent only to the origin of its own base_url. This provider block has none, so they are never sent.\n\n"+
					"Set the provider's base_url, or set request_headers on the data sources.")
		}
		if data.connectTo != "" {
			diags.AddAttributeWarning(path.Root("connect_to"), summaryUnusedConnect,
				"The provider's connect_to is only for the origin of its own base_url. This provider block has none, so connect_to is never used.\n\n"+
					"Set the provider's base_url, or remove connect_to.")
		}
	}
	tls := client.TLS{CACertPEM: goValue[string](config["ca_cert_pem"]), Insecure: goValue[bool](config["insecure"])}
	if tls.Insecure {
		summary := summaryInsecure
		if data.baseURL.Written != "" { // of warnings with the same summary, Terraform shows only the first
			summary += ": " + data.baseURL.Written
		}
		diags.AddAttributeWarning(path.Root("insecure"), summary,
			"insecure is true: anyone on the network path to an instance can read and change the traffic.\n\n"+
				"To trust a private certificate authority, set ca_cert_pem instead.")
	}
	if cert, key := config["client_cert_pem"], config["client_key_pem"]; isSet(cert) && isSet(key) {
		tls.ClientCertPEM, tls.ClientKeyPEM = goValue[string](cert), goValue[string](key)
	}
	var err error
	data.client, err = client.New(client.Config{
		UserAgent:      userAgent,
		RequestTimeout: data.requestTimeout,
		Retry:          retryOf(elementsOf(config["retry"])),
		TLS:            tls,
		ConnectTo:      map[string]string{data.baseURL.Origin: data.connectTo},
		Log:            tflog.Debug,
	})
	if err != nil {
		diags.AddError(summaryTLS, sentence(err.Error())+"\n\nCheck ca_cert_pem, client_cert_pem and client_key_pem.")
	}
	return data, diags
}

// setBaseURL reads the provider's base URL: the argument, which is validated, then the environment, then none. The
// environment may be meant for another configuration: a fault in it concerns only the reads that need it.
func (d *providerData) setBaseURL(argument tftypes.Value) {
	text, name := goValue[string](argument), "The provider's base_url"
	if argument.IsNull() {
		text, name = os.Getenv(baseURLVariable), "The environment variable "+baseURLVariable
	}
	if text != "" {
		var err error
		d.baseURL, err = address.ParseBaseURL(text)
		d.baseURLFault = syntaxError(path.Empty(), summaryBaseURL, name, err)
	}
}

// lacksBaseURL tells whether there is no base URL, not even one that cannot be used.
func (d *providerData) lacksBaseURL() bool { return d.baseURL.Written == "" && d.baseURLFault == nil }

// baseURLFor returns the base URL of one read: its own, or else the provider's. It is zero with an error, or if it is not
// known yet.
func (d *providerData) baseURLFor(own tftypes.Value) (address.BaseURL, diag.Diagnostic) {
	switch {
	case isSet(own):
		baseURL, err := address.ParseBaseURL(goValue[string](own))
		return baseURL, syntaxError(path.Root("base_url"), summaryBaseURL, "base_url", err)
	case d.lacksBaseURL() && !slices.Contains(d.unknown, "base_url"):
		return address.BaseURL{}, diag.NewErrorDiagnostic(summaryNoInstance, "base_url is set neither here nor in the provider block, and the environment variable "+
			baseURLVariable+" is not set.\n\nSet one of them.")
	default:
		return d.baseURL, d.baseURLFault
	}
}

// withHeaders returns a request with the provider's headers, if they are meant for its origin. The request's own override them.
func (d *providerData) withHeaders(request client.Request) client.Request {
	if d.baseURL.Origin == request.BaseURL.Origin {
		own := request.Headers
		request.Headers = maps.Clone(d.headers)
		maps.Copy(request.Headers, own)
	}
	return request
}

// clean makes a text of a state or an instance safe to print, whichever origin it is from.
func (d *providerData) clean(text string) string { return d.client.Clean(text, d.headers) }
