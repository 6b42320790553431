package servicetest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// release is a release that scripts/testacc-service has installed.
type release struct {
	name    string // its tag, or what git describe calls the commit
	version string // what it reports
	dir     string
}

// installed returns all releases. Without them it skips the test.
func installed(t *testing.T) (releases []release) {
	t.Helper()
	list := os.Getenv("SERVICE_TEST_RELEASES")
	if list == "" {
		t.Skip("needs the service's repository and Node.js: make testacc-service SERVICE=path")
	}
	content, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		name, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		content, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err != nil {
			t.Fatal(err)
		}
		var program struct{ Version string }
		if err := json.Unmarshal(content, &program); err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release{name, program.Version, dir})
	}
	return releases
}

// process is a release that runs.
type process struct {
	url   string
	cmd   *exec.Cmd
	ended chan struct{}
	log   bytes.Buffer
}

// start starts a release with settings, such as "CHUNK_SIZE=1000", and does not wait for it. It ends with the test.
func start(t *testing.T, r release, settings ...string) *process {
	t.Helper()
	preload, err := filepath.Abs("testdata/loopback.js")
	if err != nil {
		t.Fatal(err)
	}
	storage, address := t.TempDir(), instancetest.ReserveAddress(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{url: "http://" + address, cmd: exec.Command("node", "--require", preload, r.dir), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = storage, &p.log, &p.log
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "PORT=" + port, "STORAGE_PATH=" + storage}, settings...)
	if _, err := p.cmd.StdinPipe(); err != nil { // see loopback.js
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.ended
	})
	return p
}

// document waits until the process answers, and returns its answer.
func (p *process) document(t *testing.T) []byte {
	t.Helper()
	timeout := time.After(time.Minute)
	for {
		if response, err := http.Get(p.url + "/instance"); err == nil {
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if response.StatusCode != http.StatusOK { // as no release does while it starts
				t.Fatalf("GET /instance has the status %s, want 200 OK as of every release so far: %s", response.Status, body)
			}
			if err == nil {
				return body
			}
		}
		select {
		case <-p.ended:
			t.Fatalf("the process ended: %s", p.log.String())
		case <-timeout:
			t.Fatal("the process is not ready after a minute")
		case <-time.After(20 * time.Millisecond):
		}
	}
}
