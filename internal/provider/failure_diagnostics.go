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

// purpose is what an instance is read for.
type purpose int

const (
	readOne       purpose = iota + 1 // the data source of one instance
	readMany                         // the data source of many
	refreshRecord                    // a record that is refreshed
	waitForRecord                    // a record that is created or updated
)

// readOperation holds the settings of a read that messages about its failure depend on.
type readOperation struct {
	provider *providerData
	purpose  purpose
	// waits is true if the read waits until the instance is ready.
	waits bool
	// timeout limits the whole read. timeoutArgument names it.
	timeout         time.Duration
	timeoutArgument string
	// stableFor is how long a record waits for more answers, or 0.
	stableFor time.Duration
}

// fromDataSource reports whether a data source reads. These have the arguments wait_until_ready and request_headers.
func (op readOperation) fromDataSource() bool {
	return op.purpose == readOne || op.purpose == readMany
}

// headersArgument returns the name of the argument to set credentials.
func (op readOperation) headersArgument() string {
	if op.fromDataSource() {
		return "request_headers"
	}
	return "the provider's request_headers"
}

// raiseTimeout returns the advice to raise the timeout of the whole read, as the end of a sentence.
func (op readOperation) raiseTimeout() string {
	if op.purpose == refreshRecord {
		return "raise timeouts.read; a refresh uses the new value after the next apply."
	}
	return "raise " + op.timeoutArgument + "."
}

// advice is a likely cause of a failure, and what to do about it: one or more sentences.
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
		advice{text: "Check the host name in the base URL, and that the machine that runs Terraform can resolve it.", aboutBaseURL: true}},
	client.KindNameServer: {"Host name lookup failed",
		advice{text: "Check the name servers of the machine that runs Terraform: whether it can reach them, and what they log."}},
	client.KindConnect: {"Instance not reachable",
		advice{text: "Check the host and port in the base URL, that the instance is running, and that no firewall blocks the connection.", aboutBaseURL: true}},
	client.KindProxy: {"Instance not reachable through the proxy",
		advice{text: "Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and what the proxy allows."}},
	client.KindTimeout: {"Instance did not answer in time",
		advice{text: "Check that the instance is up and can be reached. If it is only slow, raise the provider's request_timeout."}},
	client.KindBroken: {"Connection to the instance broke",
		advice{text: "Check the log of the instance, or of the proxy in front of it, for why it closed the connection."}},
	client.KindCertificate: {"Certificate of the instance not trusted",
		advice{text: "If a private certificate authority signed the certificate, set the provider's ca_cert_pem to that authority's certificate."}},
	client.KindTLS: {"TLS handshake with the instance failed",
		advice{text: "If the instance serves plain HTTP, write the base URL with http://. If the server requires a client certificate, set the provider's " +
			"client_cert_pem and client_key_pem.", aboutBaseURL: true}},
	client.KindNotHTTP: {"Response of the instance is not valid HTTP",
		advice{text: "Check that the base URL names the port on which the instance serves HTTP.", aboutBaseURL: true}},
	client.KindRedirect: {"Redirect of the instance not followed",
		advice{text: "Set the base URL to the address at which the instance itself answers.", aboutBaseURL: true}},
	client.KindStatus: {"Instance answered with status", // and the status
		advice{text: "Check the base URL, and what a proxy in front of the instance allows.", aboutBaseURL: true}},
	client.KindTooLarge: {"Response of the instance too large",
		advice{text: "An instance document has less than a kilobyte: check that the base URL names an instance.", aboutBaseURL: true}},
	client.KindNotJSON: {"Response of the instance is not JSON",
		advice{text: "Check that the base URL is the address of the instance's API: instances often live under a path such as /api.", aboutBaseURL: true}},
	client.KindDocument: {"Response is not an instance document",
		advice{text: "Check that the base URL names an instance of the file transfer service. If it does, its operator has to fix the fields named."}},
	client.KindUnexpected: {"Instance does not report what is expected",
		advice{text: "Check that the server runs the release and the settings that are expected, and how it read them. If what it reports is right, change expected."}},
	client.KindCached: {"A cache answered instead of the instance", advice{text: cacheRemedy}},
	client.KindUnstable: {"Instance was not stable for long enough",
		advice{text: "Check the log of the server: it may stop and start again. Behind a load balancer, one of several servers may still run the old release."}},
}

