package e2e_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// oneBlock returns the text of the one block of a page that contains a text.
func oneBlock(t *testing.T, text string, page ...string) string {
	t.Helper()
	found := slices.DeleteFunc(blocks(t, filepath.Join(root, filepath.Join(page...))), func(b block) bool { return !strings.Contains(b.text, text) })
	if len(found) != 1 {
		t.Fatalf("%d blocks of %s have %q", len(found), filepath.Join(page...), text)
	}
	return found[0].text
}

// shell runs commands of a page in a folder, with the CLI under the name that the page calls it.
func (w *workspace) shell(commands string) result {
	w.t.Helper()
	if runtime.GOOS == "windows" {
		w.t.Skip("the commands are for a POSIX shell")
	}
	script := `terraform() { "` + w.Path + `" "$@"; }` + "\nset -e\n" + commands
	cmd := exec.CommandContext(w.t.Context(), "sh", "-c", script)
	cmd.Dir, cmd.Env = w.dir, w.env
	output, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		w.t.Fatal(err)
	}
	return result{stdout: output, exitCode: cmd.ProcessState.ExitCode()}
}

// The plans, the error and the warning of a release are those of the guide.
func TestAccGuide_Release(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	page := []string{"templates", "guides", "release-a-server.md.tmpl"}
	released := func(version string, chunkSize int) instancetest.Step {
		return instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", version).With("chunkSize", chunkSize))
	}
	e := newExample(t, c, "guides/release-a-server")
	server := instancetest.New(t, instancetest.WithDefault(released("2.2.2", 20000000)))
	e.variables["base_url"] = server.URL()
	e.setVariables()
	e.plan().wantText(t, "+ chunk_size = 20000000") // before the instance was read
	e.apply()

	// A release whose server reads another value than it was given.
	release := strings.Fields(oneBlock(t, "-var release=", page...))[2:]
	e.plan(release...).wantExcerpt(t, oneBlock(t, "Plan: 2 to add, 2 to change", page...))
	server.SetDefault(released("2.2.3", 3))
	twoSeconds := strings.Replace(e.configuration, `update = "5m"`, `update = "2s"`, 1)
	e.paste(twoSeconds)
	failed := e.do("apply", append(release, "-auto-approve")...)
	failed.wantText(t, "exit code 1:")
	failed.wantExcerpt(t, oneBlock(t, "Error: Instance does not report", page...))
	if follows := e.record("terraform_data.upload_job")["input"]; !strings.Contains(fmt.Sprint(follows), "2e+07") {
		t.Errorf("what follows was changed to %v", follows)
	}

	// The next apply waits through the old server and the first answer of the new one.
	e.paste(e.configuration)
	server.SetScript(released("2.2.2", 20000000), released("2.2.3", 20000000))
	server.SetDefault(released("2.2.3", 30000000))
	e.apply(release...)
	e.wantNoChanges(nil, release...)

	// Only the server changes, and its rollback is waited for too.
	e.paste(strings.Replace(twoSeconds, "tostring(var.chunk_size)", `"3e+07"`, 1))
	e.plan(release...).wantText(t, "~ triggers =", "Plan: 2 to add, 1 to change, 2 to destroy.")
	server.SetDefault(released("2.2.3", 3))
	e.do("apply", "made.tfplan").wantText(t, "exit code 1:", "- chunk_size is 3, expected 30000000")
	server.SetDefault(released("2.2.3", 30000000))
	e.paste(twoSeconds)
	e.plan(release...).wantText(t, "~ wait_failed = true -> false", "Plan: 2 to add, 1 to change, 2 to destroy.")
	e.applyPlan()

	// Somebody else changes the server.
	e.paste(e.configuration)
	server.SetDefault(released("2.2.2", 20000000))
	e.apply()
	server.SetDefault(released("2.2.2", 10000000))
	drifted := e.plan()
	drifted.stdout = []byte(strings.ReplaceAll(string(drifted.stdout), server.URL(), exampleURL))
	drifted.wantExcerpt(t, oneBlock(t, "Warning: Instance did not report", page...))
	drifted.wantText(t, "Plan: 0 to add, 1 to change, 0 to destroy.")
}

