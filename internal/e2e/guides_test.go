package e2e_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

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
	const update = `update = "5m"`
	e := newExample(t, c, "guides/release-a-server")
	server := instancetest.New(t, instancetest.WithDefault(released("2.2.2", 20000000)))
	e.variables["base_url"] = server.URL()
	e.setVariables()
	e.plan().wantText(t, "+ chunk_size = 20000000")
	e.apply()

	release := strings.Fields(oneBlock(t, "-var release=", page...))[2:]
	e.plan(release...).wantExcerpt(t, oneBlock(t, "Plan: 0 to add, 3 to change", page...))
	server.SetDefault(released("2.2.3", 3))
	e.paste(strings.Replace(e.configuration, update, `update = "1s"`, 1))
	failed := e.do("apply", append(release, "-auto-approve")...)
	failed.wantText(t, "exit code 1:")
	failed.wantExcerpt(t, oneBlock(t, "Error: Instance does not report", page...))
	if follows := e.record("terraform_data.upload_job")["input"]; !strings.Contains(fmt.Sprint(follows), "2e+07") {
		t.Errorf("what follows was changed to %v", follows)
	}
	server.SetScript(released("2.2.2", 20000000), released("2.2.3", 20000000))
	server.SetDefault(released("2.2.3", 30000000))
	e.apply(release...)
	e.wantNoChanges(nil, release...)

	e.paste(e.configuration)
	server.SetDefault(released("2.2.2", 20000000))
	e.apply()
	server.SetDefault(released("2.2.2", 10000000))
	drifted := e.plan()
	drifted.stdout = []byte(strings.ReplaceAll(string(drifted.stdout), server.URL(), exampleURL))
	drifted.wantExcerpt(t, oneBlock(t, "Warning: Instance did not report", page...))
	drifted.wantText(t, "Plan: 0 to add, 1 to change, 0 to destroy.")
}

// One plan has a raised limit and what follows from it, and no smaller volume. nginx has a larger limit before the service, and if
// the service does not get it, what clients use stays as it is.
func TestAccGuide_Settings(t *testing.T) {
	t.Parallel()
	e := newExample(t, acceptance(t), "guides/settings-that-follow-from-the-limits")
	e.start()
	e.apply()
	write(t, filepath.Join(e.dir, "override.tf"), `
locals {
  limits = { FILE_MAX_SIZE = 80000000000, CHUNK_SIZE = 30000000, FILE_MAX_AGE = 30 }
}

resource "filetransfer_instance_record" "files" {
  timeouts { update = "200ms" }
}
`)
	write(t, filepath.Join(e.dir, "output.tf"), "output \"chunk_size\" {\n  value = filetransfer_instance_record.files.chunk_size\n}\n")
	p := e.plan()
	p.wantText(t, `"client_max_body_size 21048576;" -> "client_max_body_size 31048576;"`, "# terraform_data.service will be updated in-place")
	if strings.Contains(p.String(), "# terraform_data.volume") {
		t.Errorf("the volume changes: %s", p)
	}
	e.do("apply", "-auto-approve").wantText(t, "exit code 1:", "Instance does not report what is expected",
		"chunk_size is 20000000, expected 30000000", "file_max_age is 2592000, expected 30")
	if got := e.state().Outputs["chunk_size"].Value; got != 30000000. { // Terraform stores what it planned for an output
		t.Errorf("the output is %v", got)
	}
	for follower, want := range map[string]any{
		"nginx": "client_max_body_size 31048576;", "volume": 1831., "alert_below_bytes": 257798037760., "upload_form": 64424509440.,
	} {
		if got := e.follower("terraform_data." + follower); got != want {
			t.Errorf("%s is %v, want %v", follower, got, want)
		}
	}
	e.do("plan", "-replace=terraform_data.volume").wantText(t, "exit code 1:", "prevent_destroy")
}
