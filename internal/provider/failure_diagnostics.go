package provider

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// readOperation holds the settings of a read that messages about its failure depend on.
type readOperation struct {
	provider *providerData
	// timeout limits the whole read.
	timeout time.Duration
	// waits is true if the read waits until the instance is ready.
	waits bool
	// timeoutArgument and headersArgument are the names of the arguments to set a longer timeout and credentials.
	timeoutArgument, headersArgument string
	// dataSource is true for data sources, which have the arguments wait_until_ready and request_headers.
	dataSource bool
	// fleet is true for the data source that reads many instances.
	fleet bool
}

type advice struct {
	text string
	// aboutBaseURL is true if the advice is about the base URL, and so does not apply after a redirect.
	aboutBaseURL bool
}

// failureWords holds the summary and the default advice for each kind of failure.
var failureWords = map[client.Kind]struct {
	summary string
	advice
}{
	client.KindResolve: {"Host name of the instance not found",
		advice{"Check the host name in the base URL, and that the machine that runs Terraform can resolve it.", true}},
	client.KindNameServer: {"Host name lookup failed",
		advice{"Check the name servers of the machine that runs Terraform: whether it can reach them, and what they log.", false}},
	client.KindConnect: {"Instance not reachable",
		advice{"Check the host and port in the base URL, that the instance is running, and that no firewall blocks the connection.", true}},
	client.KindProxy: {"Instance not reachable through the proxy",
		advice{"Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and what the proxy allows.", false}},
	client.KindTimeout: {"Instance did not answer in time",
		advice{"Check that the instance is up and can be reached. If it is only slow, raise the provider's request_timeout.", false}},
	client.KindBroken: {"Connection to the instance broke",
		advice{"Check the log of the instance, or of the proxy in front of it, for why it closed the connection.", false}},
	client.KindCertificate: {"Certificate of the instance not trusted",
		advice{"If a private certificate authority signed the certificate, set the provider's ca_cert_pem to that authority's certificate.", false}},
	client.KindTLS: {"TLS handshake with the instance failed",
		advice{"If the instance serves plain HTTP, write the base URL with http://. If the server requires a client certificate, set the provider's " +
			"client_cert_pem and client_key_pem.", true}},
	client.KindNotHTTP: {"Response of the instance is not valid HTTP",
		advice{"Check that the base URL names the port on which the instance serves HTTP.", true}},
	client.KindRedirect: {"Redirect of the instance not followed",
		advice{"Set the base URL to the address at which the instance itself answers.", true}},
	client.KindStatus: {"Instance answered with status", // and the status
		advice{"Check the base URL, and what a proxy in front of the instance allows.", true}},
	client.KindTooLarge: {"Response of the instance too large",
		advice{"An instance document is one or two kilobytes: check that the base URL names an instance. If it does, check what a proxy in front of " +
			"it adds to its responses, such as cookies.", true}},
	client.KindNotJSON: {"Response of the instance is not JSON",
		advice{"Check that the base URL is the address of the instance's API, not of its web page: instances often live under a path such as /api.", true}},
	client.KindDocument: {"Response is not an instance document",
		advice{"Check that the base URL names an instance of the file transfer service. If it does, its operator has to fix the fields named.", false}},
	client.KindUnexpected: {"Instance does not report what is expected",
		advice{"Check that the server runs the release and the settings that are expected, and how it read them. If what it reports is right, change expected.", false}},
}

var hintAdvice = map[client.Hint]advice{
	client.HintHTTPS: {"The server expects TLS on this port: write the base URL with https://.", true},
	client.HintHTTP2: {"The server speaks HTTP/2 only, and the provider speaks HTTP/1.1: enable HTTP/1.1 on the server, or on the proxy in front " +
		"of the instance.", false},
	client.HintClientCertificate: {"The server asked for a client certificate: set the provider's client_cert_pem and client_key_pem to one that " +
		"it accepts.", false},
	client.HintTLSVersion: {"The server and the provider have no TLS version in common: the server must support TLS 1.2 or later.", false},
	client.HintHostName:   {"The server does not know this host name: check the host name in the base URL.", true},
	client.HintExpired: {"Have the certificate renewed, and check the clock of the machine that runs Terraform. ca_cert_pem does not help against an " +
		"expired certificate.", false},
	client.HintSelfSigned: {"No certificate authority signed it: set the provider's ca_cert_pem to the certificate itself.", false},
	client.HintWrongName: {"Use a host name in the base URL that the certificate is for, or have the certificate reissued. ca_cert_pem does not help.",
		true},
	client.HintProxyCredentials: {"The proxy requires credentials that it accepts. The provider sends those in the URL in HTTP_PROXY or HTTPS_PROXY, " +
		"as Basic authentication: add or correct them, or exclude the host with NO_PROXY.", false},
	client.HintConnectTo: {"The connection went to the provider's connect_to: check its host and port, and that the tunnel or port-forward there is " +
		"running.", false},
	client.HintWebPage: failureWords[client.KindNotJSON].advice,
}

