package client_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A server that repeats what it was sent must not bring it into a failure or a log; checkFailure looks for it there.
func TestEchoedSecretsAreRedacted(t *testing.T) {
	t.Parallel()
	const user, password, cookies = "Aladdin-us3r", "open-sesame", "session=s3cr3t-s3ssion; theme=da-rk-mode"
	secrets := map[string]struct {
		header, value string
		echoes        []string // every form in which the server repeats it
	}{
		"a value":           {"X-Api-Key", "s3cret/T0ken+<&>", []string{"s3cret/T0ken+<&>"}},
		"a padded value":    {"X-Api-Key", " s3cret-T0ken\t", []string{"s3cret-T0ken"}},
		"Bearer":            {"Authorization", secret, []string{secret, strings.TrimPrefix(secret, "Bearer ")}},
		"a cookie":          {"Cookie", cookies, []string{cookies, "s3cr3t-s3ssion", "da-rk-mode"}},
		"a short one":       {"X-Pin", "~42", []string{"~42"}},
		"Basic":             {"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password)), nil},
		"basic":             {"Authorization", "basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password)), nil},
		"Basic, two spaces": {"Authorization", "Basic  " + base64.StdEncoding.EncodeToString([]byte(user+":"+password)), nil},
		"Basic, padded":     {"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("u:"+password)), []string{password}},
		"Basic, unpadded":   {"Authorization", "Basic " + base64.RawStdEncoding.EncodeToString([]byte("u:"+password)), []string{password}},
		"one in another":    {"Cookie", "a=s3cret; b=s3cret-Passw0rd", []string{"s3cret-Passw0rd"}},
		"a long value":      {"X-Api-Key", strings.Repeat("s3cret-T0ken-", 500), []string{strings.Repeat("s3cret-T0ken-", 500)}},
	}
	body := func(status int, contentType, before, after string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, echo string) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(before + echo + after))
		}
	}
	places := map[string]func(w http.ResponseWriter, echo string){
		"service's error":       body(403, "application/json", `{"message":"Not allowed: `, `"}`),
		"text":                  body(403, "text/plain", "Not allowed: ", "!"),
		"where the text is cut": body(403, "text/plain", strings.Repeat("x", 195), ""),
		"HTML title":            body(403, "text/html", "<title>", "</title>"),
		"not JSON":              body(200, "text/plain", "", ""),
		"content type":          func(w http.ResponseWriter, echo string) { body(200, echo, "", "")(w, "") },
		"content encoding": func(w http.ResponseWriter, echo string) {
			w.Header().Set("Content-Encoding", echo)
			body(200, "", "", "")(w, "")
		},
		"a field":                     func(w http.ResponseWriter, echo string) { document(w, it.Newer().With("fileMaxSize", "x"+echo)) },
		"a name":                      func(w http.ResponseWriter, echo string) { document(w, it.Newer().With(echo, it.Raw(`{"a":1,"a":1}`))) },
		"redirect to a path":          func(w http.ResponseWriter, echo string) { redirect(w, "ftp://h/"+echo) },
		"redirect to an escaped path": func(w http.ResponseWriter, echo string) { redirect(w, "ftp://h/"+url.PathEscape(echo)) },
		"redirect with a query":       func(w http.ResponseWriter, echo string) { redirect(w, "ftp://h/?v="+url.QueryEscape(echo)) },
		"not HTTP":                    func(w http.ResponseWriter, echo string) { hijack(w, echo+"\r\n\r\n") },
		"malformed header":            func(w http.ResponseWriter, echo string) { hijack(w, "HTTP/1.1 200 OK\r\n"+echo+"\r\n\r\n") },
		"status text":                 func(w http.ResponseWriter, echo string) { hijack(w, "HTTP/1.1 403 "+echo+"\r\n\r\n") },
	}
	for name, secret := range secrets {
		if secret.echoes == nil {
			secret.echoes = []string{secret.value, secret.value[len("Basic "):], user + ":" + password, password}
		}
		for _, echo := range secret.echoes {
			for placeName, place := range places {
				t.Run(name+" in "+placeName, func(t *testing.T) {
					t.Parallel()
					server := it.New(t, it.WithDefault(it.Func(func(w http.ResponseWriter, _ *http.Request) { place(w, echo) })))
					var log logged
					failure := fail(t, server.URL(), log.option(), withHeaders(t, map[string]string{secret.header: secret.value}))
					for _, text := range []string{failure.Error(), log.String()} {
						for _, private := range secret.echoes {
							mustBeWithoutSecret(t, text, private)
							if strings.Contains(text, private) {
								t.Errorf("%q has %q", text, private)
							}
						}
					}
				})
			}
		}
	}
}

func document(w http.ResponseWriter, d it.Document) { _, _ = w.Write([]byte(d.JSON())) }

func redirect(w http.ResponseWriter, location string) {
	w.Header()["Location"] = []string{location}
	w.WriteHeader(http.StatusFound)
}

// hijack lets out what net/http would mend.
func hijack(w http.ResponseWriter, response string) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = c.Write([]byte(response))
	_ = c.Close()
}

