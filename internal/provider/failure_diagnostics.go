package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// readInfo is what the words about a failed read depend on, besides the failure.
type readInfo struct {
	// baseURLArgument names the argument with the base URL: "base_url".
	baseURLArgument string
	// timeoutArgument names the argument that limits the whole read.
	timeoutArgument         string
	timeout, requestTimeout time.Duration
	// dataSource is true for a data source, which has the arguments wait_until_ready and request_headers. waits is true if
	// the read waits for the instance.
	dataSource, waits bool
	// fleet is true if the instance is one of many.
	fleet bool
	// headersWithheld is true if the provider has request_headers that are not for this instance.
	headersWithheld bool
}

// headersArgument names the argument for credentials. A record has none of its own.
func (info readInfo) headersArgument() string {
	if info.dataSource {
		return "request_headers"
	}
	return "the provider's request_headers"
}

// readInfo describes a data source's read of one instance.
func (d *providerData) readInfo(baseURL client.BaseURL, timeout time.Duration, waits bool) readInfo {
	return readInfo{
		baseURLArgument: "base_url",
		timeoutArgument: "timeouts.read",
		timeout:         timeout,
		requestTimeout:  d.requestTimeout,
		dataSource:      true,
		waits:           waits,
		headersWithheld: d.withholdsHeaders(baseURL),
	}
}

// failureWords are the summary of a kind of failure, and the remedy that fits if nothing more is known. BASE_URL is
// replaced by the argument.
var failureWords = map[client.Kind]struct{ summary, remedy string }{
	client.KindResolve: {
		"Host name of the instance not found",
		"Check the host name in BASE_URL, and that the machine that runs Terraform can resolve it.",
	},
	client.KindNameServer: {
		"Host name lookup failed",
		"Check the name servers of the machine that runs Terraform: whether it can reach them, and what they log.",
	},
	client.KindConnect: {
		"Instance not reachable",
		"Check the host and port in BASE_URL, that the instance is running, and that no firewall blocks the connection.",
	},
	client.KindProxy: {
		"Instance not reachable through the proxy",
		"Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and what the proxy allows.",
	},
	client.KindTimeout: {
		"Instance did not answer in time",
		"Check that the instance is up and can be reached. If it is only slow, raise the provider's request_timeout.",
	},
	client.KindBroken: {
		"Connection to the instance broke",
		"Check the log of the instance, or of the proxy in front of it, for why it closed the connection.",
	},
	client.KindCertificate: {
		"Certificate of the instance not trusted",
		"If a private certificate authority signed the certificate, set the provider's ca_cert_pem to that authority's certificate.",
	},
	client.KindTLS: {
		"TLS handshake with the instance failed",
		"If the instance serves plain HTTP, write BASE_URL with http://. If the server requires a client certificate, set the provider's " +
			"client_cert_pem and client_key_pem.",
	},
	client.KindNotHTTP: {
		"Response of the instance is not valid HTTP",
		"Check that BASE_URL names the port on which the instance serves HTTP.",
	},
	client.KindRedirect: {
		"Redirect of the instance not followed",
		"Set BASE_URL to the address at which the instance itself answers.",
	},
	client.KindStatus: {
		"Instance answered with status", // and the status
		"Check BASE_URL, and what a proxy in front of the instance allows.",
	},
	client.KindTooLarge: {
		"Response of the instance too large",
		"An instance document is one or two kilobytes: check that BASE_URL names an instance. If it does, check what a proxy in front of it " +
			"adds to its responses, such as cookies.",
	},
	client.KindNotJSON: {
		"Response of the instance is not JSON",
		"Check that BASE_URL is the address of the instance's API, not of its web page: instances often live under a path such as /api.",
	},
	client.KindDocument: {
		"Response is not an instance document",
		"Check that BASE_URL names an instance of the file transfer service. If it does, its operator has to fix the fields named.",
	},
}

