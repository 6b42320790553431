package provider

import (
	"context"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// Each kind of failure has a row in a golden file, and a section of the page to which its message leads.
func TestFailureMessages(t *testing.T) {
	t.Parallel()
	var files []string
	for _, path := range []string{
		"testdata/read_messages.txt", "testdata/record_messages.txt", "../../templates/guides/troubleshooting.md.tmpl",
	} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(content))
	}
	for kind, message := range failureMessages {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(files[0]+files[1], ": "+message.summary) {
				t.Errorf("no row has the summary %q", message.summary)
			}
			if !regexp.MustCompile(`(?mi)^## ` + string(kind) + `$`).MatchString(files[2]) {
				t.Errorf("the page has no section for %s", anchor(kind))
			}
		})
	}
}

// The golden file has the text of each remedy, and this is which status has which.
func TestStatusRemedy(t *testing.T) {
	t.Parallel()
	tests := map[string][]int{
		"An instance needs no credentials": {401, 403},
		"Check the scheme":                 {400},
		"Check the path":                   {404},
		"Raise the limit of the server":    {429},
		"Check the log":                    {500, 501, 502, 503, 504, 520, 599},
		"Set the base URL to where":        {300, 301, 302, 304, 308},
		"An instance answers 200,":         {101, 201, 204, 402, 405, 407, 418, 431, 451, 499, 511},
	}
	for want, codes := range tests {
		for _, code := range codes {
			if got := statusRemedy(code); !strings.HasPrefix(got, want) {
				t.Errorf("the remedy of %d is %q, want one with %q", code, got, want)
			}
		}
	}
}

func TestFormatDuration(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"500ms", "1.5s", "1m", "1m30s", "10m", "1h", "1h0m5s", "1h10m", "20h"} {
		duration, err := time.ParseDuration(want)
		if got := formatDuration(duration); got != want || err != nil {
			t.Errorf("%s is %q", want, got)
		}
	}
}

// All reads of many instances have one deadline. With a deadline each, one could get the place of another that has just
// run out of time, and its instance would be blamed without being really asked.
func TestReadAll_OneDeadline(t *testing.T) {
	t.Parallel()
	deadlines := make(chan time.Time, 2)
	refusing := client.New(client.Config{
		RequestTimeout: time.Hour, Retry: client.Retry{MaxAttempts: 1, MinDelay: time.Second, MaxDelay: time.Second},
		Dial: func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed },
		Log: func(ctx context.Context, _ string, _ ...map[string]any) { // once for each read
			deadline, _ := ctx.Deadline()
			deadlines <- deadline
		},
	})
	baseURL, err := address.Parse("http://h")
	if err != nil {
		t.Fatal(err)
	}
	baseURLs, limit := map[string]address.BaseURL{"a": baseURL, "b": baseURL}, timeLimit{"timeouts.read", time.Minute}
	reads := (&providerData{client: refusing}).readAll(t.Context(), baseURLs, nil, limit)
	if a, b := <-deadlines, <-deadlines; a.IsZero() || a != b || !reads[0].request.InFleet {
		t.Errorf("the deadlines are %s and %s, and the read is in a fleet: %t", a, b, reads[0].request.InFleet)
	}
}

// A read that fails before a cancellation has its own error beside that of the others.
func TestReadErrors_Canceled(t *testing.T) {
	t.Parallel()
	baseURL, err := address.Parse("http://h")
	if err != nil {
		t.Fatal(err)
	}
	failed := func(key string, ending client.Ending) *instanceRead {
		return &instanceRead{failureReport: failureReport{
			provider: &providerData{}, key: key, request: client.Request{BaseURL: baseURL},
			failed: &client.ReadFailure{Ending: ending, Failure: &client.Failure{Kind: client.ConnectionFailed}},
		}}
	}
	diags := readErrors([]*instanceRead{failed("a", client.GaveUp), failed("b", client.Canceled)}, 3)
	if len(diags) != 2 || !strings.HasPrefix(diags[0].Detail(), "1 of 3 instances had not been read yet.") ||
		!strings.HasPrefix(diags[1].Detail(), `Instance "a": `) {
		t.Errorf("the errors are %v", diags)
	}
}
