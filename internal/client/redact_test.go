package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A server or a proxy may repeat a secret in any of these forms.
func TestRedactedLine(t *testing.T) {
	t.Parallel()
	const basic, padded = "bWU6czNjcmV0", "dTpzM2NyZXQ=" // me:s3cret and u:s3cret in Base64
	const long = "s3cret-T0ken-s3cret-T0ken-s3cret-T0ken-"
	tests := map[string]struct{ sent, text, want string }{
		"a value":             {"X-Api-Key: s3cret+<&>", "no s3cret+<&>!", "no (redacted)!"},
		"a padded value":      {"X-Api-Key: s3cret\t", "s3cret", "(redacted)"},
		"a short value":       {"X-Pin: ~42", "~42", "(redacted)"},
		"too short to be one": {"X-On: on", "on", "on"},
		"a long value":        {"X-Api-Key: " + strings.Repeat(long, 100), strings.Repeat(long, 100), "(redacted)"},
		"quoted":              {`X-Api-Key: s3"cret`, `malformed "s3\"cret"`, `malformed "(redacted)"`},
		"escaped in a path":   {"X-Api-Key: s3/cr<t", "ftp://h/s3/cr%3Ct", "ftp://h/(redacted)"},
		"escaped in a query":  {"X-Api-Key: s3/cr<t", "ftp://h/s3%2Fcr%3Ct", "ftp://h/(redacted)"},
		"JSON of PHP, Python": {`X-Api-Key: s3/für"t`, `s3\/für\"t s3\/f\u00fcr\"t s3/f\u00fcr\"t`, "(redacted) (redacted) (redacted)"},
		"JSON of Go":          {`X-Api-Key: s3&cr<t>"`, `{"a":"s3\u0026cr\u003ct\u003e\""}`, `{"a":"(redacted)"}`},
		"in lower case":       {"X-Api-Key: S3cret", "ftp://s3cret/", "ftp://(redacted)/"},
		"behind a character":  {"X-Api-Key: s3-cret", "s3-\u200bcret", "(redacted)"},
		"before the cut":      {"X-Api-Key: s3cret", strings.Repeat("x", 195) + "s3cret", strings.Repeat("x", 195) + "(red…"},
		"after its scheme":    {"Authorization: Bearer s3cret", "not s3cret", "not (redacted)"},
		"all cookies":         {"Cookie: a=s3cret; b=d4rk", "a=s3cret; b=d4rk", "(redacted)"},
		"a cookie":            {"Cookie: a=s3cret\t; b=\"d4rk\"", "not s3cret, d4rk", "not (redacted), (redacted)"},
		"one in another":      {"Cookie: a=s3cret; b=s3cret-Passw0rd", "s3cret-Passw0rd", "(redacted)"},
		"Basic":               {"Authorization: Basic " + basic, "Basic " + basic, "(redacted)"},
		"Basic, encoded":      {"Authorization: Basic " + basic, basic, "(redacted)"},
		"Basic, decoded":      {"Authorization: basic  " + basic, "me:s3cret", "(redacted)"},
		"Basic, password":     {"Authorization: Basic " + padded, "s3cret", "(redacted)"},
		"Basic, unpadded":     {"Authorization: Basic " + strings.TrimRight(padded, "="), "s3cret", "(redacted)"},
		"Content-Type":        {"Content-Type: application/json", "application/json", "application/json"},
		"Accept":              {"Accept: application/json", "application/json", "application/json"},
		"Host":                {"Host: files.example.org", "files.example.org", "files.example.org"},
		"User-Agent":          {"User-Agent: mine/1", "mine/1", "(redacted)"},
		"a scheme of URLs":    {"X-Forwarded-Proto: http", "http://h", "http://h"},
		"the other scheme":    {"X-Forwarded-Proto: https", "https://h", "https://h"},
	}
	c := newClient(t, newConfig())
	for name, test := range tests {
		header, value, _ := strings.Cut(test.sent, ": ")
		check(t, name, c.RedactedLine(test.text, http.Header{header: {value}}), test.want)
	}
}

func TestRedactedProxyCredentials(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ proxy, text, want string }{
		"credentials":   {"http://me:s3%2Fcret@h", "me:s3/cret", "(redacted)"},
		"encoded":       {"http://u:s3cret@h", "Basic dTpzM2NyZXQ=", "Basic (redacted)"},
		"password":      {"me:s3cret@h", "not s3cret", "not (redacted)"},
		"token as user": {"http://s3cret@h", "not s3cret", "not (redacted)"},
	}
	for name, test := range tests {
		check(t, name, newClient(t, newConfig(), "HTTPS_PROXY="+test.proxy).RedactedLine(test.text, nil), test.want)
	}
}

