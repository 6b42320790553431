package client_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A reason says what a person can read in the body, and nothing twice. The Content-Type may be wrong.
func TestTextOfAServer(t *testing.T) {
	t.Parallel()
	const page, asJSON, notFound, badRequest = "text/html", "application/json", "status 404 Not Found: ", "status 400 Bad Request: "
	body, ones := instancetest.Body, strings.Repeat("1", 99)
	tests := map[string]struct {
		answer instancetest.Step
		want   string
	}{
		"JSON with a message":        {body(404, asJSON, `{"statusCode":404,"error":"Not Found","message":"Route GET:/x"}`), notFound + "Route GET:/x"},
		"JSON with an error":         {body(400, asJSON, `{"error":"Forbidden","reason":"not on the allowlist"}`), badRequest + `{"error":"Forbidden","reason":"not on the allowlist"}`},
		"JSON with neither":          {body(400, asJSON, `{"detail": {"a": [1]}}`), badRequest + `{"detail":{"a":[1]}}`},
		"JSON with blank messages":   {body(400, asJSON, `{"message":" ","error":"\u200b"}`), badRequest + `{"message":" ","error":""}`},
		"message that is no text":    {body(400, asJSON, `{"message":{"a":1}}`), badRequest + `{"message":{"a":1}}`},
		"JSON with escapes":          {body(400, asJSON, `["a\/b\u002bc"]`), badRequest + `["a/b+c"]`},
		"JSON with a member twice":   {body(400, asJSON, `{"a":"\u002b","a":1}`), badRequest + `{"a":"+","a":1}`},
		"JSON behind a mark":         {body(400, asJSON, "\ufeff"+`{"message":"x"}`), badRequest + "x"},
		"JSON as HTML":               {body(400, page, `{"message":"x"}`), badRequest + "x"},
		"text":                       {body(404, "text/plain", "upstream failed"), notFound + "upstream failed"},
		"text as HTML":               {body(404, page, "Maintenance until 10:00"), notFound + "Maintenance until 10:00"},
		"title":                      {body(404, page, "<html><title>No\n tenant</title><h1>Oops</h1></html>"), notFound + "No tenant"},
		"title in upper case":        {body(404, "", " \n<!DOCTYPE html><TITLE lang=en>a &lt;b&gt; &#x1b;&uuml;</TITLE>"), notFound + "a <b> ü"},
		"page without a title":       {body(404, page, "<style>p {}</style><script>x()</script><p>By <b>our</b> rules</p>"), notFound + "By our rules"},
		"XML":                        {body(404, "application/xml", "<?xml version=\"1.0\"?><Code>NoSuchBucket</Code>"), notFound + "NoSuchBucket"},
		"long text":                  {body(404, "", strings.Repeat("ä", 500)), notFound + strings.Repeat("ä", 199) + "…"},
		"no text at all":             {body(404, "", "a\xffb"), "status 404 Not Found"},
		"long text of the status":    {verbatim("HTTP/1.1 404 " + ones + ones + ones + "\r\n\r\n"), "status 404 " + (ones + ones)[:195] + "…"},
		"control characters":         {body(404, "", " \x1b[1mbold\r\n\tand\x00 \u202emore"), notFound + "[1mbold and more"},
		"status again, in JSON":      {body(404, asJSON, `{"message":"Not Found."}`), "status 404 Not Found"},
		"status again, in a title":   {body(502, page, "<title>502 Bad Gateway</title><h1>502 Bad Gateway"), "status 502 Bad Gateway"},
		"status again, in lowercase": {body(404, "", "not found\n"), "status 404 Not Found"},
		"status again, and more":     {body(403, page, "<title>403 Forbidden by policy</title>"), "status 403 Forbidden: by policy"},
		"nothing to be seen":         {body(404, "", " \u200b\n"), "status 404 Not Found"},
		"status that Go knows not":   {verbatim("HTTP/1.1 499\r\n\r\nno"), "status 499: no"},
		"status without a text":      {verbatim("HTTP/1.1 404 \r\n\r\nGone"), notFound + "Gone"},
		"text of the server":         {verbatim("HTTP/1.1 503 Maintenance until 10:00\r\n\r\nSee you"), "status 503 Maintenance until 10:00: See you"},
		"text of the server again":   {verbatim("HTTP/1.1 403 Blocked\r\n\r\n<title>403 Blocked</title>"), "status 403 Blocked"},
		"Go's text again":            {verbatim("HTTP/1.1 403 Blocked\r\n\r\n403 Forbidden"), "status 403 Blocked"},
		"text that is no line":       {verbatim("HTTP/1.1 403 \x1b[1mno \xff\r\n\r\n"), "status 403 [1mno"},
		"asked to wait":              {instancetest.Status(429, "Retry-After", "120"), "status 429 Too Many Requests, Retry-After: 120: The instance was told to answer 429"},
		"asked at length":            {verbatim("HTTP/1.1 429 X\r\nRetry-After: " + ones + "\r\n\r\n"), "status 429 X, Retry-After: " + ones[:59] + "…"},
		"not asked to wait":          {instancetest.Status(500, "Retry-After", "120"), "status 500 Internal Server Error: The instance was told to answer 500"},
		"cut short":                  {verbatim("HTTP/1.1 404 X\r\nContent-Length: 99\r\n\r\nGone"), "status 404 X"},
		"407 of the server itself":   {instancetest.Status(407), "status 407 Proxy Authentication Required: The instance was told to answer 407"},
	}
	config := newConfig()
	config.Retry.MaxAttempts = 1
	c := newClient(t, config)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure := readError(t, c, newRequest(t, serverURL(t, test.answer))).Failure
			check(t, "Reason", failure.Reason, test.want)
			check(t, "Kind", failure.Kind, client.Status)
			check(t, "Class", failure.Class(), strings.TrimSpace(fmt.Sprintf("status %d %s", failure.StatusCode, http.StatusText(failure.StatusCode))))
		})
	}
}

