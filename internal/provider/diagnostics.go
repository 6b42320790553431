package provider

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// maxListed is the maximum number of keys or faults that a message lists.
const maxListed = 20

// failureMessage is what a user reads about a kind of failure, besides the evidence.
type failureMessage struct{ summary, remedy string }

// failureMessages has a message for each kind of failure. Those of statuses and certificates are in certificateRemedies and statusRemedy.
// What a remedy says about headers and client certificates is in credentialsRemedy.
//
//exhaustive:enforce
var failureMessages = map[client.Kind]failureMessage{
	client.HostNotResolved: {
		"Host name of the instance not resolved",
		"Check the host name in the base URL, and the name servers of the machine that runs Terraform. For a name that only other " +
			"programs resolve (mDNS, *.localhost), set the provider's base_url to this URL, and its connect_to to the address.",
	},
	client.ConnectionFailed: {
		"Instance not reachable",
		"Check the host and the port of the base URL, or of connect_to, that the instance is running, and the firewalls in between.",
	},
	client.NoResponseInTime: {
		"Instance did not answer in time",
		"Check that the instance is up. If it is only slow, raise the time limit.",
	},
	client.ConnectionBroken: {
		"Connection to the instance broke",
		"Check the log of the instance, and of what is between it and Terraform.",
	},
	client.CertificateNotTrusted: {summary: "Certificate of the instance not trusted"},
	client.HandshakeFailed: {
		"TLS handshake with the instance failed",
		"Check the scheme, the host name and the port of the base URL, and the TLS versions of the server.",
	},
	client.NoTLS: {
		"Port of the instance does not speak TLS",
		"Write the base URL with http://, or correct its port.",
	},
	client.InvalidResponse: {
		"Response of the instance is not valid HTTP",
		"Check the scheme and the port of the base URL. If they are right, correct what the server, or what is in front of it, sends.",
	},
	client.RedirectNotFollowed: {
		"Redirect of the instance not followed",
		"Set the base URL to where the instance itself answers. If it redirects in a loop, check what the proxy in front of it does.",
	},
	client.Status: {summary: "Instance answered with status"},
	client.ResponseTooLarge: {
		"Response of the instance too large",
		"Check that the base URL is that of an instance.",
	},
	client.NotJSON: {
		"Response of the instance is not JSON",
		"Check that the base URL is the address of the API, not of a web page such as a login, and check the log of the instance.",
	},
	client.NotInstanceDocument: {
		"Response is not an instance document",
		"Check the base URL. If it is right, only the operator of the instance can fix what it reports.",
	},
	client.NotAskedInTime: {
		"Instance not asked before the time ran out",
		"No time was left for it. Raise timeouts.read or max_concurrency.",
	},
	client.ProxyFailed: {
		"Instance not reachable through the proxy",
		"Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and what the proxy allows.",
	},
	client.NotAsExpected: {
		"Instance does not report what is expected",
		`Check which release and which settings the server runs, and how it read them: it reads 5e+09 or "5 GB" as 5. If what it ` +
			"reports is right, change expected.",
	},
	client.Cached: {
		"A cache answered instead of the instance",
		"Exclude /instance from the cache.",
	},
}

// certificateRemedies has a remedy for each fault of a certificate.
//
//exhaustive:enforce
var certificateRemedies = map[client.CertificateFault]string{
	client.UnknownAuthority: "If you trust the issuer, add its CA certificate to the provider's ca_cert_pem. A server must send its whole " +
		"chain, except for the root.",
	client.WrongHost: "Set the base URL to a name that the certificate covers. If that name does not lead to the instance, set the " +
		"provider's base_url to that URL, and its connect_to to the address.",
	client.NotValidNow: "Have the certificate with that subject renewed (the server's, or that of an authority in between), and check the " +
		"clock of the machine that runs Terraform.",
	client.OtherFault: "Have what the error says corrected in the certificate of the server, or in that of one of its authorities.",
}

func statusRemedy(code int) string {
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return "An instance needs no credentials for this, so something else refused: a gateway in front of the instance, or another server."
	case slices.Contains(client.RedirectStatuses, code):
		return "Set the base URL to where the instance itself answers."
	case code == http.StatusNotFound:
		return "Check the path of the base URL, to which /instance is added."
	case code == http.StatusTooManyRequests:
		return "Raise the rate limit of the server, or send fewer requests at once."
	case code >= http.StatusInternalServerError && code != http.StatusNetworkAuthenticationRequired: // which asks for a login
		return "Check the log of the instance, and of what is in front of it."
	default:
		return anyOtherStatus
	}
}

