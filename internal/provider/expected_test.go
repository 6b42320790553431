package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func expectedArguments() []*tfprotov6.SchemaAttribute {
	blocks := schemaOf(recordName).Block.BlockTypes
	return blocks[slices.IndexFunc(blocks, func(b *tfprotov6.SchemaNestedBlock) bool { return b.TypeName == "expected" })].Block.Attributes
}

// expecting is the block expected.
func expecting(arguments object) object {
	block := make(object)
	for _, argument := range expectedArguments() {
		block[argument.Name] = nil
	}
	return object{"expected": block.with(arguments)}
}

const notAsExpected, drifted = "Instance does not report what is expected", "Instance did not report what is expected"

// expectedOf is a block expected.
func expectedOf(arguments ...string) string {
	return "expected {\n" + strings.Join(arguments, "\n") + "\n}"
}

// released is a new release with another chunk size, and what a record of it has.
var (
	released        = instancetest.Newer().With("apiVersion", "2.2.0").With("chunkSize", 30000000)
	ofRelease       = newer.with(versionArgs("2.2.0", 2, 2, 0)).with(object{"chunk_size": int64(30000000)})
	expectsRelease  = expectedOf(`api_version = "2.2.0"`, "chunk_size = 30000000")
	expectedRelease = object{"api_version": "2.2.0", "chunk_size": int64(30000000)}
)

// TestAccRecord_ServerThatDoesNotExistYet plans with what is expected. A creation that fails records nothing.
func TestAccRecord_ServerThatDoesNotExistYet(t *testing.T) {
	t.Parallel()
	address := instancetest.ReserveAddress(t)
	expects := expectedOf(`api_version = "2.1.5"`, "chunk_size = 20000000")
	plan := planned(
		inPlan(theRecord, creates, everyDetail(unknown{}).with(versionArgs("2.1.5", 2, 1, 5)).with(object{"chunk_size": int64(20000000)})),
		inPlan(follows, creates, object{"input": int64(20000000)}),
	)
	starts := then(func() {
		instancetest.New(t, instancetest.WithListenAddress(address), instancetest.WithScript(instancetest.Status(502)))
	})
	testRecord(t,
		resource.TestStep{
			Config: recordOf("http://"+address, expects, quick), ConfigPlanChecks: plan,
			ExpectError: words("Instance not reachable", "The wait ended: timeouts.create is 200ms.", "Check the server's log: it may not have started."),
		},
		resource.TestStep{
			Config:            recordOf("http://"+address, expects),
			ConfigPlanChecks:  planned(plan.PreApply, starts),
			ConfigStateChecks: inState(theRecord, newer),
		})
}

// TestAccRecord_ReleaseThroughOldAnswers waits while the old process answers, then nothing does, and then the two take turns.
// What depends on what is expected is updated in the same apply.
func TestAccRecord_ReleaseThroughOldAnswers(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	testRecord(t, resource.TestStep{Config: recordOf(server.URL())}, resource.TestStep{
		Config: recordOf(server.URL(), expectsRelease),
		ConfigPlanChecks: planned(
			inPlan(theRecord, updates, ofRelease.with(object{"response_body": instancetest.Newer().JSON()})),
			inPlan(follows, updates, object{"input": int64(30000000)}), inPlan(replaced, keeps, nil),
			then(func() {
				server.SetScript(instancetest.Answer(), instancetest.Status(503), instancetest.AnswerDocument(released.With("chunkSize", 20000000)),
					instancetest.Answer(), instancetest.Reset())
				server.SetDefault(instancetest.AnswerDocument(released))
			}),
		),
		ConfigStateChecks: append(inState(theRecord, ofRelease), inState(follows, object{"output": int64(30000000)})...),
	})
}

