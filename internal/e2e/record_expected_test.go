package e2e_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// releaseOf has a server, a record that expects something of it, and what follows from the expectation.
func releaseOf(baseURL, server, expected, timeout string) string {
	return fmt.Sprintf(impatient+`
resource "terraform_data" "server" { input = %q }

resource "filetransfer_instance_record" "this" {
  base_url   = %q
  depends_on = [terraform_data.server]
  timeouts   = { create = %[4]q, update = %[4]q }

  %[3]s
}

resource "terraform_data" "follows" { input = filetransfer_instance_record.this.chunk_size }

resource "terraform_data" "replaced" { triggers_replace = [filetransfer_instance_record.this.file_max_size] }
`, server, baseURL, expected, timeout)
}

// expectedOf is a block expected.
func expectedOf(arguments ...string) string {
	return "expected {\n" + strings.Join(arguments, "\n") + "\n}"
}

// released is the document of a new release with another chunk size.
var released = instancetest.Newer().With("apiVersion", "2.2.0").With("chunkSize", 30000000)

var expectsRelease = expectedOf("chunk_size = 30000000", `api_version = "2.2.0"`)

const notAsExpected = "Instance does not report what is expected"

// unknown lists the attributes that are not known in the plan of a resource.
func (p planned) unknown(address string) (names []string) {
	for name, is := range p.of(address).Change.AfterUnknown {
		if is == true {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (w *workspace) wantFollower(want float64) {
	w.t.Helper()
	if got := w.follower("terraform_data.follows"); got != want {
		w.t.Errorf("what follows is %v, want %v", got, want)
	}
}

// follower returns the output of a terraform_data.
func (w *workspace) follower(address string) any {
	w.t.Helper()
	output, _ := w.record(address)["output"].(map[string]any) // its type and value
	return output["value"]
}

func TestAccRecord_OneApplyReleasesWaitsAndChangesWhatFollows(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	address := instancetest.ReserveAddress(t)
	baseURL := "http://" + address
	w := newWorkspace(t, c, releaseOf(baseURL, "1", expectedOf("chunk_size = 20000000", `api_version = "2.1.5"`), "1m"))

	// Before the server exists, what is expected is known, and the rest is not.
	p := w.planInDetail()
	if unknown := p.unknown(theRecord); !slices.Contains(unknown, "file_max_size") || !slices.Contains(unknown, "response_body") {
		t.Errorf("unknown in the plan are %s", unknown)
	}
	if after := p.of(theRecord).Change.After; after["chunk_size"] != 20000000. || after["api_version_patch"] != 5. {
		t.Errorf("the plan is %v", after)
	}
	if after := p.of("terraform_data.follows").Change.After; after["input"] != 20000000. {
		t.Errorf("what follows is planned as %v", after)
	}
	server := instancetest.New(t, instancetest.WithListenAddress(address), instancetest.WithScript(instancetest.Status(502)))
	w.applyPlan()
	w.wantNoChanges(nil)

	// One plan has the release and what follows, with every value. The old process answers first, then nothing does, and then
	// the two take turns.
	w.configure(releaseOf(baseURL, "2", expectsRelease, "1m"))
	p = w.planInDetail()
	p.wantAction(t, theRecord, "update")
	p.wantAction(t, "terraform_data.replaced", "no-op")
	if unknown := p.unknown(theRecord); len(unknown) > 0 {
		t.Errorf("values are not known in the plan: %s", unknown)
	}
	if after := p.of("terraform_data.follows").Change.After; after["input"] != 30000000. {
		t.Errorf("what follows is planned as %v", after)
	}
	server.SetScript(instancetest.Answer(), instancetest.Answer(), instancetest.Status(503),
		instancetest.AnswerDocument(released.With("chunkSize", 20000000)), instancetest.Answer())
	server.SetDefault(instancetest.AnswerDocument(released))
	before := len(server.Requests())
	w.applyPlan()
	if sent := len(server.Requests()) - before; sent != 6 {
		t.Errorf("%d requests", sent)
	}
	w.wantFollower(30000000)
	w.wantRecord("api_version_minor", 2.)
	w.wantNoChanges(nil)
}

func TestAccRecord_SettingThatDidNotTakeEffectStopsTheApply(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	w := newWorkspace(t, c, releaseOf(server.URL(), "1", expectedOf("chunk_size = 20000000"), "1m"))
	w.apply()
	reported := w.record(theRecord)

	w.configure(releaseOf(server.URL(), "2", expectedOf("file_max_age = 2592000", "chunk_size = 30000000", "require_password = false"), "300ms"))
	for range 2 {
		done := w.do("apply", "-auto-approve")
		done.wantText(t, "exit code 1:", "Error: "+notAsExpected, "with "+theRecord, ": chunk_size = 30000000", "GET "+server.URL()+"/instance answered",
			"- chunk_size is 20000000, expected 30000000 - require_password is true, expected false", "raise timeouts.update")
		wantWarnings(t, done) // the configuration has changed, not the instance
		w.wantFollower(20000000)
		w.wantRecord("chunk_size", reported["chunk_size"])
		if got := fmt.Sprint(w.record(theRecord)["expected"]); got != fmt.Sprint(reported["expected"]) {
			t.Errorf("expected is now %s", got)
		}
	}
	server.SetScript(instancetest.Answer(), instancetest.Answer()) // the refresh, and the old process
	server.SetDefault(instancetest.AnswerDocument(released.With("requirePassword", false)))
	w.apply()
	w.wantFollower(30000000)
	w.wantNoChanges(nil)

	// A record that cannot be created is not in the state.
	w.configure(releaseOf(server.URL(), "2", expectedOf("chunk_size = 1"), "300ms"))
	w.mustRun(t, w.dir, "state", "rm", theRecord)
	w.wantError(notAsExpected, "apply", "-auto-approve")
	if got := w.record(theRecord); got != nil {
		t.Errorf("recorded is %v", got)
	}
}

// What somebody else changed is reported in a warning, and waited for.
func TestAccRecord_DriftFromWhatIsExpectedIsWaitedFor(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	w := newWorkspace(t, c, releaseOf(server.URL(), "1", expectedOf("chunk_size = 20000000"), "1m"))
	w.apply()
	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 10000000).With("fileMaxSize", 1000)))
	warning := notAsExpected + ": " + server.URL()
	p := w.planInDetail()
	wantWarnings(t, p.result, warning)
	p.wantText(t, "- chunk_size is 10000000, expected 20000000", "An apply waits until it reports what is expected, for timeouts.update (1m) at most,")
	p.wantAction(t, theRecord, "update")
	p.wantAction(t, "terraform_data.follows", "no-op")
	p.wantAction(t, "terraform_data.replaced", "delete create")
	server.SetScript(instancetest.AnswerDocument(released.With("chunkSize", 10000000)))
	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000)))
	wantWarnings(t, w.must("apply", "made.tfplan"), warning)
	w.wantNoChanges(nil)
}

