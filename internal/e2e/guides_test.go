package e2e_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The plan of a deploy is that of the guide, and its error is that of the troubleshooting guide.
func TestAccGuide_DeployAServer(t *testing.T) {
	t.Parallel()
	const page, troubleshooting = "templates/guides/deploy-a-server.md.tmpl", "templates/guides/troubleshooting.md.tmpl"
	reports := func(version string, chunkSize int) instancetest.Step {
		return instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", version).With("chunkSize", chunkSize))
	}
	e := copyExample(t, "guides/deploy-a-server")
	server := instancetest.New(t, instancetest.WithDefault(reports("2.2.2", 20000000)))
	before := strings.ReplaceAll(blockWith(t, page, "release    ="), exampleURL, server.URL())
	e.write("terraform.tfvars", before)
	e.apply()

	// A release whose server reads another value than it was given.
	e.write("terraform.tfvars", strings.NewReplacer("2.2.2", "2.2.3", "20000000", "30000000").Replace(before))
	e.plan().expectExcerpt(blockWith(t, page, "Plan: ")).expectWarnings() // of no drift
	server.SetDefault(reports("2.2.3", 3))
	e.write("main.tf", strings.Replace(e.configuration, "\n\n  expected", "\n\n  timeouts { update = \"2s\" }\n\n  expected", 1))
	e.run("apply", "-auto-approve").expectExitCode(1).expectExcerpt(blockWith(t, troubleshooting, "Error: Instance does not report"))

	// With the right setting, the next apply waits through the old server.
	e.write("main.tf", e.configuration)
	server.SetScript(reports("2.2.2", 20000000), reports("2.2.3", 20000000))
	server.SetDefault(reports("2.2.3", 30000000))
	e.apply()
	e.expectNoChanges()

	// Somebody else changes the server.
	server.SetDefault(reports("2.2.2", 20000000))
	e.write("terraform.tfvars", before)
	e.run("apply", "-auto-approve", "-target=terraform_data.server").expectExitCode(0)
	e.plan().expectText("# terraform_data.deploy must be replaced") // although the server has changed already
	e.apply()
	server.SetDefault(reports("2.2.2", 10000000))
	e.plan().expectWarnings("Not as expected when last read: " + server.URL() + " (chunk_size is 10000000, expected 20000000)").
		expectText("Plan: 0 to add, 1 to change, 0 to destroy.")
}

// While its instance is down, a record does what the guide says.
func TestAccGuide_SurviveAnOutage(t *testing.T) {
	t.Parallel()
	e := copyExample(t, "guides/survive-an-outage")
	server := instancetest.New(t)
	e.write("terraform.tfvars", fmt.Sprintf("base_url = %q", server.URL()))
	e.write("impatient.tf", acctest.ImpatientProvider)
	e.apply()
	recorded := e.attributes("filetransfer_instance_record.files")
	server.Close()

	// A plan has a warning, which is not saved with it, and no changes.
	warning := "Instance not read, last known values kept: " + server.URL()
	e.expectNoChanges().expectWarnings(warning).expectText("keeps what it last reported", "connection refused")
	e.run("show", "saved.tfplan").expectExitCode(0).expectWarnings()
	e.expectNoChanges("-refresh=false").expectWarnings()

	// Whatever is applied or refreshed, the record stays as it was.
	e.plan("-refresh-only").expectText("No changes.").expectWarnings(warning) // the exit code depends on Terraform (hashicorp/terraform#36403)
	e.apply().expectWarnings(warning)
	e.run("refresh").expectExitCode(0).expectWarnings(warning)
	if got := e.attributes("filetransfer_instance_record.files"); !reflect.DeepEqual(got, recorded) {
		t.Errorf("the record is %v, want it as it was: %v", got, recorded)
	}
	e.run("destroy", "-auto-approve").expectExitCode(0).expectText("Destroy complete!")
}

