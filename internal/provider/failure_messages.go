package provider

import (
	"net/http"
	"slices"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

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

// isAnyOtherStatus reports whether a failure is a status for which there is no remedy of its own.
func isAnyOtherStatus(failure *client.Failure) bool {
	return failure.Kind == client.Status && statusRemedy(failure.StatusCode) == anyOtherStatus
}

const anyOtherStatus = "An instance answers 200, so something else answered, or something in front of it refused. Check the base URL, the " +
	"request headers and the client certificate against what answered."

// moreHelp ends every message about a read or a wait that failed.
const moreHelp = "More about this message: https://registry.terraform.io/providers/filetransfer/filetransfer/latest/docs/guides/troubleshooting"
