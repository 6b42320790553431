package e2e_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// needTerraformData skips a test that needs the resource terraform_data.
func needTerraformData(t *testing.T, c cli) {
	t.Helper()
	c.need(t, version{1, 4}, version{1, 6}, "terraform_data")
}

// wantUntouched checks that a plan leaves a resource as it is.
func (p planned) wantUntouched(t *testing.T, address string) {
	t.Helper()
	if does := p.of(address).does(); does != "no-op" {
		t.Errorf("the plan is to %q %s: %s", does, address, p.result)
	}
}

// A server that changes replaces what is downstream of a data source, which is then read during apply, but not what is
// downstream of a record.
func TestAccRecord_ChangedDependencyLeavesDownstreamAlone(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	configuration := func(generation int) string {
		return fmt.Sprintf(`
resource "terraform_data" "server" {
  input = %d
}

resource "filetransfer_instance_record" "this" {
  base_url   = %[2]q
  depends_on = [terraform_data.server]
}

data "filetransfer_instance" "this" {
  base_url   = %[2]q
  depends_on = [terraform_data.server]
}

resource "terraform_data" "of_record" {
  triggers_replace = [filetransfer_instance_record.this.file_max_size, filetransfer_instance_record.this.recommended_expire_times]
}

resource "terraform_data" "of_data" {
  triggers_replace = [data.filetransfer_instance.this.file_max_size, data.filetransfer_instance.this.recommended_expire_times]
}
`, generation, server.URL())
	}
	w := newWorkspace(t, c, configuration(1))
	w.apply()
	w.wantNoChanges(nil)

	w.configure(configuration(2))
	p := w.plan()
	if does := p.of("terraform_data.server").does(); does != "update" {
		t.Fatalf("the plan is to %q the server: %s", does, p.result)
	}
	p.wantUntouched(t, theRecord)
	p.wantUntouched(t, "terraform_data.of_record")
	if does := p.of("terraform_data.of_data").does(); does != "delete create" {
		t.Errorf("the plan is to %q what is downstream of the data source: %s", does, p.result)
	}
}

func TestAccRecord_ReplaceTriggeredByWaitsAgain(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	configuration := func(generation int) string {
		return impatient + fmt.Sprintf(`
resource "terraform_data" "server" {
  input = %d
}

resource "filetransfer_instance_record" "this" {
  base_url = %q
  lifecycle {
    replace_triggered_by = [terraform_data.server]
  }
}
`, generation, server.URL())
	}
	w := newWorkspace(t, c, configuration(1))
	w.apply()

	w.configure(configuration(2))
	// Only the first request is of the refresh. A status that is not retried tells waiting from retrying.
	server.SetScript(instancetest.Answer(), instancetest.Status(404), instancetest.Status(404),
		instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000)))
	before := len(server.Requests())
	w.apply()
	if sent := len(server.Requests()) - before; sent != 4 {
		t.Errorf("%d requests, want 4", sent)
	}
	if got := w.record(theRecord)["file_max_size"]; got != 1000. {
		t.Errorf("file_max_size is %v", got)
	}
}

func TestAccRecord_ChangedTimeoutsReadNothing(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	// The other resource makes the timeout unknown when its input changes.
	configuration := func(input, timeout string) string {
		return fmt.Sprintf(`
resource "terraform_data" "timeout" {
  input = %q
}

resource "filetransfer_instance_record" "this" {
  base_url = %q
  timeouts = {
    update = %s
  }
}

resource "terraform_data" "downstream" {
  triggers_replace = [filetransfer_instance_record.this.response_body]
}
`, input, server.URL(), timeout)
	}
	w := newWorkspace(t, c, configuration("1m", `"1m"`))
	w.apply()
	before := len(server.Requests())
	for _, timeouts := range []string{configuration("1m", `"2m"`), configuration("3m", "terraform_data.timeout.output")} {
		w.configure(timeouts)
		p := w.plan("-refresh=false")
		if does := p.of(theRecord).does(); does != "update" {
			t.Errorf("the plan is to %q the record: %s", does, p.result)
		}
		p.wantUntouched(t, "terraform_data.downstream")
		w.must("apply", "made.tfplan")
		w.wantNoChanges(nil, "-refresh=false")
	}
	if sent := len(server.Requests()) - before; sent != 0 {
		t.Errorf("%d requests", sent)
	}
	if got := w.record(theRecord)["timeouts"].(map[string]any)["update"]; got != "3m" {
		t.Errorf("timeouts.update is %v", got)
	}
}

