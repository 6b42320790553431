package provider

import (
	"net/http"
	"runtime"
	"slices"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

const (
	adviceCache    = "A cache answered in place of the instance: exclude /instance from it."
	adviceUnstable = "Check the log of the server: it may stop and start again. Behind a load balancer, or a name with " +
		"several addresses, one of several servers may still run the old release."
	adviceUnexpected = "Check that the server runs the release and the settings that are expected, and how it read " +
		"them. If what it reports is right, change expected."
	headersNotSent = "The provider's request_headers were not sent: they are only for the origin of the provider's own " +
		"base_url, which is not this instance's. "
	asksForMore = "An instance requires no credentials for this, so a proxy in front of it does: "
)

// advice returns what to do about a failed read, the most likely first: one or more sentences each.
func (f failedRead) advice() (advice []string) {
	if f.err.Ending == client.Unstable { // it was ready, and maybe still is
		if f.err.Failure != nil && f.err.Failure.StatusCode == http.StatusTooManyRequests {
			return []string{f.adviceRateLimit()}
		}
		return []string{sentences(adviceUnstable, f.adviceRateLimit()),
			"The timeout includes the start and stable_for: if they need longer, " + f.op.raiseTimeout()}
	}
	hasCause := false
	for _, row := range f.adviceTable() {
		if !row.applies || row.isCause && hasCause {
			continue
		}
		hasCause = hasCause || row.isCause
		if row.text != "" {
			advice = append(advice, row.text)
		}
	}
	return advice
}

// adviceRateLimit returns advice for a wait whose last failure can come from a limit of requests. Otherwise "".
func (f failedRead) adviceRateLimit() string {
	limits := map[int]string{
		http.StatusTooManyRequests:    "The instance limits requests",
		http.StatusForbidden:          "A proxy may limit requests, as haproxy does with status 403",
		http.StatusServiceUnavailable: "A proxy may limit requests, as limit_req of nginx does with status 503",
	}
	if f.err.Failure == nil || limits[f.err.Failure.StatusCode] == "" {
		return ""
	}
	return limits[f.err.Failure.StatusCode] + ", and a wait asks about five times a second at first: raise that limit, or " +
		f.op.raiseTimeout()
}

// adviceRow says what to do about a failure if it applies. Of the rows with isCause, which say what the failure most
// likely comes from, only the first that applies is given.
type adviceRow struct {
	isCause, applies bool
	text             string
}

func also(applies bool, text string) adviceRow  { return adviceRow{false, applies, text} }
func cause(applies bool, text string) adviceRow { return adviceRow{true, applies, text} }

// adviceTable is read from top to bottom. What applies is given in this order.
func (f failedRead) adviceTable() []adviceRow {
	op, failure, code := f.op, f.err.Failure, f.err.Failure.StatusCode
	isPlainHTTP := strings.HasPrefix(strings.ToLower(f.err.URL), "http:")
	hasClientCert := op.provider.hasClientCert && !isPlainHTTP
	wasStable := f.err.Streak.Attempts > 0
	redirected := failure.RedirectedTo != "" && !f.is(client.KindRedirect, client.KindRedirectLoop) // which are failures
	requiresCredentials := f.is(client.KindStatus) && (code == http.StatusUnauthorized || code == http.StatusForbidden)
	withheldCredentials := failure.OtherOrigin && (requiresCredentials || f.is(client.KindClientCertificate))
	connectToNotReached := failure.ConnectTo != "" && !failure.Connected
	fails := code >= http.StatusInternalServerError
	interrupted := f.err.Ending == client.TimeRanOut && !failure.TimedOut // by the time limit of the whole read
	waitedInVain := op.waits && !wasStable && f.err.OutOfTime()           // after a streak, there was enough time
	typicalOfAStart := fails || f.err.Attempts > 0 && failure.RedirectedTo == "" &&
		f.is(client.KindResolve, client.KindConnect, client.KindTimeout, client.KindBroken)

	requestHeaders, askForLess := "request_headers", "run with a lower -parallelism"
	if !op.fromDataSource() {
		requestHeaders = "the provider's request_headers"
	}
	if op.purpose == readMany {
		askForLess = "lower max_concurrency"
	}
	trust, raiseLimit := "set the provider's ca_cert_pem to ", "raise the provider's request_timeout."
	if op.provider.hasCACerts {
		trust = "add to ca_cert_pem "
	}
	if interrupted {
		raiseLimit = op.raiseTimeout()
	}
	oldServer, mayNotHaveStarted := "", ""
	if op.waits {
		mayNotHaveStarted = "Check the server's log: it may not have started. "
	}
	if op.waits && failure.ProxyForwards {
		oldServer = ", which may keep a connection to an old server"
	}
	return []adviceRow{
		also(failure.CacheAgeSeconds > 0 && !f.is(client.KindCached), adviceCache),
		also(f.is(client.KindUnexpected), differenceRemedies(f.err.Differences)),
		also(redirected && !withheldCredentials,
			"The base URL redirects, and what failed is where it leads: check where the instance, or a proxy in front of it, "+
				"redirects. If the instance itself answers at another address, set the base URL to that."),

		// The server was ready once.
		cause(wasStable && f.is(client.KindUnexpected), adviceUnstable+" "+adviceUnexpected),
		cause(wasStable && code == http.StatusTooManyRequests, f.adviceRateLimit()),
		cause(wasStable && !f.is(client.KindCached, client.KindLocal), sentences(adviceUnstable, f.adviceRateLimit())),

		// Credentials, also those of a proxy.
		cause(withheldCredentials,
			"request_headers and the client certificate are sent only to the origin of the base URL, and a redirect led to "+
				"another: set the base URL to the address that the redirect leads to."),
		cause(code == http.StatusProxyAuthRequired,
			"The proxy requires credentials that it accepts. The provider sends those in the URL in HTTP_PROXY or "+
				"HTTPS_PROXY, as Basic authentication: add or correct them, or exclude the host with NO_PROXY."),
		cause(requiresCredentials && failure.HeadersSent, "request_headers were sent, and refused: check their names and values."),
		cause(requiresCredentials && len(op.provider.headers) > 0 && op.fromDataSource(),
			headersNotSent+"Set the provider's base_url to this instance, or set request_headers on the data source."),
		cause(requiresCredentials && len(op.provider.headers) > 0, headersNotSent+
			"Set the provider argument of the resource to a provider block (with an alias) whose base_url is this instance."),
		cause(requiresCredentials && hasClientCert, asksForMore+"check that it asks for the client certificate "+
			"and accepts that in client_cert_pem, or send what else it requires with "+requestHeaders+"."),
		cause(requiresCredentials && isPlainHTTP, asksForMore+"send them with "+requestHeaders+"."),
		cause(requiresCredentials, asksForMore+"send them with "+requestHeaders+
			", or set the provider's client_cert_pem and client_key_pem."),
		cause(f.is(client.KindClientCertificate) && hasClientCert,
			"The server did not accept the client certificate: check that client_cert_pem has not expired, has its chain, and "+
				"is of an authority that the server trusts."),
		cause(f.is(client.KindClientCertificate),
			"The server asked for a client certificate: set the provider's client_cert_pem and client_key_pem."),

		// The connection.
		cause(f.is(client.KindLocal),
			"This machine refused to connect, and asked no server. If it ran out of files, ports or memory, "+askForLess+
				", or raise its limits (ulimit -n). If it has no route to the address, check its network and, for an IPv6 "+
				"address, whether it has IPv6."),
		cause(connectToNotReached,
			"The connection went to the provider's connect_to: check its host and port, and that the tunnel there is running."),
		cause(f.is(client.KindResolve, client.KindNameServer) && !redirected && f.isLocalName(),
			"The provider looks names up in /etc/hosts and DNS alone, and not by mDNS or as *.localhost, as other programs "+
				"do: check the name in the base URL, or set the provider's base_url to it and connect_to to its address."),
		cause(f.is(client.KindNameServer),
			"Check the name servers of the machine that runs Terraform: whether it can reach them, and what they log. If they "+
				"are slow, or drop questions for IPv6 addresses (AAAA), raise request_timeout and "+op.timeoutArgument+"."),
		cause(f.is(client.KindProxy, client.KindProxySettings),
			"Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and what the proxy allows."),
		cause(f.is(client.KindTLSProtocol, client.KindHTTP2Only),
			"The server speaks HTTP/2 only, and the provider speaks HTTP/1.1: enable HTTP/1.1 on the server, or a proxy."),
		cause(f.is(client.KindTLSVersion),
			"The server and the provider have no TLS version in common: the server must support TLS 1.2 or later."),
		cause(f.is(client.KindCertificateUnusable, client.KindCertificateUnfit),
			"Have the certificate of the server reissued: no setting of the provider makes it valid."),
		cause(f.is(client.KindCertificateExpired),
			"Have the certificate renewed, unless the clock of the machine that runs Terraform is wrong. If that of an "+
				"authority has expired, replace it in ca_cert_pem, or in the chain that the server sends."),
		cause(f.is(client.KindCertificateSelfSigned), "No certificate authority signed it: "+trust+"the certificate itself."),
		cause(f.is(client.KindCertificate) && failure.CACertsLeftOut,
			"If a certificate that was left out signed it, have that one reissued, and replace it in ca_cert_pem. If not, add "+
				"the certificate of the authority that did."),
		cause(f.is(client.KindCertificate) && failure.SystemCAsMissing,
			"Install the CA certificates of the system where Terraform runs (the package ca-certificates), and let it read "+
				"them. If a private certificate authority signed the certificate, "+trust+"that authority's certificate."),
		cause(f.is(client.KindCertificate),
			"If a private certificate authority signed the certificate, "+trust+"that authority's certificate. If a public "+
				"one did, the server may not send its intermediate certificates: have it send the whole chain."),

		// The answer, or none in time.
		cause(f.is(client.KindTimeout) && f.err.Attempts == 0 && op.purpose == readMany,
			"Raise timeouts.read, or max_concurrency so that more instances are asked at once."),
		cause(f.is(client.KindTimeout) && f.err.Attempts == 0, sentence(op.raiseTimeout())),
		cause(f.is(client.KindTimeout), "Check that the instance is up and can be reached. If it is only slow, "+raiseLimit),
		cause(f.is(client.KindBroken),
			"Check the log of the instance, or of the proxy in front of it, for why it closed the connection."),
		cause(f.is(client.KindStatus) && code == http.StatusTooManyRequests && f.err.OutOfTime(),
			"The instance limits requests: "+askForLess+", or "+op.raiseTimeout()),
		cause(f.is(client.KindStatus) && code == http.StatusTooManyRequests,
			"The instance limits requests: "+askForLess+", or raise the provider's retry.max_delay and retry.max_attempts."),
		cause(f.is(client.KindStatus) && fails, "The instance, or a proxy in front of it, is failing: check its log."),
		cause(f.is(client.KindEmptyBody, client.KindOtherJSON),
			"Check the log of the server, and that the base URL names an instance of the file transfer service."),
		cause(f.is(client.KindCutShort),
			"The document was cut short: check the log of the server, and of the proxy in front of it."),
		cause(f.is(client.KindDamaged, client.KindEncodedBody),
			"It answered HTTP: check how the server, or a proxy in front of it, writes and encodes its responses."),
		cause(f.is(client.KindDocument),
			"Check that the base URL names an instance of the file transfer service. If it does, its operator has to fix the "+
				"fields named."),
		cause(f.is(client.KindUnexpected), adviceUnexpected),
		cause(f.is(client.KindCached), adviceCache),

		// Everything from here on is about the base URL, which is not at fault after a redirect.
		cause(redirected, ""),
		cause(f.is(client.KindHTTPSOnly), "The server expects TLS on this port: write the base URL with https://."),
		cause(f.is(client.KindTLSHostName),
			"The server may not know this host name: check that in the base URL. If it is an address, write the name of the "+
				"instance, and set the provider's connect_to to the address."),
		cause(f.is(client.KindNoTLS),
			"If the instance serves plain HTTP, write the base URL with http://. Otherwise check its port."),
		cause(f.is(client.KindTLS),
			"The server speaks TLS, but no handshake was made: it may share no cipher suite with the provider, or not know the "+
				"host name in the base URL, or a proxy or firewall may change what is sent. Check its log."),
		cause(f.is(client.KindCertificateName),
			"Use a host name in the base URL that the certificate is for (connect_to can still lead to another address), or "+
				"have the certificate reissued. ca_cert_pem does not help. An ingress controller shows a placeholder until it has "+
				"the certificate of the host."),
		cause(f.is(client.KindResolve),
			"Check the host name in the base URL, and that the machine that runs Terraform can resolve it."),
		cause(f.is(client.KindConnect), mayNotHaveStarted+"Check the host and port in the base URL, that the instance is "+
			"running, and that no firewall blocks the connection."),
		cause(f.is(client.KindNotHTTP), "Check that the base URL names the port on which the instance serves HTTP."),
		cause(f.is(client.KindRedirectLoop),
			"If a proxy in front of the instance ends TLS, and the instance redirects to https, have the proxy send "+
				"X-Forwarded-Proto, or end the redirect. If a page wants a cookie, which the provider never keeps, exclude "+
				"/instance from that page."),
		cause(f.is(client.KindRedirect), "Set the base URL to the address at which the instance itself answers."),
		cause(code == http.StatusNotFound && strings.HasSuffix(f.err.URL, "/instance/instance"),
			"The base URL ends in /instance, a path that the provider adds itself: remove it."),
		cause(code == http.StatusNotFound,
			"Check the path of the base URL: the provider adds /instance to it. Instances often live under a path such as "+
				"/api."),
		cause(code == http.StatusMisdirectedRequest,
			"The server requires one name in TLS and as Host: write that name into the base URL, and set connect_to to "+
				"the address, in place of a Host header."),
		cause(f.is(client.KindStatus) && failure.HeadersSent,
			"An instance answers 200: check the request_headers that were sent, the base URL, and what a proxy allows."),
		cause(f.is(client.KindStatus),
			"An instance answers 200: check the base URL, and what a proxy in front of the instance allows."),
		cause(f.is(client.KindLargeHead),
			"Check that the base URL names an instance. If it does, check what the proxy in front of it adds to its "+
				"responses, such as cookies."),
		cause(f.is(client.KindLargeBody),
			"An instance document has less than a kilobyte: check that the base URL names an instance."),
		cause(f.is(client.KindWebPage),
			"Check that the base URL is the address of the instance's API, not of its web page: instances often live under a "+
				"path such as /api."),
		cause(f.is(client.KindNotJSON),
			"Check that the base URL is the address of the instance's API: instances often live under a path such as /api."),

		// Less likely causes.
		also(code == http.StatusForbidden && f.is(client.KindStatus), "If it refuses whatever is sent, it may not allow this "+
			"machine's address, or programs that are no browsers: exclude /instance from that."),
		also(f.is(client.KindBroken) && !failure.Answered && isPlainHTTP && !redirected,
			"If the server expects TLS on this port, write the base URL with https://."),
		also(!f.is(client.KindUnexpected), differenceRemedies(f.err.Differences)),
		also(f.is(client.KindWebPage) || failure.OtherOrigin && f.is(client.KindResolve, client.KindConnect),
			"If that is a login page, a proxy in front of the instance requires credentials: send them with "+requestHeaders+"."),
		also(failure.Proxy != "" && !f.is(client.KindProxy, client.KindLocal) && code != http.StatusProxyAuthRequired,
			"The request went through the proxy in "+failure.Proxy+oldServer+": check it too, or exclude the host with NO_PROXY."),
		also(op.waits && f.is(client.KindResolve) && !connectToNotReached,
			"If the name is new, name servers may remember for a few minutes that it did not exist: wait for it with "+
				"depends_on, on the resource that creates its DNS record."),
		also(op.fromDataSource() && !op.waits && typicalOfAStart,
			"If this apply creates the instance, or if plans must go on while it is down, use the resource "+
				"filetransfer_instance_record. To make this data source wait for a new instance, set wait_until_ready = true."),
		also(waitedInVain && (fails || f.is(client.KindResolve, client.KindConnect) ||
			f.is(client.KindNameServer, client.KindTimeout) && !interrupted), // or the cause names the timeout
			"If the instance needs longer to start, "+op.raiseTimeout()),
	}
}

func (f failedRead) is(kinds ...*client.Kind) bool { return slices.Contains(kinds, f.err.Failure.Kind) }

// isLocalName reports whether the base URL has a host that programs often find without DNS, with modules of the system.
func (f failedRead) isLocalName() bool {
	parsed, err := address.ParseBaseURL(strings.TrimSuffix(f.err.URL, "/instance"))
	if err != nil || runtime.GOOS == "windows" || runtime.GOOS == "darwin" { // they look names up for Go
		return false
	}
	host := strings.TrimSuffix(parsed.Document.Hostname(), ".")
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local")
}

// raiseTimeout returns advice to raise the limit of the whole read.
func (op readOperation) raiseTimeout() string {
	if op.purpose == refreshRecord {
		return "raise timeouts.read; a refresh uses the new value after the next apply."
	}
	return "raise " + op.timeoutArgument + "."
}
