package provider_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The record of recordOf, and what depends on it.
const theRecord, follows, replaced = "filetransfer_instance_record.this", "terraform_data.follows", "terraform_data.replaced"

// What a plan does to a resource.
const (
	creates  = plancheck.ResourceActionCreate
	updates  = plancheck.ResourceActionUpdate
	replaces = plancheck.ResourceActionDestroyBeforeCreate
	keeps    = plancheck.ResourceActionNoop
)

// quick is a block timeouts for waits that must fail.
const quick = "timeouts {\ncreate = \"200ms\"\nupdate = \"200ms\"\n}"

// recordOf is a record with further arguments, and what follows from its limits.
func recordOf(baseURL string, arguments ...string) string {
	return requirement + impatientBlock + fmt.Sprintf(`
resource "filetransfer_instance_record" "this" {
  base_url = %q
  %s
}

resource "terraform_data" "follows" { input = filetransfer_instance_record.this.chunk_size }

resource "terraform_data" "replaced" { triggers_replace = [filetransfer_instance_record.this.file_max_size] }
`, baseURL, strings.Join(arguments, "\n"))
}

// testRecord runs steps, most of them with the configuration of recordOf.
func testRecord(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{TerraformVersionChecks: needTerraformData(), ProtoV6ProviderFactories: factories(), Steps: steps})
}

// change is a change of the arguments of a record whose server reports newer.
type change struct {
	// before and after are the arguments. SERVER in them is the output of a resource, which the plan does not know if the inputs differ.
	before, after string
	inputs        [2]string
	// spelling is what is added to the base URL.
	spelling string
	// action is what the plan does to the record. It is an update unless this says otherwise.
	action plancheck.ResourceActionType
	// plan is what the plan has besides newer. It knows all but what is unknown{} here.
	plan object
	// answers are those to the apply, which must send as many requests. Nothing is refreshed.
	answers []instancetest.Step
	// want is what the state then has besides newer.
	want object
}

// mustChange makes all changes in one apply, each of a record with a server of its own.
func mustChange(t *testing.T, changes map[string]change) {
	t.Helper()
	var configurations [2]string
	var plan [][]plancheck.PlanCheck
	var state []statecheck.StateCheck
	servers := make(map[string]*instancetest.Server)
	for name, test := range changes {
		label := strings.NewReplacer(" ", "_", ",", "").Replace(name)
		address := "filetransfer_instance_record." + label
		servers[name] = instancetest.New(t)
		for i, arguments := range []string{test.before, test.after} {
			baseURL := servers[name].URL() + strings.Repeat(test.spelling, i)
			configurations[i] += fmt.Sprintf("resource \"terraform_data\" %q { input = %q }\n", label, test.inputs[i]) +
				fmt.Sprintf("resource \"filetransfer_instance_record\" %q {\nbase_url = %q\n%s\n}\n", label, baseURL,
					strings.ReplaceAll(arguments, "SERVER", "terraform_data."+label+".output"))
		}
		plan = append(plan, inPlan(address, cmp.Or(test.action, updates), newer.with(test.plan)),
			[]plancheck.PlanCheck{onlyUnknown{address, test.plan}})
		state = append(state, inState(address, newer.with(test.want))...)
	}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   needTerraformData(),
		ProtoV6ProviderFactories: factories(),
		AdditionalCLIOptions:     &resource.AdditionalCLIOptions{Plan: resource.PlanOptions{NoRefresh: true}},
		Steps: []resource.TestStep{
			{Config: impatientBlock + configurations[0]},
			{
				PreConfig: func() {
					for name, server := range servers {
						server.SetScript(changes[name].answers...)
					}
				},
				Config: impatientBlock + configurations[1], ConfigPlanChecks: planned(plan...), ConfigStateChecks: state,
				PostApplyFunc: func() {
					for name, server := range servers {
						assertEqual(t, name+": the number of requests", len(server.Requests())-1, len(changes[name].answers))
					}
				},
			},
		},
	})
}