// The guide's move from a data source to a record replaces nothing.
func TestAccGuide_MoveToARecord(t *testing.T) {
	t.Parallel()
	const page = "templates/guides/survive-an-outage.md.tmpl"
	server := instancetest.New(t)
	fromPage := func(text string) string {
		return strings.ReplaceAll(blockWith(t, page, text), exampleURL, server.URL())
	}
	before, after := fromPage(`data "filetransfer_instance" "files"`), fromPage("import {")
	importBlock := after[strings.Index(after, "import {"):strings.Index(after, "resource \"terraform_data\"")]
	withoutImport := strings.Replace(after, importBlock, "", 1)
	w := newWorkspace(t, before)
	w.skipWithout(acctest.ImportBlocks)
	w.apply()

	// Without the import block, what uses the record would be replaced.
	w.configure(withoutImport)
	w.plan().expectText("Plan: 2 to add, 0 to change, 1 to destroy.")

	// With timeouts, the record is also changed.
	w.configure(strings.Replace(after, "\n}\n\nimport", "\n  timeouts { read = \"5s\" }\n}\n\nimport", 1))
	w.plan().expectText("Plan: 1 to import, 0 to add, 1 to change, 0 to destroy.")

	// As on the page, it is only imported.
	w.configure(after)
	w.plan().expectText(blockWith(t, page, "Plan: "))
	w.applyPlan()
	w.configure(withoutImport)
	w.expectNoChanges()
}

// An instance moves to another URL, and neither of the guide's ways replaces what uses its record.
func TestAccGuide_InstanceMoves(t *testing.T) {
	t.Parallel()
	before, after := instancetest.New(t), instancetest.New(t)
	configuration := func(server *instancetest.Server, block string) string {
		return acctest.ImpatientProvider + fmt.Sprintf(`
resource "filetransfer_instance_record" "files" {
  base_url = %q
  %s
}

resource "terraform_data" "proxy" {
  triggers_replace = [filetransfer_instance_record.files.chunk_size]
}
`, server.URL(), block)
	}
	w := newWorkspace(t, configuration(before, ""))
	w.skipWithout(acctest.ImportBlocks)
	w.apply()
	w.configure(configuration(after, ""))
	w.plan().expectText("Plan: 1 to add, 1 to change, 1 to destroy.")

	w.configure(configuration(after, "expected { chunk_size = 20000000 }"))
	w.apply().expectText("Resources: 0 added, 1 changed, 0 destroyed.")
	w.configure(configuration(after, ""))
	w.apply().expectText("Resources: 0 added, 1 changed, 0 destroyed.")

	w.run("state", "rm", "filetransfer_instance_record.files").expectExitCode(0)
	w.configure(configuration(before, "") + fmt.Sprintf("import {\n  to = filetransfer_instance_record.files\n  id = %q\n}\n", before.URL()))
	w.plan().expectText("Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.")
}

// The plans of the record's page are those of its example.
func TestAccRecord_PlansOfItsPage(t *testing.T) {
	t.Parallel()
	const page = "templates/resources/instance_record.md.tmpl"
	e := newExample(t, blockWith(t, page, "stable_for = "))
	e.startInstances()
	e.plan().expectExcerpt(blockWith(t, page, "(known after apply)"))
	e.apply()
	e.configure(strings.ReplaceAll(read(t, filepath.Join(e.dir, "main.tf")), "30000000", "40000000"))
	e.plan().expectExcerpt(blockWith(t, page, "30000000 -> 40000000"))
}

// Neither step of the guide's migration changes anything. Before the first, data "http" only has another name.
func TestAccGuide_Migrate(t *testing.T) {
	t.Parallel()
	const page = "templates/guides/migrate-from-data-http.md.tmpl"
	e := newExample(t, blockWith(t, page, "request_timeout_ms"))
	e.startInstances()
	e.apply()
	e.configure(blockWith(t, page, "jsondecode(data.filetransfer_instance"))
	e.expectNoChanges()
	e.configure(read(t, examplesDir+"/guides/migrate-from-data-http/main.tf"))
	e.expectNoChanges()
}

