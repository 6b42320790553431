package client_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A server that repeats the headers that it was sent must not bring them into
// a failure or a log; failOnce looks for them there.
func TestEchoedHeaders(t *testing.T) {
	t.Parallel()
	quoted := func(text string) string {
		encoded, _ := json.Marshal(text)
		return string(encoded)
	}
	// A hijacked connection lets out what net/http would mend.
	raw := func(response func(value string) string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, value string) {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			buffered := bufio.NewWriter(c)
			_, _ = buffered.WriteString(response(value))
			_ = buffered.Flush()
			_ = c.Close()
		}
	}
	body := func(status int, contentType string, text func(value string) string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, value string) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text(value)))
		}
	}
	location := func(to func(value string) string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, value string) {
			w.Header()["Location"] = []string{to(value)}
			w.WriteHeader(http.StatusFound)
		}
	}
	tests := map[string]struct {
		echo func(w http.ResponseWriter, value string)
		kind client.Kind
	}{
		"service's error":        {body(403, "application/json", func(v string) string { return `{"message":` + quoted("Not allowed: "+v) + `}` }), client.KindStatus},
		"its error member":       {body(403, "application/json", func(v string) string { return `{"error":` + quoted(v) + `}` }), client.KindStatus},
		"other JSON":             {body(403, "application/json", func(v string) string { return `{"headers":[` + quoted(v) + `]}` }), client.KindStatus},
		"JSON, slashes escaped":  {body(403, "application/json", func(v string) string { return `["` + strings.ReplaceAll(v, "/", `\/`) + `"]` }), client.KindStatus},
		"HTML":                   {body(403, "text/html", func(v string) string { return "<p>" + html.EscapeString(v) + "</p>" }), client.KindStatus},
		"HTML, not escaped":      {body(403, "text/html", func(v string) string { return "<p>" + v + "</p>" }), client.KindStatus},
		"HTML in plain text":     {body(403, "text/plain", html.EscapeString), client.KindStatus},
		"text":                   {body(403, "text/plain", func(v string) string { return "Authorization: " + v + "!" }), client.KindStatus},
		"the token alone":        {body(403, "text/plain", func(v string) string { return "unknown " + strings.TrimPrefix(v, "Bearer ") }), client.KindStatus},
		"over two lines":         {body(403, "text/plain", func(v string) string { return strings.ReplaceAll(v, " ", "\n\t") }), client.KindStatus},
		"with control codes":     {body(403, "text/plain", func(v string) string { return strings.Join(strings.Split(v, ""), "\x00") }), client.KindStatus},
		"in a query":             {body(403, "text/plain", func(v string) string { return "/x?v=" + url.QueryEscape(v) }), client.KindStatus},
		"where the excerpt ends": {body(403, "text/plain", func(v string) string { return strings.Repeat("x", 190) + v }), client.KindStatus},
		"where the body is cut":  {body(403, "text/plain", func(v string) string { return strings.Repeat(" ", 64<<10-len(v)+1) + v }), client.KindStatus},
		"not JSON":               {body(200, "text/plain", func(v string) string { return v }), client.KindNotJSON},
		"content type":           {func(w http.ResponseWriter, v string) { body(200, v, html.EscapeString)(w, v) }, client.KindNotJSON},
		"content encoding": {func(w http.ResponseWriter, v string) {
			w.Header().Set("Content-Encoding", v)
			body(200, "text/plain", html.EscapeString)(w, "")
		}, client.KindNotJSON},
		"a field":             {body(200, "application/json", func(v string) string { return it.Newer().With("fileMaxSize", v).JSON() }), client.KindDocument},
		"a field that is cut": {body(200, "application/json", func(v string) string { return it.Newer().With("fileMaxSize", strings.Repeat("x", 45)+v).JSON() }), client.KindDocument},
		"a name":              {body(200, "application/json", func(v string) string { return `{` + quoted(v) + `:1,` + quoted(v) + `:2}` }), client.KindDocument},
		"version":             {body(200, "application/json", func(v string) string { return it.Newer().With("apiVersion", v).JSON() }), client.KindDocument},
		"redirect to a path":  {location(func(v string) string { return "/" + url.PathEscape(v) }), client.KindRedirect},
		"redirect, all escaped": {location(func(v string) string {
			var escaped strings.Builder
			for _, b := range []byte(v) {
				fmt.Fprintf(&escaped, "%%%02x", b)
			}
			return "/" + escaped.String()
		}), client.KindRedirect},
		"redirect, not escaped":  {location(func(v string) string { return "/" + v }), client.KindRedirect},
		"redirect with a query":  {location(func(v string) string { return "/?v=" + url.QueryEscape(v) }), client.KindRedirect},
		"redirect to a host":     {location(func(v string) string { return "ftp://" + v }), client.KindRedirect},
		"redirect to user info":  {location(func(v string) string { return "http://" + url.PathEscape(v) + "@files.test" }), client.KindRedirect},
		"not HTTP":               {raw(func(v string) string { return v + "\r\n\r\n" }), client.KindProtocol},
		"malformed status":       {raw(func(v string) string { return "HTTP/1.1 " + v + "\r\n\r\n" }), client.KindProtocol},
		"malformed header":       {raw(func(v string) string { return "HTTP/1.1 200 OK\r\n" + v + "\r\n\r\n" }), client.KindProtocol},
		"malformed chunk length": {raw(func(v string) string { return "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + v + "\r\n\r\n" }), client.KindProtocol},
		"status text":            {raw(func(v string) string { return "HTTP/1.1 403 " + v + "\r\n\r\n" }), client.KindStatus},
	}
	values := map[string]string{
		"special characters": secret,
		"host name":          "s3cret-T0ken.example",
		"long":               "Bearer " + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("s3cret T0ken? ", 60))),
	}
	for name, test := range tests {
		for kind, value := range values {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				server := it.New(t, it.WithDefault(it.Func(func(w http.ResponseWriter, r *http.Request) {
					test.echo(w, r.Header.Get("Authorization"))
				})))
				failure := failOnce(t, server.URL(), withHeaders(t, map[string]string{"Authorization": value}))
				must(t, failure, test.kind, 1)
			})
		}
	}
}