// TestAccRecord_FailedReleaseWaitsAgain lists every difference, keeps the state of the record and of what depends on it, and
// waits again in the next apply.
func TestAccRecord_FailedReleaseWaitsAgain(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDocument(released))
	expects := expectedOf(`api_version = "2.2.0"`, "chunk_size = 40000000", "file_max_age = 1099511627776", "file_max_size = 64424509440",
		"max_transfers_in_merge = 0", "require_password = false")
	ofRepaired := ofRelease.with(object{
		"chunk_size": int64(40000000), "file_max_age": int64(1099511627776), "max_transfers_in_merge": int64(0), "require_password": false,
	})
	testRecord(t,
		resource.TestStep{Config: recordOf(server.URL(), expectsRelease)},
		resource.TestStep{
			Config: recordOf(server.URL(), expects, quick),
			ExpectError: words("Error: "+notAsExpected, "with "+theRecord+",", ": chunk_size = 40000000", "GET "+server.URL()+"/instance answered",
				"what is expected: - chunk_size is 30000000, expected 40000000 - file_max_age is 2592000, expected 1099511627776 "+
					"- max_transfers_in_merge is 50, expected 0 - require_password is true, expected false",
				"The wait ended: timeouts.update is 200ms.", "change expected", "raise timeouts.update"),
		},
		resource.TestStep{
			Config: recordOf(server.URL(), expects),
			ConfigPlanChecks: planned(
				inPlan(theRecord, updates, ofRepaired), inPlan(follows, updates, object{"input": int64(40000000)}),
				[]plancheck.PlanCheck{
					beforePlan{theRecord, "chunk_size", int64(30000000)}, beforePlan{follows, "output", int64(30000000)},
					beforePlan{theRecord, "expected", expecting(expectedRelease)["expected"]},
				},
				then(func() {
					server.SetScript(instancetest.AnswerDocument(released))
					server.SetDefault(instancetest.AnswerDocument(released.With("chunkSize", 40000000).With("fileMaxAge", 1099511627776).
						With("maxTransfersInMerge", 0).With("requirePassword", false)))
				}),
			),
			ConfigStateChecks: inState(theRecord, ofRepaired),
		})
}

// TestAccRecord_Drift waits until an instance that somebody else has changed reports again what is expected. Another detail
// is recorded as it is.
func TestAccRecord_Drift(t *testing.T) {
	t.Parallel()
	server, larger := instancetest.New(t), instancetest.Newer().With("fileMaxSize", 1000)
	changed, ofLarger := larger.With("chunkSize", 10000000), newer.with(object{"file_max_size": int64(1000)})
	configuration := recordOf(server.URL(), expectedOf("chunk_size = 20000000"))
	testRecord(t, resource.TestStep{Config: configuration}, resource.TestStep{
		PreConfig: func() { server.SetDefault(instancetest.AnswerDocument(changed)) },
		Config:    configuration,
		ConfigPlanChecks: planned(
			inPlan(theRecord, updates, ofLarger), inPlan(follows, keeps, nil), inPlan(replaced, replaces, nil),
			[]plancheck.PlanCheck{beforePlan{theRecord, "chunk_size", int64(10000000)}},
			then(func() {
				server.SetScript(instancetest.AnswerDocument(changed), instancetest.Status(503))
				server.SetDefault(instancetest.AnswerDocument(larger))
			}),
		),
		ConfigStateChecks: inState(theRecord, ofLarger),
	})
}

// TestAccRecord_Replacement waits as a creation does. What depends on what is expected is not in the plan.
func TestAccRecord_Replacement(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	const trigger = "\nresource \"terraform_data\" \"server\" {}\n"
	configuration := recordOf(server.URL(), expectedOf("chunk_size = 20000000"), "lifecycle { replace_triggered_by = [terraform_data.server] }") + trigger
	testRecord(t, resource.TestStep{Config: configuration}, resource.TestStep{
		Taint:  []string{"terraform_data.server"},
		Config: configuration,
		ConfigPlanChecks: planned(
			inPlan(theRecord, replaces, everyDetail(unknown{}).with(object{"chunk_size": int64(20000000)})), inPlan(follows, keeps, nil),
			then(func() {
				server.SetScript(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 10000000)), instancetest.Status(503))
			}),
		),
		ConfigStateChecks: inState(theRecord, newer),
	})
}