// redirectRemedy is the remedy for a failure after a redirect.
const redirectRemedy = "The base URL redirects, and what failed is where it leads: check where the instance, or a proxy in front of it, redirects. " +
	"If the instance itself answers at another address, set the base URL to that."

// withheld is the advice if a server may need the headers or client certificate that a redirect to another origin does not get.
var withheld = advice{"request_headers and the client certificate are sent only to the origin of the base URL, and a redirect led to another: set " +
	"the base URL to the address that the redirect leads to.", false}

// readError returns an error for a failed read: what was requested, what went wrong, how often it was tried, and what to do.
func readError(at path.Path, err error, op readOperation) diag.Diagnostic {
	failure, ok := client.AsFailure(err)
	if !ok {
		return canceledError(err, op)
	}
	summary := failureWords[failure.Kind].summary
	if failure.Kind == client.KindStatus {
		summary += fmt.Sprintf(" %d", failure.StatusCode)
	}
	return errorAt(at, summary, paragraphs(cause(failure), howItEnded(failure, op), strings.Join(remedies(failure, op), " ")))
}

// canceledError returns an error for a canceled read, with its last failure.
func canceledError(err error, op readOperation) diag.Diagnostic {
	canceled, _ := errors.AsType[*client.CanceledError](err)
	detail := "Reading the instance was canceled after " + attempts(canceled.Attempts)
	if canceled.Last == nil {
		return diag.NewErrorDiagnostic(summaryCanceled, detail+": GET "+canceled.URL+".")
	}
	return diag.NewErrorDiagnostic(summaryCanceled,
		paragraphs(detail+". The last one that finished failed:", cause(canceled.Last), strings.Join(remedies(canceled.Last, op), " ")))
}

func attempts(number int) string {
	if number == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", number)
}

// cause returns what was requested and what went wrong. If the instance reported unexpected values before that, it adds them.
func cause(failure *client.Failure) string {
	came := sentence(failure.Target() + ": " + failure.Reason)
	switch failure.Kind {
	case client.KindDocument:
		came = failure.Target() + " answered JSON that the provider cannot read as an instance document:\n  - " + strings.Join(failure.Faults, "\n  - ")
	case client.KindUnexpected:
		return failure.Target() + " answered, but the instance does not report what is expected:" + differenceList(failure.Differences)
	}
	if len(failure.Differences) > 0 {
		came += "\n\nBefore that, the instance answered, but did not report what is expected:" + differenceList(failure.Differences)
	}
	return came
}

// paragraphs joins the nonempty texts with blank lines.
func paragraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}

// howItEnded returns the number of attempts, if more than one, and the time limit that ended them, if any.
func howItEnded(failure *client.Failure, op readOperation) string {
	var sentences []string
	if failure.Attempts > 1 {
		sentences = append(sentences, attempts(failure.Attempts)+" were made.")
	}
	timeout := formatDuration(op.timeout)
	switch {
	case op.waits && (failure.TimeRanOut || failure.NoTimeLeft):
		sentences = append(sentences, fmt.Sprintf("The wait ended: %s is %s.", op.timeoutArgument, timeout))
	case failure.TimeRanOut:
		sentences = append(sentences, fmt.Sprintf("The time for the whole read, %s (%s), ran out.", op.timeoutArgument, timeout))
	case failure.NoTimeLeft:
		sentences = append(sentences, fmt.Sprintf("The time for the whole read, %s (%s), leaves no room for another attempt.", op.timeoutArgument, timeout))
	case failure.AttemptTimedOut:
		sentences = append(sentences, fmt.Sprintf("The time for one attempt, the provider's request_timeout (%s), ran out.", formatDuration(op.provider.requestTimeout)))
	}
	return strings.Join(sentences, " ")
}

// remedies returns what to do about a failure: one or more sentences each.
func remedies(failure *client.Failure, op readOperation) []string {
	first, remedies := adviceOn(failure, op), digitsRemedies(failure.Differences)
	redirected := failure.RedirectedTo != "" && failure.Kind != client.KindRedirect && first != withheld
	if redirected {
		remedies = append(remedies, redirectRemedy)
	}
	if !redirected || !first.aboutBaseURL {
		remedies = append(remedies, first.text)
	}
	unreached := failure.Kind == client.KindResolve || failure.Kind == client.KindConnect
	if failure.Hint == client.HintWebPage || failure.OtherOrigin && unreached {
		remedies = append(remedies, "If that is a login page, a proxy in front of the instance requires credentials: send them with "+op.headersArgument+".")
	}
	if failure.CacheAgeSeconds > 0 {
		remedies = append(remedies, "A cache answered in place of the instance: exclude /instance from it.")
	}
	if failure.Proxy != "" && failure.Kind != client.KindProxy {
		proxy := failure.Proxy
		if op.waits && proxy == "HTTP_PROXY" {
			proxy += ", which may keep a connection to an old server"
		}
		remedies = append(remedies, "The request went through the proxy in "+proxy+": check that proxy too, or exclude the host with NO_PROXY.")
	}
	if op.waits && failure.Kind == client.KindResolve && failure.ConnectTo == "" {
		remedies = append(remedies, "If the name is new, name servers may remember for a few minutes that it did not exist: wait for it with depends_on, "+
			"on the resource that creates its DNS record.")
	}
	if op.dataSource && !op.waits && starting(failure) {
		remedies = append(remedies, "If this apply creates the instance, or if plans must go on while it is down, use the resource "+
			"filetransfer_instance_record. To make this data source wait for a new instance, set wait_until_ready = true.")
	}
	if op.waits && (failure.NoTimeLeft || failure.TimeRanOut && failure.Kind != client.KindTimeout) { // adviceOn already says so for a timeout
		remedies = append(remedies, fmt.Sprintf("If the instance needs longer to start, raise %s.", op.timeoutArgument))
	}
	return remedies
}

