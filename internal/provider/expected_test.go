package provider

import (
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// expecting is the block expected.
func expecting(arguments args) args {
	return args{"expected": args{
		"api_version": nil, "chunk_size": nil, "file_max_age": nil, "file_max_size": nil, "max_transfers_in_merge": nil, "require_password": nil,
	}.with(arguments)}
}

const notAsExpected = "Instance does not report what is expected"

// TestWhatIsExpectedIsKnownInThePlan: on creation and for another instance nothing else is, in an update in place all else is as
// it was. The instance reports the details of newer.
func TestWhatIsExpectedIsKnownInThePlan(t *testing.T) {
	t.Parallel()
	instance, other := instancetest.New(t), instancetest.New(t)
	server := recordProvider(t, nil)
	own, unread := args{"base_url": instance.URL()}, everyDetail(unknown{})
	all := args{
		"api_version": "3.1.2-rc.1+build", "chunk_size": int64(1), "file_max_age": int64(9223372036854775807), "file_max_size": int64(0),
		"max_transfers_in_merge": int64(7), "require_password": false,
	}
	numbers := args{"api_version_major": int64(3), "api_version_minor": int64(1), "api_version_patch": int64(2)}
	unknownNumbers := args{"api_version_major": unknown{}, "api_version_minor": unknown{}, "api_version_patch": unknown{}}
	created := server.create(t, own)
	withExpected := func(expected args) answer {
		prior := created
		prior.state = created.state.with(expecting(expected))
		return prior
	}
	chunk := args{"chunk_size": int64(30000000)}
	lacking := withExpected(chunk)
	lacking.state = lacking.state.with(args{"chunk_size": nil})
	differsFor := func(baseURL, reported, limit string) []expected {
		return []expected{{
			warning: true, at: "expected.chunk_size", summary: notAsExpected + ": " + baseURL, says: []string{
				"The instance reported other values:\n  - chunk_size is " + reported + ", expected 30000000\n\n" +
					"An apply waits until it reports what is expected, for " + limit + " at most, or for timeouts.create if it replaces the record.\n\n",
			},
		}}
	}
	differs := func(baseURL string) []expected { return differsFor(baseURL, "20000000", "timeouts.update (10m)") }

	tests := map[string]struct {
		prior     answer
		arguments args
		want      args
		told      []expected
	}{
		"new":                   {arguments: own.with(expecting(all)), want: unread.with(all).with(numbers)},
		"new, nothing expected": {arguments: own.with(expecting(nil)), want: unread},
		"new, unknown version":  {arguments: own.with(expecting(args{"api_version": unknown{}})), want: unread},
		"new, base URL unknown": {arguments: args{"base_url": unknown{}}.with(expecting(all)), want: unread.with(all).with(numbers)},
		"another base URL":      {created, args{"base_url": other.URL()}.with(expecting(all)), unread.with(all).with(numbers), nil},
		"first expectation":     {created, own.with(expecting(all)), created.state.with(all).with(numbers), nil},
		"another expectation":   {withExpected(args{"chunk_size": int64(20000000)}), own.with(expecting(chunk)), created.state.with(chunk), nil},
		"what is reported":      {created, own.with(expecting(args{"chunk_size": int64(20000000), "api_version": "2.1.5"})), created.state, nil},
		"none any more":         {withExpected(all), own, created.state, nil},
		"an empty block":        {withExpected(all), own.with(expecting(nil)), created.state, nil},
		"unknown":               {created, own.with(expecting(args{"chunk_size": unknown{}})), created.state.with(args{"chunk_size": unknown{}}), nil},
		"unknown version": {
			created, own.with(expecting(args{"api_version": unknown{}})),
			created.state.with(args{"api_version": unknown{}}).with(unknownNumbers), nil,
		},
		"drift": {withExpected(chunk), own.with(expecting(chunk)), created.state.with(chunk), differs(instance.URL())},
		"drift, short timeout": {
			withExpected(chunk), own.with(expecting(chunk)).with(timeout("update", "90s")), created.state.with(chunk),
			differsFor(instance.URL(), "20000000", "timeouts.update (1m30s)"),
		},
		"drift, timeout unknown": {
			withExpected(chunk), own.with(expecting(chunk)).with(timeout("update", unknown{})), created.state.with(chunk),
			differsFor(instance.URL(), "20000000", "timeouts.update"),
		},
		"drift, timeouts unknown": {
			withExpected(chunk), own.with(expecting(chunk)).with(args{"timeouts": unknown{}}), created.state.with(chunk),
			differsFor(instance.URL(), "20000000", "timeouts.update"),
		},
		"null in the state": {
			lacking, own.with(expecting(chunk)), lacking.state.with(chunk), differsFor(instance.URL(), "not reported", "timeouts.update (10m)"),
		},
		"drift, other spelling": {
			withExpected(chunk), args{"base_url": instance.URL() + "/"}.with(expecting(chunk)), created.state.with(chunk), differs(instance.URL() + "/"),
		},
		"drift, but base URL changes": {
			withExpected(chunk), args{"base_url": other.URL()}.with(expecting(chunk)), unread.with(chunk), nil,
		},
		"drift, but base URL unknown": {
			withExpected(chunk), args{"base_url": unknown{}}.with(expecting(chunk)), unread.with(chunk), nil,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned := server.plan(t, test.prior, test.arguments)
			planned.told.must(t, test.told...)
			mustEqual(t, "the plan", planned.state, test.want.with(args{"timeouts": nil, "expected": nil}).with(test.arguments))
		})
	}
	t.Cleanup(func() { mustEqual(t, "the number of requests", len(instance.Requests())+len(other.Requests()), 1) })
}