// What is unknown in the plan may turn out to be anything, and Terraform finds no inconsistent final plan.
func TestAccRecord_ExpectationThatIsUnknownInThePlan(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	// Another input makes the output unknown in the plan.
	fromServer := func(chunkSize, version string) string {
		return expectedOf("chunk_size = "+chunkSize, "api_version = "+version)
	}
	const output = `jsondecode(split(" ", terraform_data.server.output)[1])`
	w := newWorkspace(t, c, releaseOf(server.URL(), "1 20000000", fromServer(output, `"2.1.5"`), "1m"))
	w.apply()
	tests := []struct {
		server, expected string
		unknown          string // in the plan
		requests         int    // of the apply
		answer           instancetest.Document
	}{
		{"2 20000000", fromServer(output, `"2.1.5"`), "chunk_size", 0, instancetest.Newer()},
		{"3 null", fromServer(output, `"2.1.5"`), "chunk_size", 0, instancetest.Newer()},
		{"4 30000000", fromServer(output, `"2.1.5"`), "chunk_size", 2, instancetest.Newer().With("chunkSize", 30000000)},
		{`5 "2.2.0"`, fromServer("30000000", output), "api_version api_version_major api_version_minor api_version_patch", 2, released},
		{`6 1`, "dynamic \"expected\" {\n for_each = " + output + ` == 1 ? [1] : []` + "\ncontent {\n api_version = \"2.2.0\" \n}\n}",
			"api_version api_version_major api_version_minor api_version_patch", 0, released},
	}
	for _, test := range tests {
		w.configure(releaseOf(server.URL(), test.server, test.expected, "1m"))
		p := w.planInDetail()
		if unknown := strings.Join(p.unknown(theRecord), " "); unknown != test.unknown {
			t.Errorf("unknown with %s are %s, want %s", test.server, unknown, test.unknown)
		}
		if test.requests > 0 { // the old process answers first
			server.SetScript(instancetest.Status(503))
		}
		server.SetDefault(instancetest.AnswerDocument(test.answer))
		before := len(server.Requests())
		w.applyPlan()
		if sent := len(server.Requests()) - before; sent != test.requests {
			t.Errorf("%d requests with %s, want %d", sent, test.server, test.requests)
		}
		w.wantNoChanges(nil)
	}
}