// Copies of a secret are found verbatim and URL-encoded, from 8 characters on.
func TestRedacted(t *testing.T) {
	t.Parallel()
	const long = "s3cret-T0ken-s3cret-T0ken-s3cret-T0ken-"
	basic := func(pair string) string {
		return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
	}
	tests := map[string]struct{ sent, text, want string }{
		"a value":            {"X-Api-Key: s3cret+<&>", "no s3cret+<&>!", "no (redacted)!"},
		"8 characters":       {"X-Api-Key: s3cret-8", "s3cret-8", "(redacted)"},
		"7 characters":       {"X-Env: staging", "staging", "staging"},
		"with spaces around": {"X-Api-Key: s3cret-8\t", "s3cret-8", "(redacted)"},
		"long":               {"X-Api-Key: " + strings.Repeat(long, 100), strings.Repeat(long, 100), "(redacted)"},
		"in a path":          {"X-Api-Key: s3/cr<t-8", "ftp://h/s3/cr%3Ct-8", "ftp://h/(redacted)"},
		"in a path segment":  {"X-Api-Key: s3/cr =t-8", "ftp://h/s3%2Fcr%20=t-8", "ftp://h/(redacted)"},
		"in a query":         {"X-Api-Key: s3/cr t-8", "ftp://h/?s3%2Fcr+t-8", "ftp://h/?(redacted)"},
		"by JavaScript":      {"X-Api-Key: s3/cr '(t)*!-8", "s3%2Fcr%20'(t)*!-8", "(redacted)"},
		"with an apostrophe": {"X-Api-Key: s3cr't-8", "not s3cr%27t-8", "not (redacted)"},
		"in a host":          {"X-Api-Key: S3cret-T0ken", "ftp://s3cret-t0ken/", "ftp://(redacted)/"},
		"by PHP":             {"X-Api-Key: s3/cr/t-8", `not s3\/cr\/t-8`, "not (redacted)"},
		"by .NET":            {"X-Api-Key: s3/cr/t-8", "not s3%2fcr%2ft-8", "not (redacted)"},
		"after its scheme":   {"Authorization: Bearer s3cret-8", "not s3cret-8", "not (redacted)"},
		"after two spaces":   {"Authorization: Bearer  s3cret-8", "not s3cret-8", "not (redacted)"},
		"with its scheme":    {"Authorization: Bearer s3cret-8", "not Bearer s3cret-8", "not (redacted)"},
		"Basic, the pair":    {basic("deploy:s3cr"), "not deploy:s3cr", "not (redacted)"},
		"Basic, password":    {basic("deploy:s3cr"), "not s3cr for deploy", "not (redacted) for deploy"},
		"Basic, as sent":     {basic("deploy:s3cr"), "not ZGVwbG95OnMzY3I=", "not (redacted)"},
		"Basic, a user name": {basic("deployer:x"), "not deployer", "not (redacted)"},
		"basic":              {"Authorization: basic ZGVwbG95OnMzY3I=", "not s3cr", "not (redacted)"},
		"Basic, two spaces":  {"Authorization: Basic  ZGVwbG95OnMzY3I=", "not s3cr", "not (redacted)"},
		"Basic, not Base64":  {"Authorization: Basic ZGVwbG95OnMzY3I=:", "not s3cr", "not s3cr"}, // which a server does not decode either
		// Dropping a character that cannot be printed may uncover a secret, and a cut may leave a part of one.
		"behind a character": {"X-Api-Key: s3cret-8", "s3\u200bcret-8", "(redacted)"},
		"with such a one":    {"X-Api-Key: s3cret\u200b-8", "s3cret\u200b-8", "(redacted)"},
		"before the cut":     {"X-Api-Key: s3cret-8", strings.Repeat("x", 195) + "s3\u200bcret-8", strings.Repeat("x", 195) + "(red…"},
		"across the cut":     {"X-Api-Key: s3cret-8", strings.Repeat("x", 199) + "s3cret-8", strings.Repeat("x", 199) + "…"},
	}
	c := newClient(t, newConfig())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header, value, _ := strings.Cut(test.sent, ": ")
			check(t, "text", c.SafeLine(test.text, http.Header{header: {value}}), test.want)
		})
	}
	both := http.Header{"X-Api-Key": {"s3cret-8", "s3cret-8-T0ken"}}
	check(t, "one that begins with another", c.SafeLine("s3cret-8-T0ken s3cret-8", both), "(redacted) (redacted)")
}