// The error that the troubleshooting guide explains is one.
func TestAccGuide_TroubleshootingError(t *testing.T) {
	t.Parallel()
	body := `{"message": "Maintenance until 10:00."}`
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Body(503, "application/json", body)))
	e := newExample(t, fmt.Sprintf("data \"filetransfer_instance\" \"files\" { base_url = %q }\n", server.URL())+`
provider "filetransfer" {
  retry { max_delay = "1s" }
}
`)
	shown := strings.NewReplacer(exampleURL, server.URL(), " (203.0.113.10:443)", "").Replace( // the URL has the address here
		blockWith(t, "templates/guides/troubleshooting.md.tmpl", "Error: Instance answered with status 503"))
	e.run("plan").expectExitCode(1).expectText(strings.Split(shown, "\n\n")...)
}

// The guide shows what several instances report while one instance is down, and the check of its example warns.
func TestAccGuide_TolerateFailures(t *testing.T) {
	t.Parallel()
	e := copyExample(t, "guides/tolerate-failures")
	paris := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("apiVersion", "2.2.3")))
	lyon := instancetest.New(t, instancetest.WithDocument(instancetest.Older().With("apiVersion", "1.1.0")))
	e.write("impatient.tf", acctest.ImpatientProvider)
	e.write("terraform.tfvars", fmt.Sprintf(`base_urls = { paris = %q, lyon = %q, nice = "http://%s" }`, paris.URL(), lyon.URL(), instancetest.ReserveAddress(t)))
	e.apply().expectText("Not read: nice.")
	e.run("output").expectExcerpt(blockWith(t, "templates/data-sources/instances.md.tmpl", "tomap"))
}

// The README shows the plan for a chunk size that has doubled. The lines around those of the file are of the provider local.
func TestAccReadme_LimitChanges(t *testing.T) {
	t.Parallel()
	e := newExample(t, blockWith(t, "README.md", "upload-limit.conf"))
	e.startInstances()
	server := e.servers["base_url"]
	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 10000000)))
	e.apply()
	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("chunkSize", 20000000)))
	const change = "- client_max_body_size 11048576; + client_max_body_size 21048576;"
	for place, text := range map[string]string{"README": blockWith(t, "README.md", "must be replaced"), "plan": e.plan().output} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), change) {
			t.Errorf("the %s does not show %q:\n%s", place, change, text)
		}
	}
}

// The page of the data source shows what its example prints.
func TestAccDataSource_OutputOfItsPage(t *testing.T) {
	t.Parallel()
	e := copyExample(t, "data-sources/filetransfer_instance")
	expireTimes := []instancetest.Document{}
	for _, seconds := range []int64{1800, 21600, 43200, 86400, 345600, 604800, 1209600, 2592000} { // as the service's own
		expireTimes = append(expireTimes, instancetest.NewerEntry("", seconds))
	}
	document := instancetest.Newer().With("fileMaxSize", 1000000000).With("chunkSize", 10000000).With("recommendedExpireTimes", expireTimes)
	e.write("terraform.tfvars", fmt.Sprintf("base_url = %q", instancetest.New(t, instancetest.WithDocument(document)).URL()))
	e.apply().expectExcerpt(blockWith(t, "templates/data-sources/instance.md.tmpl", "tolist"))
}