// The provider's base_url is followed like an argument, here the one in the environment.
func TestAccRecord_FollowsTheProvidersBaseURL(t *testing.T) {
	t.Parallel()
	one := instancetest.New(t)
	other := instancetest.New(t, instancetest.WithDocument(instancetest.Older()))
	const record = `
resource "filetransfer_instance_record" "this" {}
` + limitOutput
	w := newWorkspace(t, acceptance(t), record).with("FILETRANSFER_BASE_URL=" + one.URL())
	w.apply()
	w.wantNoChanges(nil)
	if got := w.record(theRecord)["base_url"]; got != one.URL() {
		t.Errorf("base_url is %v, want %s", got, one.URL())
	}

	// Terraform composes characters, such as these two, but not in the environment.
	composed := instancetest.New(t, instancetest.WithPath("/%C3%A9"))
	w = w.with("FILETRANSFER_BASE_URL=" + composed.Origin() + "/e\u0301")
	w.apply()
	w.wantNoChanges(nil)

	w = w.with("FILETRANSFER_BASE_URL=" + other.URL())
	p := w.plan()
	planned := p.of(theRecord)
	if p.exitCode != 2 || planned.does() != "update" || planned.Change.AfterUnknown["base_url"] != true || planned.Change.AfterUnknown["file_max_size"] != true {
		t.Errorf("the plan is to %q %v: %s", planned.does(), planned.Change, p.result)
	}
	w.must("apply", "made.tfplan")
	if got := w.record(theRecord); got["base_url"] != other.URL() || got["api_version"] != "1.3.2" {
		t.Errorf("the record is %v", got)
	}
	w.wantNoChanges(nil)

	w.configure(strings.Replace(record, "{}", "{\n  lifecycle {\n    ignore_changes = [base_url]\n  }\n}", 1))
	w.with("FILETRANSFER_BASE_URL=" + one.URL()).wantNoChanges(nil)

	// A default that is missing, or cannot be used, does not keep anybody from destroying a record.
	w.configure(record)
	w.with("FILETRANSFER_BASE_URL=").wantNoChanges([]string{"No instance to read"})
	w.with("FILETRANSFER_BASE_URL=nonsense").wantNoChanges([]string{"Invalid base URL"})
	w.with("FILETRANSFER_BASE_URL=").must("destroy", "-auto-approve")
	if done := w.with("FILETRANSFER_BASE_URL=").do("plan"); done.exitCode != 1 {
		t.Errorf("a record of no instance is planned: %s", done)
	}
}

// The default may be another one when a saved plan is applied.
func TestAccRecord_SavedPlanIsAppliedUnderAnotherDefault(t *testing.T) {
	t.Parallel()
	one, two, three := instancetest.New(t), instancetest.New(t, instancetest.WithDocument(instancetest.Older())), instancetest.New(t)
	under := func(w *workspace, server *instancetest.Server) *workspace { return w.with("FILETRANSFER_BASE_URL=" + server.URL()) }
	w := newWorkspace(t, acceptance(t), `
resource "filetransfer_instance_record" "this" {}
`+limitOutput)
	for _, step := range []struct{ planned, applied *instancetest.Server }{{one, two}, {one, three}, {two, three}} {
		under(w, step.planned).plan()
		under(w, step.applied).must("apply", "made.tfplan")
		if got := w.record(theRecord)["base_url"]; got != step.applied.URL() {
			t.Errorf("base_url is %v, want %s", got, step.applied.URL())
		}
		under(w, step.applied).wantNoChanges(nil)
	}
}