// What these headers say is no secret, and their values are in what a failure
// has to say; the value of any other is redacted there, whatever it is.
func TestPublicHeadersAreNotRedacted(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		header, value string
		public        bool
	}{
		"Content-Type":             {"Content-Type", "application/json", true},
		"Content-Type, lower case": {"content-type", "application/json", true},
		"Accept":                   {"Accept", "application/json", true},
		"Host":                     {"Host", "files.example.org", true},
		"User-Agent":               {"User-Agent", "application/json", false},
		"Cookie":                   {"Cookie", "application/json", false},
		"Authorization":            {"Authorization", "application/json", false},
		"Accept-Language":          {"Accept-Language", "application/json", false},
		"X-Forwarded-Host":         {"X-Forwarded-Host", "files.example.org", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, it.WithDefault(it.Body(200, test.value, "nothing")))
			c, request := prepare(t, server.URL(), withHeaders(t, map[string]string{test.header: test.value}))
			_, err := c.Read(t.Context(), request)
			failure, ok := client.AsFailure(err)
			if !ok {
				t.Fatalf("error %v, want a failure", err)
			}
			want := test.value
			if !test.public {
				want = "(redacted)"
			}
			must(t, failure, client.KindNotJSON, 1, `Content-Type "`+want+`"`)
		})
	}
}

// Labels go into the state as they are; in a warning they are not.
func TestEchoedHeadersInWarnings(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithDefault(it.Func(func(w http.ResponseWriter, r *http.Request) {
		document := it.Older().With("recommendedExpireTimes", []it.Document{it.OlderEntry("\x1b[1m"+r.Header.Get("Authorization"), 30)})
		_, _ = w.Write([]byte(document.JSON()))
	})))
	details := read(t, server.URL(), withHeaders(t, map[string]string{"Authorization": secret})).Details
	if len(details.Warnings) != 1 || details.RecommendedExpireTimes[0].Label != "\x1b[1m"+secret {
		t.Fatalf("details %+v", details)
	}
	label := details.Warnings[0].Label
	mustBePrintable(t, label)
	mustBeWithoutSecret(t, label, secret)
	if !strings.Contains(label, "(redacted)") {
		t.Errorf("the label in the warning is %q", label)
	}
}

func TestLongLabelsAreCutInWarnings(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithDocument(it.Older().With("recommendedExpireTimes", []it.Document{it.OlderEntry(strings.Repeat("é", 1000), 30)})))
	warnings := read(t, server.URL()).Details.Warnings
	if want := strings.Repeat("é", 59) + "…"; len(warnings) != 1 || warnings[0].Label != want {
		t.Errorf("warnings %+v, want the label %q", warnings, want)
	}
}

// The log of a read that succeeds has no header either.
func TestLog(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithScript(it.Status(503), it.Redirect(302, "/instance?token=s3cret")))
	var log logged
	read(t, server.URL(), log.option(), withHeaders(t, map[string]string{"Authorization": secret}))
	for _, words := range []string{"Trying again", "attempt=1", "reason=status 503", "Read the instance", "attempt=2", "url=" + server.URL() + "/instance"} {
		if !strings.Contains(log.String(), words) {
			t.Errorf("the log does not say %q:\n%s", words, &log)
		}
	}
	mustBeWithoutSecret(t, log.String(), secret)
	if strings.Contains(log.String(), "?") {
		t.Errorf("the log has a redirect's query:\n%s", &log)
	}
}