// TestAccRecord_Triggers: if they change, the apply waits, although nothing else does.
func TestAccRecord_Triggers(t *testing.T) {
	t.Parallel()
	const reported, ignored = "\nexpected { chunk_size = 20000000 }", "\nlifecycle { ignore_changes = [triggers] }"
	triggers := func(deploy string) string { return "triggers = { deploy = " + deploy + " }" + reported }
	deployed := func(id string) object { return object{"triggers": object{"deploy": id}} }
	waits := []instancetest.Step{instancetest.Status(503), instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 2)), instancetest.Answer()}
	inputs := [2]string{"a1", "a2"}
	mustChange(t, map[string]change{
		"changed":          {before: triggers(`"a"`), after: triggers(`"b"`), answers: waits, want: deployed("b")},
		"added":            {before: reported, after: triggers(`"a"`), answers: waits, want: deployed("a")},
		"one removed":      {before: `triggers = { deploy = "a", other = "a" }` + reported, after: triggers(`"a"`), answers: waits, want: deployed("a")},
		"sensitive":        {before: triggers(`sensitive("a")`), after: triggers(`sensitive("b")`), answers: waits, want: deployed("b")},
		"another spelling": {before: triggers(`"a"`), after: triggers(`"b"`), spelling: "/", answers: waits, want: deployed("b")},
		"unknown":          {before: triggers("SERVER"), after: triggers("SERVER"), inputs: inputs, answers: waits, want: deployed("a2")},
		"unknown block while it is validated": {
			before: triggers(`"a"`), inputs: [2]string{"a", "a"}, answers: waits, want: deployed("b"),
			after: "triggers = { deploy = \"b\" }\ndynamic \"expected\" {\nfor_each = SERVER == \"a\" ? [20000000] : []\n" +
				"content { chunk_size = expected.value }\n}",
		},
		"unknown, and then as before": {
			before: triggers("substr(SERVER, 0, 1)"), after: triggers("substr(SERVER, 0, 1)"), inputs: inputs, want: deployed("a"),
		},
		"unknown, and then null": {
			before: triggers(`"a"`), after: `triggers = SERVER == "a2" ? null : {}` + reported, inputs: inputs,
			plan: object{"triggers": unknown{}}, want: object{"triggers": nil},
		},
		"kept":         {before: triggers(`"a"`), after: triggers(`"a"`) + "\ntimeouts { update = \"2m\" }", want: deployed("a")},
		"removed":      {before: triggers(`"a"`), after: reported, want: object{"triggers": nil}},
		"empty":        {before: triggers(`"a"`), after: "triggers = {}" + reported, want: object{"triggers": object{}}},
		"empty, added": {after: "triggers = {}", want: object{"triggers": object{}}},
		"ignored": {
			before: triggers(`"a"`) + ignored, after: triggers(`"b"`) + ignored, action: keeps, want: deployed("a"),
		},
	})
}

// TestAccRecord_TriggersOfAFailedWait: the state has none, so that a deploy that fails and its rollback are both waited for.
func TestAccRecord_TriggersOfAFailedWait(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	down, up := server.SetDefault, func() { server.SetDefault(instancetest.Answer()) }
	deploy := func(baseURL, id string) string {
		return recordOf(baseURL, fmt.Sprintf("triggers = { deploy = %q }", id), expectedOf("chunk_size = 20000000"), quick)
	}
	failed := resource.TestStep{Config: deploy(server.URL(), "2"), ExpectError: words("Instance answered with status 503", "The wait ended: timeouts.update is 200ms.")}
	rollback := failed
	rollback.Config = deploy(server.URL(), "1")
	elsewhere := failed
	other := instancetest.New(t, instancetest.WithDefault(instancetest.Status(503))).URL()
	elsewhere.Config = deploy(other, "1")
	elsewhere.ExpectError = words("Instance answered with status 503", fmt.Sprintf(": base_url = %q", other), "The wait ended: timeouts.update is 200ms.",
		"raise timeouts.update")
	// again is a wait that succeeds, after one that failed.
	again := resource.TestStep{
		PreConfig: up, Config: rollback.Config,
		ConfigPlanChecks: planned(
			inPlan(theRecord, updates, newer.with(object{"triggers": object{"deploy": "1"}})),
			[]plancheck.PlanCheck{beforePlan{theRecord, "triggers", nil}, onlyUnknown{theRecord, nil}},
			then(func() { server.SetScript(instancetest.Status(503)) }),
		),
		ConfigStateChecks: inState(theRecord, newer.with(object{"triggers": object{"deploy": "1"}})),
	}
	created := resource.TestStep{Config: rollback.Config}
	replaced := resource.TestStep{
		Config: rollback.Config, Taint: []string{theRecord}, ConfigPlanChecks: planned(then(func() { down(instancetest.Status(503)) })),
		ExpectError: words("The wait ended: timeouts.create is 200ms."),
	}
	failed.PreConfig = func() { down(instancetest.Status(503)) }
	testRecord(t, created, failed, rollback, again, elsewhere, again, replaced)
}

