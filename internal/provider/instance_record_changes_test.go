package provider_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// configureProvider configures a provider with short delays, without diagnostics.
func configureProvider(t *testing.T, config object) testProvider {
	t.Helper()
	p, diags := configure(t.Context(), t, shortRetries(3).with(config))
	diags.require(t)
	return p
}

// createRecord creates a record, without diagnostics.
func createRecord(t *testing.T, p testProvider, config object) result {
	t.Helper()
	created := p.apply(t, result{}, config)
	created.requireSuccess(t)
	return created
}

// changedNames returns the names of what differs between two states of a record, such as "chunk_size, expected".
func changedNames(before, after object) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if !cmp.Equal(before[name], after[name]) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// TestRecordValidationWithUnknownValues leaves what is not known yet to the plan.
func TestRecordValidationWithUnknownValues(t *testing.T) {
	t.Parallel()
	tests := map[string]object{
		"expected":                {"expected": unknown{}, "triggers": object{"deploy": "1"}, "stable_for": "1m"},
		"an argument":             {"expected": object{"chunk_size": unknown{}}, "triggers": object{"deploy": "1"}, "stable_for": "1m"},
		"triggers":                {"triggers": unknown{}},
		"stable_for":              {"stable_for": unknown{}},
		"timeouts":                {"expected": object{"chunk_size": int64(1)}, "stable_for": "1h", "timeouts": unknown{}},
		"an argument of timeouts": {"expected": object{"chunk_size": int64(1)}, "stable_for": "1h", "timeouts": object{"create": unknown{}}},
	}
	for name, config := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			validate(t.Context(), t, recordName, config.with(object{"base_url": "https://files.example.org"})).require(t)
		})
	}
}

func TestRecordPlan(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t)
	p := configureProvider(t, nil)
	baseURL := instance.URL()
	created := createRecord(t, p, object{"base_url": baseURL})
	remote := result{state: created.state.with(object{"base_url": "https://files.example.org"})}
	drifted := result{state: created.state.with(object{"expected": object{"chunk_size": int64(30000000)}})}
	read := slices.Sorted(maps.Keys(acctest.NewerDetails(map[string]knownvalue.Check{"response_body": nil})))
	readBut := func(known ...string) []string {
		return slices.DeleteFunc(slices.Clone(read), func(name string) bool { return slices.Contains(known, name) })
	}
	versions := []string{"api_version", "api_version_major", "api_version_minor", "api_version_patch"}

	tests := map[string]struct {
		provider object
		prior    result
		config   object
		known    object   // what the plan changes to a known value
		unknown  []string // what is unknown in the plan
	}{
		"new": {
			config:  object{"base_url": baseURL},
			known:   object{"base_url": baseURL, "wait_failed": false},
			unknown: read,
		},
		"new, the provider's base URL is unknown": {
			provider: object{"base_url": unknown{}},
			config:   object{"base_url": baseURL},
			known:    object{"base_url": baseURL, "wait_failed": false},
			unknown:  read,
		},
		"new, everything is expected of an unknown base URL": {
			config: object{"base_url": unknown{}, "expected": object{
				"api_version": "3.1.2-rc.1+build", "chunk_size": int64(1), "file_max_age": int64(9223372036854775807), "file_max_size": int64(0),
				"max_transfers_in_merge": int64(7), "require_password": false,
			}},
			known: object{
				"api_version": "3.1.2-rc.1+build", "api_version_major": int64(3), "api_version_minor": int64(1), "api_version_patch": int64(2),
				"chunk_size": int64(1), "file_max_age": int64(9223372036854775807), "file_max_size": int64(0), "max_transfers_in_merge": int64(7),
				"require_password": false, "wait_failed": false,
			},
			unknown: []string{"base_url", "recommended_expire_times", "response_body"},
		},
		"another spelling of the base URL": {
			prior:  created,
			config: object{"base_url": "HTTP" + strings.TrimPrefix(baseURL, "http") + "/"},
			known:  object{"base_url": "HTTP" + strings.TrimPrefix(baseURL, "http") + "/"},
		},
		"the default port": {
			prior:  remote,
			config: object{"base_url": "https://files.example.org:443"},
			known:  object{"base_url": "https://files.example.org:443"},
		},
		"another base URL": {
			prior:   drifted,
			config:  object{"base_url": "https://files.example.org", "expected": object{"chunk_size": int64(30000000)}},
			known:   object{"base_url": "https://files.example.org", "chunk_size": int64(30000000)},
			unknown: readBut("chunk_size"),
		},
		"base URL unknown": {
			prior:   drifted,
			config:  object{"base_url": unknown{}, "expected": object{"chunk_size": int64(30000000)}},
			known:   object{"chunk_size": int64(30000000)},
			unknown: append([]string{"base_url"}, readBut("chunk_size")...),
		},
		"the provider's base URL is unknown": {
			provider: object{"base_url": unknown{}},
			prior:    created,
			config:   object{"base_url": baseURL},
		},
		"timeouts unknown": {
			prior:   created,
			config:  object{"base_url": baseURL, "timeouts": unknown{}},
			unknown: []string{"timeouts"},
		},
		"what is reported is expected": {
			prior:  created,
			config: object{"base_url": baseURL, "expected": object{"chunk_size": int64(20000000)}},
		},
		"another value is expected": {
			prior:   drifted,
			config:  object{"base_url": baseURL, "expected": object{"chunk_size": int64(40000000)}},
			known:   object{"chunk_size": int64(40000000)},
			unknown: []string{"response_body"},
		},
		"an unknown number is expected": {
			prior:   created,
			config:  object{"base_url": baseURL, "expected": object{"chunk_size": unknown{}}},
			unknown: []string{"chunk_size", "response_body"},
		},
		"an unknown version is expected": {
			prior:   created,
			config:  object{"base_url": baseURL, "expected": object{"api_version": unknown{}}},
			unknown: append(versions, "response_body"),
		},
		"the apply only waits": {
			prior:  created,
			config: object{"base_url": baseURL, "expected": object{"chunk_size": int64(20000000)}, "triggers": object{"deploy": unknown{}}},
		},
		"the last wait failed": {
			prior:  result{state: created.state.with(object{"wait_failed": true})},
			config: object{"base_url": baseURL},
			known:  object{"wait_failed": false},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned := configureProvider(t, test.provider).plan(t, test.prior, test.config)
			planned.diagnostics.require(t)
			want := unsetArguments().with(test.prior.state).with(test.known)
			for _, name := range test.unknown {
				want[name] = unknown{}
			}
			for _, name := range []string{"expected", "triggers"} { // as configured
				want[name] = planned.state[name]
			}
			assertEqual(t, "the plan", planned.state, want)
		})
	}
	t.Cleanup(func() { assertEqual(t, "the number of requests", len(instance.Requests()), 1) })
}

