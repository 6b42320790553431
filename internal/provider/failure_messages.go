package provider

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// failureMessage is what a user reads about a kind of failure, besides the evidence. Its remedy is true of every
// failure of the kind. Advice that is true of only some of them is on
// the troubleshooting page, listed by the words of the evidence.
type failureMessage struct{ summary, remedy string }

// failureMessages has a message for each kind of failure. The remedies of statuses are in statusRemedy.
//
//exhaustive:enforce
var failureMessages = map[client.Kind]failureMessage{
	client.HostNotResolved: {
		"Host name of the instance not resolved",
		"Check the host name in " + target + ", and the name servers of the machine that runs Terraform. For a name that " +
			"only other programs resolve (mDNS, *.localhost), set the provider's connect_to to its address and port.",
	},
	client.ConnectionFailed: {
		"Instance not reachable",
		"Check the host and the port in " + target + ", that the instance is running, and the firewalls in between.",
	},
	client.NoResponseInTime: {
		"Instance did not answer in time",
		"Check that whatever did not answer is up. If it is only slow, raise the time limit.",
	},
	client.CertificateNotTrusted: {
		"Certificate of the instance not trusted",
		"If only the issuer is unknown, and you trust it, add its CA certificate to the provider's ca_cert_pem (a server " +
			"must send its whole chain, except for the root). Otherwise, set the base URL to a name that the certificate " +
			"covers, or have what the error says corrected in the certificate.",
	},
	client.HandshakeFailed: {
		"TLS handshake with the instance failed",
		"Check the scheme and the host name of the base URL, " + port + ", the TLS versions of the server, and whether it " +
			"requires a client_cert_pem, or refuses the one that is set.",
	},
	client.NoTLS: {
		"Port of the instance does not speak TLS",
		"Write the base URL with http://, or correct " + port + ".",
	},
	client.NoValidResponse: {
		"No valid response of the instance",
		"Check the scheme of the base URL, " + port + ", the log of the instance, and what is between it and Terraform.",
	},
	client.RedirectNotFollowed: {
		"Redirect of the instance not followed",
		whereItAnswers + " If it redirects in a loop, check what the proxy in front of it does.",
	},
	client.Status: {summary: "Instance answered with status"},
	client.NotJSON: {
		"Response of the instance is not JSON",
		"Check that the base URL is the address of the API, which often is that of the web page with /api at its end. If a " +
			"gateway that belongs there asked for a login, make sure that it gets the request_headers that it asks for.",
	},
	client.NotInstanceDocument: {
		"Response is not an instance document",
		"Check the base URL. If it is right, the operator of the instance has to correct what it reports, or the provider " +
			"does not know its release: before 1.1.0, or newer than the provider.",
	},
	client.ProxyFailed: {
		"Instance not reachable through the proxy",
		"Check the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY (or in lower case), and what the proxy allows.",
	},
	client.NotAsExpected: {
		"Instance does not report what is expected",
		"Check which release and which settings the server runs. If what it reports is right, change expected.",
	},
	client.NotStable: {
		"Instance was not stable for long enough",
		"If an attempt failed, check the log of the instance, which may stop and start again, and of what is in front of " +
			"it. If it only needs longer, raise the time limit.",
	},
	client.AnsweredByCache: {
		"A cache answered instead of the instance",
		"Exclude /instance from the cache.",
	},
}

// The first two stand in a remedy for what names the host and the port that were connected to. The others are sentences
// that several remedies share, or that a fact adds.
const (
	target = "{target}"
	port   = "{port}"

	whereItAnswers = "Set the base URL to where the instance itself answers."
	redirectLed    = "A redirect led there: set the base URL to where the instance itself answers, " +
		"or correct the redirect. "
	proxyMayBeIt  = " The proxy may also be the cause: check NO_PROXY, and what the proxy allows."
	readTheOthers = " To read the other instances anyway, set allow_failures = true."
	mayBeMisread  = " Check how the server read its settings, too: " + misread + "."
)

func statusRemedy(code int) string {
	switch {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return "An instance needs no credentials for this, so something else refused. If a gateway belongs there, make " +
			"sure that it gets the request_headers that it asks for."
	case code == http.StatusBadRequest:
		return "Check the scheme of the base URL, and whether the server requires client_cert_pem."
	case code == http.StatusNotFound:
		return "Check the path of the base URL, to which /instance is added. Behind a proxy, it is often /api; the server " +
			"itself has none."
	case code == http.StatusTooManyRequests:
		return "Raise the limit of the server, send fewer requests at once, or raise retry.max_delay."
	case code/100 == 3:
		return whereItAnswers
	// A 511 asks for a login.
	case code >= http.StatusInternalServerError && code != http.StatusNetworkAuthenticationRequired:
		return "Check the log of the instance, and of what is in front of it."
	default:
		return "An instance answers 200, so compare the base URL, the request_headers and the client_cert_pem " +
			"with what answered."
	}
}

func summaryOf(failure *client.Failure) string {
	if failure.Kind == client.Status {
		return fmt.Sprintf("%s %d", failureMessages[failure.Kind].summary, failure.StatusCode)
	}
	return failureMessages[failure.Kind].summary
}

// remedyOf returns what to do about a failure: the text of its kind, and a sentence that each of two facts adds.
func remedyOf(failure *client.Failure) string {
	text := failureMessages[failure.Kind].remedy
	if failure.Kind == client.Status {
		text = statusRemedy(failure.StatusCode)
	}
	words := strings.NewReplacer(target, "the base URL", port, "its port")
	if failure.Route.ConnectTo != "" { // nothing else was looked up or connected to
		words = strings.NewReplacer(target, "connect_to", port, "the port in connect_to")
	}
	text = words.Replace(text)
	if failure.Route.RedirectedTo != "" && failure.Kind != client.RedirectNotFollowed && failure.StatusCode/100 != 3 {
		text = redirectLed + text
	}
	if failure.Route.Proxy != "" && failure.Kind != client.ProxyFailed {
		text += proxyMayBeIt
	}
	return text
}