// The guide says what its nginx gets from smaller chunks, what its form gets of an option, and that nothing is deleted without a maximum
// age, nor because of a maximum age that is only a typo.
func TestAccGuide_UseTheLimits(t *testing.T) {
	t.Parallel()
	page := read(t, root+"/templates/guides/use-the-limits.md.tmpl")
	e := copyExample(t, "guides/use-the-limits")
	server := instancetest.New(t)
	options := []instancetest.Document{}
	for _, seconds := range []int64{1800, 21600, 604800, 15770000000} {
		options = append(options, instancetest.NewerEntry("", seconds))
	}
	reports := func(maxAge int64) {
		server.SetDefault(instancetest.AnswerDocument(
			instancetest.Newer().With("chunkSize", 10000000).With("fileMaxAge", maxAge).With("recommendedExpireTimes", options)))
	}
	e.write("terraform.tfvars", fmt.Sprintf("base_url = %q", server.URL()))
	e.run("get").expectExitCode(0)

	reports(15770000000)
	e.apply()
	content := e.valueOf("local_file_nginx").(map[string]any)["content"].(string)
	if !strings.Contains(page, "`"+strings.TrimSpace(content)+"`") {
		t.Errorf("the page does not say %q", content)
	}
	const week = `{"label":"7 d","seconds":604800}`
	form := e.valueOf("upload_form").(string)
	if !strings.Contains(form, week) || !strings.Contains(page, "`"+week+"`") {
		t.Errorf("the form gets %s, and the page has to show %s", form, week)
	}
	for _, label := range []string{"30 min", "6 h", "no limit"} {
		if !strings.Contains(form, fmt.Sprintf(`"label":%q`, label)) {
			t.Errorf("the form gets %s, without the label %s", form, label)
		}
	}
	rule := e.valueOf("aws_s3_bucket_lifecycle_configuration_copies").(map[string]any)["rule"].([]any)[0].(map[string]any)
	if rule["status"] != "Disabled" {
		t.Errorf("without a maximum age, the rule is %v, want it disabled", rule)
	}

	reports(30)
	e.run("plan").expectExitCode(1).expectText("Files live less than a day: 30 seconds.")
}

// The tests of modules that the guide shows run without an instance, also with the run that it adds.
func TestAccGuide_TestAModule(t *testing.T) {
	t.Parallel()
	const page, name = "templates/guides/test-a-module.md.tmpl", "guides/test-a-module"
	sites := copyExample(t, name+"/modules/sites")
	sites.skipWithout(acctest.MockProviders)
	sites.run("test").expectExitCode(0).expectText("Success! 1 passed, 0 failed.")

	job := copyExample(t, name)
	result := job.run("test").expectExitCode(0).expectText("Success! 1 passed, 0 failed.")
	if !job.openTofu { // which prints the same in another order
		result.expectExcerpt(blockWith(t, page, "Success!"))
	}
	file := "tests/job.tftest.hcl"
	job.write(file, read(t, filepath.Join(examplesDir, name, file))+blockWith(t, page, "override_data"))
	job.run("test").expectExitCode(0).expectText("Success! 2 passed, 0 failed.")
}

// The mock of a provider block with for_each needs a default of its variable, as the guide says.
func TestAccGuide_TestManyProviderBlocks(t *testing.T) {
	t.Parallel()
	const configuration = `
variable "base_urls" {
  type    = map(string)
  default = {}
}

provider "filetransfer" {
  alias    = "site"
  for_each = var.base_urls
  base_url = each.value
}

data "filetransfer_instance" "site" {
  for_each = var.base_urls
  provider = filetransfer.site[each.key]
}
`
	w := newWorkspace(t, configuration)
	w.skipWithout(acctest.Feature{
		Name:      "for_each of a mock, which no Terraform has,",
		Terraform: version.Must(version.NewVersion("99")), OpenTofu: version.Must(version.NewVersion("1.11.0")),
	})
	w.write("sites.tftest.hcl", blockWith(t, "templates/guides/test-a-module.md.tmpl", "for_each = var.base_urls")+`
variables {
  base_urls = { lyon = "https://lyon.example.org" }
}

run "sites" {
  assert {
    condition     = data.filetransfer_instance.site["lyon"].chunk_size == 20000000
    error_message = "The mock has another chunk size."
  }
}
`)
	w.run("test").expectExitCode(0).expectText("Success! 1 passed, 0 failed.")
	w.configure(strings.Replace(configuration, "  default = {}\n", "", 1))
	w.run("test").expectExitCode(1).expectText("Unable to compute static value")
}

// The condition of the page's postcondition fails the plan, and that of its check warns.
func TestAccGuide_PreconditionsAndChecks(t *testing.T) {
	t.Parallel()
	e := copyExample(t, "guides/preconditions-and-checks")
	server := instancetest.New(t)
	e.write("terraform.tfvars", `base_url = "`+server.URL()+`"`)

	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("requirePassword", false)))
	e.apply().expectText("does not require a password")

	server.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", int64(1000000000))))
	e.run("plan").expectExitCode(1).expectText("accepts files of 1000000000 bytes, but our exports can have 5 GB.")
}