// What is expected and reported already, another spelling of base_url, and other timeouts read and change nothing else.
func TestAccRecord_UpdateForTheSameInstanceReadsNothing(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	local := strings.Replace(server.URL(), "127.0.0.1", "localhost", 1)
	capitals := strings.ToUpper(local)
	w := newWorkspace(t, c, releaseOf(local, "1", "", "1m"))
	w.must("import", theRecord, local+"/")
	w.apply()
	before := len(server.Requests())
	for _, configuration := range []string{
		releaseOf(local, "1", expectedOf("chunk_size = 20000000", `api_version = "2.1.5"`), "1m"),
		releaseOf(local, "1", expectedOf(`chunk_size = "20000000"`, "api_version = null"), "1m"),
		releaseOf(local+"/", "1", expectedOf(), "1m"),
		releaseOf(capitals, "1", "", "1m"),
		releaseOf(capitals, "1", "", "2m"),
		strings.Replace(releaseOf(capitals, "3m", "", "2m"), `update = "2m"`, "update = terraform_data.server.output", 1), // unknown in the plan
	} {
		w.configure(configuration)
		p := w.planInDetail("-refresh=false")
		p.wantAction(t, theRecord, "update")
		p.wantAction(t, "terraform_data.follows", "no-op")
		p.wantAction(t, "terraform_data.replaced", "no-op")
		w.applyPlan()
		w.wantNoChanges(nil, "-refresh=false")
	}
	if sent := len(server.Requests()) - before; sent != 0 {
		t.Errorf("%d requests", sent)
	}

	w.configure(releaseOf(instancetest.New(t).URL(), "1", "", "1m")) // another instance is read, in place
	w.planInDetail().wantAction(t, theRecord, "update")
	w.applyPlan()
	w.wantNoChanges(nil)
}

// TestAccRecord_ReplacementWaits: a server that was replaced with the same release and settings.
func TestAccRecord_ReplacementWaits(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	release := func(of string) string {
		return strings.Replace(releaseOf(server.URL(), of, expectsRelease, "1m"), "depends_on = [terraform_data.server]",
			"lifecycle { replace_triggered_by = [terraform_data.server] }", 1)
	}
	server.SetDefault(instancetest.AnswerDocument(released))
	w := newWorkspace(t, c, release("1"))
	w.apply()
	for _, replace := range [][]string{nil, {"-replace=" + theRecord}} {
		if replace == nil {
			w.configure(release("2"))
		}
		p := w.planInDetail(replace...)
		p.wantAction(t, theRecord, "delete create")
		p.wantAction(t, "terraform_data.follows", "no-op")
		p.wantAction(t, "terraform_data.replaced", "delete create")
		server.SetScript(instancetest.Answer(), instancetest.Status(503))
		before := len(server.Requests())
		w.applyPlan()
		if sent := len(server.Requests()) - before; sent != 3 {
			t.Errorf("%d requests", sent)
		}
		w.wantNoChanges(nil)
	}
}