// TestRecordUpdate shows which changes wait for the instance. Terraform plans again in the apply, with what was unknown.
func TestRecordUpdate(t *testing.T) {
	t.Parallel()
	ok, other := instancetest.Answer(), instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 30000000))
	version := func(text string) instancetest.Step {
		return instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", text))
	}
	expected := object{"expected": object{"chunk_size": int64(20000000)}}
	triggers := func(values object) object { return expected.with(object{"triggers": values}) }
	tests := map[string]struct {
		before, after object
		spelling      string              // what the update adds to the base URL
		answers       []instancetest.Step // to the update
	}{
		"what is reported is expected": {after: expected, answers: []instancetest.Step{ok}},
		"more is expected": {
			before:  expected,
			after:   object{"expected": object{"chunk_size": int64(20000000), "require_password": true}},
			answers: []instancetest.Step{instancetest.Status(503), ok},
		},
		"less is expected": {
			before:  object{"expected": object{"chunk_size": int64(20000000), "require_password": true}},
			after:   expected,
			answers: []instancetest.Step{ok},
		},
		"another number is expected": {
			before: expected, after: object{"expected": object{"chunk_size": int64(30000000)}}, answers: []instancetest.Step{ok, other},
		},
		"another version is expected": {
			after:   object{"expected": object{"api_version": "2.2.0"}},
			answers: []instancetest.Step{version("2.2.0-rc.1"), version("2.2.0+build"), version("2.2.0")},
		},
		"no argument is expected any more": {before: expected, after: object{"expected": object{}}},
		"no block expected any more":       {before: expected},
		"triggers changed":                 {before: triggers(object{"deploy": "1"}), after: triggers(object{"deploy": "2"}), answers: []instancetest.Step{other, ok}},
		"triggers added":                   {before: expected, after: triggers(object{"deploy": "1"}), answers: []instancetest.Step{ok}},
		"one trigger of two removed": {
			before: triggers(object{"deploy": "1", "other": "1"}), after: triggers(object{"deploy": "1"}), answers: []instancetest.Step{ok},
		},
		"triggers changed, and the spelling": {
			before: triggers(object{"deploy": "1"}), after: triggers(object{"deploy": "2"}), spelling: "/", answers: []instancetest.Step{ok},
		},
		"triggers kept": {
			before: triggers(object{"deploy": "1"}), after: triggers(object{"deploy": "1"}).with(object{"timeouts": object{"read": "5s"}}),
		},
		"triggers removed":               {before: triggers(object{"deploy": "1"}), after: expected},
		"all triggers removed":           {before: triggers(object{"deploy": "1"}), after: triggers(object{})},
		"no trigger added":               {after: object{"triggers": object{}}},
		"another spelling of the URL":    {before: expected, after: expected, spelling: "//"},
		"another spelling, and timeouts": {after: object{"timeouts": object{"update": "2m"}}, spelling: "/"},
		"timeouts added":                 {after: object{"timeouts": object{"update": "2m"}}},
		"timeouts removed":               {before: object{"timeouts": object{"update": "2m"}}},
		"only stable_for":                {before: expected, after: expected.with(object{"stable_for": "1ms"})},
		"stable_for, and more is expected": {
			before:  expected,
			after:   object{"expected": object{"chunk_size": int64(20000000), "require_password": true}, "stable_for": "1ms"},
			answers: []instancetest.Step{ok, ok},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			p := configureProvider(t, nil)
			created := createRecord(t, p, test.before.with(object{"base_url": instance.URL()}))
			instance.SetScript(test.answers...)
			after := test.after.with(object{"base_url": instance.URL() + test.spelling})
			updated := p.apply(t, created, after).requireSuccess(t)
			assertEqual(t, "the number of requests", len(instance.Requests())-1, len(test.answers))
			assertEqual(t, "triggers", updated["triggers"] == nil, after["triggers"] == nil)
			assertEqual(t, "base_url", updated["base_url"], after["base_url"])
		})
	}
}