// TestRecordWaitsForWhatIsExpected: the old process answers first, then nothing does, then the new one.
func TestRecordWaitsForWhatIsExpected(t *testing.T) {
	t.Parallel()
	released := instancetest.Newer().With("apiVersion", "2.2.0").With("chunkSize", 30000000)
	want := expecting(args{"api_version": "2.2.0", "chunk_size": int64(30000000)})
	reports := args{
		"api_version": "2.2.0", "api_version_minor": int64(2), "api_version_patch": int64(0), "chunk_size": int64(30000000),
	}
	tests := map[string]struct {
		from func(t *testing.T, server protocol, baseURL string) answer
		// body is what response_body is in the end: in an update in place, what it was.
		body string
	}{
		"create": {func(*testing.T, protocol, string) answer { return answer{} }, released.JSON()},
		"update": {func(t *testing.T, server protocol, baseURL string) answer {
			t.Helper()
			return server.create(t, args{"base_url": baseURL})
		}, instancetest.Newer().JSON()},
		"another base URL": {func(t *testing.T, server protocol, _ string) answer {
			t.Helper()
			return server.create(t, args{"base_url": instancetest.New(t).URL()})
		}, released.JSON()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			server := recordProvider(t, impatient(1))
			own := args{"base_url": instance.URL()}.with(want)
			prior := test.from(t, server, instance.URL())
			asked := len(instance.Requests())
			partly := instancetest.Newer().With("chunkSize", 30000000)
			instance.SetScript(instancetest.Answer(), instancetest.Status(503), instancetest.AnswerDocument(partly), instancetest.Answer(), instancetest.Reset())
			instance.SetDefault(instancetest.AnswerDocument(released))
			recorded := server.apply(t, prior, own)
			mustEqual(t, "the record", recorded.must(t), newer.with(reports).with(own).with(args{"timeouts": nil, "response_body": test.body}))
			mustEqual(t, "the number of requests", len(instance.Requests())-asked, 6)

			refreshed := server.refresh(t.Context(), t, recorded)
			mustEqual(t, "the refreshed record", refreshed.must(t), recorded.state.with(args{"response_body": released.JSON()}))
			mustEqual(t, "the plan", server.plan(t, refreshed, own).must(t), refreshed.state)

			// What is reported is recorded, and not what is expected.
			instance.SetDefault(instancetest.Answer())
			mustEqual(t, "the chunk size", server.refresh(t.Context(), t, refreshed).must(t)["chunk_size"], int64(20000000))
		})
	}
}

// TestDriftWarningIsAsSafeToPrintAsTheError: what a server echoes is redacted and cut, and what is expected is never cut off.
func TestDriftWarningIsAsSafeToPrintAsTheError(t *testing.T) {
	t.Parallel()
	const token = "S3cretS3cret"
	instance := instancetest.New(t)
	server := recordProvider(t, args{"base_url": instance.URL(), "request_headers": args{"Authorization": "Bearer " + token}})
	own := args{"base_url": instance.URL()}.with(expecting(args{"api_version": "2.1.5"}))
	created := server.create(t, own)
	for version, shown := range map[string]string{
		"2.4.1-" + token:                     "2.4.1-(redacted)",
		"2.4.1-" + strings.Repeat("x", 1000): "2.4.1-" + strings.Repeat("x", 193) + "…",
	} {
		instance.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", version)))
		drifted := server.refresh(t.Context(), t, created)
		told := server.plan(t, drifted, own).told
		told.must(t, expected{
			warning: true, at: "expected.api_version", summary: notAsExpected + ": " + instance.URL(),
			says: []string{"\n  - api_version is " + shown + ", expected 2.1.5\n"},
		})
		mustNotSay(t, told.String(), token)
	}
}