// The example of the record's page waits for each change of the server, for its rollback, and for a server that is replaced or created
// anew.
func TestAccRecord_WaitsForEachDeploy(t *testing.T) {
	t.Parallel()
	e := newExample(t, acceptance(t), "resources/filetransfer_instance_record")
	server := instancetest.New(t)
	e.variables["base_url"] = server.URL()
	e.setVariables()
	e.apply()
	reports := func(chunkSize int) instancetest.Step {
		return instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", chunkSize))
	}
	file := filepath.Join(e.dir, "resource.tf")
	configuration := acctest.ImpatientProvider + strings.Replace(e.configuration, "\n\n  expected", "\n\n  timeouts { update = \"2s\" }\n\n  expected", 1)

	write(t, file, strings.Replace(configuration, `CHUNK_SIZE = "20000000"`, `CHUNK_SIZE = "2e+07"`, 1))
	e.plan().wantText(t, "~ triggers =", "Plan: 1 to add, 2 to change, 1 to destroy.")
	server.SetDefault(reports(2))
	e.do("apply", "made.tfplan").wantText(t, "exit code 1:", "- chunk_size is 2, expected 20000000", "The wait ended: timeouts.update is 2s.")
	write(t, file, configuration)
	server.Close()
	e.do("apply", "-auto-approve").wantText(t, "exit code 1:", "Check the server's log: it may not have started.")
	server = instancetest.New(t, instancetest.WithListenAddress(server.Address()))
	e.apply()
	e.wantNoChanges(nil)

	asked := len(server.Requests())
	e.plan("-replace=terraform_data.server").wantText(t, "~ triggers =")
	server.SetScript(instancetest.Status(503))
	e.applyPlan()
	if asked = len(server.Requests()) - asked; asked < 4 { // the plan's refresh, and the wait, whose two last answers are right
		t.Errorf("%d requests, want 4 or more", asked)
	}

	// replace_triggered_by alone does not notice these two.
	e.apply("-target=terraform_data.server", "-replace=terraform_data.server")
	e.plan().wantText(t, "~ triggers =", "Plan: 1 to add, 1 to change, 1 to destroy.")
	e.applyPlan()
	write(t, file, strings.NewReplacer(`"server"`, `"another"`, "terraform_data.server", "terraform_data.another").Replace(configuration))
	e.plan().wantText(t, "~ triggers =", "Plan: 2 to add, 1 to change, 2 to destroy.")
	e.applyPlan()
}

// The mocks of fleets and records are those of the guide: OpenTofu refuses what Terraform needs.
func TestAccGuide_MocksOfFleetsAndRecords(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.skipBelow(t, tfversion.Version1_11_0, tfversion.Version1_8_0, "the mocks of the guide")
	mocks := map[bool]string{false: "override_during", true: "api_version_major"}[c.openTofu]
	w := newWorkspace(t, c, `
data "filetransfer_instances" "fleet" {
  base_urls      = { paris = "https://paris.example.org", nice = "https://nice.example.org" }
  allow_failures = true
}

resource "filetransfer_instance_record" "files" {
  base_url = "https://files.example.org"
  expected { chunk_size = 30000000 }
}

output "upload_limit" { value = data.filetransfer_instances.fleet.instances["paris"].file_max_size }

output "chunk_size" { value = filetransfer_instance_record.files.chunk_size }
`)
	runs := ""
	for _, command := range []string{"plan", "apply"} {
		runs += fmt.Sprintf(`
run %[1]q {
  command = %[1]s

  assert {
    condition     = output.upload_limit == 5000000000 && output.chunk_size == 20000000
    error_message = "${output.upload_limit} and ${output.chunk_size}"
  }
}
`, command)
	}
	write(t, filepath.Join(w.dir, "fleet.tftest.hcl"), oneBlock(t, mocks, "templates", "guides", "test-a-module.md.tmpl")+runs)
	w.do("test").wantText(t, "exit code 0:", "Success! 2 passed, 0 failed.")
}
