package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func reports(release string, chunkSize int) instancetest.Step {
	return instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", release).With("chunkSize", chunkSize))
}

// Whoever tries the guide interrupts a wait, applies again, and then releases a server, with the plan of the guide.
func TestAccGuide_DeployAServer(t *testing.T) {
	t.Parallel()
	const page = "templates/guides/deploy-a-server.md.tmpl"
	w, server := copyExample(t, "guides/deploy-a-server")
	server.SetDefault(reports("2.2.2", 20000000))
	before := localized(blockWith(t, page, "release    ="), server)
	w.write("terraform.tfvars", before)
	w.apply()

	if runtime.GOOS != "windows" { // where a process cannot be interrupted without a console
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		interrupts := func(_ http.ResponseWriter, r *http.Request) {
			interrupt()
			<-r.Context().Done()
		}
		server.SetScript(reports("2.2.2", 20000000), reports("2.2.2", 20000000), instancetest.Func(interrupts))
		w.write("terraform.tfvars", strings.Replace(before, "20000000", "30000000", 1))
		apply := exec.CommandContext(ctx, cli, "apply", "-auto-approve")
		apply.Cancel = func() error { return apply.Process.Signal(os.Interrupt) }
		w.wait(apply).expect(1, "Error: Wait canceled", "chunk_size is 20000000, expected 30000000")
		w.write("terraform.tfvars", before)
		w.apply()
	}

	w.write("terraform.tfvars", strings.NewReplacer("2.2.2", "2.2.3", "20000000", "30000000").Replace(before))
	w.plan().expect(2, blockWith(t, page, "Plan: "))
	server.SetScript(reports("2.2.2", 20000000), reports("2.2.2", 20000000), instancetest.Status(503), reports("2.2.3", 3))
	server.SetDefault(reports("2.2.3", 30000000))
	w.apply()

	// An apply that stopped halfway has changed the server already, and the next one waits for it.
	w.write("terraform.tfvars", before)
	server.SetDefault(reports("2.2.2", 20000000))
	w.apply("-target=terraform_data.server")
	w.plan().expect(2, "terraform_data.deploy must be replaced", "instance_record.files will be updated in-place")
}

// While its instance is down, a record does what the guide says.
func TestAccGuide_SurviveAnOutage(t *testing.T) {
	t.Parallel()
	w, server := copyExample(t, "resources/filetransfer_instance_record", acctest.ImportBlocks)
	w.write("impatient.tf", acctest.ImpatientProvider)
	w.apply()
	server.Close()
	warning := localized(blockWith(t, "templates/guides/survive-an-outage.md.tmpl", "Warning: "), server)
	w.plan().expect(0, "No changes.", warning)
	w.apply().expect(0, warning)
	w.run("destroy", "-auto-approve").expect(0, "Destroy complete!")
}

// The guide's move from a data source to a record replaces nothing.
func TestAccGuide_MoveToARecord(t *testing.T) {
	t.Parallel()
	const page = "templates/guides/survive-an-outage.md.tmpl"
	server := startInstance(t, "")
	before := blockWith(t, page, "data.filetransfer_instance.files.chunk")
	w := newWorkspace(t, localized(before, server), acctest.ImportBlocks)
	w.apply()
	w.configure(localized(blockWith(t, page, "import {"), server))
	w.plan().expect(2, blockWith(t, page, "Plan: "))
}

// The README shows the plan for a chunk size that has doubled. Around the two lines, its plan is the provider local's.
func TestAccReadme(t *testing.T) {
	t.Parallel()
	server := startInstance(t, "")
	w := newWorkspace(t, localized(blockWith(t, "README.md", "upload-limit.conf"), server), acctest.TerraformData)
	w.apply().expect(0, blockWith(t, "README.md", "Changes to Outputs:"))
	server.SetDefault(reports("2.2.3", 20000000))
	for _, plan := range []result{{t, blockWith(t, "README.md", "must be replaced"), 2}, w.plan()} {
		plan.expect(2, "- client_max_body_size 11048576;\n+ client_max_body_size 21048576;\n")
	}
}

