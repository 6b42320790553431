package instancetest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The client's tests use every step, certificate and proxy, and would not pass if one did otherwise than it says. Here is
// what they would not notice.

func TestShapesFollowTheContract(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		document it.Document
		want     string // without the entries but the first
	}{
		"newer": {it.Newer(), `{"fileMaxSize":64424509440,"chunkSize":20000000,"requirePassword":true,"apiVersion":"2.1.5","fileMaxAge":"2592000",` +
			`"maxTransfersInMerge":50,"recommendedExpireTimes":[{"label":"30 minutes","inSeconds":1800,"value":30},`},
		"older": {it.Older(), `{"fileMaxSize":21474836480,"chunkSize":10000000,"requirePassword":false,"apiVersion":"1.3.2","fileMaxAge":"2592000",` +
			`"recommendedExpireTimes":[{"label":"30 minutes","value":1800},`},
		"mixed": {it.Mixed(), `{"fileMaxSize":64424509440,"chunkSize":20000000,"requirePassword":true,"apiVersion":"1.5.0","fileMaxAge":2592000,` +
			`"recommendedExpireTimes":[{"label":"30 minutes","inSeconds":1800,"value":30},`},
	} {
		if got := test.document.JSON(); !strings.HasPrefix(got, test.want) || strings.Count(got, `"label"`) != 8 {
			t.Errorf("%s is\n%s\nwant 8 entries after\n%s", name, got, test.want)
		}
	}
}

func TestDocumentsAreChangedInPlace(t *testing.T) {
	t.Parallel()
	base := it.Document{}.With("a", 1).With("b", 2)
	for _, test := range []struct {
		document it.Document
		want     string
	}{
		{base.With("a", "<&>"), `{"a":"<&>","b":2}`},
		{base.With("c", nil), `{"a":1,"b":2,"c":null}`},
		{base.Without("a"), `{"b":2}`},
		{base.Without("z"), `{"a":1,"b":2}`},
		{base.With("a", it.Raw("1.577e10")), `{"a":1.577e10,"b":2}`},
		{base.With("a", it.Raw("NaN")), `{"a":NaN,"b":2}`},
		{base.With("a", []it.Document{it.OlderEntry("1 año", 5), it.NewerEntry("90 s", 90)}),
			`{"a":[{"label":"1 año","value":5},{"label":"90 s","inSeconds":90,"value":1}],"b":2}`},
		{base, `{"a":1,"b":2}`},
	} {
		if got := test.document.JSON(); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestOnlyTheContractsRouteIsAnswered(t *testing.T) {
	t.Parallel()
	const document = `{"any":"text"}`
	server := it.New(t, it.WithPath("files/api/"), it.WithDocument(document))
	if want := server.Origin() + "/files/api"; server.URL() != want {
		t.Errorf("URL is %s, want %s", server.URL(), want)
	}
	for route, status := range map[string]int{
		"GET /files/api/instance":     200,
		"GET /files/api/instance?x=1": 200,
		"GET /files/api/instance/":    404,
		"GET /files/api//instance":    404,
		"GET /files/api/%69nstance":   404,
		"GET /files/api/Instance":     404,
		"GET /instance":               404,
		"POST /files/api/instance":    404,
	} {
		method, path, _ := strings.Cut(route, " ")
		want := fmt.Sprintf("%d application/json; charset=utf-8 %s", status, document)
		if status == 404 {
			want = strings.ReplaceAll(want, document, fmt.Sprintf(`{"statusCode":404,"error":"Not Found","message":"Route %s:%s not found"}`, method, path))
		}
		if got := ask(t.Context(), t, method, server.Origin()+path); got != want {
			t.Errorf("%s is answered\n%s\nwant\n%s", route, got, want)
		}
	}
}

func TestScriptIsServedInOrderAndThenTheDefault(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithRequiredHeader("X-Token", "right"),
		it.WithScript(it.Status(503), it.Body(502, "text/html", "<h1>")), it.WithDefault(it.Body(418, "", "")))
	for i, want := range []string{
		`503 application/json; charset=utf-8 {"statusCode":503,"error":"Service Unavailable","message":"The instance was told to answer 503"}`,
		"502 text/html <h1>",
		"418  ",
		"418  ",
	} {
		if got := ask(t.Context(), t, "GET", server.URL()+"/instance"); !strings.HasPrefix(got, "401 ") { // not from the script
			t.Errorf("without the header, the answer is %s", got)
		}
		if got := ask(t.Context(), t, "GET", server.URL()+"/instance", "X-Token", "right"); got != want {
			t.Errorf("answer %d is %s, want %s", i, got, want)
		}
	}
	log := server.Requests()
	if len(log) != 8 || log[0].Header.Get("X-Token") != "" || log[7].Header.Get("X-Token") != "right" || log[7].Path != "/instance" {
		t.Errorf("the log is %+v", log)
	}
}

// A step that waits ends with its client, and with its server.
func TestStepsEnd(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]it.Step{
		"silent":       it.Silent(),
		"drip":         it.Drip("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"),
		"endless body": it.EndlessBody(200, " "),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, leave := context.WithCancel(t.Context())
			started, ended := make(chan struct{}), make(chan struct{})
			server := it.New(t, it.WithDefault(func(s *it.Server, w http.ResponseWriter, r *http.Request) {
				started <- struct{}{}
				defer func() { ended <- struct{}{} }()
				step(s, w, r)
			}))
			for _, end := range []func(){leave, server.Close} {
				answered := make(chan string)
				go func() { answered <- ask(ctx, t, "GET", server.URL()+"/instance") }()
				<-started
				go end()
				<-ended
				if got := <-answered; got != "" {
					t.Errorf("a step that never ends was answered %s", got)
				}
				ctx = t.Context()
			}
		})
	}
}

// ask returns status, content type and body of an answer, or "" if there is none.
func ask(ctx context.Context, t *testing.T, method, url string, header ...string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		t.Error(err)
		return ""
	}
	request.Close = true
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d %s %s", response.StatusCode, response.Header.Get("Content-Type"), body)
}