// TestAccRecord_TriggersAfterImport: the import cannot know them, so the next apply asks once.
func TestAccRecord_TriggersAfterImport(t *testing.T) {
	t.Parallel()
	server, asked := instancetest.New(t), 0
	configuration := recordOf(server.URL(), `triggers = { deploy = "1" }`, expectedOf("chunk_size = 20000000"))
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   needTerraformData(),
		ProtoV6ProviderFactories: factories(),
		AdditionalCLIOptions:     &resource.AdditionalCLIOptions{Plan: resource.PlanOptions{NoRefresh: true}},
		Steps: []resource.TestStep{
			{Config: configuration, ResourceName: theRecord, ImportState: true, ImportStateId: server.URL(), ImportStatePersist: true},
			{
				PreConfig:        func() { asked = len(server.Requests()) },
				Config:           configuration,
				ConfigPlanChecks: planned(inPlan(theRecord, updates, newer), []plancheck.PlanCheck{beforePlan{theRecord, "triggers", nil}}),
				PostApplyFunc:    func() { assertEqual(t, "the number of requests", len(server.Requests())-asked, 1) },
			},
		},
	})
}

// TestAccRecord_TriggersNeedAnExpectation: any answer would end the wait.
func TestAccRecord_TriggersNeedAnExpectation(t *testing.T) {
	t.Parallel()
	const triggers = `triggers = { deploy = "1" }`
	configuration, want := "", []errorAtLine{}
	for _, expected := range []string{"", expectedOf(), expectedOf("chunk_size = null")} {
		configuration += fmt.Sprintf("resource \"filetransfer_instance_record\" %q {\nbase_url = \"https://files.example.org\"\n%s\n%s\n}\n",
			labelOf(len(want)), triggers, expected)
		want = append(want, errorAtLine{triggers, []string{"Triggers without anything expected", "Set an argument in the block expected, or remove triggers."}})
	}
	mustFail(t, nil, configuration, want...)
}

// TestTriggersMayExpectWhatIsNotKnownYet: it is checked once it is known.
func TestTriggersMayExpectWhatIsNotKnownYet(t *testing.T) {
	t.Parallel()
	triggered := object{"base_url": "https://files.example.org", "triggers": object{"deploy": "1"}}
	for name, expected := range map[string]object{"block": {"expected": unknown{}}, "argument": expecting(object{"chunk_size": unknown{}})} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			validate(t.Context(), t, recordName, triggered.with(expected)).require(t)
		})
	}
}

func TestAccRecord_Documents(t *testing.T) {
	t.Parallel()
	configuration, plan, checks := "", [][]plancheck.PlanCheck{}, []statecheck.StateCheck{}
	for name, baseURL := range everyDocument(t) {
		test, label := documents[name], strings.ReplaceAll(name, " ", "_")
		configuration += fmt.Sprintf("resource \"filetransfer_instance_record\" %q { base_url = %q }\n", label, baseURL)
		address, written := "filetransfer_instance_record."+label, object{"base_url": baseURL, "timeouts": nil}
		plan = append(plan, inPlan(address, creates, everyDetail(unknown{}).with(written)))
		checks = append(checks, inState(address, newer.with(written).with(object{"response_body": test.document}).with(test.want))...)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps:                    []resource.TestStep{{Config: configuration, ConfigPlanChecks: planned(plan...), ConfigStateChecks: checks}},
	})
}

