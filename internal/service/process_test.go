//go:build unix

package service_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// work holds everything that goes with the run.
var work string

func TestMain(m *testing.M) {
	var err error
	if work, err = os.MkdirTemp("", "filetransfer-service-*"); err != nil {
		panic(err)
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-interrupted
		running.Lock() // for good: nothing starts anymore
		for group := range running.groups {
			syscall.Kill(-group, syscall.SIGKILL)
		}
		os.RemoveAll(work)
		os.Exit(130)
	}()
	code := m.Run()
	os.RemoveAll(work)
	os.Exit(code)
}

// running are the process groups of all commands under way.
var running = struct {
	sync.Mutex
	groups map[int]bool
}{groups: map[int]bool{}}

// start starts a command in a process group of its own. The returned channel is closed when it has ended.
func start(t *testing.T, cmd *exec.Cmd) <-chan struct{} {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	running.Lock()
	defer running.Unlock()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	running.groups[cmd.Process.Pid] = true
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		running.Lock()
		delete(running.groups, cmd.Process.Pid)
		running.Unlock()
		close(ended)
	}()
	return ended
}

// run waits for a command, and returns its output and whether it succeeded.
func run(t *testing.T, dir string, env []string, name string, args ...string) (stdout, stderr string, ok bool) {
	t.Helper()
	var out, errors bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &out, &errors
	<-start(t, cmd)
	return out.String(), errors.String(), cmd.ProcessState.Success()
}

// preload is loaded before the service: it listens on all addresses otherwise, and would outlive a test that is killed.
const preload = `
const { Server } = require('net')
const listen = Server.prototype.listen
Server.prototype.listen = function (options, ...rest) { return listen.call(this, { ...options, host: '127.0.0.1' }, ...rest) }
process.stdin.on('end', () => process.exit()).resume()
`

// service is a release that was started.
type service struct {
	url   string
	cmd   *exec.Cmd
	ended <-chan struct{}
	log   bytes.Buffer
}

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// startService starts the release that is installed in dir, and does not wait for it.
func startService(t *testing.T, dir string, port int, setting string) *service {
	t.Helper()
	own := t.TempDir()
	script := filepath.Join(own, "preload.js")
	write(t, script, preload)
	s := &service{url: fmt.Sprintf("http://127.0.0.1:%d", port)}
	s.cmd = exec.CommandContext(t.Context(), "node", "--require", script, dir)
	s.cmd.Dir = own // a .env file here would be read
	s.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "PORT=" + strconv.Itoa(port), "STORAGE_PATH=" + filepath.Join(own, "storage")}
	if setting != "default" {
		s.cmd.Env = append(s.cmd.Env, setting)
	}
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if _, err := s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	s.ended = start(t, s.cmd)
	t.Cleanup(func() { s.end(syscall.SIGKILL) })
	return s
}

func (s *service) signal(signal syscall.Signal) { s.cmd.Process.Signal(signal) }

// end ends the service, also if it is frozen and the signal is SIGKILL.
func (s *service) end(signal syscall.Signal) {
	s.signal(signal)
	<-s.ended
}

// document waits until the service is ready, and returns what it answers.
func (s *service) document(t *testing.T) []byte {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		if response, err := http.Get(s.url + "/instance"); err == nil {
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err == nil && response.StatusCode == http.StatusOK {
				return body
			}
		}
		select {
		case <-s.ended:
			t.Fatalf("the service ended: %s", s.log.String())
		case <-timeout:
			t.Fatalf("the service is not ready after a minute")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
