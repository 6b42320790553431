package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// maxListed is how many entries a warning lists.
const maxListed = 20

// sentence makes a sentence of an error of ours.
func sentence(err error) string {
	text := err.Error()
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// errorAt makes an error on an attribute, or on the whole data source where
// the path is empty.
func errorAt(at path.Path, summary, detail string) diag.Diagnostic {
	if at.Equal(path.Empty()) {
		return diag.NewErrorDiagnostic(summary, detail)
	}
	return diag.NewAttributeErrorDiagnostic(at, summary, detail)
}

// readError says why an instance could not be read.
func readError(at path.Path, err error, arguments readArguments) diag.Diagnostic {
	failure, ok := client.AsFailure(err)
	if !ok {
		if errors.Is(err, context.Canceled) {
			return diag.NewErrorDiagnostic("Read cancelled", "Reading the instance was cancelled before it had answered.")
		}
		return errorAt(at, "Instance could not be read", sentence(err))
	}
	return errorAt(at, failureSummary(failure), failureDetail(failure, arguments))
}

// failureSummary says in a few words what failed.
func failureSummary(failure *client.Failure) string {
	switch failure.Kind {
	case client.KindResolve:
		return "Host name of the instance not found"
	case client.KindConnect:
		return "Instance not reachable"
	case client.KindProxy:
		return "Instance not reachable through the proxy"
	case client.KindTimeout, client.KindNoTime:
		return "Instance did not answer in time"
	case client.KindBroken:
		return "Connection to the instance broke"
	case client.KindCertificate:
		return "Certificate of the instance not trusted"
	case client.KindTLS:
		return "TLS handshake with the instance failed"
	case client.KindProtocol:
		return "Response of the instance is not valid HTTP"
	case client.KindRequest:
		return "Request headers not possible"
	case client.KindRedirect:
		return "Redirect of the instance not followed"
	case client.KindStatus:
		return fmt.Sprintf("Instance answered with status %d", failure.StatusCode)
	case client.KindTooLarge:
		return "Response of the instance too large"
	case client.KindNotJSON:
		return "Response of the instance is not JSON"
	case client.KindDocument:
		return "Response is not an instance document"
	default:
		return "Instance could not be read"
	}
}

// failureDetail says which URL, what came back, how often it was tried, and
// what to do.
func failureDetail(failure *client.Failure, arguments readArguments) string {
	var detail strings.Builder
	if failure.Kind == client.KindDocument {
		fmt.Fprintf(&detail, "GET %s", failure.URL)
		if failure.RedirectedTo != "" {
			fmt.Fprintf(&detail, " (redirected to %s)", failure.RedirectedTo)
		}
		detail.WriteString(" answered JSON that the provider cannot read as an instance document:")
		for _, line := range failure.Details {
			detail.WriteString("\n  - " + line)
		}
	} else {
		detail.WriteString(failure.Error() + ".")
	}
	if failure.Attempts > 1 {
		fmt.Fprintf(&detail, "\n\nThis was the last of %d attempts.", failure.Attempts)
	}
	if failure.TimeRanOut {
		fmt.Fprintf(&detail, "\n\nThe time for the whole read, timeouts.read (%s), ran out.", formatDuration(arguments.timeout))
	}
	detail.WriteString("\n\n" + remedy(failure, arguments))
	return detail.String()
}

// remedy says what to do next.
func remedy(failure *client.Failure, arguments readArguments) string {
	text := kindRemedy(failure)
	if starting(failure) && !arguments.waitUntilReady {
		text += " If the instance is still starting, for example because this apply creates it, set wait_until_ready = true."
	}
	if arguments.waitUntilReady && failure.TimeRanOut {
		text += " If the instance needs longer to start, raise timeouts.read."
	}
	return text
}

// starting tells whether failures like this one are typical of a starting
// instance, or of the proxy in front of it.
func starting(failure *client.Failure) bool {
	switch failure.Kind {
	case client.KindResolve, client.KindConnect, client.KindTimeout, client.KindNoTime, client.KindBroken:
		return failure.Attempts > 0
	default:
		return failure.StatusCode >= http.StatusInternalServerError
	}
}

func kindRemedy(failure *client.Failure) string {
	switch failure.Kind {
	case client.KindResolve:
		return "Check the host name in base_url, and that the machine that runs Terraform can resolve it."
	case client.KindConnect:
		return "Check host and port in base_url, that the instance is running, and that no firewall is in the way."
	case client.KindProxy:
		return "Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and what the proxy allows."
	case client.KindTimeout:
		return "Check that the instance is up and can be reached. If it is only slow, raise the provider's request_timeout."
	case client.KindNoTime:
		if failure.Attempts == 0 {
			return "Raise timeouts.read, or max_concurrency where more instances may be asked at once."
		}
		return "Check that the instance is up and can be reached. If it is only slow, raise timeouts.read and the provider's request_timeout."
	case client.KindBroken:
		return "Check the log of the instance, or of the proxy in front of it, for why it closed the connection."
	case client.KindCertificate:
		return "If a private certificate authority signed the certificate, set the provider's ca_cert_pem to that authority's certificate. " +
			"Otherwise check the host name in base_url, and have the instance's certificate fixed."
	case client.KindTLS:
		if failure.RedirectedTo != "" {
			return "If the server that base_url redirects to wants a client certificate, set base_url to its own address: a client certificate is not " +
				"shown where a redirect leads."
		}
		return "If the instance serves plain HTTP, write base_url with http://. If the server wants a client certificate, set the provider's " +
			"client_cert_pem and client_key_pem."
	case client.KindProtocol:
		return "Check that base_url names the port on which the instance serves HTTP."
	case client.KindRequest:
		return "Change request_headers, of the data source or of the provider."
	case client.KindRedirect:
		return "Set base_url to the address at which the instance itself answers."
	case client.KindTooLarge:
		return "An instance document has about a thousand bytes: check that base_url names an instance."
	case client.KindNotJSON:
		return "Check that base_url is the address of the instance's API, not of its web page: instances often live under a path such as /api."
	case client.KindDocument:
		return "Check that base_url names an instance of the file transfer service. If it does, its operator has to fix the fields named."
	case client.KindStatus:
		return statusRemedy(failure)
	default:
		return "Check base_url, and that the instance is running."
	}
}

func statusRemedy(failure *client.Failure) string {
	switch status := failure.StatusCode; {
	case failure.PathRepeated:
		return "base_url ends in /instance, a path that the provider adds itself: remove it from base_url."
	case status == http.StatusNotFound:
		return "Check the path of base_url: the provider adds /instance to it. Instances often live under a path such as /api."
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "An instance asks for no credentials to read this, so something in front of it does: send what it wants with request_headers, " +
			"or a client certificate with the provider's client_cert_pem."
	case status == http.StatusProxyAuthRequired:
		return "The proxy wants credentials: put them into HTTP_PROXY or HTTPS_PROXY."
	case status == http.StatusTooManyRequests:
		return "The instance limits requests: run with a lower -parallelism, or max_concurrency of filetransfer_instances, or raise the provider's " +
			"retry.max_delay and retry.max_attempts."
	case status >= http.StatusInternalServerError:
		return "The instance, or a proxy in front of it, is failing: check its log."
	case status < http.StatusBadRequest:
		return "An instance answers 200: check that base_url is the address of the instance's API."
	default:
		return "Check base_url, and what a proxy in front of the instance allows."
	}
}

// deferOrFail ends a read that needs arguments of the provider that are not
// known before apply. It is false where there are none.
func deferOrFail(req datasource.ReadRequest, resp *datasource.ReadResponse, unknown []string) bool {
	if len(unknown) == 0 {
		return false
	}
	if req.ClientCapabilities.DeferralAllowed {
		resp.Deferred = &datasource.Deferred{Reason: datasource.DeferredReasonProviderConfigUnknown}
		resp.State.Raw = tftypes.NewValue(req.Config.Raw.Type(), tftypes.UnknownValue)
		return true
	}
	names := strings.Join(slices.Compact(slices.Sorted(slices.Values(unknown))), ", ")
	resp.Diagnostics.AddError("Provider configuration not known yet",
		fmt.Sprintf("The instance cannot be read while the plan is made, because the provider's %s is only known after apply.\n\n"+
			"Give %s a value that is known when the plan is made, or create what it depends on first (terraform apply -target=...), "+
			"or let the data source depend on the same resource (depends_on), so that it is read during apply.", names, names))
	return true
}

// warningDiagnostics makes one warning of each kind, listing its entries.
func warningDiagnostics(instances []instanceWarnings) diag.Diagnostics {
	var diags diag.Diagnostics
	if list := listWarnings(instances, instance.ContradictoryUnits); list != "" {
		diags.AddWarning("Expiry entries contradict themselves",
			"The inSeconds and value (in minutes) of these entries do not agree. They were read by inSeconds:"+list+
				"\n\nAsk the operator of the instance to fix its expiry options.")
	}
	if list := listWarnings(instances, instance.SuspiciouslyShort); list != "" {
		diags.AddWarning("Expiry options shorter than a minute",
			"These entries have no inSeconds, so that their value was read in seconds, as the service's contract says. A few early "+
				"releases (1.1.0, 1.1.1 and 1.2.0 among them) put minutes there instead: the durations may really be 60 times as long:"+list+
				"\n\nCompare with what the instance offers its users.")
	}
	return diags
}

// listWarnings lists the warnings of one kind, or returns "".
func listWarnings(instances []instanceWarnings, kind instance.WarningKind) string {
	var list strings.Builder
	count := 0
	for _, of := range instances {
		first := true
		for _, warning := range of.warnings {
			if warning.Kind != kind {
				continue
			}
			if count++; count > maxListed {
				continue
			}
			if first {
				list.WriteString("\n\n" + of.source)
				first = false
			}
			list.WriteString("\n  - " + warningLine(warning))
		}
	}
	if count > maxListed {
		fmt.Fprintf(&list, "\n  - and %d more", count-maxListed)
	}
	return list.String()
}