// TestAccRecord_ChangesThatAskNothing are those after which an instance reports what is expected already.
func TestAccRecord_ChangesThatAskNothing(t *testing.T) {
	t.Parallel()
	chunks := expectedOf("chunk_size = 20000000")
	mustChange(t, map[string]change{
		"what is reported":       {after: expectedOf("chunk_size = 20000000", `api_version = "2.1.5"`)},
		"text and null":          {after: expectedOf(`chunk_size = "20000000"`, "api_version = null")},
		"nothing any more":       {before: chunks, after: expectedOf()},
		"no block any more":      {before: chunks},
		"timeouts":               {after: `timeouts { update = "2m" }`, want: object{"timeouts": timeout("update", "2m")["timeouts"]}},
		"timeouts, unknown":      {after: "timeouts { update = SERVER }", inputs: [2]string{"1m", "3m"}},
		"another spelling":       {after: chunks, spelling: "/"},
		"spelling and timeouts":  {after: `timeouts { read = "5s" }`, spelling: "//"},
		"timeouts, no more":      {before: `timeouts { read = "5s" }`, want: object{"timeouts": nil}},
		"unknown, unchanged":     {after: "expected { chunk_size = jsondecode(SERVER) }", inputs: [2]string{"", "20000000"}, plan: object{"chunk_size": unknown{}}},
		"unknown, and then null": {after: "expected { chunk_size = jsondecode(SERVER) }", inputs: [2]string{"", "null"}, plan: object{"chunk_size": unknown{}}},
	})
}

// TestAccRecord_ChangesThatWait wait for what the plan knows, or for what is known only in the apply.
func TestAccRecord_ChangesThatWait(t *testing.T) {
	t.Parallel()
	answer := func(field string, value any) instancetest.Step {
		return instancetest.AnswerDocument(instancetest.Newer().With(field, value))
	}
	version, chunks := versionArgs("2.2.0", 2, 2, 0), object{"chunk_size": int64(30000000)}
	mustChange(t, map[string]change{
		"number": {
			after: expectedOf("chunk_size = 30000000"), plan: chunks, want: chunks,
			answers: []instancetest.Step{instancetest.Answer(), answer("chunkSize", 30000000)},
		},
		"version, after one that is longer": {
			after: expectedOf(`api_version = "2.2.0"`), plan: version, want: version,
			answers: []instancetest.Step{answer("apiVersion", "2.2.0-rc.1"), answer("apiVersion", "2.2.0+build"), answer("apiVersion", "2.2.0")},
		},
		"unknown number": {
			after: "expected { chunk_size = jsondecode(SERVER) }", inputs: [2]string{"", "30000000"}, plan: object{"chunk_size": unknown{}}, want: chunks,
			answers: []instancetest.Step{instancetest.Answer(), answer("chunkSize", 30000000)},
		},
		"unknown version": {
			after: "expected { api_version = SERVER }", inputs: [2]string{"", "2.2.0"}, want: version,
			plan: object{
				"api_version": unknown{}, "api_version_major": unknown{}, "api_version_minor": unknown{}, "api_version_patch": unknown{},
			},
			answers: []instancetest.Step{instancetest.Status(503), answer("apiVersion", "2.2.0")},
		},
	})
}

