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

// Another spelling of base_url, or other timeouts, change nothing else and nothing downstream, and read nothing.
func TestAccRecord_UpdateForTheSameInstanceReadsNothing(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	needTerraformData(t, c)
	server := instancetest.New(t)
	local := strings.Replace(server.URL(), "127.0.0.1", "localhost", 1)
	// The other resource makes the timeout unknown when its input changes.
	configuration := func(baseURL, input, timeout string) string {
		return fmt.Sprintf(`
resource "terraform_data" "timeout" { input = %q }

resource "filetransfer_instance_record" "this" {
  base_url = %q
  timeouts = { update = %s }
}

resource "terraform_data" "downstream" {
  triggers_replace = [filetransfer_instance_record.this.file_max_size, filetransfer_instance_record.this.response_body]
}
`, input, baseURL, timeout)
	}
	w := newWorkspace(t, c, configuration(local, "1m", `"1m"`))
	w.must("import", theRecord, local+"/")
	w.apply()
	before := len(server.Requests())
	for _, step := range []struct{ changes, configuration string }{
		{"base_url", configuration(local+"/", "1m", `"1m"`)},
		{"base_url", configuration(strings.ToUpper(local), "1m", `"1m"`)},
		{"timeouts", configuration(strings.ToUpper(local), "1m", `"2m"`)},
		{"timeouts", configuration(strings.ToUpper(local), "3m", "terraform_data.timeout.output")},
	} {
		w.configure(step.configuration)
		p := w.planInDetail("-refresh=false")
		p.wantAction(t, theRecord, "update")
		for name, prior := range p.of(theRecord).Change.Before {
			if planned := p.of(theRecord).Change.After[name]; name != step.changes && !reflect.DeepEqual(planned, prior) {
				t.Errorf("%s changes from %v to %v", name, prior, planned)
			}
		}
		p.wantAction(t, "terraform_data.downstream", "no-op")
		w.applyPlan()
		w.wantNoChanges(nil, "-refresh=false")
	}
	if sent := len(server.Requests()) - before; sent != 0 {
		t.Errorf("%d requests", sent)
	}
}

func TestAccRecord_ImportBlockWritesAConfiguration(t *testing.T) {
	t.Parallel()
	c := acceptance(t)
	c.need(t, version{1, 5}, version{1, 6}, "an import block")
	server := instancetest.New(t)
	block := fmt.Sprintf("\nimport {\n  to = %s\n  id = %q\n}\n", theRecord, server.URL())

	w := newWorkspace(t, c, block)
	w.planInDetail("-generate-config-out=generated.tf").wantAction(t, theRecord, "no-op")
	w.applyPlan()
	w.wantNoChanges(nil)
	if generated := string(read(t, filepath.Join(w.dir, "generated.tf"))); !strings.Contains(generated, server.URL()) {
		t.Errorf("the configuration has no %s: %s", server.URL(), generated)
	}
}