// TestAccRecord_CreateErrors: each is on the line of what was not met, and says what the wait met before.
func TestAccRecord_CreateErrors(t *testing.T) {
	t.Parallel()
	configuration, want := impatientBlock, []errorAtLine{}
	fails := func(step instancetest.Step, expects string, says ...string) {
		server, label := instancetest.New(t, instancetest.WithDefault(step)), labelOf(len(want))
		configuration += fmt.Sprintf("resource \"filetransfer_instance_record\" %q {\nbase_url = %q\ntimeouts { create = \"300ms\" }\n%s\n}\n",
			label, server.URL(), expectedOf(expects))
		line := expects
		if strings.HasPrefix(says[0], "Instance answered") {
			line = fmt.Sprintf("base_url = %q", server.URL())
		}
		want = append(want, errorAtLine{line, append(says, "raise timeouts.create.")})
	}
	reporting := func(field string, value any) instancetest.Step {
		return instancetest.AnswerDocument(instancetest.Newer().With(field, value))
	}
	const notMet, took, digits = notAsExpected, "The wait ended: timeouts.create is 300ms.", "Write the whole number, as a string."

	fails(instancetest.Status(503, "Age", "300"), "", "Instance answered with status 503", "(from a cache, 300 seconds old)", took, "A cache answered")
	fails(reporting("fileMaxSize", 5), "file_max_size = 5000000000", notMet, "- file_max_size is 5, expected 5000000000", took, digits)
	var asked atomic.Bool
	fails(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
		if asked.Swap(true) {
			instancetest.Status(502)(s, w, r)
			return
		}
		reporting("fileMaxSize", 7)(s, w, r)
	}, "file_max_size = 8", "Instance answered with status 502", "Before that, the instance answered,", "- file_max_size is 7, expected 8", took)
	mustFail(t, nil, configuration, want...)
}

// TestAccRecord_Create waits for an instance that starts.
func TestAccRecord_Create(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	testRecord(t, resource.TestStep{
		PreConfig: func() {
			server.SetScript(instancetest.Status(404), instancetest.Reset(), instancetest.AnswerDocument("{}"))
		},
		Config:            recordOf(server.URL()),
		ConfigPlanChecks:  planned(inPlan(theRecord, creates, everyDetail(unknown{})), inPlan(follows, creates, object{"input": unknown{}})),
		ConfigStateChecks: append(inState(theRecord, newer), inState(follows, object{"output": int64(20000000)})...),
	})
}

// TestAccRecord_Import imports a record by command and by block. The base URL stays as it was written.
func TestAccRecord_Import(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithOtherRoutes())
	baseURL := server.URL() + "/"
	imports := func(id string) resource.TestStep {
		return resource.TestStep{ResourceName: theRecord, ImportState: true, ImportStateId: id}
	}
	byCommand, byBlock, ofAPath, ofASecret := imports(baseURL), imports(baseURL), imports(server.URL()+"/instance"), imports("https://me:hunter2@files.example.org")
	byCommand.ImportStateVerify, byCommand.ImportStateVerifyIdentifierAttribute = true, "base_url"
	byBlock.ImportStateKind = resource.ImportBlockWithID
	byBlock.ImportPlanChecks = resource.ImportPlanChecks{PreApply: inPlan(theRecord, keeps, newer.with(object{"base_url": baseURL}))}
	ofAPath.ExpectError = words("Instance answered with status 404", "The base URL ends in /instance")
	ofASecret.ExpectError = words("The import ID, which is the base URL of an instance, has user info")
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   versionChecks{tfversion.SkipBelow(ofProduct(tfversion.Version1_5_0, tfversion.Version1_6_0))}, // import blocks
		ProtoV6ProviderFactories: factories(),
		Steps:                    []resource.TestStep{{Config: recordOf(baseURL)}, byCommand, byBlock, ofAPath, ofASecret},
	})
}

// TestAccRecord_ChangeOutsideOfTerraform plans, in the same run, what depends on a detail that an instance reports otherwise.
func TestAccRecord_ChangeOutsideOfTerraform(t *testing.T) {
	t.Parallel()
	server, changed := instancetest.New(t), instancetest.Newer().With("fileMaxSize", 1000)
	ofChanged := newer.with(object{"file_max_size": int64(1000)})
	testRecord(t, resource.TestStep{Config: recordOf(server.URL())}, resource.TestStep{
		PreConfig:         func() { server.SetDefault(instancetest.AnswerDocument(changed)) },
		Config:            recordOf(server.URL()),
		ConfigPlanChecks:  planned(inPlan(theRecord, keeps, ofChanged), inPlan(follows, keeps, nil), inPlan(replaced, replaces, nil)),
		ConfigStateChecks: inState(theRecord, ofChanged.with(object{"response_body": changed.JSON()})),
	})
}

