package e2e_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

// workspace is a folder with one test's configuration and state.
type workspace struct {
	cli
	t   *testing.T
	dir string
}

func newWorkspace(t *testing.T, c cli, configuration string) *workspace {
	t.Helper()
	w := &workspace{c, t, t.TempDir()}
	w.configure(configuration)
	return w
}

// configure replaces the configuration.
func (w *workspace) configure(configuration string) {
	w.t.Helper()
	w.paste(acctest.RequiredProviders + configuration)
}

// paste replaces the configuration with a complete one.
func (w *workspace) paste(configuration string) {
	w.t.Helper()
	write(w.t, filepath.Join(w.dir, "main.tf"), configuration)
}

// with returns the same workspace with more variables in the environment.
func (w *workspace) with(variables ...string) *workspace {
	other := *w
	other.env = slices.Concat(w.env, variables)
	return &other
}

// do runs a command that may fail.
func (w *workspace) do(command string, args ...string) result {
	w.t.Helper()
	return w.run(w.t, w.dir, slices.Concat([]string{command}, args)...)
}

func (w *workspace) must(command string, args ...string) result {
	w.t.Helper()
	return w.mustRun(w.t, w.dir, slices.Concat([]string{command}, args)...)
}

func (w *workspace) apply(args ...string) result {
	w.t.Helper()
	return w.must("apply", slices.Concat([]string{"-auto-approve"}, args)...)
}

// plan makes a plan and saves it, which has to succeed. Its exit code is 2 if there are changes.
func (w *workspace) plan(args ...string) result {
	w.t.Helper()
	done := w.do("plan", slices.Concat([]string{"-detailed-exitcode", "-out=made.tfplan"}, args)...)
	if done.exitCode != 0 && done.exitCode != 2 {
		w.t.Fatalf("%s plan %v: %s", w.Name, args, done)
	}
	return done
}

func (w *workspace) applyPlan() result {
	w.t.Helper()
	return w.must("apply", "made.tfplan")
}

// wantNoChanges makes a plan that must have no changes, and these warnings.
func (w *workspace) wantNoChanges(warnings []string, args ...string) result {
	w.t.Helper()
	done := w.do("plan", slices.Concat([]string{"-detailed-exitcode"}, args)...)
	if done.exitCode != 0 {
		w.t.Errorf("the plan has changes, or fails: %s", done)
	}
	wantWarnings(w.t, done, warnings...)
	return done
}

// record returns the attributes of the record, or other resource, with this address in the state; nil if there is none.
func (w *workspace) record(address string) map[string]any {
	w.t.Helper()
	for _, found := range w.state().Resources {
		if found.Type+"."+found.Name == address && len(found.Instances) > 0 {
			return found.Instances[0].Attributes
		}
	}
	return nil
}

// follower returns the output of a terraform_data.
func (w *workspace) follower(address string) any {
	w.t.Helper()
	output, _ := w.record(address)["output"].(map[string]any) // its type and value
	return output["value"]
}

// state is what a file with a state holds.
type state struct {
	Outputs   map[string]struct{ Value any }
	Resources []struct {
		Type, Name string
		Instances  []struct{ Attributes map[string]any }
	}
}

// state reads the state's file, if there is one. A command of the CLI would take as long as the rest of a test.
func (w *workspace) state() (found state) {
	w.t.Helper()
	if files := glob(w.t, filepath.Join(w.dir, "terraform.tfstate")); len(files) > 0 {
		must(w.t, json.Unmarshal(read(w.t, files[0]), &found))
	}
	return found
}

// wantWarnings checks the summaries of all warnings that a command printed, in alphabetical order, but for the one about the
// tests' own override.
func wantWarnings(t *testing.T, r result, want ...string) {
	t.Helper()
	var got []string
	for _, match := range regexp.MustCompile(`(?m)^[│\s]*Warning: (.*)$`).FindAllStringSubmatch(r.String(), -1) {
		if !strings.HasPrefix(match[1], "Provider development overrides") {
			got = append(got, match[1])
		}
	}
	slices.Sort(got) // Terraform's order is that in which reads end
	if !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q: %s", got, want, r)
	}
}
