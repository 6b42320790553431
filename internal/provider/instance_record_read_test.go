package provider_test

import (
	"context"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
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
	canceledIn    int               // the number of the request in which somebody cancels, or 0
}

// TestRecordMessages has the whole message of each warning and each error of a record, side by side in testdata/record_messages.txt. A
// refresh that fails keeps every value. So does a wait that fails, but for wait_failed. All but those that are canceled are in fake time,
// in which only delays take time, so that a busy machine makes no difference. TestWaitReport has messages with other numbers.
func TestRecordMessages(t *testing.T) { //nolint:tparallel // the messages are compared when all scenes have ended
	t.Parallel()
	const token = "hunter2-token"
	newer, answer, down := instancetest.Newer(), instancetest.Answer(), instancetest.Status(503)
	reports := instancetest.AnswerDocument[instancetest.Document]
	wrong := reports(newer.With("apiVersion", "2.1.4").With("chunkSize", 2).With("fileMaxAge", 60))
	echoed := reports(newer.With("apiVersion", "2.1.4-"+token))
	doubtful := reports(instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{instancetest.OlderEntry("30 minutes", 30)}))
	cached := instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Age", "3600")
		_, _ = w.Write([]byte(newer.JSON()))
	})
	const refreshPlan, planApply, all = "refresh, plan", "plan, apply", "refresh, plan, apply"
	nothing, updating := arguments{}, arguments{"update": "1m"}
	expecting := func(more arguments) arguments {
		config := arguments{"expected": arguments{"chunk_size": 20000000}}
		maps.Copy(config, more)
		return config
	}
	release := expecting(arguments{"triggers": texts{"deploy": "2"}, "timeouts": updating})
	deploy := expecting(arguments{"triggers": texts{"deploy": "2"}})
	several := arguments{"expected": arguments{"api_version": "2.1.5", "chunk_size": 20000000, "file_max_age": 2592000}}
	everything := arguments{"timeouts": updating, "expected": arguments{
		"api_version": "2.1.5+build", "chunk_size": 1, "file_max_age": 2, "file_max_size": 3, "max_transfers_in_merge": 4,
		"require_password": false,
	}}
	requireEverything(t, everything)
	version := arguments{"expected": arguments{"api_version": "2.1.5"}, "timeouts": updating}
	unstable := arguments{"stable_for": "59s", "triggers": texts{"deploy": "2"}, "timeouts": updating}

	scenes := map[string]recordScene{
		"drift":                      {before: expecting(nil), after: expecting(nil), does: refreshPlan, answers: wrong},
		"drift, several values":      {before: several, after: several, does: refreshPlan, answers: wrong},
		"drift, a header is echoed":  {before: version, after: version, does: refreshPlan, answers: echoed},
		"drift, null in the state":   {before: expecting(nil), after: expecting(nil), edited: arguments{"chunk_size": nil}, does: "plan", answers: answer},
		"drift, repaired by a wait":  {before: expecting(nil), after: expecting(nil), does: all, script: []instancetest.Step{wrong}, answers: answer},
		"changed":                    {before: expecting(nil), after: release, does: planApply, answers: reports(newer.With("fileMaxSize", int64(7000000000)))},
		"changed, null in the state": {before: expecting(nil), after: release, edited: arguments{"file_max_age": nil}, does: planApply, answers: answer},
		"changed, a header is echoed": {
			before: expecting(nil), after: release, edited: arguments{"api_version": "2.1.3-" + token}, does: planApply, answers: echoed,
		},
		"changed, several values": {
			before: expecting(nil), after: release, does: planApply,
			answers: reports(instancetest.Older().With("chunkSize", 20000000).With("recommendedExpireTimes", []instancetest.Document{})),
		},
		"changed, not its texts": { // which Terraform stores in a normal form of Unicode
			before: nothing, after: release, does: all,
			answers: reports(newer.With("apiVersion", "2.1.5-e\u0301").
				With("recommendedExpireTimes", []instancetest.Document{instancetest.NewerEntry("1 anne\u0301e", 31536000)})),
		},

		"kept":                   {before: nothing, after: nothing, does: refreshPlan, answers: down},
		"kept, expecting":        {before: expecting(nil), after: expecting(nil), does: refreshPlan, answers: down},
		"kept, another document": {before: nothing, after: nothing, does: refreshPlan, answers: reports(instancetest.Document{})},
		"kept, out of time": {
			before: arguments{"timeouts": arguments{"read": "1m"}}, after: nothing, does: "refresh", answers: down,
			provider: arguments{"retry": arguments{"min_delay": "1h", "max_delay": "1h"}},
		},
		"kept, edited timeout":   {before: nothing, after: nothing, edited: arguments{"timeouts": arguments{"read": "soon"}}, does: "refresh", answers: down},
		"kept, null wait_failed": {before: nothing, after: nothing, edited: arguments{"wait_failed": nil}, does: "refresh", answers: down},
		"kept, null detail":      {before: nothing, after: nothing, edited: arguments{"file_max_size": nil}, does: "refresh", answers: down},
		"kept, edited user info": {
			before: nothing, after: nothing, edited: arguments{"base_url": "https://me:hunter2@files.example.org"},
			does: "refresh", answers: answer,
		},
		"kept, null base_url": {before: nothing, after: nothing, edited: arguments{"base_url": nil}, does: "refresh", answers: answer},
		"kept, provider not known": {
			before: expecting(nil), after: expecting(nil), provider: arguments{"insecure": unknown, "request_timeout": unknown},
			does: refreshPlan, answers: answer,
		},
		"refresh canceled":          {before: nothing, after: nothing, does: "refresh", answers: down, canceledIn: 1},
		"refresh, ambiguous units":  {before: nothing, after: nothing, does: refreshPlan, answers: doubtful},
		"creation, ambiguous units": {after: nothing, does: planApply, answers: doubtful},

		"wait, differences":           {before: nothing, after: everything, does: planApply, answers: answer},
		"wait, one difference":        {before: nothing, after: release, does: planApply, answers: wrong},
		"wait, a header is echoed":    {before: nothing, after: version, does: planApply, answers: echoed},
		"wait, differences, then 503": {before: nothing, after: release, does: planApply, script: []instancetest.Step{wrong}, answers: down},
		"wait, then 503":              {before: expecting(nil), after: release, does: planApply, answers: down},
		"wait, differences, then a cache": {
			before: nothing, after: release, does: planApply, script: []instancetest.Step{wrong}, answers: cached,
		},
		"wait, one answer, then 503": {
			before: expecting(nil), does: planApply, script: []instancetest.Step{answer}, answers: down, after: expecting(unstable),
		},
		"wait, small limits": {
			before: nothing, does: planApply, answers: reports(newer.With("chunkSize", 5)),
			after: arguments{"expected": arguments{"chunk_size": 5}, "timeouts": updating},
		},
		"wait, a cache": {before: expecting(nil), after: release, does: planApply, answers: cached},
		"wait, crashed at last": {
			before: expecting(nil), does: planApply, script: []instancetest.Step{answer, answer}, answers: down, after: expecting(unstable),
		},
		"wait, old again at last": {
			before: expecting(nil), does: planApply, script: []instancetest.Step{answer, answer}, answers: wrong, after: expecting(unstable),
		},
		"wait of a creation":       {after: expecting(arguments{"timeouts": arguments{"create": "1m"}}), does: planApply, answers: down},
		"wait, provider not known": {before: nothing, after: release, provider: arguments{"insecure": unknown}, does: planApply, answers: answer},
		"wait canceled at once":    {before: expecting(nil), after: deploy, does: planApply, answers: down, canceledIn: 1},
		"wait canceled after a failure": {
			before: expecting(nil), after: deploy, provider: arguments{}, does: planApply, answers: down, canceledIn: 2,
		},
		"wait canceled, as expected": {
			before: expecting(nil), after: expecting(arguments{"stable_for": "9m", "triggers": texts{"deploy": "2"}}), does: planApply,
			provider: arguments{}, answers: answer, canceledIn: 2,
		},
		"wait canceled, as expected again": {
			before: expecting(nil), after: expecting(arguments{"stable_for": "9m", "triggers": texts{"deploy": "2"}}), does: planApply,
			provider: arguments{}, script: []instancetest.Step{down}, answers: answer, canceledIn: 3,
		},
		"wait canceled, differences": {before: nothing, after: deploy, provider: arguments{}, does: planApply, answers: wrong, canceledIn: 3},
		"creation canceled":          {after: expecting(nil), provider: arguments{}, does: planApply, answers: wrong, canceledIn: 2},

		"invalid, triggers and stable_for": {after: arguments{"triggers": texts{"deploy": "1"}, "stable_for": "1s"}, does: "validate"},
		"invalid, an empty block": {
			after: arguments{"triggers": texts{"deploy": "1"}, "stable_for": "1s", "expected": arguments{}}, does: "validate",
		},
		"invalid, stable_for and create":   {after: expecting(arguments{"stable_for": "60s", "timeouts": arguments{"create": "1m"}}), does: "validate"},
		"invalid, stable_for and update":   {after: expecting(arguments{"stable_for": "10m", "timeouts": arguments{"create": "1h"}}), does: "validate"},
		"valid, stable_for":                {after: expecting(arguments{"stable_for": "599s", "triggers": texts{}}), does: "validate"},
		"valid, without anything expected": {after: arguments{"triggers": texts{}, "timeouts": arguments{"read": "1s"}}, does: "validate"},
	}
	messages, mutex := make(map[string]string), sync.Mutex{}
	t.Run("scenes", func(t *testing.T) { // which returns when all of them have ended
		for name, scene := range scenes {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				server := instancetest.New(t)
				var text string
				if scene.canceledIn > 0 { // by the server, which has no part in fake time
					text = scene.play(t, server, token)
				} else {
					synctest.Test(t, func(t *testing.T) { text = scene.play(t, server, token) })
				}
				requireNone(t, name, text, "hunter2")
				mutex.Lock()
				defer mutex.Unlock()
				messages[name] = text
			})
		}
	})
	requireGolden(t, "record_messages.txt", messages)
}