// TestAccRecord_AnotherInstance waits for the new instance, of which the plan knows only what is expected.
func TestAccRecord_AnotherInstance(t *testing.T) {
	t.Parallel()
	older := instancetest.Older()
	one, other := instancetest.New(t), instancetest.New(t, instancetest.WithDocument(older))
	testRecord(t, resource.TestStep{Config: recordOf(one.URL())}, resource.TestStep{
		PreConfig:         func() { other.SetScript(instancetest.Status(503), instancetest.AnswerDocument(instancetest.Newer())) },
		Config:            recordOf(other.URL(), expectedOf("chunk_size = 10000000")),
		ConfigPlanChecks:  planned(inPlan(theRecord, updates, everyDetail(unknown{}).with(object{"chunk_size": int64(10000000)}))),
		ConfigStateChecks: inState(theRecord, newer.with(documents["older"].want).with(object{"base_url": other.URL(), "response_body": older.JSON()})),
	})
}

// TestAccRecord_Destroy forgets a record whose instance is gone.
func TestAccRecord_Destroy(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	testRecord(t,
		resource.TestStep{Config: recordOf(server.URL())},
		resource.TestStep{PreConfig: server.Close, Config: recordOf(server.URL()), Destroy: true})
}

// recordProvider configures a provider for records, with three attempts unless the arguments say otherwise.
func recordProvider(t *testing.T, arguments object) testProvider {
	t.Helper()
	server, told := configure(t.Context(), t, shortRetries(3).with(arguments))
	told.require(t)
	return server
}

// create makes a record.
func (p testProvider) create(t *testing.T, arguments object) result {
	t.Helper()
	created := p.apply(t, result{}, arguments)
	created.requireSuccess(t)
	return created
}

// mustKeep checks that a record is as it was.
func (a result) mustKeep(t *testing.T, before result) {
	t.Helper()
	assertEqual(t, "the record", a.state, before.state)
}

func timeout(operation string, duration any) object {
	return object{"timeouts": object{"create": nil, "read": nil, "update": nil}.with(object{operation: duration})}
}

// TestRecordPlansAReadOnlyForAnotherBaseURL: also where it is not known yet. The provider's base_url does not matter, and nothing
// is read for a plan.
func TestRecordPlansAReadOnlyForAnotherBaseURL(t *testing.T) {
	t.Parallel()
	one, other := instancetest.New(t), instancetest.New(t)
	ofOne, ofOther, ofUnknown := object{"base_url": one.URL()}, object{"base_url": other.URL()}, object{"base_url": unknown{}}
	server := recordProvider(t, ofOther)
	own := server.create(t, ofOne)
	remote := own
	remote.state = own.state.with(object{"base_url": "https://files.example.org"})
	before := len(one.Requests())
	capitals, defaultPort := "HTTP"+one.URL()[4:], "https://files.example.org:443/"

	tests := map[string]struct {
		provider, arguments object
		prior               result
		read                bool
	}{
		"new, base URL unknown":   {arguments: ofUnknown, read: true},
		"new, provider's unknown": {provider: ofUnknown, arguments: ofOne, read: true},
		"capitals":                {arguments: object{"base_url": capitals}, prior: own},
		"default port":            {arguments: object{"base_url": defaultPort}, prior: remote},
		"base URL unknown":        {arguments: ofUnknown, prior: own, read: true},
		"provider's unknown":      {provider: ofUnknown, arguments: ofOne, prior: own},
		"timeouts unknown":        {arguments: ofOne.with(object{"timeouts": unknown{}}), prior: own},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned := recordProvider(t, test.provider).plan(t, test.prior, test.arguments)
			planned.diagnostics.require(t)
			want := maps.Clone(test.prior.state)
			if test.read {
				want = everyDetail(unknown{})
			}
			assertEqual(t, "the plan", planned.state, want.with(unsetArguments()).with(test.arguments))
		})
	}
	t.Cleanup(func() { assertEqual(t, "the number of requests for plans", len(one.Requests())-before, 0) })
}

// TestRecordWarnsOfDoubtfulOptions warns whenever an instance is read.
func TestRecordWarnsOfDoubtfulOptions(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().
		With("recommendedExpireTimes", []instancetest.Document{instancetest.OlderEntry("30 minutes", 30)})))
	server, own := recordProvider(t, nil), object{"base_url": instance.URL()}
	created := server.apply(t, result{}, own)
	doubts := map[string]result{
		"created":   created,
		"refreshed": server.refresh(t.Context(), t, created),
		"updated":   server.apply(t, created, own.with(expecting(object{"chunk_size": 20000000})).with(object{"triggers": object{"deploy": "1"}})),
	}
	for operation, doubt := range doubts {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			doubt.diagnostics.require(t, warningAt("", "Expiry options shorter than a minute: "+instance.URL(), instance.URL()+"/instance"))
			assertEqual(t, "the options", doubt.state["recommended_expire_times"], []any{expireTime("30 minutes", 30)})
		})
	}
}