// TestFailedWaitIsRepeated shows what follows a wait that failed, whatever for.
func TestFailedWaitIsRepeated(t *testing.T) {
	t.Parallel()
	down := instancetest.New(t, instancetest.WithDefault(instancetest.Status(503))).URL()
	soon := object{"timeouts": object{"update": "1s"}}
	expected := soon.with(object{"expected": object{"chunk_size": int64(20000000)}})
	tests := map[string]struct {
		before, failed, after object
		canceled              bool // by Terraform, while the failed update waits
		requests              int  // of the update after it
	}{
		"another value is expected, and rolled back": {
			before: expected, failed: expected.with(object{"expected": object{"chunk_size": int64(1)}}), after: expected, requests: 1,
		},
		"an interrupt, and rolled back": {
			before: expected, failed: object{"expected": object{"chunk_size": int64(1)}}, canceled: true, after: expected, requests: 1,
		},
		"another base URL, and back": {
			before: expected, failed: expected.with(object{"base_url": down}), after: expected, requests: 1,
		},
		"another value is expected, and other timeouts": {
			before: expected, failed: expected.with(object{"expected": object{"chunk_size": int64(1)}}),
			after: expected.with(object{"timeouts": object{"update": "1m"}}), requests: 1,
		},
		"another value is expected, and triggers are removed": {
			before: expected.with(object{"triggers": object{"deploy": "1"}}), failed: expected.with(object{"expected": object{"chunk_size": int64(1)}}),
			after: expected, requests: 1,
		},
		"another value is expected, and nothing any more": {
			before: expected, failed: expected.with(object{"expected": object{"chunk_size": int64(1)}}), after: soon, requests: 0,
		},
		"another base URL, and back, where nothing is expected": {
			before: soon, failed: soon.with(object{"base_url": down}), after: soon, requests: 0,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			p, own := configureProvider(t, nil), object{"base_url": instance.URL()}
			created := createRecord(t, p, own.with(test.before))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.canceled {
				instance.SetScript(instancetest.Func(func(http.ResponseWriter, *http.Request) { cancel() }))
			}
			config := own.with(test.failed)
			failed := p.applyPlan(ctx, t, created, p.plan(t, created, config), config)
			assertEqual(t, "the number of errors", len(failed.diagnostics), 1)
			assertEqual(t, "what a failed wait changes", changedNames(created.state, failed.state), "wait_failed")

			refreshed := p.refresh(t.Context(), t, failed)
			assertEqual(t, "what a refresh changes", changedNames(failed.state, refreshed.requireSuccess(t)), "")

			before := len(instance.Requests())
			updated := p.apply(t, refreshed, own.with(test.after)).requireSuccess(t)
			assertEqual(t, "wait_failed", updated["wait_failed"], false)
			assertEqual(t, "the number of requests", len(instance.Requests())-before, test.requests)
		})
	}
}