const anyOtherStatus = "An instance answers 200, so something else answered, or something in front of it refused. Check the base URL, the " +
	"request headers and the client certificate against what answered."

// moreHelp ends every message about a read or a wait that failed.
const moreHelp = "More about this message: https://registry.terraform.io/providers/filetransfer/filetransfer/latest/docs/guides/troubleshooting"

// timeLimit is the time limit of a read or a wait, and the argument that sets it.
type timeLimit struct {
	argument string
	duration time.Duration
}

func (l timeLimit) String() string {
	return fmt.Sprintf("%s (%s)", l.argument, formatDuration(l.duration))
}

// readReport is the message about a read that failed.
type readReport struct {
	err      *client.ReadError
	provider *providerData
	request  client.Request
	limit    timeLimit
}

func (r *readReport) summary() string {
	switch failure := r.err.Failure; {
	case r.err.Ending == client.Canceled:
		return "Read canceled"
	case failure.Kind == client.Status:
		return fmt.Sprintf("%s %d", failureMessages[failure.Kind].summary, failure.StatusCode)
	default:
		return failureMessages[failure.Kind].summary
	}
}

// detail returns the evidence, how the read ended, and what to do. otherRemedy follows the remedy for the failure. A read that was canceled
// has neither.
func (r *readReport) detail(otherRemedy string) string {
	if r.err.Ending == client.Canceled {
		return canceledDetail(r.err, r.evidence())
	}
	made := ""
	if r.err.Attempts > 1 {
		made = count(r.err.Attempts, "attempt") + " made. "
	}
	return paragraphs(r.evidence(), strings.TrimSpace(made+r.ending()), r.remedy()+otherRemedy, moreHelp)
}

// canceledDetail returns the detail of a read or a wait that was canceled. There may be no evidence.
func canceledDetail(err *client.ReadError, evidence string) string {
	made := "Canceled after " + count(err.Attempts, "attempt")
	if evidence == "" {
		return paragraphs(fmt.Sprintf("%s: GET %s.", made, err.URL), moreHelp)
	}
	return paragraphs(made+". The last complete attempt found this:", evidence, moreHelp)
}

// evidence returns what the last attempt that failed asked, and what came back, or "" if none has failed.
func (r *readReport) evidence() string {
	failure := r.err.Failure
	switch {
	case failure == nil:
		return ""
	case len(failure.Faults) > 0:
		return failure.RequestSummary + " answered JSON that is not an instance document:" + listed(failure.Faults)
	case r.provider.unusableCAs != "" && failure.Kind == client.CertificateNotTrusted && failure.CertificateFault == client.UnknownAuthority:
		return sentence(failure.String()) + " " + r.provider.unusableCAs
	default:
		return sentence(failure.String())
	}
}

// ending says which time limit ended the read, or returns "".
func (r *readReport) ending() string {
	switch {
	case r.err.Ending == client.OutOfTime:
		return "The time limit was " + r.limit.String() + "."
	case r.err.Failure.TimedOut:
		return "The time limit of each attempt was " + timeLimit{"the provider's request_timeout", r.provider.requestTimeout}.String() + "."
	default:
		return ""
	}
}

// remedy returns what to do about the last failure.
func (r *readReport) remedy() string {
	failure := r.err.Failure
	remedy := failureMessages[failure.Kind].remedy
	switch {
	case failure.Kind == client.NotAskedInTime && r.request.Semaphore == nil: // no other instance took the time
		return "Raise the time limit."
	case failure.IsRedirected && r.isAboutBaseURL():
		return "A redirect led there. Set the base URL to where the instance itself answers, or correct the redirect." + r.credentialsRemedy()
	case failure.Kind == client.CertificateNotTrusted:
		return certificateRemedies[failure.CertificateFault]
	case failure.Kind == client.NotInstanceDocument && len(failure.Faults) == 0: // it has no field of one
		return "Check the base URL, and what is in front of the instance."
	case failure.Kind == client.ConnectionBroken && !failure.IsTLS:
		return "Check the scheme and the port of the base URL, because a port that expects TLS often just closes the connection. Then check " +
			"the log of the instance, and of what is between it and Terraform."
	case failure.Kind == client.Status:
		remedy = statusRemedy(failure.StatusCode)
	}
	return remedy + r.credentialsRemedy()
}