// TestAccRecord_MistakesInExpected are refused, each on its own line.
func TestAccRecord_MistakesInExpected(t *testing.T) {
	t.Parallel()
	const number, version = "Write a whole number from 0 to 9223372036854775807.", "Write the version that the instance reports"
	configuration, want := "", []errorAtLine{}
	for line, says := range map[string][]string{
		`chunksize = 1`:                       {`Did you mean "chunk_size"?`},
		`chunk_size = 1.5`:                    {"Invalid number", "expected.chunk_size is 1.5.", number},
		`chunk_size = -1`:                     {"Invalid number", "expected.chunk_size is -1.", number},
		`file_max_age = "30d"`:                {"a number is required"},
		`file_max_size = 9223372036854775808`: {"Invalid number", number},
		`api_version = "2.1"`:                 {"Invalid version", `expected.api_version is "2.1".`, version},
		`api_version = ""`:                    {"Invalid version", `expected.api_version is "".`, version},
	} {
		configuration += fmt.Sprintf("resource \"filetransfer_instance_record\" %q {\nbase_url = \"https://files.example.org\"\n%s\n}\n",
			labelOf(len(want)), expectedOf(line, "max_transfers_in_merge = 9223372036854775807"))
		want = append(want, errorAtLine{line, says})
	}
	configuration += "resource \"filetransfer_instance_record\" \"valid\" {\nbase_url = \"https://files.example.org\"\n" +
		expectedOf(`api_version = "2.1.0-rc.1+build"`, "chunk_size = 0") + "\n}\n"
	mustFail(t, nil, configuration, want...)
}

// TestWhatIsExpectedIsKnownInThePlan: on creation and for another instance nothing else is, in an update in place all else is as
// it was. The instance reports the details of newer.
func TestWhatIsExpectedIsKnownInThePlan(t *testing.T) {
	t.Parallel()
	instance, other := instancetest.New(t), instancetest.New(t)
	server := recordProvider(t, nil)
	own, unread := object{"base_url": instance.URL()}, everyDetail(unknown{})
	all := object{
		"api_version": "3.1.2-rc.1+build", "chunk_size": int64(1), "file_max_age": int64(9223372036854775807), "file_max_size": int64(0),
		"max_transfers_in_merge": int64(7), "require_password": false,
	}
	numbers := object{"api_version_major": int64(3), "api_version_minor": int64(1), "api_version_patch": int64(2)}
	created := server.create(t, own)
	withExpected := func(expected object) result {
		prior := created
		prior.state = created.state.with(expecting(expected))
		return prior
	}
	chunk := object{"chunk_size": int64(30000000)}
	zero := object{"chunk_size": int64(0)}
	lacking := withExpected(zero)
	lacking.state = lacking.state.with(object{"chunk_size": nil})
	differsFor := func(baseURL, values, limit string) []diagnostic {
		return []diagnostic{{
			severity: tfprotov6.DiagnosticSeverityWarning, attribute: "expected.chunk_size", summary: drifted + ": " + baseURL, details: []string{
				"The instance reported other values:\n  - chunk_size is " + values + "\n\n" +
					"An apply waits until it reports what is expected, for " + limit + " at most, or for timeouts.create if it replaces the record.\n\n",
			},
		}}
	}
	differs := func(baseURL string) []diagnostic {
		return differsFor(baseURL, "20000000, expected 30000000", "timeouts.update (10m)")
	}

	tests := map[string]struct {
		prior     result
		arguments object
		want      object
		told      []diagnostic
	}{
		"new, unknown version":  {arguments: own.with(expecting(object{"api_version": unknown{}})), want: unread},
		"new, base URL unknown": {arguments: object{"base_url": unknown{}}.with(expecting(all)), want: unread.with(all).with(numbers)},
		"drift, but expected changes": {
			withExpected(chunk), own.with(expecting(object{"chunk_size": int64(40000000)})), created.state.with(object{"chunk_size": int64(40000000)}), nil,
		},
		"drift, short timeout": {
			withExpected(chunk), own.with(expecting(chunk)).with(timeout("update", "90s")), created.state.with(chunk),
			differsFor(instance.URL(), "20000000, expected 30000000", "timeouts.update (1m30s)"),
		},
		"drift, timeout unknown": {
			withExpected(chunk), own.with(expecting(chunk)).with(timeout("update", unknown{})), created.state.with(chunk),
			differsFor(instance.URL(), "20000000, expected 30000000", "timeouts.update"),
		},
		"drift, timeouts unknown": {
			withExpected(chunk), own.with(expecting(chunk)).with(object{"timeouts": unknown{}}), created.state.with(chunk),
			differsFor(instance.URL(), "20000000, expected 30000000", "timeouts.update"),
		},
		"null in the state": {
			lacking, own.with(expecting(zero)), lacking.state.with(zero), differsFor(instance.URL(), "not reported, expected 0", "timeouts.update (10m)"),
		},
		"drift, other spelling": {
			withExpected(chunk), object{"base_url": instance.URL() + "/"}.with(expecting(chunk)), created.state.with(chunk), differs(instance.URL() + "/"),
		},
		"drift, but base URL changes": {
			withExpected(chunk), object{"base_url": other.URL()}.with(expecting(chunk)), unread.with(chunk), nil,
		},
		"drift, but base URL unknown": {
			withExpected(chunk), object{"base_url": unknown{}}.with(expecting(chunk)), unread.with(chunk), nil,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned := server.plan(t, test.prior, test.arguments)
			planned.diagnostics.require(t, test.told...)
			assertEqual(t, "the plan", planned.state, test.want.with(unsetArguments()).with(test.arguments))
		})
	}
	t.Cleanup(func() { assertEqual(t, "the number of requests", len(instance.Requests())+len(other.Requests()), 1) })
}

