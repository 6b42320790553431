package provider_test

import (
	"context"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// recordScene is what happens to a record of which a user gets messages.
type recordScene struct {
	before, after arguments // without base_url; before is nil if the record does not exist yet
	edited        arguments // values in the state that somebody has edited
	provider      arguments // the provider block since then
	does          string    // what Terraform does then, such as "refresh, plan, apply"
	script        []instancetest.Step
	answers       instancetest.Step // what the instance answers after the script
	cancels       bool              // somebody cancels in the first request after the script
}

// TestRecordMessages has the message of each warning and each error of a record, side by side in
// testdata/record_messages.txt. A refresh that fails keeps every value. So does a wait that fails, but for wait_failed.
// All but those that are canceled are in fake time, in which only delays take time.
func TestRecordMessages(t *testing.T) { //nolint:tparallel // the scenes share a map
	t.Parallel()
	const token, apply = "hunter2-token", "plan, apply"
	newer, answer, down := instancetest.Newer(), instancetest.Answer(), instancetest.Status(503)
	reports := instancetest.AnswerDocument[instancetest.Document]
	wrong := reports(newer.With("apiVersion", "2.1.4").With("chunkSize", 2).With("fileMaxAge", 60))
	echoed, small := reports(newer.With("apiVersion", "2.1.4-"+token)), reports(newer.With("chunkSize", 5))
	cached := instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Age", "3600")
		_, _ = w.Write([]byte(newer.With("chunkSize", 3).JSON())) // which is not the instance's answer
	})
	larger := reports(newer.With("fileMaxSize", int64(7e10)))
	expecting := func(name string, value any) arguments { return arguments{"expected": arguments{name: value}} }
	waiting := func(stableFor any, timeout string) arguments {
		config := expecting("chunk_size", 20000000)
		config["stable_for"], config["triggers"] = stableFor, texts{"deploy": "2"}
		config["timeouts"] = arguments{"update": timeout}
		return config
	}
	nothing, one, version := arguments{}, expecting("chunk_size", 20000000), expecting("api_version", "2.1.6")
	version["timeouts"] = arguments{"update": "1m"}
	release, unstable := waiting(nil, "1m"), waiting("59s", "1m")
	several := arguments{"expected": arguments{"api_version": "2.1.5", "chunk_size": 20000000, "file_max_age": 2592000}}
	everything := arguments{"timeouts": arguments{"update": "1m"}, "expected": arguments{
		"api_version": "2.1.5+build", "chunk_size": 1, "file_max_age": 2, "file_max_size": 3, "max_transfers_in_merge": 4,
		"require_password": false,
	}}
	steps := func(steps ...instancetest.Step) []instancetest.Step { return steps }

	scenes := map[string]recordScene{
		"drift, several values": {before: several, after: several, does: "refresh, plan", answers: wrong},
		"changed":               {before: one, after: release, does: apply, answers: larger},
		"changed, several values": {
			before: one, after: release, does: apply,
			answers: reports(instancetest.Mixed().With("recommendedExpireTimes", []instancetest.Document{})),
		},
		"changed, not its texts": { // which Terraform stores in a normal form of Unicode
			before: nothing, after: release, does: "refresh, plan, apply",
			answers: reports(newer.With("apiVersion", "2.1.5-e\u0301").
				With("recommendedExpireTimes", []instancetest.Document{instancetest.NewerEntry("1 anne\u0301e", 31536000)})),
		},

		"kept": {
			before: nothing, edited: arguments{"wait_failed": nil, "timeouts": arguments{"read": "soon"}},
			does: "refresh", answers: down,
		},
		"kept, edited user info": {
			before: nothing, edited: arguments{"base_url": "https://me:hunter2@h", "file_max_size": nil}, does: "refresh",
		},
		"kept, provider not known": {before: one, provider: arguments{"insecure": unknown}, does: "refresh"},
		"refresh canceled":         {before: nothing, does: "refresh", cancels: true},
		"creation, a bad base URL": {after: arguments{"base_url": "https://me:hunter2@h"}, does: apply},
		"small limits":             {before: nothing, does: "refresh", answers: small},
		"small limits, creation":   {after: nothing, does: apply, answers: small},
		"small limits, update":     {before: nothing, after: expecting("chunk_size", 5), does: apply, answers: small},

		"wait, 503":                   {before: one, after: release, does: apply, answers: down},
		"wait, differences":           {before: nothing, after: everything, does: apply, answers: answer},
		"wait, differences, then 503": {before: nothing, after: release, does: apply, script: steps(wrong), answers: down},
		"wait, a header is echoed":    {before: nothing, after: version, does: apply, answers: echoed},
		"wait, a cache":               {before: one, after: release, does: apply, answers: cached},
		"wait, provider not known":    {before: one, after: release, provider: arguments{"insecure": unknown}, does: apply},
		"wait, one answer, then 503":  {before: one, after: unstable, does: apply, script: steps(answer), answers: down},
		"wait, one answer, a cache":   {before: one, after: unstable, does: apply, script: steps(answer), answers: cached},
		"wait, an answer, then old":   {before: one, after: unstable, does: apply, script: steps(answer), answers: wrong},
		"wait, not for long enough": {
			before: one, after: waiting("9.9s", "10s"), does: apply, script: steps(down), answers: answer,
			provider: arguments{"retry": arguments{"min_delay": "8s", "max_delay": "8s"}},
		},
		"wait canceled": {before: one, after: waiting("9m", "10m"), does: apply, script: steps(answer), cancels: true},
	}
	messages := make(map[string]string)
	for name, scene := range scenes { //nolint:paralleltest // they share a map
		t.Run(name, func(t *testing.T) {
			server := instancetest.New(t)
			play := func(t *testing.T) {
				t.Helper()
				messages[name] = scene.play(t, server, token)
			}
			if scene.cancels { // in the server, which has no part in fake time
				play(t)
			} else {
				synctest.Test(t, play)
			}
			requireNone(t, name, messages[name])
		})
	}
	requireGolden(t, "record_messages.txt", messages)
}