var hintAdvice = map[client.Hint]advice{
	client.HintHTTPS: {text: "The server expects TLS on this port: write the base URL with https://.", aboutBaseURL: true},
	client.HintHTTP2: {text: "The server speaks HTTP/2 only, and the provider speaks HTTP/1.1: enable HTTP/1.1 on the server, or on the proxy in front " +
		"of the instance."},
	client.HintClientCertificate: {text: "The server asked for a client certificate: set the provider's client_cert_pem and client_key_pem to one that " +
		"it accepts."},
	client.HintTLSVersion: {text: "The server and the provider have no TLS version in common: the server must support TLS 1.2 or later."},
	client.HintHostName:   {text: "The server does not know this host name: check the host name in the base URL.", aboutBaseURL: true},
	client.HintExpired: {text: "Have the certificate renewed, and check the clock of the machine that runs Terraform. ca_cert_pem does not help against an " +
		"expired certificate."},
	client.HintSelfSigned: {text: "No certificate authority signed it: set the provider's ca_cert_pem to the certificate itself."},
	client.HintWrongName: {text: "Use a host name in the base URL that the certificate is for, or have the certificate reissued. ca_cert_pem does not help.",
		aboutBaseURL: true},
	client.HintProxyCredentials: {text: "The proxy requires credentials that it accepts. The provider sends those in the URL in HTTP_PROXY or HTTPS_PROXY, " +
		"as Basic authentication: add or correct them, or exclude the host with NO_PROXY."},
	client.HintConnectTo: {text: "The connection went to the provider's connect_to: check its host and port, and that the tunnel or port-forward there is " +
		"running."},
	client.HintWebPage: {text: "Check that the base URL is the address of the instance's API, not of its web page: instances often live under a path " +
		"such as /api.", aboutBaseURL: true},
	client.HintNoDocument: {text: "Check the log of the server, and that the base URL names an instance of the file transfer service."},
	client.HintCutShort:   {text: "The document was cut short: check the log of the server, and of the proxy in front of it."},
	client.HintBody:       {text: "It answered HTTP: check what the proxy in front of the instance does to the body of its responses."},
	client.HintLargeHead: {text: "Check that the base URL names an instance. If it does, check what the proxy in front of it adds to its responses, such as " +
		"cookies.", aboutBaseURL: true},
}

// cacheRemedy is the remedy for a response from a cache.
const cacheRemedy = "A cache answered in place of the instance: exclude /instance from it."

// redirectRemedy is the remedy for a failure after a redirect.
const redirectRemedy = "The base URL redirects, and what failed is where it leads: check where the instance, or a proxy in front of it, redirects. " +
	"If the instance itself answers at another address, set the base URL to that."

// credentialsWithheld is the advice where headers or a client certificate that a server may require were not sent after a redirect to
// another origin.
var credentialsWithheld = advice{text: "request_headers and the client certificate are sent only to the origin of the base URL, and a redirect led to another: set " +
	"the base URL to the address that the redirect leads to."}

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
	return errorAt(at, summary, paragraphs(cause(failure, op), howItEnded(failure, op), strings.Join(remedies(failure, op), " ")))
}

// canceledError returns an error for a canceled read, with its last failure.
func canceledError(err error, op readOperation) diag.Diagnostic {
	canceled, _ := errors.AsType[*client.CanceledError](err)
	detail := "Reading the instance was canceled after " + attempts(canceled.Attempts)
	if canceled.Last == nil {
		return diag.NewErrorDiagnostic(summaryCanceled, detail+": GET "+canceled.URL+".")
	}
	return diag.NewErrorDiagnostic(summaryCanceled,
		paragraphs(detail+". The last one that finished failed:", cause(canceled.Last, op), strings.Join(remedies(canceled.Last, op), " ")))
}

func attempts(number int) string {
	if number == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", number)
}