// The guide says what nginx and the form get, and that nothing is deleted without a maximum age, or because of a typo.
func TestAccGuide_UseTheLimits(t *testing.T) {
	t.Parallel()
	page := result{t, read(t, root+"/templates/guides/use-the-limits.md.tmpl"), 0}
	page.expect(0, "`client_max_body_size 11048576;`", "`"+`{"label":"7 d","seconds":604800}`+"`")
	w, server := copyExample(t, "guides/use-the-limits")
	w.apply().expect(0, "days = 30", `status = "Enabled"`, "expire_seconds = 604800",
		"client_max_body_size 11048576;", `{\"label\":\"7 d\",\"seconds\":604800}`)
	server.SetDefault(newest("FILE_MAX_AGE=0"))
	w.apply().expect(0, `status = "Enabled" -> "Disabled"`, `\"30 min\"`, `\"6 h\"`, `\"no limit\"`)
	server.SetDefault(newest("FILE_MAX_AGE=900"))
	w.plan().expect(1, "Files live less than a day: 900 seconds.")
}

// The tests of the module that the guide shows run without an instance, also with the run that it adds.
func TestAccGuide_TestAModule(t *testing.T) {
	t.Parallel()
	w, _ := copyExample(t, "guides/test-a-module", acctest.MockProviders)
	w.apply().expect(0, "chunks = 500")
	w.run("test").expect(0, "Success! 1 passed, 0 failed.")
}

// The precondition of the page fails the plan.
func TestAccGuide_Preconditions(t *testing.T) {
	t.Parallel()
	w, _ := copyExample(t, "guides/preconditions")
	w.plan().expect(1, "accepts files of 1000000000 bytes, but our exports can have 5 GB.")
}

// The script for a nightly plan ends with the codes of its page, whatever reads the instance.
func TestAccGuide_NightlyPlan(t *testing.T) {
	t.Parallel()
	const page = "templates/guides/plan-every-night.md.tmpl"
	script, unless3 := blockWith(t, page, "-detailed-exitcode"), blockWith(t, page, "sh nightly.sh || {")
	tests := map[string]struct {
		reads, chunkSize string
		down             int // the exit code while the instance is down
	}{
		"data source": {`data "filetransfer_instance" "a" { base_url = %q }`, "data.filetransfer_instance.a.chunk_size", 1},
		"record": {
			`resource "filetransfer_instance_record" "a" { base_url = %q }`, "filetransfer_instance_record.a.chunk_size", 3,
		},
		"instances": {
			"data \"filetransfer_instances\" \"a\" {\n  base_urls = { a = %q }\n  allow_failures = true\n}",
			"try(data.filetransfer_instances.a.instances.a.chunk_size, 20000000)", 3,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			configuration := acctest.ImpatientProvider + fmt.Sprintf(test.reads, server.URL()) +
				"\nresource \"terraform_data\" \"uses\" { input = " + test.chunkSize + " }\n"
			w := newWorkspace(t, configuration, acctest.TerraformData)
			w.apply()
			for _, change := range []struct {
				field           string
				value, exitCode int
			}{{"maxTransfersInMerge", 7, 0}, {"fileMaxAge", 30, 2}, {"chunkSize", 30000000, 2}} {
				server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With(change.field, change.value)))
				w.shell(script).expect(change.exitCode)
			}
			server.Close()
			w.shell(script).expect(test.down)
			if test.down == 3 {
				w.write("nightly.sh", strings.ReplaceAll(script, "terraform plan", cli+" plan"))
				w.shell(unless3).expect(0)
				w.configure(configuration + "output \"new\" { value = 1 }\n")
				w.shell(script).expect(4)
			}
		})
	}
}