// starting reports whether failure is typical of a starting instance, or of the proxy in front of it.
func starting(failure *client.Failure) bool {
	switch failure.Kind {
	case client.KindResolve, client.KindConnect, client.KindTimeout, client.KindBroken:
		return failure.Attempts > 0 && failure.RedirectedTo == "" // otherwise, something responds already
	default:
		return failure.StatusCode >= http.StatusInternalServerError
	}
}

// adviceOn returns the advice on the most likely cause.
func adviceOn(failure *client.Failure, op readOperation) advice {
	hint, hinted := hintAdvice[failure.Hint]
	switch {
	case failure.OtherOrigin && failure.Hint == client.HintClientCertificate:
		return withheld
	case hinted:
		return hint
	case failure.Kind == client.KindStatus:
		return statusAdvice(failure, op)
	case failure.Kind == client.KindConnect && op.waits:
		return advice{"Check the server's log: it may not have started. " + failureWords[failure.Kind].text, true}
	case failure.Kind == client.KindTimeout && failure.Attempts == 0:
		if op.fleet {
			return advice{"Raise timeouts.read, or max_concurrency so that more instances are asked at once.", false}
		}
		return advice{fmt.Sprintf("Raise %s.", op.timeoutArgument), false}
	case failure.Kind == client.KindTimeout && failure.TimeRanOut && !failure.AttemptTimedOut:
		return advice{fmt.Sprintf("Check that the instance is up and can be reached. If it is only slow, raise %s.", op.timeoutArgument), false}
	case failure.Kind == client.KindBroken && strings.HasPrefix(strings.ToLower(failure.URL), "http:"):
		return advice{failureWords[failure.Kind].text + " If the server expects TLS on this port, write the base URL with https://.", true}
	default:
		return failureWords[failure.Kind].advice
	}
}

func statusAdvice(failure *client.Failure, op readOperation) advice {
	switch status := failure.StatusCode; {
	case status == http.StatusNotFound && strings.HasSuffix(failure.URL, "/instance/instance"):
		return advice{"The base URL ends in /instance, a path that the provider adds itself: remove it.", true}
	case status == http.StatusNotFound:
		return advice{"Check the path of the base URL: the provider adds /instance to it. Instances often live under a path such as /api.", true}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return credentialsAdvice(failure, op)
	case status == http.StatusTooManyRequests && op.fleet:
		return advice{"The instance limits requests: lower max_concurrency, or raise the provider's retry.max_delay and retry.max_attempts.", false}
	case status == http.StatusTooManyRequests:
		return advice{"The instance limits requests: run with a lower -parallelism, or raise the provider's retry.max_delay and retry.max_attempts.", false}
	case status >= http.StatusInternalServerError:
		return advice{"The instance, or a proxy in front of it, is failing: check its log.", false}
	case status < http.StatusBadRequest:
		return advice{"An instance answers 200: check that the base URL is the address of the instance's API.", true}
	default:
		return failureWords[failure.Kind].advice
	}
}

// credentialsAdvice returns the advice for status 401 and 403.
func credentialsAdvice(failure *client.Failure, op readOperation) advice {
	switch {
	case failure.OtherOrigin:
		return withheld
	case failure.ExtraHeaders:
		return advice{"request_headers were sent, and refused: check their names and values.", false}
	case len(op.provider.headers) > 0:
		remedy := "Set the provider's base_url to this instance, or set request_headers on the data source."
		if !op.dataSource {
			remedy = "Set the provider argument of the resource to a provider block (with an alias) whose base_url is this instance."
		}
		return advice{"The provider's request_headers were not sent: they are only for the origin of the provider's own base_url, which is not " +
			"this instance's. " + remedy, false}
	default:
		return advice{"An instance requires no credentials for this, so a proxy in front of it does: send them with " + op.headersArgument +
			", or set the provider's client_cert_pem and client_key_pem.", false}
	}
}
