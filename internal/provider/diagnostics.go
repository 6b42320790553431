package provider

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// maxListed is the maximum number of keys or faults that a message lists.
const maxListed = 20

// failureMessage is what a user reads about a kind of failure, besides the evidence.
type failureMessage struct{ summary, remedy string }

// failureMessages has a message for each kind of failure. The remedies of statuses and certificates are below.
var failureMessages = map[client.Kind]failureMessage{
	client.HostNotResolved: {
		"Host name of the instance not resolved",
		"Check the host name in the base URL, and the name servers of the machine that runs Terraform. For a name that only other " +
			"programs resolve (mDNS, *.localhost), set the provider's connect_to to its address.",
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
		"Check the scheme and the port of the base URL, because a port that expects TLS often just closes the connection. Then " +
			"check the log of the instance, and of what is between it and Terraform.",
	},
	client.CertificateNotTrusted: {summary: "Certificate of the instance not trusted"},
	client.HandshakeFailed: {
		"TLS handshake with the instance failed",
		"Check the scheme, the host name and the port of the base URL, and the TLS versions of the server. If the server requires " +
			"a client certificate, set the provider's client_cert_pem and client_key_pem.",
	},
	client.InvalidResponse: {
		"Response of the instance is not valid HTTP",
		"Check the scheme and the port of the base URL.",
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

func certificateRemedy(err *tls.CertificateVerificationError) string {
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	wrongHost, isWrongHost := errors.AsType[x509.HostnameError](err)
	switch {
	case isFromUnknownAuthority(err):
		return "If you trust the issuer, add its CA certificate to the provider's ca_cert_pem. A server must send its whole chain, " +
			"except for the root."
	case isWrongHost && len(wrongHost.Certificate.DNSNames)+len(wrongHost.Certificate.IPAddresses) > 0: // otherwise, it is for no name
		return "Set the base URL to a name that the certificate covers. If that name does not lead to the instance, set the provider's " +
			"connect_to to its address."
	case isInvalid && invalid.Reason == x509.Expired: // or not valid yet
		return "Compare the two times. If the clock of the machine that runs Terraform is right, have the certificate renewed."
	default:
		return "Have the certificate reissued, for the use of a server (serverAuth), and with the names of the instance as subject " +
			"alternative names."
	}
}

// isFromUnknownAuthority reports whether a further authority may help. The second error is that the system's cannot be loaded.
func isFromUnknownAuthority(err *tls.CertificateVerificationError) bool {
	_, isUnknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, hasNoRoots := errors.AsType[x509.SystemRootsError](err)
	return isUnknown || hasNoRoots
}

func statusRemedy(code int) string {
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return "An instance needs no credentials for this, so something else refused: a gateway in front of the instance, or another server."
	case code >= 300 && code < 400:
		return "Set the base URL to where the instance itself answers."
	case code == http.StatusNotFound:
		return "Check the path of the base URL, to which /instance is added."
	case code == http.StatusTooManyRequests:
		return "Raise the rate limit of the server, or send fewer requests at once."
	case code >= http.StatusInternalServerError:
		return "Check the log of the instance, and of what is in front of it."
	default:
		return "Check the scheme, the host name and the port of the base URL."
	}
}

// timeLimit is the time limit of a read or a wait, and the argument that sets it.
type timeLimit struct {
	argument string
	duration time.Duration
}

func (l timeLimit) String() string {
	return fmt.Sprintf("%s (%s)", l.argument, formatDuration(l.duration))
}

// failureReport writes the message about a read or a wait that failed.
type failureReport struct {
	err *client.ReadError
	// wait is the error of a wait, and nil for that of a read.
	wait      *client.WaitError
	provider  *providerData
	request   client.Request
	limit     timeLimit
	stableFor time.Duration // of a wait
}

// newFailureReport takes an error of the client apart.
func (d *providerData) newFailureReport(err error, limit timeLimit, request client.Request) *failureReport {
	f := &failureReport{provider: d, request: request, limit: limit}
	if wait, ok := errors.AsType[*client.WaitError](err); ok {
		f.wait, f.err = wait, &wait.ReadError
	} else {
		f.err, _ = errors.AsType[*client.ReadError](err)
	}
	return f
}

func (f *failureReport) summary() string {
	failure := f.err.Failure
	switch {
	case f.err.Ending == client.Canceled && f.wait != nil:
		return "Wait canceled"
	case f.err.Ending == client.Canceled:
		return "Read canceled"
	case f.wasAsExpected():
		return "Instance was not stable for long enough"
	case failure.Kind == client.Status:
		return fmt.Sprintf("%s %d", failureMessages[failure.Kind].summary, failure.StatusCode)
	default:
		return failureMessages[failure.Kind].summary
	}
}

// detail returns the evidence, how the read ended, and what to do.
func (f *failureReport) detail() string {
	switch {
	case f.err.Ending == client.Canceled && f.err.Failure == nil && !f.wasAsExpected():
		return fmt.Sprintf("Canceled after %s: GET %s.", count(f.err.Attempts, "attempt"), f.err.URL)
	case f.err.Ending == client.Canceled:
		return fmt.Sprintf("Canceled after %s. The last complete attempt found this:\n\n%s",
			count(f.err.Attempts, "attempt"), paragraphs(f.evidence()...))
	default:
		return paragraphs(append(f.evidence(), f.ending(), f.remedy())...)
	}
}

// wasAsExpected reports whether the last answers to a wait were as expected.
func (f *failureReport) wasAsExpected() bool {
	return f.wait != nil && f.err.Failure == nil && f.wait.Answers > 0
}

// held returns how long the last answers to a wait that were as expected went on.
func (f *failureReport) held() string {
	return fmt.Sprintf("%s (%s)", formatDuration(f.wait.Held.Round(time.Second/10)), count(f.wait.Answers, "answer"))
}

// evidence returns what was asked and what came back, also before the end of a wait.
func (f *failureReport) evidence() []string {
	if f.wasAsExpected() {
		evidence := []string{fmt.Sprintf(
			"GET %s reported what is expected, but not for long enough: for %s, and stable_for is %s.", f.err.URL, f.held(),
			formatDuration(f.stableFor))}
		if f.wait.LastFailure != nil {
			evidence = append(evidence, "The last failure before that: "+sentence(f.wait.LastFailure.String()))
		}
		return evidence
	}
	evidence := f.failureEvidence()
	if f.wait != nil && f.wait.Answers > 0 {
		evidence = append(evidence, fmt.Sprintf("Before that, it reported what is expected for %s, and stable_for is %s.",
			f.held(), formatDuration(f.stableFor)))
	}
	return evidence
}

// failureEvidence returns what the last complete attempt asked, and what came back. If a wait failed in another way in the end, it also
// returns what the last answer reported.
func (f *failureReport) failureEvidence() []string {
	failure := f.err.Failure
	var differences []string
	if f.wait != nil {
		differences = client.Texts(f.wait.Differences)
	}
	switch {
	case failure.Kind == client.NotAsExpected:
		return []string{failure.Request + " answered, but not what is expected:" + bullets(differences)}
	case len(differences) > 0:
		return []string{sentence(failure.String()), "The last document that the instance returned was not what is expected:" + bullets(differences)}
	case len(failure.Faults) > 0:
		return []string{failure.Request + " answered JSON that is not an instance document:" + listed(failure.Faults)}
	case f.provider.unusableCAs != "" && failure.Kind == client.CertificateNotTrusted && isFromUnknownAuthority(failure.Certificate):
		return []string{sentence(failure.String()) + " " + f.provider.unusableCAs}
	default:
		return []string{sentence(failure.String())}
	}
}

// ending returns how many attempts were made, and which time limit ended them.
func (f *failureReport) ending() string {
	made := ""
	if f.err.Attempts > 1 || f.wait != nil {
		made = count(f.err.Attempts, "attempt") + " made. "
	}
	switch {
	case f.err.Ending == client.OutOfTime:
		return made + "The time limit was " + f.limit.String() + "."
	case f.err.Failure.TimedOut:
		return made + "The time limit of each attempt was " + timeLimit{"the provider's request_timeout", f.provider.requestTimeout}.String() + "."
	default:
		return strings.TrimSpace(made)
	}
}

func (f *failureReport) remedy() string {
	if f.wasAsExpected() {
		return "Check the log of the instance: it may stop and start again, or one of several servers may still run the old release. If it " +
			"only needs longer, raise the time limit."
	}
	failure := f.err.Failure
	remedy := failureMessages[failure.Kind].remedy
	asksForCredentials := failure.Kind == client.NotJSON
	switch failure.Kind {
	case client.NotAskedInTime:
		if f.request.Semaphore == nil { // no other instance took the time
			remedy = "Raise the time limit."
		}
	case client.CertificateNotTrusted:
		remedy = certificateRemedy(failure.Certificate)
	case client.Status:
		remedy = statusRemedy(failure.StatusCode)
		asksForCredentials = failure.StatusCode == http.StatusUnauthorized || failure.StatusCode == http.StatusForbidden
	}
	switch {
	case !asksForCredentials:
		return remedy
	case failure.HeadersWithheld:
		return remedy + " The request_headers were not sent, because the redirect leads to another origin. If that is the instance, set " +
			"the base URL to it."
	case len(f.request.Headers) > 0:
		return remedy + " The request_headers were sent: check their names and values."
	case len(f.provider.headers) > 0:
		return fmt.Sprintf("%s The provider's request_headers were not sent, because they are only for %s, the origin of its own base_url.",
			remedy, f.provider.baseURL.Origin)
	default:
		return remedy + " If it requires credentials, send them with request_headers."
	}
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