// TestRecordWaitsTenMinutesByDefault finds in the log how long the delay before the last attempt is: almost until the end.
func TestRecordWaitsTenMinutesByDefault(t *testing.T) {
	t.Parallel()
	apply := func(ctx context.Context, t *testing.T, server testProvider, prior result, baseURL any) {
		t.Helper()
		wants := object{"base_url": baseURL}.with(expecting(object{"chunk_size": 1}))
		server.applyPlan(ctx, t, prior, server.plan(t, prior, wants), wants)
	}
	tests := map[string]struct {
		limit time.Duration
		run   func(ctx context.Context, t *testing.T, server testProvider, created result)
	}{
		"create": {10 * time.Minute, func(ctx context.Context, t *testing.T, server testProvider, created result) {
			t.Helper()
			apply(ctx, t, server, result{}, created.state["base_url"])
		}},
		"update": {10 * time.Minute, func(ctx context.Context, t *testing.T, server testProvider, created result) {
			t.Helper()
			apply(ctx, t, server, created, created.state["base_url"])
		}},
		"refresh": {10 * time.Second, func(ctx context.Context, t *testing.T, server testProvider, created result) {
			t.Helper()
			server.refresh(ctx, t, created)
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			server := recordProvider(t, object{"retry": object{"max_attempts": 2, "min_delay": "1h", "max_delay": "1h"}})
			created := server.create(t, object{"base_url": instance.URL()})
			instance.SetDefault(instancetest.Status(503))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var logged struct{ Delay string }
			test.run(tflogtest.RootLogger(ctx, lineFunc(func(line []byte) {
				if bytes.Contains(line, []byte("Trying again")) {
					requireNoError(t, json.Unmarshal(line, &logged))
					cancel()
				}
			})), t, server, created)
			delay, err := time.ParseDuration(logged.Delay)
			requireNoError(t, err)
			if delay < test.limit/2 || delay > test.limit {
				t.Errorf("the delay is %s, and the time for all attempts should be %s", delay, test.limit)
			}
		})
	}
}

// TestFailedRefreshKeepsEveryValue: whatever stops it but a cancellation, with one warning that says what failed.
func TestFailedRefreshKeepsEveryValue(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		step             instancetest.Step // nil if the instance is gone
		provider, change object            // change changes the state
		says, unsaid     []string
	}{
		"status that is retried": {step: instancetest.Status(503), says: []string{"status 503", "3 attempts were made"}},
		"credentials":            {step: instancetest.Status(401), says: []string{"status 401", "with the provider's request_headers"}},
		"document with a fault":  {step: instancetest.AnswerDocument("{}"), says: []string{"fileMaxSize"}},
		// An instance whose host refuses connections costs max_attempts attempts, and not all of timeouts.read.
		"refused": {says: []string{"connection refused", "3 attempts were made."}, unsaid: []string{"timeouts.read"}},
		"silence": {step: instancetest.Silent(), change: timeout("read", "50ms"), says: []string{"timeouts.read (50ms)"}},
		"silent attempts": {
			step: instancetest.Silent(), provider: object{"request_timeout": "20ms"},
			says: []string{"request_timeout (20ms)", "3 attempts were made"},
		},
		"timeout of another time": {step: instancetest.Status(404), change: timeout("read", "soon"), says: []string{"status 404"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			created := recordProvider(t, nil).create(t, object{"base_url": instance.URL()})
			created.state = created.state.with(test.change)
			if test.step != nil {
				instance.SetDefault(test.step)
			} else {
				instance.Close()
			}
			server := recordProvider(t, test.provider)
			started := time.Now()
			got := server.refresh(t.Context(), t, created)
			if took := time.Since(started); took > 8*time.Second { // timeouts.read is 10s
				t.Errorf("it took %s", took)
			}
			got.mustKeep(t, created)
			got.diagnostics.require(t, warningAt("", "Instance not read, last known details kept: "+instance.URL(), append(test.says,
				"keeps what the instance last reported", "GET "+instance.URL()+"/instance")...))
			assertNotContains(t, got.diagnostics.String(), append(test.unsaid, "wait_until_ready", "longer to start")...)
			server.plan(t, got, object{"base_url": instance.URL(), "timeouts": created.state["timeouts"]}).requireSuccess(t)
		})
	}
	t.Run("base URL that is no longer accepted", func(t *testing.T) {
		t.Parallel()
		server := recordProvider(t, nil)
		created := server.create(t, object{"base_url": instancetest.New(t).URL()})
		created.state["base_url"] = "https://me:hunter2@files.example.org"
		got := server.refresh(t.Context(), t, created)
		got.mustKeep(t, created)
		got.diagnostics.require(t, warningAt("", "Instance not read, last known details kept", "user info"))
		assertNotContains(t, got.diagnostics.String(), "hunter2")
	})
}

