package provider

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// Each kind of failure has a summary and a remedy, and the linter sees to it that each is in the map. A data source can meet all of them
// but three, and testdata/failed_reads.txt has those.
func TestFailureMessages(t *testing.T) {
	t.Parallel()
	golden, err := os.ReadFile("testdata/failed_reads.txt")
	if err != nil {
		t.Fatal(err)
	}
	for kind, message := range failureMessages {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			remedyIsElsewhere := kind == client.Status || kind == client.CertificateNotTrusted
			if message.summary == "" || (message.remedy == "") != remedyIsElsewhere {
				t.Errorf("it has the summary %q and the remedy %q", message.summary, message.remedy)
			}
			onlyInWaits := kind == client.NotAsExpected || kind == client.NotStable || kind == client.Cached
			if strings.Contains(string(golden), ": "+message.summary) == onlyInWaits {
				t.Errorf("%q is in testdata/failed_reads.txt: %t", message.summary, !onlyInWaits)
			}
		})
	}
}

// The remedy of a failure is the text of its kind, and nothing else but two sentences by two facts.
func TestRemedyOf(t *testing.T) {
	t.Parallel()
	for kind := range failureMessages {
		for _, code := range []int{0, 301, 401, 404, 429, 500, 511} {
			for fault := range certificateRemedies {
				failure := &client.Failure{Kind: kind, StatusCode: code, CertificateFault: fault}
				own := failureMessages[kind].remedy
				switch kind {
				case client.Status:
					own = statusRemedy(code)
				case client.CertificateNotTrusted:
					own = certificateRemedies[fault]
				}
				failure.Asked = client.Asked{
					HeadersSent: true, CertificateSent: true, HeadersWithheld: true, CertificateWithheld: true, ConnectTo: "h:1", Peer: "h:2", FromCache: true,
				}
				if got := remedyOf(failure); got != own || got == "" {
					t.Errorf("%s: got %q, want %q", kind, got, own)
				}
				failure.Asked = client.Asked{RedirectedTo: "http://h", Forwarded: true}
				want := "A redirect led there: set the base URL to where the instance itself answers, or correct the redirect. " + own
				if kind == client.RedirectNotFollowed || kind == client.Status && code == 301 {
					want = own
				}
				if kind != client.ProxyFailed {
					want += " The proxy may also be the cause: check NO_PROXY, and what the proxy allows."
				}
				if got := remedyOf(failure); got != want {
					t.Errorf("%s, after a redirect, by a proxy: got %q, want %q", kind, got, want)
				}
			}
		}
	}
}

// Each kind of failure has a section of the page, to which its message leads.
func TestTroubleshootingPageHasEveryTopic(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/guides/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	for kind, message := range failureMessages {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			section := `<a id="` + regexp.QuoteMeta(strings.TrimPrefix(topicOf(kind), "#")) + `"></a>\n+#+ ` + regexp.QuoteMeta(message.summary)
			if !regexp.MustCompile(section).Match(page) {
				t.Errorf("the page has no match for %s", section)
			}
		})
	}
}

// Every message about a failure leads to the page, where a reader looks for its words.
func TestTroubleshootingPageHasEverySummary(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../templates/guides/troubleshooting.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	summaries := []string{
		"Instance was not stable for long enough", "Wait canceled", "Read canceled", "Implausibly small limits", "Expiry options with an ambiguous unit",
		"Not as expected when last read", "Other details changed while the apply waited", "Instance not read, last known values kept",
	}
	for _, message := range failureMessages {
		summaries = append(summaries, message.summary)
	}
	for _, summary := range summaries {
		t.Run(summary, func(t *testing.T) {
			t.Parallel()
			if !regexp.MustCompile(`(?m)^[#|].*` + regexp.QuoteMeta(summary)).Match(page) {
				t.Error("the page has it neither in a heading nor in a row")
			}
		})
	}
}

func TestStatusRemedy(t *testing.T) {
	t.Parallel()
	tests := map[string][]int{
		"something else refused":        {401, 403},
		"Check the path":                {404},
		"Raise the limit of the server": {429},
		"Check the log":                 {500, 501, 502, 503, 504, 520, 599},
		"Set the base URL to where":     {301, 302, 303, 307, 308},
		"An instance answers 200,":      {101, 201, 202, 204, 300, 304, 400, 405, 407, 410, 418, 421, 426, 431, 451, 499, 511},
	}
	for want, codes := range tests {
		for _, code := range codes {
			t.Run(strconv.Itoa(code), func(t *testing.T) {
				t.Parallel()
				if got := statusRemedy(code); !strings.Contains(got, want) {
					t.Errorf("the remedy is %q, want one with %q", got, want)
				}
			})
		}
	}
}
