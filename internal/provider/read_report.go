package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

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
		return canceledDetail(r.err, r.evidence(), "")
	}
	made := ""
	if r.err.Attempts > 1 {
		made = count(r.err.Attempts, "attempt") + " made. "
	}
	return paragraphs(r.evidence(), strings.TrimSpace(made+r.ending()), r.remedy()+otherRemedy, moreHelp)
}

// canceledDetail returns the detail of a read or a wait that was canceled. There may be no evidence, and then there is no remedy.
func canceledDetail(err *client.ReadError, evidence, remedy string) string {
	made := "Canceled after " + count(err.Attempts, "attempt")
	if evidence == "" {
		return paragraphs(fmt.Sprintf("%s: GET %s.", made, err.URL), moreHelp)
	}
	return paragraphs(made+". The last complete attempt found this:", evidence, remedy, moreHelp)
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
	case client.HostNotResolved, client.ConnectionFailed, client.HandshakeFailed, client.NoTLS, client.InvalidResponse,
		client.ResponseTooLarge, client.NotInstanceDocument:
		return true
	case client.ConnectionBroken:
		return !failure.IsTLS
	case client.CertificateNotTrusted:
		return failure.CertificateFault == client.WrongHost
	case client.Status:
		return failure.StatusCode == http.StatusNotFound || isAnyOtherStatus(failure)
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
	needsCertificate := failure.Kind == client.HandshakeFailed || failure.Kind == client.ConnectionBroken && failure.IsTLS
	needsAnything := isAnyOtherStatus(failure)
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
		return " If it requires credentials, set request_headers in the provider block that is used here."
	case failure.Kind == client.ConnectionBroken && failure.IsTLS:
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
		"base_url of a provider block to this instance. Headers that are not secret can be set on a data source, too."
}