// TestAccRecord_MistakesInExpectedAreRefused: each on its own line.
func TestAccRecord_MistakesInExpectedAreRefused(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	for argument, says := range map[string]string{
		`chunksize = 1`:                       `Did you mean "chunk_size"?`,
		`chunk_size = 1.5`:                    "expected.chunk_size is 1.5. Write a whole number from 0 to 9223372036854775807.",
		`file_max_age = "30d"`:                "a number is required",
		`file_max_size = 9223372036854775808`: "Write a whole number from 0 to 9223372036854775807.",
		`api_version = "2.1"`:                 `expected.api_version is "2.1". Write the version`,
		`file_max_size = 9223372036854775807`: "",
	} {
		t.Run(argument, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, c, "resource \"filetransfer_instance_record\" \"this\" {\nbase_url = \"https://files.example.org\"\n"+expectedOf(argument)+"\n}\n")
			done := w.run(t, w.dir, "validate", "-no-color")
			if says == "" {
				done.wantText(t, "exit code 0:")
				return
			}
			done.wantText(t, "exit code 1:", ": "+argument, says)
		})
	}
}

// A wrong path, or a certificate that is not trusted, is waited for as long as an instance that reports something else.
func TestAccRecord_InterruptedWaitSaysWhatTheInstanceAnswers(t *testing.T) {
	t.Parallel()
	c := interrupting(t)
	needTerraformData(t, c)
	for want, option := range map[string]instancetest.Option{
		": status 404 Not Found": instancetest.WithDefault(instancetest.Status(404)),
		"certificate signed by":  instancetest.WithTLS(),
		"- api_version is 2.1.5, expected 2.2.0 - chunk_size is 20000000, expected 30000000": instancetest.WithPath(""),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, option)
			w := newWorkspace(t, c, releaseOf(server.URL(), "1", expectsRelease, "1m"))
			applying := w.start("apply", "-auto-approve")
			eventually(t, "a second attempt", func() bool { return server.Connections() > 1 || len(server.Requests()) > 1 })
			applying.interrupt(t).wantText(t, "Error: Read canceled", "was canceled after", "GET "+server.URL()+"/instance", want)
		})
	}
}

// In a test of a module, what is expected is known in the plan, and an override sets the rest.
func TestAccRecord_ExpectedInTests(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.need(t, version{1, 7}, version{1, 8}, "mock_provider")
	w := newWorkspace(t, c, releaseOf("https://files.example.org", "1", expectsRelease, "1m"))
	write(t, filepath.Join(w.dir, "expected.tftest.hcl"), `
mock_provider "filetransfer" {}

override_resource {
  target = filetransfer_instance_record.this
  values = {
    file_max_size            = 5
    chunk_size               = 30000000
    recommended_expire_times = [{ label = "1 month", in_seconds = 2592000, in_minutes = 43200 }]
  }
}

run "expected" {
  assert {
    condition     = terraform_data.follows.output == 30000000 && filetransfer_instance_record.this.file_max_size == 5
    error_message = "chunk_size: ${terraform_data.follows.output}"
  }
  assert {
    condition     = filetransfer_instance_record.this.recommended_expire_times[0].label == "1 month"
    error_message = "options: ${jsonencode(filetransfer_instance_record.this)}"
  }
  assert {
    condition     = filetransfer_instance_record.this.expected.api_version == "2.2.0"
    error_message = "expected: ${jsonencode(filetransfer_instance_record.this.expected)}"
  }
}
`)
	w.mustRun(t, w.dir, "test", "-no-color")
}