// play returns the messages of a scene.
func (scene recordScene) play(t *testing.T, server *instancetest.Server, token string) string {
	t.Helper()
	configure := func(config arguments) arguments {
		complete := arguments{"base_url": server.URL()}
		maps.Copy(complete, config)
		return complete
	}
	// A wait of a minute makes two attempts, unless the instance is as expected.
	provider := arguments{
		"base_url": server.URL(), "request_headers": texts{"X-Token": token},
		"retry": arguments{"max_attempts": 1, "min_delay": "40s", "max_delay": "40s"},
	}
	r := newTestRecord(t, provider)
	if scene.before != nil {
		r.create(t, configure(scene.before))
		r.state = r.with(t, scene.edited)
	}
	maps.Copy(provider, scene.provider)
	r.session = configured(t, provider)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server.SetScript(scene.script...)
	if server.SetDefault(scene.answers); scene.cancels {
		server.SetDefault(instancetest.Func(func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		}))
	}

	var planned tftypes.Value
	var messages []string
	for step := range strings.SplitSeq(scene.does, ", ") {
		text, prior := "", r.state
		switch step {
		case "refresh":
			text, _ = r.refresh(ctx, t, false)
			if strings.Contains(text, "not read") && !r.state.Equal(prior) {
				t.Errorf("the refresh has left %s, want %s", r.state, prior)
			}
		case "plan":
			planned, text = r.plan(t, configure(scene.after))
		case "apply":
			text = r.apply(ctx, t, configure(scene.after), planned)
			want := planned
			if scene.before != nil && strings.HasPrefix(text, "Error") {
				r.state, want = r.with(t, arguments{"wait_failed": false}), prior
			}
			if scene.before != nil && !r.state.Equal(want) {
				t.Errorf("the apply has left %s, want %s", r.state, want)
			}
		}
		if text != "" {
			messages = append(messages, "("+step+") "+text)
		}
	}
	text := normalized(strings.Join(messages, "\n")) // the intervals of a streak are random
	text = regexp.MustCompile(`for (\d+|\d+\.\d|\d00m)s,`).ReplaceAllString(text, "for (a time),")
	return regexp.MustCompile(`\d+( attempts made\. .* timeouts\.update \(10s\))`).ReplaceAllString(text, "(many)$1")
}

// Each operation has a time limit of its own. Nothing listens at the address, and the clock of the test runs only while
// the provider waits.
func TestRecordTimeLimits(t *testing.T) {
	t.Parallel()
	baseURL := "http://" + instancetest.ReserveAddress(t)
	synctest.Test(t, func(t *testing.T) {
		config := arguments{"base_url": baseURL, "expected": arguments{"chunk_size": 1}}
		r := newTestRecord(t, arguments{"retry": arguments{"max_attempts": 100}})
		planned, _ := r.plan(t, config)
		created := r.apply(t.Context(), t, config, planned)
		r.imports(t, baseURL)
		imported, _ := r.refresh(t.Context(), t, false)
		r.state = newValue(r.of, config) // as if the instance had been up
		r.state = r.with(t, arguments{"wait_failed": false})
		refreshed, _ := r.refresh(t.Context(), t, false)
		planned, _ = r.plan(t, config)
		updated := r.apply(t.Context(), t, config, planned)
		for text, want := range map[string]string{
			created: "timeouts.create (10m).", imported: "the limit of an import (1m).", refreshed: "timeouts.read (15s).",
			updated: "timeouts.update (10m).",
		} {
			if !strings.Contains(text, "The time limit was "+want) {
				t.Errorf("the time limit is not %s in:\n%s", want, text)
			}
		}
	})
}

// The import of a record that has no values to keep waits until the provider's arguments are known, or fails.
func TestRecordImport_ProviderNotKnown(t *testing.T) {
	t.Parallel()
	r := newTestRecord(t, arguments{"request_timeout": unknown})
	r.imports(t, "http://h")
	if text, deferred := r.refresh(t.Context(), t, true); text != "" || !deferred {
		t.Errorf("the import is deferred: %t\n%s", deferred, text)
	}
	text, _ := r.refresh(t.Context(), t, false)
	if !strings.HasPrefix(text, "Error: Provider configuration not known yet\n") {
		t.Errorf("the import does not fail, or in another way:\n%s", text)
	}
}
