package client_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A server or a proxy may repeat a secret in any of these forms.
func TestRedactedLine(t *testing.T) {
	t.Parallel()
	encode := base64.StdEncoding.EncodeToString
	const long = "s3cret-T0ken-s3cret-T0ken-s3cret-T0ken-"
	tests := map[string]struct {
		header, value, proxy string
		text, want           string
	}{
		"a value":              {header: "X-Api-Key", value: "s3cret+<&>", text: "no s3cret+<&>!", want: "no (redacted)!"},
		"a padded value":       {header: "X-Api-Key", value: " s3cret\t", text: "s3cret", want: "(redacted)"},
		"a short value":        {header: "X-Pin", value: "~42", text: "~42", want: "(redacted)"},
		"too short to be one":  {header: "X-On", value: "on", text: "on", want: "on"},
		"a long value":         {header: "X-Api-Key", value: strings.Repeat(long, 100), text: strings.Repeat(long, 100), want: "(redacted)"},
		"quoted":               {header: "X-Api-Key", value: `s3"cret`, text: `malformed "s3\"cret"`, want: `malformed "(redacted)"`},
		"escaped in a path":    {header: "X-Api-Key", value: "s3/cr<t", text: "ftp://h/s3/cr%3Ct", want: "ftp://h/(redacted)"},
		"escaped in a query":   {header: "X-Api-Key", value: "s3/cr<t", text: "ftp://h/s3%2Fcr%3Ct", want: "ftp://h/(redacted)"},
		"JSON of PHP":          {header: "X-Api-Key", value: `s3/cr"t`, text: `{"a":"s3\/cr\"t"}`, want: `{"a":"(redacted)"}`},
		"JSON of Go":           {header: "X-Api-Key", value: `s3&cr<t>"`, text: `{"a":"s3\u0026cr\u003ct\u003e\""}`, want: `{"a":"(redacted)"}`},
		"in lower case":        {header: "X-Api-Key", value: "S3cret", text: "ftp://s3cret/", want: "ftp://(redacted)/"},
		"behind a character":   {header: "X-Api-Key", value: "s3-cret", text: "s3-\u200bcret", want: "(redacted)"},
		"before the cut":       {header: "X-Api-Key", value: "s3cret", text: strings.Repeat("x", 195) + "s3cret", want: strings.Repeat("x", 195) + "(red…"},
		"after its scheme":     {header: "Authorization", value: "Bearer s3cret", text: "not s3cret", want: "not (redacted)"},
		"all cookies":          {header: "Cookie", value: "a=s3cret; b=d4rk", text: "a=s3cret; b=d4rk", want: "(redacted)"},
		"a cookie":             {header: "Cookie", value: "a=s3cret; b=d4rk", text: "not s3cret, d4rk", want: "not (redacted), (redacted)"},
		"one in another":       {header: "Cookie", value: "a=s3cret; b=s3cret-Passw0rd", text: "s3cret-Passw0rd", want: "(redacted)"},
		"Basic":                {header: "Authorization", value: "Basic " + encode([]byte("me:s3cret")), text: "Basic " + encode([]byte("me:s3cret")), want: "(redacted)"},
		"Basic, encoded":       {header: "Authorization", value: "Basic " + encode([]byte("me:s3cret")), text: encode([]byte("me:s3cret")), want: "(redacted)"},
		"Basic, decoded":       {header: "Authorization", value: "basic  " + encode([]byte("me:s3cret")), text: "me:s3cret", want: "(redacted)"},
		"Basic, password":      {header: "Authorization", value: "Basic " + encode([]byte("u:s3cret")), text: "s3cret", want: "(redacted)"},
		"Basic, unpadded":      {header: "Authorization", value: "Basic " + strings.TrimRight(encode([]byte("u:s3cret")), "="), text: "s3cret", want: "(redacted)"},
		"Content-Type":         {header: "Content-Type", value: "application/json", text: "application/json", want: "application/json"},
		"Accept":               {header: "Accept", value: "application/json", text: "application/json", want: "application/json"},
		"Host":                 {header: "Host", value: "files.example.org", text: "files.example.org", want: "files.example.org"},
		"User-Agent":           {header: "User-Agent", value: "mine/1", text: "mine/1", want: "(redacted)"},
		"a scheme of URLs":     {header: "X-Forwarded-Proto", value: "http", text: "http://h", want: "http://h"},
		"the other scheme":     {header: "X-Forwarded-Proto", value: "https", text: "https://h", want: "https://h"},
		"proxy, credentials":   {proxy: "http://me:s3%2Fcret@h", text: "me:s3/cret", want: "(redacted)"},
		"proxy, encoded":       {proxy: "http://u:s3cret@h", text: "Basic " + encode([]byte("u:s3cret")), want: "Basic (redacted)"},
		"proxy, password":      {proxy: "me:s3cret@h", text: "not s3cret", want: "not (redacted)"},
		"proxy, token as user": {proxy: "http://s3cret@h", text: "not s3cret", want: "not (redacted)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, newConfig(), "HTTPS_PROXY="+test.proxy)
			check(t, "line", c.RedactedLine(test.text, http.Header{test.header: {test.value}}), test.want)
		})
	}
}