// What these headers say is no secret, and a failure may have to say it; the value of any other is redacted, unless
// it is too short to be one.
func TestPublicHeadersAreNotRedacted(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		header, value string
		public        bool
	}{
		"Content-Type":   {"Content-Type", "application/json", true},
		"Accept":         {"Accept", "application/json", true},
		"Host":           {"Host", "files.example.org", true},
		"two characters": {"X-On", "on", true},
		"User-Agent":     {"User-Agent", "application/json", false},
		"Cookie":         {"Cookie", "application/json", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, it.WithDefault(it.Body(200, test.value, "nothing")))
			failure := fail(t, server.URL(), withHeaders(t, map[string]string{test.header: test.value}))
			want := test.value
			if !test.public {
				want = "(redacted)"
			}
			mustSay(t, failure.Error(), `Content-Type "`+want+`"`)
		})
	}
}

// What is shown of a body is cut at 8 KiB, possibly within a secret.
func TestSecretIsRedactedWhereABodyIsCut(t *testing.T) {
	t.Parallel()
	const token, mark = "Sw0rdf1sh-T0ken", " (redacted)" // the mark may be cut too
	for length := 1; length <= len(token); length++ {
		server := it.New(t, it.WithDefault(it.Body(401, "text/plain", "no"+strings.Repeat(" ", 8<<10-len("no")-length)+token)))
		failure := fail(t, server.URL(), withHeaders(t, map[string]string{"X-Api-Key": token}))
		if _, shown, _ := strings.Cut(failure.Error(), ": no"); !strings.HasPrefix(mark, strings.TrimSuffix(shown, "…")) {
			t.Errorf("%d characters: %q", length, failure)
		}
	}
}

// A host and a scheme are printed in lower case, however the server writes them. A secret can be a whole URL; http is none.
func TestSecretIsRedactedInARedirect(t *testing.T) {
	t.Parallel()
	const token, password, callback = "Sw0rdf1sh", "Pr0xyPassw0rd", "ftp://files.example.org/T0ken"
	options := []option{
		withHeaders(t, map[string]string{"X-Api-Key": token, "X-Callback": callback, "X-Forwarded-Proto": "http"}), attempts(1),
		proxied("HTTPS_PROXY", "http://user:"+password+"@127.0.0.1:1"),
	}
	for location, shown := range map[string]string{
		"http://" + token + ".invalid/a":    "(redirected to http://(redacted).invalid/a)",
		"http://" + password + ".invalid/a": "(redirected to http://(redacted).invalid/a)",
		token + "://files.example.org/a":    "a redirect to (redacted)://files.example.org/a",
		token + ":opaque":                   "a redirect to (redacted):",
		callback:                            "a redirect to (redacted), which",
	} {
		server := it.New(t, it.WithDefault(it.Redirect(302, location)))
		failure := fail(t, server.URL(), options...)
		mustSay(t, failure.Error(), shown)
		mustBeWithoutSecret(t, strings.ToLower(failure.Error()), strings.ToLower(token+" "+password))
	}
}

// Without what is left out of a message, a disguised secret would be the secret itself. And a server can send so much text that
// what is shown of it, once secrets are redacted, would be all of what was read, up to the cut in the last of them.
func TestSecretIsRedactedHoweverABodyHidesIt(t *testing.T) {
	t.Parallel()
	const token = "Sw0rdf1sh-T0ken"
	long := strings.Repeat("Sw0rdf1sh-", 380)
	tests := map[string]struct{ token, shown string }{strings.Repeat(long+" ", 20): {long, ""}}
	for _, disguise := range []string{"\u200b", "\x1b", "\x00"} {
		disguised := strings.Replace(token, "-", "-"+disguise, 1)
		for _, body := range []string{disguised, it.Document{}.With("message", disguised).JSON()} {
			tests[body] = struct{ token, shown string }{token, ": (redacted)"}
		}
	}
	for body, test := range tests {
		server := it.New(t, it.WithDefault(it.Body(401, "text/plain", body)))
		failure := fail(t, server.URL(), withHeaders(t, map[string]string{"X-Api-Key": test.token}))
		if failure.Reason != "status 401 Unauthorized"+test.shown {
			t.Errorf("%q", failure)
		}
	}
}

func TestLogTellsOfAReadWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithScript(it.Status(503), it.Redirect(302, "/instance?token=s3cret")))
	var log logged
	read(t, server.URL(), log.option(), withHeaders(t, map[string]string{"Authorization": secret, "Host": "files.example.org"}))
	mustSay(t, log.String(), "Trying again", "attempt=1", "reason=status 503",
		"Read the instance", "attempt=2", "url="+server.URL()+"/instance")
	mustBeWithoutSecret(t, log.String(), secret)
	if strings.Contains(log.String(), "?") {
		t.Errorf("the log has a redirect's query:\n%s", &log)
	}
}

// A header whose value is a word of ours leaves our words alone.
func TestOwnWordsAreNotRedacted(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithDefault(it.Body(503, "text/plain", "Code 503")))
	failure := fail(t, server.URL(), attempts(1), withHeaders(t, map[string]string{"X-Code": "503"}))
	if want := "status 503 Service Unavailable: Code (redacted)"; failure.Reason != want {
		t.Errorf("%q, want %q", failure.Reason, want)
	}
}