// play returns the messages of a scene.
func (scene recordScene) play(t *testing.T, server *instancetest.Server, token string) string {
	t.Helper()
	of := func(config arguments) arguments {
		complete := arguments{"base_url": server.URL()}
		maps.Copy(complete, config)
		return complete
	}
	// The delay is as long as the time limit allows, so that each wait makes two attempts.
	provider := arguments{"retry": arguments{"max_attempts": 1, "min_delay": "1h", "max_delay": "1h"}}
	if scene.canceledIn > 1 {
		provider = arguments{"retry": arguments{"min_delay": "1ms"}}
	}
	provider["base_url"], provider["request_headers"] = server.URL(), texts{"X-Token": token}
	r := newTestRecord(t, provider)
	if scene.before != nil {
		r.create(t, of(scene.before))
		r.state = r.with(t, scene.edited)
	}
	maps.Copy(provider, scene.provider)
	r.session = configured(t, provider)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	script := scene.script
	if scene.canceledIn > 0 {
		script = slices.Concat(script, slices.Repeat([]instancetest.Step{scene.answers}, scene.canceledIn-1-len(script)),
			[]instancetest.Step{instancetest.Func(func(_ http.ResponseWriter, r *http.Request) {
				cancel()
				<-r.Context().Done()
			})})
	}
	server.SetScript(script...)
	server.SetDefault(scene.answers)

	var planned tftypes.Value
	var messages []string
	for step := range strings.SplitSeq(scene.does, ", ") {
		text, prior := "", r.state
		switch step {
		case "validate":
			text = r.validate(t, recordType, of(scene.after))
		case "refresh":
			_, text = r.refresh(ctx, t, false)
			failed := strings.HasPrefix(text, "Error") || strings.Contains(text, "last known values kept")
			if failed && !r.state.Equal(prior) {
				t.Errorf("the refresh has left %s, want %s", r.state, prior)
			}
		case "plan":
			planned, text = r.plan(t, of(scene.after))
		case "apply":
			text = r.apply(ctx, t, of(scene.after), planned)
			if failed := strings.HasPrefix(text, "Error"); failed && scene.before != nil && !prior.Equal(r.with(t, arguments{"wait_failed": false})) {
				t.Errorf("the wait that failed has left %s, want %s", r.state, prior)
			} else if !failed && scene.before != nil && !r.state.Equal(planned) {
				t.Errorf("the apply has left %s, want %s, which was planned", r.state, planned)
			} else if failed && scene.before == nil && !r.state.IsNull() {
				t.Errorf("the creation that failed has left %s", r.state)
			}
		}
		if text != "" {
			messages = append(messages, "("+step+") "+text)
		}
	}
	// The intervals of a streak are random.
	return regexp.MustCompile(`for [\d.]+m?s \(`).ReplaceAllString(normalized(strings.Join(messages, "\n")), "for (a time) (")
}