// TestUnknownProviderArgumentsKeepARecord: those that matter to it, and without a word.
func TestUnknownProviderArgumentsKeepARecord(t *testing.T) {
	t.Parallel()
	ofUnknown := object{"base_url": unknown{}}
	for name, test := range map[string]struct {
		provider object
		reads    int
	}{
		"base_url":                 {ofUnknown, 1},
		"base_url and its headers": {ofUnknown.with(object{"request_headers": object{"X-A": "b"}}), 0},
		"base_url and connect_to":  {ofUnknown.with(object{"connect_to": "127.0.0.1:1"}), 0},
		"request_timeout":          {object{"request_timeout": unknown{}}, 0},
		"request_headers":          {object{"request_headers": unknown{}}, 0},
		"connect_to":               {object{"connect_to": unknown{}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			record := recordProvider(t, nil).create(t, object{"base_url": instance.URL()})
			asked := len(instance.Requests())
			server := recordProvider(t, test.provider)
			for _, server.deferralAllowed = range []bool{false, true} {
				got := server.refresh(t.Context(), t, record)
				got.requireSuccess(t)
				got.mustKeep(t, record)
				assertEqual(t, "deferred", got.deferred != nil, false)
			}
			assertEqual(t, "the number of requests", len(instance.Requests())-asked, 2*test.reads)
		})
	}
}

func TestImportRefusesABadBaseURL(t *testing.T) {
	t.Parallel()
	for name, one := range refusedBaseURLs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := newTestProvider().importRecord(t, one.value.(string)).diagnostics
			told.require(t, errorAt("", "Invalid base URL", append(slices.Clone(one.details), "The import ID")...))
			assertNotContains(t, told.String(), "hunter2")
		})
	}
}

func TestImportedRecordThatIsNotReadIsAnError(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithDefault(instancetest.Status(503)))
	server := recordProvider(t, nil)
	imported := server.importRecord(t, instance.URL())
	imported.requireSuccess(t)
	server.refresh(t.Context(), t, imported).diagnostics.require(t, errorAt("", "Instance answered with status 503", instance.URL()))

	unable := recordProvider(t, object{"request_timeout": unknown{}})
	unable.refresh(t.Context(), t, imported).diagnostics.require(t, errorAt("", "Provider configuration not known yet", "\n  - request_timeout\n"))
	unable.deferralAllowed = true
	got := unable.refresh(t.Context(), t, imported)
	got.diagnostics.require(t)
	assertEqual(t, "deferred", got.deferred, &tfprotov6.Deferred{Reason: tfprotov6.DeferredReasonProviderConfigUnknown})
}

// TestRecordSendsTheProvidersHeaders: only to the origin of the provider's base_url.
func TestRecordSendsTheProvidersHeaders(t *testing.T) {
	t.Parallel()
	const token = "an-opaque-token"
	guarded, other := instancetest.New(t, instancetest.WithRequiredHeader("X-Token", token)), instancetest.New(t)
	server := recordProvider(t, object{"base_url": guarded.URL(), "request_headers": object{"X-Token": token}})
	server.refresh(t.Context(), t, server.create(t, object{"base_url": guarded.URL()})).requireSuccess(t)
	created := server.create(t, object{"base_url": other.URL()})
	other.SetDefault(instancetest.Status(401))
	server.refresh(t.Context(), t, created).diagnostics.require(t,
		warningAt("", "Instance not read, last known details kept: "+other.URL(), "status 401", "a provider block (with an alias)"))
	for _, request := range other.Requests() {
		assertEqual(t, "X-Token", request.Header.Get("X-Token"), "")
	}
}

// lineFunc is called with each line of a log.
type lineFunc func(line []byte)

func (f lineFunc) Write(line []byte) (int, error) {
	f(line)
	return len(line), nil
}
