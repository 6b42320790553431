//go:build unix

package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// interrupted ends all commands, so that tests that are interrupted clean up as after any failure.
var interrupted, _ = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)

// command is a command in a process group of its own, which ends as a whole, also when it is frozen.
func command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(interrupted, name, args...)
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// service is a release under way.
type service struct {
	url   string
	cmd   *exec.Cmd
	ended chan struct{}
	log   bytes.Buffer
}

// start starts the release in a folder with settings, and does not wait for it.
func start(t *testing.T, dir, storage, address string, settings ...string) *service {
	t.Helper()
	preload, err := filepath.Abs("testdata/loopback.js")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{url: "http://" + address, cmd: command(storage, "node", "--require", preload, dir), ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	port := address[strings.LastIndex(address, ":")+1:]
	s.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "PORT=" + port, "STORAGE_PATH=" + storage}, settings...)
	if _, err := s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		s.cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(func() { s.end(syscall.SIGKILL) })
	return s
}

// end ends the service.
func (s *service) end(signal syscall.Signal) {
	s.cmd.Process.Signal(signal)
	<-s.ended
}

// document waits until the service answers, and returns its answer.
func (s *service) document(t *testing.T) []byte {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		if response, err := http.Get(s.url + "/instance"); err == nil {
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if response.StatusCode != http.StatusOK { // as no release does while it starts
				t.Fatalf("%s answers GET /instance with %s, want 200 OK as of every release so far: %s", s.cmd.Args[3], response.Status, body)
			}
			if err == nil {
				return body
			}
		}
		select {
		case <-s.ended:
			t.Fatalf("%s ended: %s", s.cmd.Args[3], s.log.String())
		case <-timeout:
			t.Fatalf("%s is not ready after a minute", s.cmd.Args[3])
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// workspace is a folder with a configuration.
type workspace struct {
	*testing.T
	dir string
}

func newWorkspace(t *testing.T, configuration string) workspace {
	t.Helper()
	w := workspace{t, t.TempDir()}
	for _, file := range []string{"provider.tf", configuration} {
		content, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		w.write(file, content)
	}
	return w
}

func (w workspace) write(file string, content []byte) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, file), content, 0o600); err != nil {
		w.Fatal(err)
	}
}

// set gives the variables of the configuration values.
func (w workspace) set(variables map[string]any) {
	w.Helper()
	content, err := json.Marshal(variables)
	if err != nil {
		w.Fatal(err)
	}
	w.write("terraform.tfvars.json", content)
}

// run runs the CLI, and tells whether it succeeded.
func (w workspace) run(args ...string) (stdout []byte, ok bool) {
	w.Helper()
	var stderr bytes.Buffer
	cmd := command(w.dir, os.Getenv("TF_ACC_TERRAFORM_PATH"), args...)
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if stderr.Len() > 0 {
		w.Logf("%q: %s", args, stderr.String())
	}
	return stdout, err == nil
}

// diagnostic is an error or a warning.
type diagnostic struct{ Severity, Summary, Detail, Address string }

// do makes or applies a plan. It returns what the CLI reports but for the warning about the override.
func (w workspace) do(command string, args ...string) (diagnostics []diagnostic, ok bool) {
	w.Helper()
	stdout, ok := w.run(append([]string{command, "-json", "-input=false"}, args...)...)
	for line := range bytes.Lines(stdout) {
		var message struct{ Diagnostic diagnostic }
		if err := json.Unmarshal(line, &message); err != nil {
			w.Fatalf("%s: %v: %s", command, err, stdout)
		}
		if d := message.Diagnostic; d.Summary != "" && !strings.HasPrefix(d.Summary, "Provider development overrides") {
			diagnostics = append(diagnostics, d)
		}
	}
	return diagnostics, ok
}

// show reads the state, or a plan.
func (w workspace) show(target any, args ...string) {
	w.Helper()
	stdout, _ := w.run(append([]string{"show", "-json"}, args...)...)
	if err := json.Unmarshal(stdout, target); err != nil {
		w.Fatalf("show: %v: %s", err, stdout)
	}
}