// Each operation has a time limit of its own. Nothing listens at the address, and the clock of the test runs only while the provider waits.
func TestRecordTimeLimits(t *testing.T) {
	t.Parallel()
	baseURL := "http://" + instancetest.ReserveAddress(t)
	own := arguments{"create": "3m", "read": "5s", "update": "4m"}
	tests := map[string]struct {
		timeouts             any
		create, read, update string
	}{
		"defaults": {nil, "timeouts.create (10m).", "timeouts.read (15s).", "timeouts.update (10m)."},
		"own":      {own, "timeouts.create (3m).", "timeouts.read (5s).", "timeouts.update (4m)."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newTestRecord(t, arguments{"retry": arguments{"max_attempts": 100}})
				r.imports(t, baseURL)
				_, imported := r.refresh(t.Context(), t, false)
				r.state = tftypes.NewValue(r.of, nil)
				config := arguments{"base_url": baseURL, "timeouts": test.timeouts, "expected": arguments{"chunk_size": 1}}
				planned, _ := r.plan(t, config)
				created := r.apply(t.Context(), t, config, planned)
				r.state = valueOf(r.of, config) // as if the instance had been up
				r.state = r.with(t, arguments{"wait_failed": false})
				_, refreshed := r.refresh(t.Context(), t, false)
				planned, _ = r.plan(t, config)
				updated := r.apply(t.Context(), t, config, planned)
				for text, want := range map[string]string{
					imported: "the limit of an import (1m).", created: test.create, refreshed: test.read, updated: test.update,
				} {
					if !strings.Contains(text, "The time limit was "+want) {
						t.Errorf("the time limit is not %s in:\n%s", want, text)
					}
				}
			})
		})
	}
}