// hintRemedies are the remedies for likely causes.
var hintRemedies = map[client.Hint]string{
	client.HintPathRepeated: "BASE_URL ends in /instance, a path that the provider adds itself: remove it from BASE_URL.",
	client.HintHTTPS:        "The server expects TLS on this port: write BASE_URL with https://.",
	client.HintHTTP2: "The server speaks HTTP/2 only, and the provider speaks HTTP/1.1: enable HTTP/1.1 on the server, or on the proxy in front " +
		"of the instance.",
	client.HintClientCertificate: "The server asked for a client certificate: set the provider's client_cert_pem and client_key_pem to one that " +
		"it accepts.",
	client.HintTLSVersion: "The server and the provider have no TLS version in common: the server must support TLS 1.2 or later.",
	client.HintHostName:   "The server does not know this host name: check the host name in BASE_URL.",
	client.HintExpired: "Have the certificate renewed, and check the clock of the machine that runs Terraform. ca_cert_pem does not help against an " +
		"expired certificate.",
	client.HintSelfSigned:       "No certificate authority signed it: set the provider's ca_cert_pem to the certificate itself.",
	client.HintWrongName:        "Use a host name in BASE_URL that the certificate is for, or have the certificate reissued. ca_cert_pem does not help.",
	client.HintProxyCredentials: "The proxy requires credentials: put them into the URL in HTTP_PROXY or HTTPS_PROXY.",
}

// The remedies for what a redirect led to. TARGET is replaced by its URL.
const (
	redirectRemedy = "BASE_URL redirects to TARGET, and that is what failed: check where the instance, or a proxy in front of it, redirects. " +
		"If the instance itself answers at another address, set BASE_URL to that."
	loginRemedy = " If that is a login page, a proxy in front of the instance requires credentials: send them with "
)

// withheldRemedy is for servers that miss what is not sent to the origin that a redirect leads to.
const withheldRemedy = "request_headers and the client certificate are sent only to the origin of BASE_URL, and a redirect led to another: " +
	"set BASE_URL to the address that the redirect leads to."

// readError says why an instance could not be read: its URL, what came back, how often it was tried, and what to do. An
// error that is no failure is that of a read that was canceled.
func readError(at path.Path, err error, info readInfo) diag.Diagnostic {
	failure, ok := client.AsFailure(err)
	switch {
	case ok:
		summary := failureWords[failure.Kind].summary
		if failure.Kind == client.KindStatus {
			summary += fmt.Sprintf(" %d", failure.StatusCode)
		}
		return errorAt(at, summary, failureDetail(failure, info))
	case info.fleet:
		return diag.NewErrorDiagnostic(summaryCanceled, "Reading the instances was canceled before all had answered.")
	default:
		return diag.NewErrorDiagnostic(summaryCanceled, "Reading the instance was canceled before it had answered.")
	}
}

func failureDetail(failure *client.Failure, info readInfo) string {
	cause := sentence(failure.Error())
	if failure.Kind == client.KindDocument {
		cause = failure.Target() + " answered JSON that the provider cannot read as an instance document:\n  - " + strings.Join(failure.Faults, "\n  - ")
	}
	paragraphs := []string{cause, howItEnded(failure, info), strings.Join(remedies(failure, info), " ")}
	return strings.Join(slices.DeleteFunc(paragraphs, func(text string) bool { return text == "" }), "\n\n")
}

// howItEnded says how often an instance was asked, and which time limit ended it, or returns "".
func howItEnded(failure *client.Failure, info readInfo) string {
	var sentences []string
	if failure.Attempts > 1 {
		sentences = append(sentences, fmt.Sprintf("%d attempts were made.", failure.Attempts))
	}
	limit := fmt.Sprintf("%s (%s)", info.timeoutArgument, formatDuration(info.timeout))
	switch {
	case failure.TimeRanOut:
		sentences = append(sentences, fmt.Sprintf("The time for the whole read, %s, ran out.", limit))
	case failure.NoTimeLeft:
		sentences = append(sentences, fmt.Sprintf("The time for the whole read, %s, leaves no room for another attempt.", limit))
	case failure.AttemptTimedOut:
		sentences = append(sentences, fmt.Sprintf("The time for one attempt, the provider's request_timeout (%s), ran out.", formatDuration(info.requestTimeout)))
	}
	return strings.Join(sentences, " ")
}