// A server that repeats what it was sent must not bring it into a failure or a log, where newClient and readError look for it.
func TestEchoedSecretIsRedactedEverywhere(t *testing.T) {
	t.Parallel()
	body := instancetest.Body
	for _, echo := range []string{secret, strings.TrimPrefix(secret, "Bearer ")} {
		ofPHP := strings.NewReplacer("/", `\/`, `"`, `\"`).Replace(echo)
		ofGo, _ := json.Marshal(echo)
		for name, answer := range map[string]instancetest.Step{
			"service's error":             body(403, "application/json", `{"message":"Not allowed: `+ofPHP+`"}`),
			"text":                        body(403, "text/plain", "Not allowed: "+echo+"!"),
			"where the text is cut":       body(403, "text/plain", strings.Repeat("x", 195)+echo),
			"JSON of PHP":                 body(401, "application/json", `{"detail":"`+ofPHP+`"}`),
			"JSON of Go":                  body(401, "application/json", `{"detail":`+string(ofGo)+`}`),
			"name in JSON":                body(200, "application/json", `{`+string(ofGo)+`:1}`),
			"HTML title":                  body(403, "text/html", "<title>"+echo+"</title>"),
			"not JSON":                    body(200, "text/plain", echo),
			"content type":                body(200, echo, "x"),
			"content encoding":            verbatim(okHead + "Content-Encoding: " + echo + "\r\n\r\nx"),
			"a field":                     body(200, "", instancetest.Newer().With("fileMaxSize", "x"+echo).JSON()),
			"a name that is given twice":  body(200, "", instancetest.Newer().With(echo, instancetest.Raw(`{"a":1,"a":1}`)).JSON()),
			"redirect that is followed":   instancetest.Redirect(302, "/"+url.PathEscape(echo)),
			"redirect to a path":          instancetest.Redirect(302, "ftp://h/"+echo),
			"redirect to an escaped path": instancetest.Redirect(302, "ftp://h/"+url.PathEscape(echo)),
			"redirect with a query":       instancetest.Redirect(302, "ftp://h/?v="+url.QueryEscape(echo)),
			"not HTTP":                    verbatim(echo + "\r\n\r\n"),
			"malformed header":            verbatim("HTTP/1.1 200 OK\r\n" + echo + "\r\n\r\n"),
			"status text":                 verbatim("HTTP/1.1 403 " + echo + "\r\n\r\n"),
			"where the status is cut":     verbatim("HTTP/1.1 403 " + strings.Repeat("x", 180) + echo + "\r\n\r\n"),
		} {
			t.Run(name+"/"+echo[:6], func(t *testing.T) {
				t.Parallel()
				readError(t, newClient(t, newConfig()), newRequest(t, serverURL(t, answer)))
			})
		}
	}
}