func TestAccRecord_AnotherSpellingChangesBaseURLAlone(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	local := strings.Replace(server.URL(), "127.0.0.1", "localhost", 1)
	configuration := func(baseURL string) string {
		return recordOf(baseURL) + `
resource "terraform_data" "downstream" {
  triggers_replace = [filetransfer_instance_record.this.file_max_size, filetransfer_instance_record.this.response_body]
}
`
	}
	w := newWorkspace(t, c, configuration(local))
	w.must("import", theRecord, local+"/")
	w.apply()
	before := len(server.Requests())
	for _, spelling := range []string{local + "/", strings.ToUpper(local), local} {
		w.configure(configuration(spelling))
		p := w.plan("-refresh=false")
		if does := p.of(theRecord).does(); does != "update" || strings.Contains(string(p.stdout), "known after apply") {
			t.Errorf("the plan is to %q the record: %s", does, p.result)
		}
		for name, value := range p.of(theRecord).Change.After {
			if prior := p.of(theRecord).Change.Before[name]; name != "base_url" && !reflect.DeepEqual(value, prior) {
				t.Errorf("%s changes from %v to %v", name, prior, value)
			}
		}
		p.wantUntouched(t, "terraform_data.downstream")
		w.must("apply", "made.tfplan")
		w.wantNoChanges(nil, "-refresh=false")
		if got := w.record(theRecord)["base_url"]; got != spelling {
			t.Errorf("base_url is %v, want %s", got, spelling)
		}
	}
	if sent := len(server.Requests()) - before; sent != 0 {
		t.Errorf("%d requests", sent)
	}
}

// byAnother is a provider block with arguments that another resource makes unknown when its input changes.
func byAnother(input, arguments string) string {
	return fmt.Sprintf(`
resource "terraform_data" "another" {
  input = %q
}

provider "filetransfer" {
%s
}
`, input, arguments)
}

func TestAccRecord_UnknownProviderArgumentsKeepTheValues(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	record := recordOf(server.URL())
	w := newWorkspace(t, c, byAnother("9s", "request_timeout = terraform_data.another.output")+record)
	w.apply()
	w.wantNoChanges(nil)

	server.SetDefault(instancetest.AnswerDocument(instancetest.Older()))
	before := len(server.Requests())
	w.configure(byAnother("8s", "request_timeout = terraform_data.another.output") + record)
	p := w.plan()
	p.wantUntouched(t, theRecord)
	wantWarnings(t, p.result)
	if sent := len(server.Requests()) - before; len(p.Drift) > 0 || sent != 0 {
		t.Errorf("%d requests, drift %v: %s", sent, p.Drift, p.result)
	}
	w.must("apply", "made.tfplan")
	if p := w.plan(); len(p.Drift) != 1 {
		t.Errorf("the next plan does not refresh: %s", p.result)
	}
}

func TestAccRecord_UnknownBaseURLOfTheProviderIsFollowedOnceItIsKnown(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	one := instancetest.New(t)
	other := instancetest.New(t, instancetest.WithDocument(instancetest.Older()))
	configuration := func(server *instancetest.Server, timeout string) string {
		return byAnother(server.URL(), "base_url = terraform_data.another.output") + fmt.Sprintf(`
resource "filetransfer_instance_record" "this" {
  timeouts = {
    read = %q
  }
}
`, timeout) + limitOutput
	}
	w := newWorkspace(t, c, configuration(one, "10s"))
	w.apply() // the base URL is not known before
	if got := w.record(theRecord)["base_url"]; got != one.URL() {
		t.Errorf("base_url is %v, want %s", got, one.URL())
	}

	before := len(one.Requests())
	w.configure(configuration(other, "10s"))
	p := w.plan()
	p.wantUntouched(t, theRecord)
	wantWarnings(t, p.result)
	if sent := len(one.Requests()) - before; sent != 0 {
		t.Errorf("%d requests to an instance that may be about to go", sent)
	}
	w.must("apply", "made.tfplan")
	if got := w.record(theRecord)["base_url"]; got != one.URL() {
		t.Errorf("base_url is %v, want %s", got, one.URL())
	}
	w.apply()
	if got := w.record(theRecord)["base_url"]; got != other.URL() {
		t.Errorf("base_url is %v, want %s", got, other.URL())
	}

	// The plan for new timeouts must not contradict the one made during apply, when the base URL is known.
	w.configure(configuration(one, "11s"))
	w.apply()
	if got := w.record(theRecord)["base_url"]; got != one.URL() {
		t.Errorf("base_url is %v, want %s", got, one.URL())
	}
	w.wantNoChanges(nil)
}