// A server that repeats what it was sent must not bring it into a failure or a log, where newClient and readError look for it.
func TestEchoedSecretIsRedactedEverywhere(t *testing.T) {
	t.Parallel()
	body := func(status int, contentType, before, after string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, echo string) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(before + echo + after))
		}
	}
	tests := map[string]func(w http.ResponseWriter, echo string){
		"service's error":       body(403, "application/json", `{"message":"Not allowed: `, `"}`),
		"text":                  body(403, "text/plain", "Not allowed: ", "!"),
		"where the text is cut": body(403, "text/plain", strings.Repeat("x", 195), ""),
		"JSON of PHP": func(w http.ResponseWriter, echo string) {
			body(401, "application/json", `{"detail":"`, `"}`)(w, strings.NewReplacer("/", `\/`, `"`, `\"`).Replace(echo))
		},
		"JSON of Go": func(w http.ResponseWriter, echo string) {
			text, _ := json.Marshal(map[string]string{"detail": echo})
			body(401, "application/json", "", "")(w, string(text))
		},
		"HTML title":   body(403, "text/html", "<title>", "</title>"),
		"not JSON":     body(200, "text/plain", "", ""),
		"content type": func(w http.ResponseWriter, echo string) { body(200, echo, "", "")(w, "") },
		"content encoding": func(w http.ResponseWriter, echo string) {
			w.Header().Set("Content-Encoding", echo)
			body(200, "", "", "")(w, "")
		},
		"a field": func(w http.ResponseWriter, echo string) {
			body(200, "", "", "")(w, instancetest.Newer().With("fileMaxSize", "x"+echo).JSON())
		},
		"a name": func(w http.ResponseWriter, echo string) {
			body(200, "", "", "")(w, instancetest.Newer().With(echo, instancetest.Raw(`{"a":1,"a":1}`)).JSON())
		},
		"redirect to a path":          func(w http.ResponseWriter, echo string) { redirect(w, "ftp://h/"+echo) },
		"redirect to an escaped path": func(w http.ResponseWriter, echo string) { redirect(w, "ftp://h/"+url.PathEscape(echo)) },
		"redirect with a query":       func(w http.ResponseWriter, echo string) { redirect(w, "ftp://h/?v="+url.QueryEscape(echo)) },
		"not HTTP":                    func(w http.ResponseWriter, echo string) { hijack(w, echo+"\r\n\r\n") },
		"malformed header":            func(w http.ResponseWriter, echo string) { hijack(w, "HTTP/1.1 200 OK\r\n"+echo+"\r\n\r\n") },
		"status text":                 func(w http.ResponseWriter, echo string) { hijack(w, "HTTP/1.1 403 "+echo+"\r\n\r\n") },
	}
	for name, respond := range tests {
		for _, echo := range []string{secret, strings.TrimPrefix(secret, "Bearer ")} {
			t.Run(name+"/"+echo[:6], func(t *testing.T) {
				t.Parallel()
				server := instancetest.New(t, instancetest.WithDefault(instancetest.Func(func(w http.ResponseWriter, _ *http.Request) { respond(w, echo) })))
				readError(t, newClient(t, newConfig()), newRequest(t, server.URL()))
			})
		}
	}
}

func redirect(w http.ResponseWriter, location string) {
	w.Header()["Location"] = []string{location}
	w.WriteHeader(http.StatusFound)
}

// hijack writes a response past net/http, which would correct it.
func hijack(w http.ResponseWriter, response string) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = c.Write([]byte(response))
	_ = c.Close()
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
	config := newConfig()
	config.Retry.MaxAttempts = 1
	c := newClient(t, config, "HTTPS_PROXY=http://user:"+password+"@127.0.0.1:1")
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

func TestReasonOfABodyWithASecret(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Sw0rdf1sh-", 380)
	tests := map[string]struct{ secret, body, want string }{
		// Once they are redacted, what is shown would reach the end of what was read, where the last one is cut.
		"full of secrets": {long, strings.Repeat(long+" ", 20), "status 403 Forbidden"},
		// Only the server's word is redacted.
		"one of our words": {"403", "Code 403", "status 403 Forbidden: Code (redacted)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := newRequest(t, serverURL(t, instancetest.Body(403, "text/plain", test.body)))
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
		lines = append(lines, logLine(message, fields))
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