// Credentials of a proxy reach a server in clear text with a request in plain HTTP, and come back from a proxy that refuses them.
func TestProxyCredentialsAreRedacted(t *testing.T) {
	t.Parallel()
	var sent string
	proxy := instancetest.New(t, instancetest.WithDefault(instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
		_, sent, _ = strings.Cut(r.Header.Get("Proxy-Authorization"), " ")
		w.WriteHeader(http.StatusProxyAuthRequired)
		_, _ = fmt.Fprintf(w, "%s, me-myself:pr0xy/passw0rd, me-myself, pr0xy/passw0rd, pr0xy%%2Fpassw0rd", sent)
	})))
	c := newClient(t, newConfig(), "HTTP_PROXY=http://me-myself:pr0xy%2Fpassw0rd@"+proxy.Address())
	got := readError(t, c, newRequest(t, proxiedHTTP))
	checkFailure(t, got, failing{"", client.ProxyFailed, final,
		"status 407 Proxy Authentication Required: (redacted), (redacted), (redacted), (redacted), (redacted)"})
	check(t, "StatusCode", got.Failure.StatusCode, 407)
	check(t, "whether the proxy got credentials", sent != "", true)
	for _, proxy := range []string{"http://@h", "http://p@h"} { // too short to be found in a text
		const text = "dial tcp: lookup h on 10.0.0.1:53"
		check(t, proxy, newClient(t, newConfig(), "HTTPS_PROXY="+proxy).SafeLine(text, nil), text)
	}
	for proxy, text := range map[string]string{
		"http://s3cret-8@h": "not s3cret-8", "s3cr:et@h": "not czNjcjpldA==", "socks5h://u:s3cret-8@h": "not s3cret-8",
		"http://u:p4ss@h": "not p4ss", "http://s3cret-8:p@h": "not s3cret-8", "http://t0k3@h": "not t0k3", "http://u:p4@h": "not u:p4",
	} {
		check(t, proxy, newClient(t, newConfig(), "HTTPS_PROXY="+proxy).SafeLine(text, nil), "not (redacted)")
	}
	// What is shorter is part of ordinary words.
	for proxy, text := range map[string]string{
		"http://u:not@h": "it is not", "http://staging:p@h": "staging", "http://not@h": "it is not", "http://s:p@h": "is:po",
	} {
		check(t, proxy, newClient(t, newConfig(), "HTTPS_PROXY="+proxy).SafeLine(text, nil), text)
	}
}

func TestLogTellsOfARead(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithScript(instancetest.Status(503), instancetest.Redirect(302, "/instance?token=s3cret")))
	config := newConfig()
	var log strings.Builder
	config.Log = func(_ context.Context, message string, fields ...map[string]any) {
		delete(fields[0], "delay") // which is random
		fmt.Fprintln(&log, message, fields[0])
	}
	mustRead(t, newClient(t, config), newRequest(t, server.URL()))
	at, url := server.Address(), server.URL()+"/instance"
	const reason = "reason:status 503 Service Unavailable: The instance was told to answer 503"
	check(t, "log", log.String(), "Asked the instance map[address:"+at+" attempt:1 "+reason+" url:"+url+"]\n"+
		"Trying again map[attempt:1 "+reason+" url:"+url+"]\n"+
		"Asked the instance map[address:"+at+" attempt:2 url:"+url+"]\n")
}