// TestEachExpectationIsAnAttribute: of the same name and type.
func TestEachExpectationIsAnAttribute(t *testing.T) {
	t.Parallel()
	types := make(map[string]string)
	for _, attribute := range schemaOf(recordName).Block.Attributes {
		types[attribute.Name] = fmt.Sprint(attribute.Type)
	}
	for _, argument := range expectedArguments() {
		assertEqual(t, "the type of the attribute "+argument.Name, types[argument.Name], argument.Type.String())
	}
}

// TestDriftWarningIsAsSafeToPrintAsTheError: what a server echoes is redacted and cut, and what is expected is never cut off.
func TestDriftWarningIsAsSafeToPrintAsTheError(t *testing.T) {
	t.Parallel()
	const token = "S3cretS3cret"
	instance := instancetest.New(t)
	sending := object{"request_headers": object{"Authorization": "Bearer " + token}}
	server := recordProvider(t, object{"base_url": instance.URL()}.with(sending))
	elsewhere := recordProvider(t, object{"base_url": "https://files.example.org"}.with(sending)) // the state has it still
	own := object{"base_url": instance.URL()}.with(expecting(object{"api_version": "2.1.5"}))
	created := server.create(t, own)
	for version, shown := range map[string]string{
		"2.4.1-" + token:                     "2.4.1-(redacted)",
		"2.4.1-" + strings.Repeat("x", 1000): "2.4.1-" + strings.Repeat("x", 193) + "…",
	} {
		instance.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", version)))
		refreshed := server.refresh(t.Context(), t, created)
		for _, server := range []testProvider{server, elsewhere} {
			told := server.plan(t, refreshed, own).diagnostics
			told.require(t, diagnostic{
				severity: tfprotov6.DiagnosticSeverityWarning, attribute: "expected.api_version", summary: drifted + ": " + instance.URL(),
				details: []string{"\n  - api_version is " + shown + ", expected 2.1.5\n"},
			})
			assertNotContains(t, told.String(), token)
		}
	}
}