// cause returns what was requested and what went wrong, and what the instance reported before that.
func cause(failure *client.Failure, op readOperation) string {
	came, stable, differing := sentence(failure.Target()+": "+failure.Reason), "", ""
	switch {
	case failure.Kind == client.KindDocument && len(failure.Faults) > 0:
		came = failure.Target() + " answered JSON that the provider cannot read as an instance document:\n  - " + strings.Join(failure.Faults, "\n  - ")
	case failure.Kind == client.KindUnexpected:
		came = failure.Target() + " answered, but the instance does not report what is expected:" + differenceList(failure.Differences)
	case len(failure.Differences) > 0:
		differing = "Before that, the instance answered, but did not report what is expected:" + differenceList(failure.Differences)
	}
	if streak := failure.LastStreak; streak.Attempts > 0 {
		lasted := "once"
		if streak.Attempts > 1 {
			lasted = fmt.Sprintf("for %s (%d answers)", formatDuration(streak.Lasted.Round(time.Second/10)), streak.Attempts)
		}
		stable = fmt.Sprintf("The instance last reported what is expected %s. stable_for is %s.", lasted, formatDuration(op.stableFor))
	}
	if failure.BeforeStreak != nil {
		stable += " Before that: " + sentence(failure.BeforeStreak.Error())
	}
	return paragraphs(came, differing, stable)
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
	case op.waits && failure.Ending != client.NotByTime:
		sentences = append(sentences, fmt.Sprintf("The wait ended: %s is %s.", op.timeoutArgument, timeout))
	case failure.Ending == client.TimeRanOut:
		sentences = append(sentences, fmt.Sprintf("The time for the whole read, %s (%s), ran out.", op.timeoutArgument, timeout))
	case failure.Ending == client.NoTimeLeft:
		sentences = append(sentences, fmt.Sprintf("The time for the whole read, %s (%s), leaves no room for another attempt.", op.timeoutArgument, timeout))
	case failure.AttemptTimedOut:
		sentences = append(sentences, fmt.Sprintf("The time for one attempt, the provider's request_timeout (%s), ran out.", formatDuration(op.provider.requestTimeout)))
	}
	return strings.Join(sentences, " ")
}