// A server that repeats what it was sent must not bring it into a failure or a log, where newClient and readError look for it.
func TestEchoedSecretIsRedactedEverywhere(t *testing.T) {
	t.Parallel()
	body := instancetest.Body
	for _, echo := range []string{secret, strings.TrimPrefix(secret, "Bearer ")} {
		ofPHP := strings.NewReplacer("/", `\/`, `"`, `\"`).Replace(echo)
		ofGo, _ := json.Marshal(echo)
		for name, answer := range map[string]instancetest.Step{
			"service's error":             body(403, "application/json", `{"message":"Not allowed: `+echo+`"}`),
			"text":                        body(403, "text/plain", "Not allowed: "+echo+"!"),
			"where the text is cut":       body(403, "text/plain", strings.Repeat("x", 195)+echo),
			"JSON of PHP":                 body(401, "application/json", `{"detail":"`+ofPHP+`"}`),
			"JSON of Go":                  body(401, "application/json", `{"detail":`+string(ofGo)+`}`),
			"HTML title":                  body(403, "text/html", "<title>"+echo+"</title>"),
			"not JSON":                    body(200, "text/plain", echo),
			"content type":                body(200, echo, ""),
			"content encoding":            verbatim(okHead + "Content-Encoding: " + echo + "\r\n\r\n"),
			"a field":                     body(200, "", instancetest.Newer().With("fileMaxSize", "x"+echo).JSON()),
			"a name":                      body(200, "", instancetest.Newer().With(echo, instancetest.Raw(`{"a":1,"a":1}`)).JSON()),
			"redirect to a path":          instancetest.Redirect(302, "ftp://h/"+echo),
			"redirect to an escaped path": instancetest.Redirect(302, "ftp://h/"+url.PathEscape(echo)),
			"redirect with a query":       instancetest.Redirect(302, "ftp://h/?v="+url.QueryEscape(echo)),
			"not HTTP":                    verbatim(echo + "\r\n\r\n"),
			"malformed header":            verbatim("HTTP/1.1 200 OK\r\n" + echo + "\r\n\r\n"),
			"status text":                 verbatim("HTTP/1.1 403 " + echo + "\r\n\r\n"),
		} {
			t.Run(name+"/"+echo[:6], func(t *testing.T) {
				t.Parallel()
				readError(t, newClient(t, newConfig()), newRequest(t, serverURL(t, answer)))
			})
		}
	}
}

// What is shown of a body is cut at 8 KiB, possibly within a secret.
func TestSecretIsRedactedWhereABodyIsCut(t *testing.T) {
	t.Parallel()
	const token, mark = "Sw0rdf1sh-T0ken", " (redacted)" // the mark may be cut too
	c := newClient(t, newConfig())
	for length := 1; length <= len(token); length++ {
		body := "no" + strings.Repeat(" ", 8<<10-len("no")-length) + token
		request := newRequest(t, serverURL(t, instancetest.Body(401, "text/plain", body)))
		request.Headers = http.Header{"X-Api-Key": {token}}
		reason := readError(t, c, request).Failure.Reason
		if _, shown, _ := strings.Cut(reason, ": no"); !strings.HasPrefix(mark, strings.TrimSuffix(shown, "…")) {
			t.Errorf("%d characters before the cut: the reason is %q, want nothing of %q", length, reason, token)
		}
	}
}

// A host and a scheme are printed in lower case, however the server writes them. A secret can be a whole URL. The value
// http is never redacted: it is that of X-Forwarded-Proto.
func TestSecretIsRedactedInARedirect(t *testing.T) {
	t.Parallel()
	const token, password, callback = "S3crET", "Pr0xy-Passw0rd", "ftp://files.example.org/T0ken"
	c := newClient(t, newConfig(), "HTTPS_PROXY=http://user:"+password+"@127.0.0.1:1")
	for location, shown := range map[string]string{
		"http://" + token + ".invalid/a":    "(redirected to http://(redacted).invalid/a)",
		"http://" + password + ".invalid/a": "(redirected to http://(redacted).invalid/a)",
		token + "://files.example.org/a":    "a redirect to (redacted)://files.example.org/a",
		token + ":opaque":                   "a redirect to (redacted):",
		callback:                            "a redirect to (redacted), which",
	} {
		request := newRequest(t, serverURL(t, instancetest.Redirect(302, location)))
		request.Headers = http.Header{"X-Api-Key": {token}, "X-Callback": {callback}, "X-Forwarded-Proto": {"http"}}
		checkContains(t, "error", readError(t, c, request).Error(), shown)
	}
}

// A secret may also be a word of ours or of net/http.
func TestOnlyTheServersWordsAreRedacted(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Sw0rdf1sh-", 380)
	tests := map[string]struct {
		secret string
		answer instancetest.Step
		want   string
	}{
		"ours":     {"403", instancetest.Body(403, "text/plain", "Code 403"), "status 403 Forbidden: Code (redacted)"},
		"net/http": {"malformed", verbatim("malformed\r\n\r\n"), notHTTP + `malformed HTTP response "(redacted)"`},
		// Once they are redacted, what is shown would reach the end of what was read, where the last one is cut.
		"full of secrets": {long, instancetest.Body(403, "text/plain", strings.Repeat(long+" ", 20)), "status 403 Forbidden"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := newRequest(t, serverURL(t, test.answer))
			request.Headers = http.Header{"X-Api-Key": {test.secret}}
			check(t, "Reason", readError(t, newClient(t, newConfig()), request).Failure.Reason, test.want)
		})
	}
}

// That nothing is logged that must not be shown is checked for all tests, by newClient.
func TestLogTellsOfARead(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithScript(
		instancetest.Status(503), instancetest.Redirect(302, "/instance?token=s3cret"), instancetest.Answer(), instancetest.Status(404)))
	config := newConfig()
	var lines []string
	config.Log = func(_ context.Context, message string, fields ...map[string]any) {
		lines = append(lines, fmt.Sprint(message, fields))
		checkText(t, lines[len(lines)-1])
	}
	c, request := newClient(t, config), newRequest(t, server.URL())
	mustRead(t, c, request)
	readError(t, c, request)
	if len(lines) != 3 {
		t.Fatalf("log lines: got %d, want 3: %q", len(lines), lines)
	}
	for i, parts := range [][]string{
		{"Trying again", "attempt:1", "reason:status 503", "delay:"},
		{"Read the instance", "attempt:2", "bytes:"},
		{"Could not read the instance", "attempt:1", "status 404"},
	} {
		checkContains(t, "log line", lines[i], append(parts, "url:"+server.URL()+"/instance")...)
	}
}