// TestDriftWarning shows what a plan says about an instance that does not report what was expected before.
func TestDriftWarning(t *testing.T) {
	t.Parallel()
	const check = "Check that the server runs the release and the settings that are expected, and how it read them. If what it reports is right, change expected."
	const digits = `The server may have read only the digits at the beginning of a value: 5 of "5 GB" or of "5e+09", as Helm writes the number ` +
		"5000000000. Write the whole number, as a string. "
	const unit = `The server may have read a value without its unit: 30 of "30d". Write the whole number. `
	const noMaximum = "From 2.0.0 on, Stend reports 15770000000 if there is no maximum: expect that number. "
	const waits10m = "An apply waits until it reports what is expected, for timeouts.update (10m) at most, or for timeouts.create if it replaces the record."
	instance := instancetest.New(t)
	p, own := configureProvider(t, nil), object{"base_url": instance.URL()}
	created := createRecord(t, p, own)
	tests := map[string]struct {
		reported, expected, config object
		differences                []string
		waits, remedies            string
	}{
		"one": {
			expected:    object{"chunk_size": int64(30000000)},
			differences: []string{"chunk_size is 20000000, expected 30000000"},
		},
		"one of several": {
			expected:    object{"chunk_size": int64(20000000), "file_max_size": int64(64424509440), "require_password": false},
			differences: []string{"require_password is true, expected false"},
		},
		"several": {
			expected: object{"api_version": "2.2.0", "file_max_age": int64(0), "require_password": false},
			differences: []string{
				"api_version is 2.1.5, expected 2.2.0", "file_max_age is 2592000, expected 0", "require_password is true, expected false",
			},
		},
		"another spelling": {
			expected:    object{"chunk_size": int64(30000000)},
			config:      object{"base_url": instance.URL() + "/"},
			differences: []string{"chunk_size is 20000000, expected 30000000"},
		},
		"timeout": {
			expected:    object{"chunk_size": int64(30000000)},
			config:      object{"timeouts": object{"update": "90s"}},
			differences: []string{"chunk_size is 20000000, expected 30000000"},
			waits:       "for timeouts.update (1m30s) at most, or for timeouts.create",
		},
		"timeout unknown": {
			expected:    object{"chunk_size": int64(30000000)},
			config:      object{"timeouts": object{"update": unknown{}}},
			differences: []string{"chunk_size is 20000000, expected 30000000"},
			waits:       "for timeouts.update at most, or for timeouts.create",
		},
		"timeouts unknown": {
			expected:    object{"chunk_size": int64(30000000)},
			config:      object{"timeouts": unknown{}},
			differences: []string{"chunk_size is 20000000, expected 30000000"},
			waits:       "for timeouts.update at most, or for timeouts.create",
		},
		"not in the state": {
			reported:    object{"chunk_size": nil},
			expected:    object{"chunk_size": int64(0)},
			differences: []string{"chunk_size is not reported, expected 0"},
		},
		"the digits at the beginning": {
			reported:    object{"file_max_size": int64(5)},
			expected:    object{"file_max_size": int64(5000000000)},
			differences: []string{"file_max_size is 5, expected 5000000000"},
			remedies:    digits,
		},
		"a thousandth": {
			reported:    object{"file_max_size": int64(5000)},
			expected:    object{"file_max_size": int64(5000000)},
			differences: []string{"file_max_size is 5000, expected 5000000"},
		},
		"zero": {
			reported:    object{"file_max_size": int64(0)},
			expected:    object{"file_max_size": int64(5000000000)},
			differences: []string{"file_max_size is 0, expected 5000000000"},
		},
		"other digits": {
			reported:    object{"file_max_age": int64(30)},
			expected:    object{"file_max_age": int64(2592000)},
			differences: []string{"file_max_age is 30, expected 2592000"},
			remedies:    unit,
		},
		"the digits at the beginning of a later one, twice": {
			reported: object{"chunk_size": int64(10000000), "file_max_age": int64(2), "file_max_size": int64(5)},
			expected: object{"chunk_size": int64(30000000), "file_max_age": int64(2592000), "file_max_size": int64(5000000000)},
			differences: []string{
				"chunk_size is 10000000, expected 30000000", "file_max_age is 2, expected 2592000", "file_max_size is 5, expected 5000000000",
			},
			remedies: digits,
		},
		"no maximum": {
			reported:    object{"file_max_age": int64(15770000000)},
			expected:    object{"file_max_age": int64(0)},
			differences: []string{"file_max_age is 15770000000, expected 0"},
			remedies:    noMaximum,
		},
		"the number of no maximum elsewhere": {
			reported:    object{"file_max_size": int64(15770000000)},
			expected:    object{"file_max_size": int64(0)},
			differences: []string{"file_max_size is 15770000000, expected 0"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expected := object{"expected": test.expected}
			config := own.with(expected).with(test.config)
			first, _, _ := strings.Cut(test.differences[0], " ")
			waits := test.waits
			if waits == "" {
				waits = waits10m
			}
			planned := p.plan(t, result{state: created.state.with(expected).with(test.reported)}, config)
			planned.diagnostics.require(t, warningAt("expected."+first,
				"Instance did not report what is expected: "+config["base_url"].(string)+" ("+test.differences[0]+")",
				"When this run began, the instance reported other values:\n  - "+strings.Join(test.differences, "\n  - ")+"\n\nAn apply waits",
				waits, "\n\n"+test.remedies+check))
		})
	}
}

