package instancetest_test

import (
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

func TestOnlyTheContractsRouteIsAnswered(t *testing.T) {
	t.Parallel()
	const document = `{"any":"text"}`
	server := it.New(t, it.WithPath("files/api/"), it.WithDocument(document), it.WithOtherRoutes())
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
		if got := ask(t, method, server.Origin()+path); got != want {
			t.Errorf("%s is answered\n%s\nwant\n%s", route, got, want)
		}
	}
}

// ask returns status, content type and body of an answer.
func ask(t *testing.T, method, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s %s", response.StatusCode, response.Header.Get("Content-Type"), body)
}
