package e2e_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// workspace is a folder with the configuration and the state of one test.
type workspace struct {
	cli
	t   *testing.T
	dir string
}

// impatient is a provider block for instances that are down: one attempt for a refresh, and short delays where it waits.
const impatient = `
provider "filetransfer" {
  retry = { max_attempts = 1, min_delay = "10ms", max_delay = "50ms" }
}
`

func newWorkspace(t *testing.T, c cli, configuration string) *workspace {
	t.Helper()
	w := &workspace{c, t, t.TempDir()}
	w.configure(configuration)
	return w
}

// configure replaces the configuration.
func (w *workspace) configure(configuration string) {
	w.t.Helper()
	w.paste(requirement + configuration)
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
	return w.run(w.t, w.dir, slices.Concat([]string{command, "-input=false", "-no-color"}, args)...)
}

// must runs a command that has to succeed.
func (w *workspace) must(command string, args ...string) result {
	w.t.Helper()
	done := w.do(command, args...)
	if done.exitCode != 0 {
		w.t.Fatalf("%s %s %v: %s", w.Name(), command, args, done)
	}
	return done
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
		w.t.Fatalf("%s plan %v: %s", w.Name(), args, done)
	}
	return done
}

// applyPlan applies the plan that was made last.
func (w *workspace) applyPlan() {
	w.t.Helper()
	w.must("apply", "made.tfplan")
}

// planned is a plan that was made, and what it does.
type planned struct {
	result
	Changes []change `json:"resource_changes"`
	Drift   []change `json:"resource_drift"`
}

// change is what a plan does to a resource.
type change struct {
	Address string
	Change  struct {
		Actions       []string
		Before, After map[string]any
		// AfterUnknown is true for what is known only after apply.
		AfterUnknown map[string]any `json:"after_unknown"`
	}
}

// planInDetail is plan with a look at what it does to each resource.
func (w *workspace) planInDetail(args ...string) planned {
	w.t.Helper()
	p := planned{result: w.plan(args...)}
	decode(w.t, w.mustRun(w.t, w.dir, "show", "-json", "-no-color", "made.tfplan"), &p)
	return p
}

// of returns the change of a resource.
func (p planned) of(address string) change {
	for _, c := range p.Changes {
		if c.Address == address {
			return c
		}
	}
	return change{}
}

// wantAction checks what a plan does to a resource, such as "no-op" or "delete create".
func (p planned) wantAction(t *testing.T, address, want string) {
	t.Helper()
	if does := strings.Join(p.of(address).Change.Actions, " "); does != want {
		t.Errorf("the plan is to %q %s, want %q: %s", does, address, want, p.result)
	}
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

// wantError runs a command that must fail with this error.
func (w *workspace) wantError(want, command string, args ...string) {
	w.t.Helper()
	w.do(command, args...).wantText(w.t, "exit code 1:", "Error: "+want)
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

// state is what a file with a state holds.
type state struct {
	Outputs   map[string]struct{ Value any }
	Resources []struct {
		Type, Name string
		Instances  []struct{ Attributes map[string]any }
	}
}

// state reads the state's file, if there is one. No command of the CLI does it: that would take as long as all the rest of
// many tests.
func (w *workspace) state() (found state) {
	w.t.Helper()
	if files := glob(w.t, filepath.Join(w.dir, "terraform.tfstate")); len(files) > 0 {
		decode(w.t, read(w.t, files[0]), &found)
	}
	return found
}

// wantRecord checks an attribute of the record.
func (w *workspace) wantRecord(attribute string, want any) {
	w.t.Helper()
	if got := w.record(theRecord)[attribute]; got != want {
		w.t.Errorf("%s is %v, want %v", attribute, got, want)
	}
}

func decode(t *testing.T, document []byte, target any) {
	t.Helper()
	if err := json.Unmarshal(document, target); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
}

var warningSummary = regexp.MustCompile(`(?m)^[│\s]*Warning: (.*)$`)

// warnings returns the summaries of the warnings that a command printed, but for the one about the tests' own override.
func (r result) warnings() []string {
	var summaries []string
	for _, match := range warningSummary.FindAllStringSubmatch(r.String(), -1) {
		if !strings.HasPrefix(match[1], "Provider development overrides") {
			summaries = append(summaries, match[1])
		}
	}
	slices.Sort(summaries) // Terraform's order is that in which reads end
	return summaries
}

// wantWarnings checks the summaries of all warnings, in alphabetical order.
func wantWarnings(t *testing.T, r result, want ...string) {
	t.Helper()
	if got := r.warnings(); !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q: %s", got, want, r)
	}
}

// kept is the warning that a record keeps what an instance last said.
func kept(baseURL string) []string {
	return []string{"Instance not read, last known details kept: " + baseURL}
}

// background is a command under way.
type background struct {
	*exec.Cmd
	output string // the file that it writes to
}

// start starts a command, and ends it after two minutes.
func (w *workspace) start(command string, args ...string) background {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	w.t.Cleanup(cancel)
	output, err := os.Create(filepath.Join(w.t.TempDir(), "output"))
	must(w.t, err)
	defer output.Close()
	cmd := exec.CommandContext(ctx, w.Path, slices.Concat([]string{command, "-input=false", "-no-color"}, args)...)
	cmd.Dir, cmd.Env = w.dir, w.env
	cmd.Stdout, cmd.Stderr = output, output
	must(w.t, cmd.Start())
	return background{cmd, output.Name()}
}

// end waits for the command's end.
func (b background) end(t *testing.T) result {
	t.Helper()
	_ = b.Wait() // its exit code says it
	return result{stdout: read(t, b.output), exitCode: b.ProcessState.ExitCode()}
}

// eventually polls until something has happened in another process.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !happened(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