// TestServerCannotDisguiseASecretAsAVersion shows that what a server reports is redacted and cut, also before ", expected …".
func TestServerCannotDisguiseASecretAsAVersion(t *testing.T) {
	t.Parallel()
	const token = "S3cretS3cret"
	headers := object{"request_headers": object{"Authorization": "Bearer " + token}}
	for reported, want := range map[string]string{
		"2.4.1-" + token:                     "2.4.1-(redacted)",
		"2.4.1-" + strings.Repeat("x", 1000): "2.4.1-" + strings.Repeat("x", 193) + "…",
	} {
		instance := instancetest.New(t)
		config := object{"base_url": instance.URL(), "expected": object{"api_version": "2.1.5"}}
		p := configureProvider(t, headers.with(object{"base_url": instance.URL()}))
		created := createRecord(t, p, config)
		instance.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", reported)))
		refreshed := p.refresh(t.Context(), t, created)
		// The state has the token still if the provider's base URL is another one.
		for _, p := range []testProvider{p, configureProvider(t, headers.with(object{"base_url": "https://files.example.org"}))} {
			diags := p.plan(t, refreshed, config).diagnostics
			diags.require(t, warningAt("expected.api_version",
				"Instance did not report what is expected: "+instance.URL()+" (api_version is "+want+", expected 2.1.5)",
				"\n  - api_version is "+want+", expected 2.1.5\n"))
			assertNotContains(t, diags.String(), token)
		}
	}
}

// TestExpectedValueIsNeitherCutNorRedacted: it is from the configuration, and what to look for.
func TestExpectedValueIsNeitherCutNorRedacted(t *testing.T) {
	t.Parallel()
	const token = "S3cretS3cret"
	version := "2.2.0-" + token + strings.Repeat("x", 1000)
	instance := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("apiVersion", version)))
	p := configureProvider(t, object{"base_url": instance.URL(), "request_headers": object{"X-Token": token}})
	config := object{"base_url": instance.URL(), "expected": object{"api_version": version}, "timeouts": object{"update": "200ms"}}
	created := createRecord(t, p, config)
	instance.SetDefault(instancetest.AnswerDocument(instancetest.Newer()))
	refreshed := p.refresh(t.Context(), t, created)
	planned := p.plan(t, refreshed, config)
	applied := p.applyPlan(t.Context(), t, refreshed, planned, config)
	assertContains(t, planned.diagnostics.String(), "WARNING", "\n  - api_version is 2.1.5, expected "+version+"\n")
	assertContains(t, applied.diagnostics.String(), "ERROR", "\n  - api_version is 2.1.5, expected "+version+"\n")
}