// remedies say what to do next, one or more sentences each.
func remedies(failure *client.Failure, info readInfo) []string {
	first := remedy(failure, info)
	if failure.RedirectedTo != "" && failure.Kind != client.KindRedirect && first != withheldRemedy {
		switch {
		case failure.Kind == client.KindNotJSON:
			first = redirectRemedy + loginRemedy + info.headersArgument() + "."
		case failure.Kind != client.KindDocument && strings.Contains(first, "BASE_URL"):
			first = redirectRemedy
		default:
			first = redirectRemedy + " " + first
		}
	}
	first = strings.NewReplacer("BASE_URL", info.baseURLArgument, "TARGET", failure.RedirectedTo).Replace(first)
	if strings.HasPrefix(first, "the ") { // and not base_url
		first = sentence(first)
	}
	remedies := []string{first}
	if failure.Proxy != "" && failure.Kind != client.KindProxy {
		remedies = append(remedies, fmt.Sprintf("The request went through the proxy in %s: check that proxy too, or exclude the host with NO_PROXY.", failure.Proxy))
	}
	if info.dataSource && !info.waits && starting(failure) {
		remedies = append(remedies, "If this apply creates the instance, or if plans must go on while it is down, use the resource "+
			"filetransfer_instance_record. To make this data source wait for a new instance, set wait_until_ready = true.")
	}
	if info.waits && (failure.NoTimeLeft || failure.TimeRanOut && failure.Kind != client.KindTimeout) { // the remedy for a timeout says so already
		remedies = append(remedies, fmt.Sprintf("If the instance needs longer to start, raise %s.", info.timeoutArgument))
	}
	return remedies
}

// starting tells whether failures like this one are typical of a starting instance, or of the proxy in front of it.
func starting(failure *client.Failure) bool {
	switch failure.Kind {
	case client.KindResolve, client.KindConnect, client.KindTimeout, client.KindBroken:
		return failure.Attempts > 0 && failure.RedirectedTo == "" // else something answers already
	default:
		return failure.StatusCode >= http.StatusInternalServerError
	}
}

// remedy returns the remedy for the cause that is most likely.
func remedy(failure *client.Failure, info readInfo) string {
	hint, hinted := hintRemedies[failure.Hint]
	switch {
	case failure.OtherOrigin && failure.Hint == client.HintClientCertificate:
		return withheldRemedy
	case hinted:
		return hint
	case failure.Kind == client.KindStatus:
		return statusRemedy(failure, info)
	case failure.Kind == client.KindTimeout && failure.Attempts == 0:
		if info.fleet {
			return "Raise timeouts.read, or max_concurrency so that more instances are asked at once."
		}
		return fmt.Sprintf("Raise %s.", info.timeoutArgument)
	case failure.Kind == client.KindTimeout && failure.TimeRanOut && !failure.AttemptTimedOut:
		return fmt.Sprintf("Check that the instance is up and can be reached. If it is only slow, raise %s.", info.timeoutArgument)
	case failure.Kind == client.KindBroken && strings.HasPrefix(strings.ToLower(failure.URL), "http:"):
		return failureWords[failure.Kind].remedy + " If the server expects TLS on this port, write BASE_URL with https://."
	default:
		return failureWords[failure.Kind].remedy
	}
}

func statusRemedy(failure *client.Failure, info readInfo) string {
	switch status := failure.StatusCode; {
	case status == http.StatusNotFound:
		return "Check the path of BASE_URL: the provider adds /instance to it. Instances often live under a path such as /api."
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return credentialsRemedy(failure, info)
	case status == http.StatusProxyAuthRequired:
		return hintRemedies[client.HintProxyCredentials]
	case status == http.StatusTooManyRequests && info.fleet:
		return "The instance limits requests: lower max_concurrency, or raise the provider's retry.max_delay and retry.max_attempts."
	case status == http.StatusTooManyRequests:
		return "The instance limits requests: run with a lower -parallelism, or raise the provider's retry.max_delay and retry.max_attempts."
	case status >= http.StatusInternalServerError:
		return "The instance, or a proxy in front of it, is failing: check its log."
	case status < http.StatusBadRequest:
		return "An instance answers 200: check that BASE_URL is the address of the instance's API."
	default:
		return failureWords[failure.Kind].remedy
	}
}

// credentialsRemedy is for a server that refuses a request for lack of credentials.
func credentialsRemedy(failure *client.Failure, info readInfo) string {
	switch {
	case failure.OtherOrigin:
		return withheldRemedy
	case failure.ExtraHeaders:
		return "request_headers were sent, and refused: check their names and values."
	case info.headersWithheld:
		remedy := "Set the provider's base_url to this instance, or set request_headers on the data source."
		if !info.dataSource {
			remedy = "Set the provider argument of the resource to a provider block (with an alias) whose base_url is this instance."
		}
		return "The provider's request_headers were not sent: they are only for the origin of the provider's own base_url, which is not this " +
			"instance's. " + remedy
	default:
		return "An instance requires no credentials for this, so a proxy in front of it does: send them with " + info.headersArgument() +
			", or set the provider's client_cert_pem and client_key_pem."
	}
}