func TestAccRecord_IsImportedByItsBaseURL(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	w := newWorkspace(t, acceptance(t), impatient+recordOf(server.URL()))
	w.must("import", theRecord, server.URL())
	if got := w.record(theRecord)["file_max_size"]; got != 64424509440. {
		t.Errorf("file_max_size is %v", got)
	}
	w.apply() // the output
	w.wantNoChanges(nil)

	w.must("apply", "-auto-approve", "-replace="+theRecord)
	w.mustRun(t, w.dir, "state", "rm", theRecord)
	server.Close()
	for id, want := range map[string]string{
		server.URL():        "Error: Instance not reachable",
		"files.example.org": "Error: Invalid base URL",
	} {
		if done := w.do("import", theRecord, id); done.exitCode != 1 || !strings.Contains(done.String(), want) {
			t.Errorf("want %q: %s", want, done)
		}
	}
	if got := w.record(theRecord); got != nil {
		t.Errorf("recorded: %v", got)
	}
}

func TestAccRecord_ImportBlockWritesAConfiguration(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.need(t, version{1, 5}, version{1, 6}, "an import block")
	server := instancetest.New(t)
	block := fmt.Sprintf("\nimport {\n  to = %s\n  id = %q\n}\n", theRecord, server.URL())

	w := newWorkspace(t, c, block)
	p := w.plan("-generate-config-out=generated.tf")
	p.wantUntouched(t, theRecord)
	w.must("apply", "made.tfplan")
	w.wantNoChanges(nil)
	if generated := string(read(t, filepath.Join(w.dir, "generated.tf"))); !strings.Contains(generated, server.URL()) {
		t.Errorf("the configuration has no %s: %s", server.URL(), generated)
	}

	server.Close()
	w = newWorkspace(t, c, impatient+block+recordOf(server.URL()))
	if done := w.do("plan"); done.exitCode != 1 || !strings.Contains(done.String(), "Error: Instance not reachable") {
		t.Errorf("want an error: %s", done)
	}
}

func TestAccRecord_CanBeMocked(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.need(t, version{1, 7}, version{1, 8}, "mock_provider")
	w := newWorkspace(t, c, `
resource "filetransfer_instance_record" "this" {
  base_url = "https://files.example.org"
}

output "labels" {
  value = filetransfer_instance_record.this.recommended_expire_times[*].label
}
`)
	write(t, filepath.Join(w.dir, "mock.tftest.hcl"), `
mock_provider "filetransfer" {
  mock_resource "filetransfer_instance_record" {
    defaults = {
      file_max_size = 1000
      recommended_expire_times = [
        { label = "1 hour", in_seconds = 3600, in_minutes = 60 },
        { label = "1 day", in_seconds = 86400, in_minutes = 1440 },
      ]
    }
  }
}

run "mock_resource" {
  assert {
    condition     = join(", ", output.labels) == "1 hour, 1 day" && filetransfer_instance_record.this.file_max_size == 1000
    error_message = "got ${jsonencode(filetransfer_instance_record.this)}"
  }
}
`)
	write(t, filepath.Join(w.dir, "override.tftest.hcl"), `
override_resource {
  target = filetransfer_instance_record.this
  values = {
    recommended_expire_times = [{ label = "1 week", in_seconds = 604800, in_minutes = 10080 }]
  }
}

run "override_resource" {
  assert {
    condition     = join(", ", output.labels) == "1 week"
    error_message = "got ${jsonencode(output.labels)}"
  }
}
`)
	done := w.run(t, w.dir, nil, "test", "-no-color")
	if done.exitCode != 0 || !strings.Contains(string(done.stdout), "Success! 2 passed, 0 failed") {
		t.Errorf("%s test: %s", w.Name(), done)
	}
}
