package provider

import (
	"net/http"
	"slices"
	"strings"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// failedRead is what advice depends on. Its failure is the zero value if the instance did not fail, but was not stable yet.
type failedRead struct {
	read    *client.ReadError
	failure client.Failure
	op      readOperation
}

// adviceRow says what to do about the failures to which it applies.
type adviceRow struct {
	applies func(failedRead) bool
	// text is one or more sentences. adviceOn replaces the words in braces.
	text string
	// cause is true for what a failure most likely comes from: of these rows, only the first that applies is given.
	cause bool
}

func also(applies func(failedRead) bool, text string) adviceRow {
	return adviceRow{applies: applies, text: text}
}

func cause(applies func(failedRead) bool, text string) adviceRow {
	return adviceRow{applies: applies, text: text, cause: true}
}

const (
	adviceCache    = "A cache answered in place of the instance: exclude /instance from it."
	adviceUnstable = "Check the log of the server: it may stop and start again. Behind a load balancer, or a name with several " +
		"addresses, one of several servers may still run the old release."
	adviceUnexpected = "Check that the server runs the release and the settings that are expected, and how it read them. If what it " +
		"reports is right, change expected."
	adviceConnect = "Check the host and port in the base URL, that the instance is running, and that no firewall blocks the connection."
)

// adviceTable is read from top to bottom. What applies is given in this order.
var adviceTable = []adviceRow{
	also(fromCache, adviceCache),
	also(allOf(kind(client.KindUnexpected), hasRemedies), "{differences}"),
	also(allOf(redirected, not(credentialsWithheld)),
		"The base URL redirects, and what failed is where it leads: check where the instance, or a proxy in front of it, redirects. "+
			"If the instance itself answers at another address, set the base URL to that."),

	// The server was ready once.
	cause(allOf(unstable, wasRateLimited),
		"The instance limits requests, and a wait asks it about five times a second at first: raise that limit, or {raise the timeout}"),
	cause(unstable, adviceUnstable),
	cause(allOf(wasStable, kind(client.KindUnexpected)), adviceUnstable+" "+adviceUnexpected),
	cause(allOf(wasStable, not(kind(client.KindCached))), adviceUnstable),

	// Credentials, also those of a proxy.
	cause(credentialsWithheld,
		"request_headers and the client certificate are sent only to the origin of the base URL, and a redirect led to another: set "+
			"the base URL to the address that the redirect leads to."),
	cause(status(http.StatusProxyAuthRequired),
		"The proxy requires credentials that it accepts. The provider sends those in the URL in HTTP_PROXY or HTTPS_PROXY, as Basic "+
			"authentication: add or correct them, or exclude the host with NO_PROXY."),
	cause(allOf(credentialsRequired, headersSent), "request_headers were sent, and refused: check their names and values."),
	cause(allOf(credentialsRequired, hasProviderHeaders, fromDataSource), providerHeadersNotSent+
		"Set the provider's base_url to this instance, or set request_headers on the data source."),
	cause(allOf(credentialsRequired, hasProviderHeaders), providerHeadersNotSent+
		"Set the provider argument of the resource to a provider block (with an alias) whose base_url is this instance."),
	cause(credentialsRequired,
		"An instance requires no credentials for this, so a proxy in front of it does: send them with {request_headers}, or set the "+
			"provider's client_cert_pem and client_key_pem."),
	cause(kind(client.KindClientCertificate),
		"The server asked for a client certificate: set the provider's client_cert_pem and client_key_pem to one that it accepts."),

	// The connection.
	cause(connectToNotReached,
		"The connection went to the provider's connect_to: check its host and port, and that the tunnel or port-forward there is running."),
	cause(kind(client.KindNameServer),
		"Check the name servers of the machine that runs Terraform: whether it can reach them, and what they log."),
	cause(kind(client.KindProxy),
		"Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and what the proxy allows."),
	cause(kind(client.KindTLSProtocol, client.KindHTTP2Only),
		"The server speaks HTTP/2 only, and the provider speaks HTTP/1.1: enable HTTP/1.1 on the server, or on the proxy in front of "+
			"the instance."),
	cause(kind(client.KindTLSVersion),
		"The server and the provider have no TLS version in common: the server must support TLS 1.2 or later."),
	cause(kind(client.KindCertificateExpired),
		"Have the certificate renewed, and check the clock of the machine that runs Terraform. ca_cert_pem does not help against an "+
			"expired certificate."),
	cause(kind(client.KindCertificateSelfSigned),
		"No certificate authority signed it: set the provider's ca_cert_pem to the certificate itself."),
	cause(kind(client.KindCertificate),
		"If a private certificate authority signed the certificate, set the provider's ca_cert_pem to that authority's certificate."),

	// The answer, or none in time.
	cause(allOf(nothingRequested, forFleet), "Raise timeouts.read, or max_concurrency so that more instances are asked at once."),
	cause(nothingRequested, "{Raise the timeout}"),
	cause(allOf(kind(client.KindTimeout), interrupted),
		"Check that the instance is up and can be reached. If it is only slow, {raise the timeout}"),
	cause(kind(client.KindTimeout),
		"Check that the instance is up and can be reached. If it is only slow, raise the provider's request_timeout."),
	cause(kind(client.KindBroken),
		"Check the log of the instance, or of the proxy in front of it, for why it closed the connection."),
	cause(allOf(status(http.StatusTooManyRequests), outOfTime),
		"The instance limits requests: {ask for less at once}, or {raise the timeout}"),
	cause(status(http.StatusTooManyRequests),
		"The instance limits requests: {ask for less at once}, or raise the provider's retry.max_delay and retry.max_attempts."),
	cause(serverError, "The instance, or a proxy in front of it, is failing: check its log."),
	cause(kind(client.KindEmptyBody, client.KindErrorMessage),
		"Check the log of the server, and that the base URL names an instance of the file transfer service."),
	cause(kind(client.KindCutShort),
		"The document was cut short: check the log of the server, and of the proxy in front of it."),
	cause(kind(client.KindDamagedBody, client.KindEncodedBody),
		"It answered HTTP: check what the proxy in front of the instance does to the body of its responses."),
	cause(kind(client.KindDocument),
		"Check that the base URL names an instance of the file transfer service. If it does, its operator has to fix the fields named."),
	cause(kind(client.KindUnexpected), adviceUnexpected),
	cause(kind(client.KindCached), adviceCache),

	// Everything from here on is about the base URL, which is not at fault after a redirect.
	cause(redirected, ""),
	cause(kind(client.KindHTTPSOnly), "The server expects TLS on this port: write the base URL with https://."),
	cause(kind(client.KindTLSHostName), "The server does not know this host name: check the host name in the base URL."),
	cause(kind(client.KindTLS),
		"If the instance serves plain HTTP, write the base URL with http://. If the server requires a client certificate, set the "+
			"provider's client_cert_pem and client_key_pem."),
	cause(kind(client.KindCertificateName),
		"Use a host name in the base URL that the certificate is for, or have the certificate reissued. ca_cert_pem does not help."),
	cause(kind(client.KindResolve),
		"Check the host name in the base URL, and that the machine that runs Terraform can resolve it."),
	cause(allOf(kind(client.KindConnect), waits), "Check the server's log: it may not have started. "+adviceConnect),
	cause(kind(client.KindConnect), adviceConnect),
	cause(kind(client.KindNotHTTP), "Check that the base URL names the port on which the instance serves HTTP."),
	cause(kind(client.KindRedirect), "Set the base URL to the address at which the instance itself answers."),
	cause(allOf(status(http.StatusNotFound), pathIsDoubled),
		"The base URL ends in /instance, a path that the provider adds itself: remove it."),
	cause(status(http.StatusNotFound),
		"Check the path of the base URL: the provider adds /instance to it. Instances often live under a path such as /api."),
	cause(kind(client.KindStatus),
		"An instance answers 200: check the base URL, and what a proxy in front of the instance allows."),
	cause(kind(client.KindLargeHead),
		"Check that the base URL names an instance. If it does, check what the proxy in front of it adds to its responses, such as "+
			"cookies."),
	cause(kind(client.KindLargeBody),
		"An instance document has less than a kilobyte: check that the base URL names an instance."),
	cause(kind(client.KindWebPage),
		"Check that the base URL is the address of the instance's API, not of its web page: instances often live under a path such as "+
			"/api."),
	cause(kind(client.KindNotJSON),
		"Check that the base URL is the address of the instance's API: instances often live under a path such as /api."),

	// Less likely causes.
	also(allOf(not(redirected), brokeBeforeAnswer), "If the server expects TLS on this port, write the base URL with https://."),
	also(allOf(not(kind(client.KindUnexpected)), hasRemedies), "{differences}"),
	also(anyOf(kind(client.KindWebPage), otherOriginNotReached),
		"If that is a login page, a proxy in front of the instance requires credentials: send them with {request_headers}."),
	also(allOf(throughProxy, waits, isPlainHTTP),
		"The request went through the proxy in {proxy}, which may keep a connection to an old server: check that proxy too, or exclude "+
			"the host with NO_PROXY."),
	also(allOf(throughProxy, not(allOf(waits, isPlainHTTP))),
		"The request went through the proxy in {proxy}: check that proxy too, or exclude the host with NO_PROXY."),
	also(allOf(kind(client.KindResolve), waits, not(connectToNotReached)),
		"If the name is new, name servers may remember for a few minutes that it did not exist: wait for it with depends_on, on the "+
			"resource that creates its DNS record."),
	also(allOf(fromDataSource, not(waits), typicalOfAStart),
		"If this apply creates the instance, or if plans must go on while it is down, use the resource filetransfer_instance_record. To "+
			"make this data source wait for a new instance, set wait_until_ready = true."),
	also(allOf(waits, mayHaveBeenTooShort), "If the instance needs longer to start, {raise the timeout}"),
}

const providerHeadersNotSent = "The provider's request_headers were not sent: they are only for the origin of the provider's own base_url, " +
	"which is not this instance's. "

// adviceOn returns what to do about a failed read, the most likely first: one or more sentences each.
func adviceOn(err *client.ReadError, op readOperation) (advice []string) {
	failed := failedRead{read: err, op: op}
	if err.Ending != client.Unstable {
		failed.failure = *err.Failure
	}
	hasCause := false
	for _, row := range adviceTable {
		if row.cause && hasCause || !row.applies(failed) {
			continue
		}
		hasCause = hasCause || row.cause
		if row.text != "" {
			advice = append(advice, failed.replacer().Replace(row.text))
		}
	}
	return advice
}

// replacer replaces the words in braces.
func (f failedRead) replacer() *strings.Replacer {
	headers, fewer := "request_headers", "run with a lower -parallelism"
	if !f.op.fromDataSource() {
		headers = "the provider's request_headers"
	}
	if f.op.purpose == readMany {
		fewer = "lower max_concurrency"
	}
	raise := "raise " + f.op.timeoutArgument + "."
	if f.op.purpose == refreshRecord {
		raise = "raise timeouts.read; a refresh uses the new value after the next apply."
	}
	return strings.NewReplacer(
		"{differences}", differenceRemedies(f.read.Differences),
		"{request_headers}", headers,
		"{ask for less at once}", fewer,
		"{raise the timeout}", raise,
		"{Raise the timeout}", sentence(raise),
		"{proxy}", f.failure.Proxy,
	)
}

// Conditions of the table, in the order in which it has them.

func allOf(conditions ...func(failedRead) bool) func(failedRead) bool {
	return func(f failedRead) bool {
		return !slices.ContainsFunc(conditions, func(applies func(failedRead) bool) bool { return !applies(f) })
	}
}

func anyOf(conditions ...func(failedRead) bool) func(failedRead) bool {
	return func(f failedRead) bool {
		return slices.ContainsFunc(conditions, func(applies func(failedRead) bool) bool { return applies(f) })
	}
}

func not(condition func(failedRead) bool) func(failedRead) bool {
	return func(f failedRead) bool { return !condition(f) }
}

func kind(kinds ...client.Kind) func(failedRead) bool {
	return func(f failedRead) bool { return slices.Contains(kinds, f.failure.Kind) }
}

func status(code int) func(failedRead) bool {
	return func(f failedRead) bool { return f.failure.StatusCode == code }
}

func fromCache(f failedRead) bool {
	return f.failure.CacheAgeSeconds > 0 && f.failure.Kind != client.KindCached
}

func hasRemedies(f failedRead) bool { return differenceRemedies(f.read.Differences) != "" }

// redirected is false for a redirect that was not followed: that one is the failure.
func redirected(f failedRead) bool {
	return f.failure.RedirectedTo != "" && f.failure.Kind != client.KindRedirect
}

func unstable(f failedRead) bool  { return f.read.Ending == client.Unstable }
func wasStable(f failedRead) bool { return f.read.Streak.Attempts > 0 }

func wasRateLimited(f failedRead) bool {
	return f.read.Failure != nil && f.read.Failure.StatusCode == http.StatusTooManyRequests
}

func credentialsRequired(f failedRead) bool {
	code := f.failure.StatusCode
	return f.failure.Kind == client.KindStatus && (code == http.StatusUnauthorized || code == http.StatusForbidden)
}

// credentialsWithheld reports whether headers or a client certificate that a server may require were not sent after a redirect.
func credentialsWithheld(f failedRead) bool {
	return f.failure.OtherOrigin && (credentialsRequired(f) || f.failure.Kind == client.KindClientCertificate)
}

func headersSent(f failedRead) bool        { return f.failure.HeadersSent }
func hasProviderHeaders(f failedRead) bool { return len(f.op.provider.headers) > 0 }
func fromDataSource(f failedRead) bool     { return f.op.fromDataSource() }

func connectToNotReached(f failedRead) bool { return f.failure.ConnectTo != "" && !f.failure.Connected }

func nothingRequested(f failedRead) bool {
	return f.failure.Kind == client.KindTimeout && f.read.Attempts == 0
}

func forFleet(f failedRead) bool { return f.op.purpose == readMany }

// interrupted reports whether the time limit of the whole read ended the last attempt.
func interrupted(f failedRead) bool { return f.read.Ending == client.TimeRanOut && !f.failure.TimedOut }

func outOfTime(f failedRead) bool { return f.read.OutOfTime() }

func serverError(f failedRead) bool {
	return f.failure.Kind == client.KindStatus && f.failure.StatusCode >= http.StatusInternalServerError
}

func waits(f failedRead) bool         { return f.op.waits }
func pathIsDoubled(f failedRead) bool { return strings.HasSuffix(f.read.URL, "/instance/instance") }

func isPlainHTTP(f failedRead) bool { return strings.HasPrefix(strings.ToLower(f.read.URL), "http:") }

func brokeBeforeAnswer(f failedRead) bool {
	return f.failure.Kind == client.KindBroken && !f.failure.Answered && isPlainHTTP(f)
}

func otherOriginNotReached(f failedRead) bool {
	return f.failure.OtherOrigin && (f.failure.Kind == client.KindResolve || f.failure.Kind == client.KindConnect)
}

func throughProxy(f failedRead) bool {
	return f.failure.Proxy != "" && f.failure.Kind != client.KindProxy
}

// typicalOfAStart reports whether a failure is typical of a starting instance, or of the proxy in front of it.
func typicalOfAStart(f failedRead) bool {
	switch f.failure.Kind {
	case client.KindResolve, client.KindConnect, client.KindTimeout, client.KindBroken:
		return f.read.Attempts > 0 && f.failure.RedirectedTo == "" // otherwise, nothing was asked yet, or something already redirects
	default:
		return f.failure.StatusCode >= http.StatusInternalServerError
	}
}

// mayHaveBeenTooShort reports whether a wait that ran out of time may only have been too short. After a streak, the instance had
// started already.
func mayHaveBeenTooShort(f failedRead) bool {
	switch {
	case unstable(f):
		return !wasRateLimited(f) // for that, the advice on the cause says so
	case wasStable(f) || !f.read.OutOfTime():
		return false
	}
	switch f.failure.Kind {
	case client.KindResolve, client.KindNameServer, client.KindConnect:
		return true
	case client.KindTimeout: // if the wait interrupted the attempt, the advice on the cause says so
		return !interrupted(f)
	default:
		return f.failure.StatusCode >= http.StatusInternalServerError
	}
}
