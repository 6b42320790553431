package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// TestFailedRefreshKeepsEveryValue gives one warning, whatever failed.
func TestFailedRefreshKeepsEveryValue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		step                    instancetest.Step
		provider, config, state object
		details, lacks          []string
	}{
		"status that is retried": {step: instancetest.Status(503), details: []string{"status 503", "3 attempts were made"}},
		"credentials":            {step: instancetest.Status(401), details: []string{"status 401", "with the provider's request_headers"}},
		"document with a fault":  {step: instancetest.AnswerDocument("{}"), details: []string{"fileMaxSize"}},
		"silence": {
			step: instancetest.Silent(), state: object{"timeouts": object{"create": nil, "read": "50ms", "update": nil}},
			details: []string{"timeouts.read (50ms)", "raise timeouts.read; a refresh uses the new value after the next apply."},
		},
		"silent attempts": {
			step: instancetest.Silent(), provider: object{"request_timeout": "20ms"},
			details: []string{"request_timeout (20ms)", "3 attempts were made"}, lacks: []string{"timeouts.read"},
		},
		"something is expected": {
			step: instancetest.Status(503), config: object{"expected": object{"chunk_size": int64(20000000)}},
			details: []string{"Whether it reports what is expected was not checked."},
		},
		"state with a timeout that is none": {
			step: instancetest.Status(404), state: object{"timeouts": object{"create": nil, "read": "soon", "update": nil}},
			details: []string{"status 404"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			created := createRecord(t, configureProvider(t, nil), object{"base_url": instance.URL()}.with(test.config))
			created.state = created.state.with(test.state)
			instance.SetDefault(test.step)
			p := configureProvider(t, test.provider)
			refreshed := p.refresh(t.Context(), t, created)
			assertEqual(t, "what it changes", changedNames(created.state, refreshed.state), "")
			refreshed.diagnostics.require(t, warningAt("", "Instance not read, last known details kept: "+instance.URL(),
				append(test.details, "keeps what the instance last reported, as of the last apply.", "GET "+instance.URL()+"/instance")...))
			assertNotContains(t, refreshed.diagnostics.String(), append(test.lacks, "wait_until_ready", "longer to start")...)
		})
	}
}

// TestFailedRefreshDoesNotPrintASecret has a base URL that another version of the provider accepted.
func TestFailedRefreshDoesNotPrintASecret(t *testing.T) {
	t.Parallel()
	p := configureProvider(t, nil)
	created := createRecord(t, p, object{"base_url": instancetest.New(t).URL()})
	created.state["base_url"] = "https://me:hunter2@files.example.org"
	refreshed := p.refresh(t.Context(), t, created)
	assertEqual(t, "what it changes", changedNames(created.state, refreshed.state), "")
	refreshed.diagnostics.require(t, warningAt("", "Instance not read, last known details kept", "user info"))
	assertNotContains(t, refreshed.diagnostics.String(), "hunter2")
}

// TestRefreshWithUnknownProviderArguments reads only if they do not matter to a record, and keeps every value without a warning.
func TestRefreshWithUnknownProviderArguments(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		provider object
		requests int // of two refreshes
	}{
		"base_url":                 {object{"base_url": unknown{}}, 2},
		"base_url and its headers": {object{"base_url": unknown{}, "request_headers": object{"X-A": "b"}}, 0},
		"base_url and connect_to":  {object{"base_url": unknown{}, "connect_to": "127.0.0.1:1"}, 0},
		"request_timeout":          {object{"request_timeout": unknown{}}, 0},
		"request_headers":          {object{"request_headers": unknown{}}, 0},
		"connect_to":               {object{"connect_to": unknown{}}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			created := createRecord(t, configureProvider(t, nil), object{"base_url": instance.URL()})
			p := configureProvider(t, test.provider)
			for _, p.deferralAllowed = range []bool{false, true} {
				refreshed := p.refresh(t.Context(), t, created)
				assertEqual(t, "what it changes", changedNames(created.state, refreshed.requireSuccess(t)), "")
				assertEqual(t, "deferred", refreshed.deferred != nil, false)
			}
			assertEqual(t, "the number of requests", len(instance.Requests())-1, test.requests)
		})
	}
}