// TestChangedWhileTheApplyWaited shows what an apply says about values that it had to keep as planned.
func TestChangedWhileTheApplyWaited(t *testing.T) {
	t.Parallel()
	const token = "S3cretS3cret"
	released := instancetest.Newer().With("chunkSize", 30000000)
	release := object{"expected": object{"chunk_size": int64(30000000)}}
	redeploy := object{"expected": object{"chunk_size": int64(20000000)}, "triggers": object{"deploy": "1"}}
	tests := map[string]struct {
		config   object
		document instancetest.Document
		prior    object   // what the state has otherwise
		changed  []string // no warning if there is none
	}{
		"nothing else": {config: release, document: released},
		"another field": {
			config: release, document: released.With("newField", 1), // response_body is unknown in the plan
		},
		"everything else": {
			config: release,
			document: released.With("apiVersion", "2.2.0-"+token).With("requirePassword", false).With("fileMaxAge", 60).
				With("recommendedExpireTimes", []instancetest.Document{}),
			changed: []string{
				"require_password is false, planned true", "api_version is 2.2.0-(redacted), planned 2.1.5", "file_max_age is 60, planned 2592000",
				"recommended_expire_times",
			},
		},
		"what is expected too": {
			config:   object{"expected": object{"chunk_size": int64(30000000), "file_max_age": int64(60)}},
			document: released.With("fileMaxAge", 60),
		},
		"a value that was not in the state": {
			config: release, document: released, prior: object{"file_max_age": nil},
			changed: []string{"file_max_age is 2592000, planned not reported"},
		},
		"a value that has a secret": {
			config: release, document: released, prior: object{"api_version": "2.1.5-" + token},
			changed: []string{"api_version is 2.1.5, planned 2.1.5-(redacted)"},
		},
		"nothing, while the apply only waited": {config: redeploy, document: instancetest.Newer()},
		"a value, while the apply only waited": {
			config: redeploy, document: instancetest.Newer().With("fileMaxAge", 60),
			changed: []string{"file_max_age is 60, planned 2592000", "response_body"},
		},
		"another field, while the apply only waited": {
			config: redeploy, document: instancetest.Newer().With("newField", 1), changed: []string{"response_body"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			p := configureProvider(t, object{"base_url": instance.URL(), "request_headers": object{"X-Token": token}})
			created := createRecord(t, p, object{"base_url": instance.URL()})
			created.state = created.state.with(test.prior)
			instance.SetDefault(instancetest.AnswerDocument(test.document))
			updated := p.apply(t, created, test.config.with(object{"base_url": instance.URL()}))
			var want []diagnostic
			if len(test.changed) > 0 {
				want = append(want, warningAt("", "Other details changed while the apply waited: "+instance.URL(),
					"The instance reports what is expected. These details have changed too, but this apply had to keep them as planned:\n  - "+
						strings.Join(test.changed, "\n  - ")+"\n\nThe next apply records them.", "add it to expected"))
			}
			updated.diagnostics.require(t, want...)
			assertNotContains(t, updated.diagnostics.String(), token)
			body := test.document.JSON()
			if test.config["triggers"] != nil {
				body = instancetest.Newer().JSON() // as planned
			}
			assertEqual(t, "response_body", updated.state["response_body"], body)
		})
	}
}

// TestWaitThatMayHaveBeenTooShort shows which failures of a wait can mean that an instance only starts slowly.
func TestWaitThatMayHaveBeenTooShort(t *testing.T) {
	t.Parallel()
	const advice = "If the instance needs longer to start, raise timeouts.create."
	instance := func(step instancetest.Step) string { return instancetest.New(t, instancetest.WithDefault(step)).URL() }
	gone := instancetest.New(t)
	gone.Close()
	tests := map[string]struct {
		baseURL string
		want    bool
	}{
		"no such host":        {"http://files.invalid", true},
		"no connection":       {gone.URL(), true},
		"no answer":           {instance(instancetest.Silent()), true},
		"status 503":          {instance(instancetest.Status(503)), true},
		"status 404":          {instance(instancetest.Status(404)), false},
		"status 429":          {instance(instancetest.Status(429)), false},
		"another value":       {instance(instancetest.AnswerDocument(instancetest.Older())), false},
		"no instance":         {instance(instancetest.AnswerDocument("{}")), false},
		"a web page":          {instance(instancetest.Body(200, "text/html", "<title>Stend</title>")), false},
		"a broken connection": {instance(instancetest.CloseConnection()), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := configureProvider(t, object{"request_timeout": "200ms"})
			config := object{"base_url": test.baseURL, "expected": object{"chunk_size": int64(20000000)}, "timeouts": object{"create": "1s"}}
			text := p.apply(t, result{}, config).diagnostics.String()
			assertContains(t, text, "The wait ended: timeouts.create is 1s.")
			assertEqual(t, "it says that the instance may need longer", strings.Contains(text, advice), test.want)
		})
	}
}