// TestWhatIsExpectedIsNeitherCutNorRedacted: it is from the configuration, and what to look for.
func TestWhatIsExpectedIsNeitherCutNorRedacted(t *testing.T) {
	t.Parallel()
	const token = "S3cretS3cret"
	version := "2.2.0-" + token + strings.Repeat("x", 1000)
	instance := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("apiVersion", version)))
	server := recordProvider(t, object{"base_url": instance.URL(), "request_headers": object{"X-Token": token}})
	own := object{"base_url": instance.URL()}.with(expecting(object{"api_version": version})).with(timeout("update", "100ms"))
	created := server.create(t, own)
	instance.SetDefault(instancetest.AnswerDocument(instancetest.Newer()))
	state := server.refresh(t.Context(), t, created)
	plan := server.plan(t, state, own)
	for name, told := range map[string]diagnostics{
		"warning": plan.diagnostics,
		"error":   server.applyPlan(t.Context(), t, state, plan, own).diagnostics,
	} {
		assertEqual(t, "the number of diagnostics", len(told), 1)
		assertEqual(t, "it is a "+name, isError(told[0]), name == "error")
		assertContains(t, told[0].Detail, "\n  - api_version is 2.1.5, expected "+version+"\n")
	}
}

// TestApplySaysWhatElseChangedWhileItWaited: everything but response_body and what is expected, in an update in place.
func TestApplySaysWhatElseChangedWhileItWaited(t *testing.T) {
	t.Parallel()
	const token = "S3cretS3cret"
	released := instancetest.Newer().With("chunkSize", 30000000)
	want := expecting(object{"chunk_size": int64(30000000)})
	more := released.With("apiVersion", "2.2.0-"+token).With("requirePassword", false).With("fileMaxAge", 60).
		With("recommendedExpireTimes", []instancetest.Document{})
	changed := func(url, list string) []diagnostic {
		return []diagnostic{warningAt("", "Other details changed while the apply waited: "+url, "These details have changed too", "planned:"+list+"\n\nThe next plan records them.",
			"add it to expected, if that has an argument for it.")}
	}
	const all = "\n  - require_password is false, planned true\n  - api_version is 2.2.0-(redacted), planned 2.1.5" +
		"\n  - file_max_age is 60, planned 2592000\n  - recommended_expire_times"
	const asExpected = "The instance reports what is expected. "
	const aged = "\n  - file_max_age is 60, planned 2592000"
	triggers := object{"triggers": object{"deploy": "1"}}
	tests := map[string]struct {
		arguments object
		document  instancetest.Document
		state     object // what the state has otherwise
		list      string // "" for no warning
	}{
		"nothing else":         {want, released, nil, ""},
		"another field only":   {want, released.With("newField", 1), nil, ""},
		"everything else":      {want, more, nil, all},
		"also expected":        {expecting(object{"chunk_size": int64(30000000), "file_max_age": int64(60)}), released.With("fileMaxAge", 60), nil, ""},
		"not in the state yet": {want, released, object{"file_max_age": nil}, "\n  - file_max_age is 2592000, planned not reported"},
		"echoed before":        {want, released, object{"api_version": "2.1.5-" + token}, "\n  - api_version is 2.1.5, planned 2.1.5-(redacted)"},
		"triggered":            {triggers.with(expecting(object{"chunk_size": int64(20000000)})), instancetest.Newer().With("fileMaxAge", 60), nil, aged},
		"nothing expected":     {triggers, instancetest.Newer().With("fileMaxAge", 60), nil, aged},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			server := recordProvider(t, object{"base_url": instance.URL(), "request_headers": object{"X-Token": token}})
			own := object{"base_url": instance.URL()}
			created := server.create(t, own)
			created.state = created.state.with(test.state)
			instance.SetDefault(instancetest.AnswerDocument(test.document))
			applied := server.apply(t, created, own.with(test.arguments))
			var told []diagnostic
			if test.list != "" {
				told = changed(instance.URL(), test.list)
			}
			applied.diagnostics.require(t, told...)
			assertNotContains(t, applied.diagnostics.String(), token)
			assertEqual(t, "it says what is expected", strings.Contains(applied.diagnostics.String(), asExpected), test.arguments["expected"] != nil && test.list != "")
			assertEqual(t, "response_body", applied.state["response_body"], created.state["response_body"])
		})
	}
}