// TestApplySaysWhatElseChangedWhileItWaited: everything but response_body and what is expected, in an update in place.
func TestApplySaysWhatElseChangedWhileItWaited(t *testing.T) {
	t.Parallel()
	const token = "S3cretS3cret"
	released := instancetest.Newer().With("chunkSize", 30000000)
	want := expecting(args{"chunk_size": int64(30000000)})
	more := released.With("apiVersion", "2.2.0-"+token).With("requirePassword", false).With("fileMaxAge", 60).
		With("recommendedExpireTimes", []instancetest.Document{})
	changed := func(url, list string) []expected {
		return warning("Other details changed while the apply waited: "+url, "reports what is expected", "planned:"+list+"\n\nThe next plan records them.",
			"add them to expected")
	}
	const all = "\n  - require_password is false, planned true\n  - api_version is 2.2.0-(redacted), planned 2.1.5" +
		"\n  - file_max_age is 60, planned 2592000\n  - recommended_expire_times"
	tests := map[string]struct {
		expected args
		document instancetest.Document
		lacks    string // an attribute that the state has not
		list     string // "" for no warning
	}{
		"nothing else":         {want, released, "", ""},
		"another field only":   {want, released.With("newField", 1), "", ""},
		"everything else":      {want, more, "", all},
		"also expected":        {expecting(args{"chunk_size": int64(30000000), "file_max_age": int64(60)}), released.With("fileMaxAge", 60), "", ""},
		"not in the state yet": {want, released, "file_max_age", "\n  - file_max_age is 2592000, planned not reported"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			server := recordProvider(t, args{"base_url": instance.URL(), "request_headers": args{"X-Token": token}})
			own := args{"base_url": instance.URL()}
			created := server.create(t, own)
			if test.lacks != "" {
				created.state[test.lacks] = nil
			}
			instance.SetDefault(instancetest.AnswerDocument(test.document))
			applied := server.apply(t, created, own.with(test.expected))
			var told []expected
			if test.list != "" {
				told = changed(instance.URL(), test.list)
			}
			applied.told.must(t, told...)
			mustNotSay(t, applied.told.String(), token)
			mustEqual(t, "response_body", applied.state["response_body"], created.state["response_body"])
		})
	}
}

// TestRecordFailsIfNotAsExpected: nothing is recorded, and the error lists every difference, on the first.
func TestRecordFailsIfNotAsExpected(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t)
	server := recordProvider(t, impatient(1))
	own := args{"base_url": instance.URL()}
	created := server.create(t, own)
	everything := expecting(args{
		"api_version": "2.1.6", "chunk_size": 1, "file_max_age": int64(1 << 40), "file_max_size": 64424509440, "max_transfers_in_merge": 0,
		"require_password": false,
	})
	for operation, prior := range map[string]answer{"create": {}, "update": created} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			failed := server.apply(t, prior, own.with(everything).with(timeout(operation, "100ms")))
			failed.told.must(t, fault("expected.api_version", notAsExpected, "GET "+instance.URL()+"/instance answered",
				":\n  - api_version is 2.1.5, expected 2.1.6\n  - chunk_size is 20000000, expected 1\n  - file_max_age is 2592000, expected 1099511627776"+
					"\n  - max_transfers_in_merge is 50, expected 0\n  - require_password is true, expected false\n\n",
				"timeouts."+operation+" (100ms)", "raise timeouts."+operation, "change expected")...)
			failed.mustKeep(t, prior)
		})
	}
}

// TestExpectationsAreChecked: each on its own line.
func TestExpectationsAreChecked(t *testing.T) {
	t.Parallel()
	const write = "Write a whole number from 0 to 9223372036854775807."
	tests := map[string]struct {
		arguments args
		told      []expected
	}{
		"limits":     {args{"chunk_size": 0, "file_max_age": int64(9223372036854775807)}, nil},
		"fraction":   {args{"chunk_size": 0.5}, fault("expected.chunk_size", "Invalid number", "expected.chunk_size is 0.5.", write)},
		"negative":   {args{"file_max_age": -1}, fault("expected.file_max_age", "Invalid number", "is -1.", write)},
		"too large":  {args{"file_max_size": 1e30}, fault("expected.file_max_size", "Invalid number", "is 1e+30.", write)},
		"suffix":     {args{"api_version": "2.1.0-rc.1+build"}, nil},
		"no version": {args{"api_version": "v2"}, fault("expected.api_version", "Invalid version", `expected.api_version is "v2".`, `"2.1.0"`)},
		"no patch":   {args{"api_version": "2.1"}, fault("expected.api_version", "Invalid version", `is "2.1".`)},
		"empty":      {args{"api_version": ""}, fault("expected.api_version", "Invalid version", `is "".`)},
		"unknown":    {args{"api_version": unknown{}, "max_transfers_in_merge": unknown{}}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			validate(t.Context(), t, recordName, args{"base_url": "https://files.example.org"}.with(expecting(test.arguments))).must(t, test.told...)
		})
	}
}