// isAboutBaseURL reports whether what to do about the last failure depends on the URL that was asked for.
func (r *readReport) isAboutBaseURL() bool {
	failure := r.err.Failure
	switch failure.Kind {
	case client.HostNotResolved, client.ConnectionFailed, client.NoTLS, client.InvalidResponse, client.ResponseTooLarge, client.NotInstanceDocument:
		return true
	case client.CertificateNotTrusted:
		return failure.CertificateFault == client.WrongHost
	case client.Status:
		return failure.StatusCode == http.StatusNotFound || statusRemedy(failure.StatusCode) == anyOtherStatus
	default:
		return false
	}
}

// credentialsRemedy says why request headers or a client certificate were not sent, if they may be what is missing, and what to do. It
// begins with a space, or is empty.
func (r *readReport) credentialsRemedy() string {
	const ifInstance = " If that is the instance, set the base URL to it."
	failure := r.err.Failure
	isStatus := func(codes ...int) bool {
		return failure.Kind == client.Status && slices.Contains(codes, failure.StatusCode)
	}
	needsHeaders := failure.Kind == client.NotJSON || isStatus(http.StatusUnauthorized, http.StatusForbidden)
	needsCertificate := failure.Kind == client.HandshakeFailed || failure.Kind == client.ConnectionBroken
	needsAnything := failure.Kind == client.Status && statusRemedy(failure.StatusCode) == anyOtherStatus
	switch {
	case failure.HeadersWithheld && (needsHeaders || needsAnything):
		return " The request_headers were not sent, because a redirect led to another origin." + ifInstance
	case failure.CertificateWithheld && (needsCertificate || needsAnything):
		return " The client certificate was not sent, because a redirect led to another origin." + ifInstance
	case needsHeaders && len(r.request.Headers) > 0:
		return " The request_headers were sent: check their names and values."
	case needsHeaders && len(r.provider.headers) > 0:
		return " " + r.provider.headersNotSent()
	case needsHeaders:
		return " If it requires credentials, send them with request_headers."
	case failure.Kind == client.ConnectionBroken:
		return " A server that requires a client certificate, or refuses the one that it got, may also just close the connection."
	case failure.Kind == client.HandshakeFailed && r.provider.hasClientCertificate:
		return " If the server requires a client certificate, check that it accepts the provider's client_cert_pem."
	case failure.Kind == client.HandshakeFailed:
		return " If the server requires a client certificate, set the provider's client_cert_pem and client_key_pem."
	default:
		return ""
	}
}

// headersNotSent says why the provider's headers were not sent to an instance, and what to do.
func (d *providerData) headersNotSent() string {
	origin := "and it has none that can be used"
	if d.baseURL.Origin != "" {
		origin = "which is " + d.baseURL.Origin
	}
	return "The provider's request_headers were not sent, because they are only for the origin of its own base_url, " + origin + ". Set the " +
		"provider's base_url to this instance, or set the request_headers of the data source, if it is one."
}

// waitReport is the message about a wait that failed. It is that of a read, with what only a wait has to tell.
type waitReport struct {
	read      readReport
	err       *client.WaitError
	stableFor time.Duration
}

func (w *waitReport) summary() string {
	switch {
	case w.read.err.Ending == client.Canceled:
		return "Wait canceled"
	case w.err.Streak != nil:
		return "Instance was not stable for long enough"
	default:
		return w.read.summary()
	}
}

// path returns the path of the argument that the message is about.
func (w *waitReport) path() path.Path {
	switch {
	case len(w.err.Differences) > 0: // with the path of the block, Terraform would show no line
		return path.Root("expected").AtName(w.err.Differences[0].Name)
	case w.err.Streak != nil:
		return path.Root("stable_for")
	default:
		return path.Root("base_url")
	}
}

func (w *waitReport) detail() string {
	if w.read.err.Ending == client.Canceled {
		return canceledDetail(w.read.err, w.evidence())
	}
	return paragraphs(w.evidence(), count(w.read.err.Attempts, "attempt")+" made. "+w.read.ending(), w.remedy(), moreHelp)
}

// evidence returns what the last attempts found, or "" if none was complete.
func (w *waitReport) evidence() string {
	switch {
	case w.err.Streak != nil:
		return w.streakEvidence()
	case w.read.err.Failure != nil:
		return w.failureEvidence()
	default:
		return ""
	}
}

