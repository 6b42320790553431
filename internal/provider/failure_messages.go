package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// failureMessage is what a user reads about a kind of failure, besides the evidence. Its remedy is true of every failure of the kind. Advice
// that is true of only some of them is on the troubleshooting page, listed by the words of the evidence.
type failureMessage struct{ summary, remedy string }

// failureMessages has a message for each kind of failure. The remedies of statuses and certificates are in statusRemedy and
// certificateRemedies.
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
		"Check the scheme and the port of the base URL, the log of the instance, and what is between it and Terraform.",
	},
	client.CertificateNotTrusted: {summary: "Certificate of the instance not trusted"},
	client.HandshakeFailed: {
		"TLS handshake with the instance failed",
		"Check the scheme, the host name and the port of the base URL, the TLS versions of the server, and whether it requires client_cert_pem.",
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
		whereItAnswers + " If it redirects in a loop, check what the proxy in front of it does.",
	},
	client.Status: {summary: "Instance answered with status"},
	client.ResponseTooLarge: {
		"Response of the instance too large",
		"Check that the base URL is that of an instance.",
	},
	client.NotJSON: {
		"Response of the instance is not JSON",
		"Check that the base URL is the address of the API, which often is that of the web page with /api at its end. If a gateway that " +
			"belongs there asked for a login, set request_headers.",
	},
	client.NotInstanceDocument: {
		"Response is not an instance document",
		"Check the base URL. If it is right, the operator of the instance has to correct what it reports. Releases before 1.1.0 cannot be read.",
	},
	client.NotAskedInTime: {
		"Instance not asked before the time ran out",
		"Raise the time limit. If there are many instances, raise max_concurrency, too.",
	},
	client.ProxyFailed: {
		"Instance not reachable through the proxy",
		"Check the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY (also in lower case), what the proxy allows, and, for an https proxy, " +
			"ca_cert_pem.",
	},
	client.NotAsExpected: {
		"Instance does not report what is expected",
		`Check which release and which settings the server runs, and how it read them: of 5e+09 or "5 GB", it reads 5. If what it ` +
			"reports is right, change expected.",
	},
	client.NotStable: {
		"Instance was not stable for long enough",
		"If an attempt failed, check the log of the instance: it may stop and start again, or one of several servers may still run the old " +
			"release. If it only needs longer, raise the time limit.",
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
	client.NotValidNow: "Have the certificate with that subject renewed (the server's, or that of a CA in between), and check the clock of " +
		"the machine that runs Terraform.",
	client.OtherFault: "Have what the error says corrected in the certificate of the server, or in that of one of its CAs.",
}

// The sentences that several remedies share.
const (
	whereItAnswers = "Set the base URL to where the instance itself answers."
	redirectLed    = "A redirect led there: set the base URL to where the instance itself answers, or correct the redirect. "
	proxyMayBeIt   = " The proxy may also be the cause: check NO_PROXY, and what the proxy allows."
)

func statusRemedy(code int) string {
	switch {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return "An instance needs no credentials for this, so something else refused. If a gateway belongs in front of it, set or correct " +
			"request_headers."
	case code == http.StatusNotFound:
		return "Check the path of the base URL, which often ends in /api, and to which /instance is added."
	case code == http.StatusTooManyRequests:
		return "Raise the limit of the server, send fewer requests at once, or raise retry.max_delay."
	case slices.Contains(client.RedirectStatuses, code):
		return whereItAnswers
	case code >= http.StatusInternalServerError && code != http.StatusNetworkAuthenticationRequired: // which asks for a login
		return "Check the log of the instance, and of what is in front of it."
	default:
		return "An instance answers 200, so compare the base URL, the request_headers and the client_cert_pem with what answered."
	}
}

func summaryOf(failure *client.Failure) string {
	if failure.Kind == client.Status {
		return fmt.Sprintf("%s %d", failureMessages[failure.Kind].summary, failure.StatusCode)
	}
	return failureMessages[failure.Kind].summary
}

// remedyOf returns what to do about a failure: the text of its kind, and two sentences that two facts add.
func remedyOf(failure *client.Failure) string {
	remedy := failureMessages[failure.Kind].remedy
	switch failure.Kind {
	case client.Status:
		remedy = statusRemedy(failure.StatusCode)
	case client.CertificateNotTrusted:
		remedy = certificateRemedies[failure.CertificateFault]
	}
	if failure.Asked.RedirectedTo != "" && !strings.HasPrefix(remedy, whereItAnswers) {
		remedy = redirectLed + remedy
	}
	if failure.Asked.Forwarded && failure.Kind != client.ProxyFailed {
		remedy += proxyMayBeIt
	}
	return remedy
}
