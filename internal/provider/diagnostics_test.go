package provider

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// TestEveryKindOfFailureHasItsWords: what failed, and what to do, for each
// kind of its own.
func TestEveryKindOfFailureHasItsWords(t *testing.T) {
	t.Parallel()
	fallback := client.Failure{}
	summaries := map[string]client.Kind{failureSummary(&fallback): 0}
	remedies := map[string]client.Kind{remedyOf(fallback): 0}
	for kind := client.KindResolve; kind <= client.KindRequest; kind++ {
		failure := client.Failure{Kind: kind, URL: "https://files.example.org/instance", Reason: "the reason", StatusCode: 400}
		diagnostic := readError(path.Root("base_url"), &failure, readArguments{timeout: time.Minute})

		if other, taken := summaries[diagnostic.Summary()]; taken && (kind != client.KindNoTime || other != client.KindTimeout) {
			t.Errorf("kind %d has the summary of kind %d: %q", kind, other, diagnostic.Summary())
		}
		summaries[diagnostic.Summary()] = kind
		if other, taken := remedies[remedyOf(failure)]; taken {
			t.Errorf("kind %d has the remedy of kind %d: %q", kind, other, remedyOf(failure))
		}
		remedies[remedyOf(failure)] = kind

		first, _, ok := strings.Cut(diagnostic.Detail(), "\n")
		if !ok || !strings.HasPrefix(first, "GET https://files.example.org/instance") {
			t.Errorf("kind %d does not begin with the URL and what came back: %q", kind, first)
		}
		if !strings.HasSuffix(diagnostic.Detail(), ".") {
			t.Errorf("kind %d does not end in a sentence: %q", kind, diagnostic.Detail())
		}
	}
}

func remedyOf(failure client.Failure) string { return kindRemedy(&failure) }

func TestFailureDetail(t *testing.T) {
	t.Parallel()
	waiting := readArguments{timeout: 10 * time.Minute, waitUntilReady: true}
	plain := readArguments{timeout: time.Minute}
	tests := map[string]struct {
		failure   client.Failure
		arguments readArguments
		says      []string
		unsaid    []string
	}{
		"first attempt": {
			client.Failure{Kind: client.KindResolve, Reason: "no such host", Attempts: 1}, plain,
			[]string{"GET u: no such host.", "resolve", "set wait_until_ready = true"}, []string{"attempts", "timeouts.read"},
		},
		"last attempt": {
			client.Failure{Kind: client.KindConnect, Reason: "connection refused", Attempts: 4}, plain,
			[]string{"GET u: connection refused.", "the last of 4 attempts"}, []string{"timeouts.read"},
		},
		"out of time": {
			client.Failure{Kind: client.KindBroken, Reason: "gone", Attempts: 2, TimeRanOut: true}, plain,
			[]string{"the last of 2 attempts", "timeouts.read (1m), ran out"}, nil,
		},
		"waited in vain": {
			client.Failure{Kind: client.KindConnect, Reason: "connection refused", Attempts: 99, TimeRanOut: true}, waiting,
			[]string{"timeouts.read (10m), ran out", "raise timeouts.read"}, []string{"set wait_until_ready"},
		},
		"waited in vain for a status": {
			client.Failure{Kind: client.KindStatus, StatusCode: 503, Reason: "status 503", Attempts: 99, TimeRanOut: true}, waiting,
			[]string{"check its log", "raise timeouts.read"}, []string{"set wait_until_ready"},
		},
		"fault of the configuration, waiting": { // no time mends it
			client.Failure{Kind: client.KindProxy, Reason: "not valid", Attempts: 1}, waiting,
			[]string{"HTTP_PROXY, HTTPS_PROXY"}, []string{"timeouts.read", "wait_until_ready"},
		},
		"attempt out of time": {
			client.Failure{Kind: client.KindTimeout, Reason: "no complete response within 10s", Attempts: 4}, plain,
			[]string{"request_timeout", "set wait_until_ready = true"}, []string{"timeouts.read"},
		},
		"no attempt had an end": {
			client.Failure{Kind: client.KindNoTime, Reason: "no response", Attempts: 1, TimeRanOut: true}, plain,
			[]string{"raise timeouts.read and the provider's request_timeout", "set wait_until_ready = true"}, []string{"max_concurrency"},
		},
		"never its turn": { // it may well be ready
			client.Failure{Kind: client.KindNoTime, Reason: "no request was made", TimeRanOut: true}, plain,
			[]string{"Raise timeouts.read, or max_concurrency"}, []string{"wait_until_ready", "request_timeout"},
		},
		"redirected document": {
			client.Failure{Kind: client.KindDocument, RedirectedTo: "https://b/instance", Reason: "no", Details: []string{"a", "b"}}, plain,
			[]string{"GET u (redirected to https://b/instance) answered JSON", "\n  - a\n  - b\n"}, []string{"wait_until_ready"},
		},
		"429": {
			client.Failure{Kind: client.KindStatus, StatusCode: 429, Attempts: 4}, plain,
			[]string{"-parallelism, or max_concurrency of filetransfer_instances", "retry.max_delay and retry.max_attempts"}, []string{"wait_until_ready"},
		},
		"407":           {client.Failure{Kind: client.KindStatus, StatusCode: 407}, plain, []string{"HTTP_PROXY"}, nil},
		"path repeated": {client.Failure{Kind: client.KindStatus, StatusCode: 404, PathRepeated: true}, plain, []string{"base_url ends in /instance"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.failure.URL = "u"
			got := failureDetail(&test.failure, test.arguments)
			for _, part := range test.says {
				if !strings.Contains(got, part) {
					t.Errorf("%q is not in:\n%s", part, got)
				}
			}
			mustNotSay(t, got, test.unsaid...)
		})
	}
}

func TestSentence(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"no such host": "No such host.", "No such host.": "No such host.", "étrange": "Étrange.", "2 faults": "2 faults.",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			mustEqual(t, "the sentence", sentence(errors.New(text)), want)
		})
	}
	// Some errors of a base URL are sentences already.
	for name, refused := range urlsToRefuse {
		t.Run("base_url, "+name, func(t *testing.T) {
			t.Parallel()
			text := validateInstance(t, args{"base_url": refused.text}).String()
			mustNotSay(t, text, "..", ". .")
			if !strings.HasSuffix(strings.TrimSpace(text), ".") {
				t.Errorf("it does not end in a sentence: %q", text)
			}
		})
	}
}

func TestFormatDuration(t *testing.T) {
	t.Parallel()
	tests := map[string]time.Duration{
		"500ms": 500 * time.Millisecond, "1s": time.Second, "1m": time.Minute, "1m30s": 90 * time.Second, "10m": 10 * time.Minute,
		"1h": time.Hour, "1h10m": 70 * time.Minute, "1h0m5s": time.Hour + 5*time.Second, "20h": 20 * time.Hour, "1.5s": 1500 * time.Millisecond,
	}
	for want, duration := range tests {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			mustEqual(t, "the text", formatDuration(duration), want)
			if back, err := time.ParseDuration(want); err != nil || back != duration {
				t.Errorf("it reads as %s (%v)", back, err)
			}
		})
	}
}