func (w *waitReport) remedy() string {
	switch {
	case w.err.Streak == nil:
		return w.read.remedy()
	case w.err.Streak.Cache != "":
		return failureMessages[client.Cached].remedy
	case w.read.err.Failure == nil:
		return "No attempt failed, so raise the time limit. If the instance was as expected for much less time than that, find out what makes " +
			"the answers slow, because each counts for 3s at most."
	default:
		return "Check the log of the instance: it may stop and start again, or one of several servers may still run the old release. If it " +
			"only needs longer, raise the time limit."
	}
}

// failureEvidence returns what the last attempt found, which had failed. If that was another failure than the last answer that was read, or
// came after a streak, it also returns these.
func (w *waitReport) failureEvidence() string {
	failure := w.read.err.Failure
	var evidence []string
	switch {
	case failure.Kind == client.NotAsExpected:
		evidence = []string{failure.RequestSummary + " answered, but not what is expected:" + bullets(textsOf(w.err.Differences))}
	case len(w.err.Differences) > 0:
		evidence = []string{w.read.evidence(),
			"The last document that the instance returned was not what is expected:" + bullets(textsOf(w.err.Differences))}
	default:
		evidence = []string{w.read.evidence()}
	}
	if w.err.BrokenStreak != nil {
		evidence = append(evidence, fmt.Sprintf("Before that, it reported what is expected for %s, and stable_for is %s.",
			heldText(w.err.BrokenStreak), formatDuration(w.stableFor)))
	}
	return paragraphs(evidence...)
}

// streakEvidence returns how long the instance had been as expected when the wait ended, and what kept it from being so for longer.
func (w *waitReport) streakEvidence() string {
	streak := w.err.Streak
	held := fmt.Sprintf("GET %s reported what is expected, but not for long enough: for %s, and stable_for is %s.",
		w.read.err.URL, heldText(streak), formatDuration(w.stableFor))
	if streak.Cache != "" {
		held += fmt.Sprintf(" The last answer came from %s.", streak.Cache)
	}
	if w.err.Unanswered > 0 {
		held += fmt.Sprintf(" The last request had no answer after %s.", tenths(w.err.Unanswered))
	}
	before := ""
	if w.read.err.Failure != nil {
		before = "The last failure before that: " + sentence(w.read.err.Failure.String())
	}
	return paragraphs(held, before)
}

// heldText says how long a streak lasted, such as "2.5s (12 answers)".
func heldText(streak *client.Streak) string {
	return fmt.Sprintf("%s (%s)", tenths(streak.Held), count(streak.Answers, "answer"))
}

// tenths returns a duration that was measured, in tenths of a second.
func tenths(duration time.Duration) string { return formatDuration(duration.Round(time.Second / 10)) }

// textsOf says what each difference is.
func textsOf(differences []client.Difference) (texts []string) {
	for _, difference := range differences {
		texts = append(texts, difference.String())
	}
	return texts
}

// count returns a number with a noun: "1 attempt", "2 attempts".
func count(number int, noun string) string {
	if number == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", number, noun)
}

// sentence returns text that ends in a period, unless it was cut.
func sentence(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}

// paragraphs joins texts with blank lines, and leaves out empty ones.
func paragraphs(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n\n")
}

// bullets returns a list with an item for each text.
func bullets(texts []string) string { return "\n  - " + strings.Join(texts, "\n  - ") }

// listed returns a list of at most maxListed texts, and the number of the others.
func listed(texts []string) string {
	if more := len(texts) - maxListed; more > 0 {
		return bullets(append(texts[:maxListed:maxListed], fmt.Sprintf("and %d more", more)))
	}
	return bullets(texts)
}

// firstOf returns the first of some texts and the number of the others, or "" if there are none.
func firstOf(texts []string) string {
	switch more := len(texts) - 1; more {
	case -1:
		return ""
	case 0:
		return texts[0]
	default:
		return fmt.Sprintf("%s, and %d more", texts[0], more)
	}
}

var zerosAtEnd = regexp.MustCompile("([hm])(0m)?0s$")

// formatDuration returns a duration as a user would write it: "1m", not "1m0s".
func formatDuration(duration time.Duration) string {
	return zerosAtEnd.ReplaceAllString(duration.String(), "$1")
}