// TestRecordTimeoutsByDefault finds in the log how long the delay before the last attempt is: almost until the end.
func TestRecordTimeoutsByDefault(t *testing.T) {
	t.Parallel()
	update := func(ctx context.Context, t *testing.T, p testProvider, prior result, baseURL string) {
		t.Helper()
		config := object{"base_url": baseURL, "expected": object{"chunk_size": int64(1)}}
		p.applyPlan(ctx, t, prior, p.plan(t, prior, config), config)
	}
	tests := map[string]struct {
		limit time.Duration
		run   func(ctx context.Context, t *testing.T, p testProvider, created result, baseURL string)
	}{
		"create": {10 * time.Minute, func(ctx context.Context, t *testing.T, p testProvider, _ result, baseURL string) {
			t.Helper()
			update(ctx, t, p, result{}, baseURL)
		}},
		"update": {10 * time.Minute, update},
		"refresh": {10 * time.Second, func(ctx context.Context, t *testing.T, p testProvider, created result, _ string) {
			t.Helper()
			p.refresh(ctx, t, created)
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			p := configureProvider(t, object{"retry": object{"max_attempts": 2, "min_delay": "1h", "max_delay": "1h"}})
			created := createRecord(t, p, object{"base_url": instance.URL()})
			instance.SetDefault(instancetest.Status(503))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var line struct{ Delay string }
			log := lineFunc(func(text []byte) {
				if bytes.Contains(text, []byte("Trying again")) {
					requireNoError(t, json.Unmarshal(text, &line))
					cancel()
				}
			})
			test.run(tflogtest.RootLogger(ctx, log), t, p, created, instance.URL())
			delay, err := time.ParseDuration(line.Delay)
			requireNoError(t, err)
			if delay < test.limit/2 || delay > test.limit {
				t.Errorf("the delay is %s, and the time for all attempts should be %s", delay, test.limit)
			}
		})
	}
}

// lineFunc is called with each line of a log.
type lineFunc func(line []byte)

func (f lineFunc) Write(line []byte) (int, error) {
	f(line)
	return len(line), nil
}

func TestImportRejectsABadBaseURL(t *testing.T) {
	t.Parallel()
	for name, one := range refusedBaseURLs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := newTestProvider().importRecord(t, one.value.(string)).diagnostics
			diags.require(t, errorAt("", "Invalid base URL", append(slices.Clone(one.details), "The import ID")...))
			assertNotContains(t, diags.String(), "hunter2")
		})
	}
}

// TestImportedRecordMustBeRead: it has no values to keep.
func TestImportedRecordMustBeRead(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithDefault(instancetest.Status(503)))
	p := configureProvider(t, nil)
	imported := p.importRecord(t, instance.URL())
	imported.requireSuccess(t)
	p.refresh(t.Context(), t, imported).diagnostics.require(t, errorAt("", "Instance answered with status 503", instance.URL()))

	p = configureProvider(t, object{"request_timeout": unknown{}})
	p.refresh(t.Context(), t, imported).diagnostics.require(t, errorAt("", "Provider configuration not known yet", "\n  - request_timeout\n"))
	p.deferralAllowed = true
	refreshed := p.refresh(t.Context(), t, imported)
	refreshed.diagnostics.require(t)
	assertEqual(t, "deferred", refreshed.deferred, &tfprotov6.Deferred{Reason: tfprotov6.DeferredReasonProviderConfigUnknown})
}

// TestRecordSendsTheProvidersHeaders to the origin of the provider's base_url, and nowhere else.
func TestRecordSendsTheProvidersHeaders(t *testing.T) {
	t.Parallel()
	guarded, other := instancetest.New(t, instancetest.WithRequiredHeader("X-Token", "opaque")), instancetest.New(t)
	p := configureProvider(t, object{"base_url": guarded.URL(), "request_headers": object{"X-Token": "opaque"}})
	p.refresh(t.Context(), t, createRecord(t, p, object{"base_url": guarded.URL()})).requireSuccess(t)
	created := createRecord(t, p, object{"base_url": other.URL()})
	other.SetDefault(instancetest.Status(401))
	p.refresh(t.Context(), t, created).diagnostics.require(t,
		warningAt("", "Instance not read, last known details kept: "+other.URL(), "status 401", "a provider block (with an alias)"))
	for _, request := range other.Requests() {
		assertEqual(t, "X-Token", request.Header.Get("X-Token"), "")
	}
}

// TestRecordWarnsOfDoubtfulOptions whenever it reads its instance.
func TestRecordWarnsOfDoubtfulOptions(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().
		With("recommendedExpireTimes", []instancetest.Document{instancetest.OlderEntry("30 minutes", 30)})))
	p, config := configureProvider(t, nil), object{"base_url": instance.URL()}
	created := p.apply(t, result{}, config)
	for operation, read := range map[string]result{
		"create":  created,
		"refresh": p.refresh(t.Context(), t, created),
		"update":  p.apply(t, created, config.with(object{"expected": object{"chunk_size": int64(20000000)}})),
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			read.diagnostics.require(t, warningAt("", "Expiry options shorter than a minute: "+instance.URL(), instance.URL()+"/instance"))
		})
	}
}