// remedies returns what to do about a failure, the most likely first: one or more sentences each.
func remedies(failure *client.Failure, op readOperation) (remedies []string) {
	if failure.CacheAgeSeconds > 0 && failure.Kind != client.KindCached {
		remedies = append(remedies, cacheRemedy)
	}
	if failure.Kind == client.KindUnexpected {
		remedies = append(remedies, differenceRemedies(failure.Differences)...)
	}
	first := adviceOn(failure, op)
	redirected := failure.RedirectedTo != "" && failure.Kind != client.KindRedirect && first != credentialsWithheld
	if redirected {
		remedies = append(remedies, redirectRemedy)
	}
	if !redirected || !first.aboutBaseURL {
		remedies = append(remedies, first.text)
	}
	if failure.Kind != client.KindUnexpected {
		remedies = append(remedies, differenceRemedies(failure.Differences)...)
	}
	unreached := failure.Kind == client.KindResolve || failure.Kind == client.KindConnect
	if failure.Hint == client.HintWebPage || failure.OtherOrigin && unreached {
		remedies = append(remedies, "If that is a login page, a proxy in front of the instance requires credentials: send them with "+op.headersArgument()+".")
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
	if op.fromDataSource() && !op.waits && starting(failure) {
		remedies = append(remedies, "If this apply creates the instance, or if plans must go on while it is down, use the resource "+
			"filetransfer_instance_record. To make this data source wait for a new instance, set wait_until_ready = true.")
	}
	if onceReady := failure.LastStreak.Attempts > 0; op.waits && needsTime(failure) && (!onceReady || failure.Kind == client.KindUnstable) {
		remedies = append(remedies, "If the instance needs longer to start, "+op.raiseTimeout())
	}
	return remedies
}

// needsTime reports whether a wait that ran out of time may only have been too short.
func needsTime(failure *client.Failure) bool {
	switch failure.Kind {
	case client.KindResolve, client.KindNameServer, client.KindConnect, client.KindUnstable:
		return failure.Ending != client.NotByTime
	case client.KindTimeout: // adviceOn says so if the wait interrupted the attempt
		return failure.Ending == client.NoTimeLeft || failure.Ending == client.TimeRanOut && failure.AttemptTimedOut
	default:
		return failure.Ending != client.NotByTime && failure.StatusCode >= http.StatusInternalServerError
	}
}

// starting reports whether failure is typical of a starting instance, or of the proxy in front of it.
func starting(failure *client.Failure) bool {
	switch failure.Kind {
	case client.KindResolve, client.KindConnect, client.KindTimeout, client.KindBroken:
		return failure.Attempts > 0 && failure.RedirectedTo == "" // otherwise, nothing was asked yet, or something already redirects
	default:
		return failure.StatusCode >= http.StatusInternalServerError
	}
}

// adviceOn returns the advice on the most likely cause.
func adviceOn(failure *client.Failure, op readOperation) advice {
	hint, hinted := hintAdvice[failure.Hint]
	switch {
	case failure.LastStreak.Attempts > 0 && failure.Kind == client.KindUnexpected:
		return advice{text: failureWords[client.KindUnstable].text + " " + failureWords[failure.Kind].text}
	case failure.LastStreak.Attempts > 0 && failure.Kind != client.KindCached: // it is the right server, and was ready
		return failureWords[client.KindUnstable].advice
	case failure.OtherOrigin && failure.Hint == client.HintClientCertificate:
		return credentialsWithheld
	case hinted:
		return hint
	case failure.Kind == client.KindStatus:
		return statusAdvice(failure, op)
	case failure.Kind == client.KindConnect && op.waits:
		return advice{text: "Check the server's log: it may not have started. " + failureWords[failure.Kind].text, aboutBaseURL: true}
	case failure.Kind == client.KindTimeout && failure.Attempts == 0 && op.purpose == readMany:
		return advice{text: "Raise timeouts.read, or max_concurrency so that more instances are asked at once."}
	case failure.Kind == client.KindTimeout && failure.Attempts == 0:
		return advice{text: sentence(op.raiseTimeout())}
	case failure.Kind == client.KindTimeout && failure.Ending == client.TimeRanOut && !failure.AttemptTimedOut:
		return advice{text: "Check that the instance is up and can be reached. If it is only slow, " + op.raiseTimeout()}
	case failure.Kind == client.KindBroken && !failure.Answered && strings.HasPrefix(strings.ToLower(failure.URL), "http:"):
		return advice{text: failureWords[failure.Kind].text + " If the server expects TLS on this port, write the base URL with https://.", aboutBaseURL: true}
	default:
		return failureWords[failure.Kind].advice
	}
}

func statusAdvice(failure *client.Failure, op readOperation) advice {
	switch status := failure.StatusCode; {
	case status == http.StatusNotFound && strings.HasSuffix(failure.URL, "/instance/instance"):
		return advice{text: "The base URL ends in /instance, a path that the provider adds itself: remove it.", aboutBaseURL: true}
	case status == http.StatusNotFound:
		return advice{text: "Check the path of the base URL: the provider adds /instance to it. Instances often live under a path such as /api.", aboutBaseURL: true}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return credentialsAdvice(failure, op)
	case status == http.StatusTooManyRequests:
		fewer, more := "run with a lower -parallelism", "raise the provider's retry.max_delay and retry.max_attempts."
		if op.purpose == readMany {
			fewer = "lower max_concurrency"
		}
		if failure.Ending != client.NotByTime {
			more = op.raiseTimeout()
		}
		return advice{text: "The instance limits requests: " + fewer + ", or " + more}
	case status >= http.StatusInternalServerError:
		return advice{text: "The instance, or a proxy in front of it, is failing: check its log."}
	case status < http.StatusBadRequest:
		return advice{text: "An instance answers 200: check that the base URL is the address of the instance's API.", aboutBaseURL: true}
	default:
		return failureWords[failure.Kind].advice
	}
}

// credentialsAdvice returns the advice for status 401 and 403.
func credentialsAdvice(failure *client.Failure, op readOperation) advice {
	switch {
	case failure.OtherOrigin:
		return credentialsWithheld
	case failure.ExtraHeaders:
		return advice{text: "request_headers were sent, and refused: check their names and values."}
	case len(op.provider.headers) > 0:
		remedy := "Set the provider's base_url to this instance, or set request_headers on the data source."
		if !op.fromDataSource() {
			remedy = "Set the provider argument of the resource to a provider block (with an alias) whose base_url is this instance."
		}
		return advice{text: "The provider's request_headers were not sent: they are only for the origin of the provider's own base_url, which is not " +
			"this instance's. " + remedy}
	default:
		return advice{text: "An instance requires no credentials for this, so a proxy in front of it does: send them with " + op.headersArgument() +
			", or set the provider's client_cert_pem and client_key_pem."}
	}
}