// The import of a record that has no values to keep waits until the provider's arguments are known, or fails.
func TestRecordImport_ProviderNotKnown(t *testing.T) {
	t.Parallel()
	r := newTestRecord(t, arguments{"request_timeout": unknown})
	r.imports(t, "http://h")
	resp, text := r.refresh(t.Context(), t, true)
	if text != "" || resp.Deferred == nil || resp.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
		t.Errorf("the import is deferred: %v\n%s", resp.Deferred, text)
	}
	if _, text = r.refresh(t.Context(), t, false); !strings.HasPrefix(text, "Error: Provider configuration not known yet\n") {
		t.Errorf("the import does not fail, or in another way:\n%s", text)
	}
}

// A record is destroyed without a request, and without a valid base URL.
func TestRecordDestroy(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	r := newTestRecord(t, nil)
	r.create(t, arguments{"base_url": server.URL()})
	r.state = r.with(t, arguments{"base_url": nil})
	nothing := r.encoded(t, tftypes.NewValue(r.of, nil))
	planned, err := r.server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: recordType, PriorState: r.encoded(t, r.state), ProposedNewState: nothing, Config: nothing,
	})
	must(t, err)
	destroyed, err := r.server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: recordType, PriorState: r.encoded(t, r.state), PlannedState: nothing, Config: nothing,
	})
	must(t, err)
	text, requests := textOf(append(planned.Diagnostics, destroyed.Diagnostics...)), len(server.Requests())
	if !r.decoded(t, planned.PlannedState).IsNull() || !r.decoded(t, destroyed.NewState).IsNull() || text != "" || requests > 1 {
		t.Errorf("%d requests, of which the creation has sent 1, and messages:\n%s", requests, text)
	}
}
