package servicetest_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// release is a release that scripts/testacc-service has installed.
type release struct {
	name    string // its tag, or what git describe calls the commit
	version string // what it reports
	dir     string
}

// installed returns all releases. Without them, it skips the test.
func installed(t *testing.T) (releases []release) {
	t.Helper()
	list := os.Getenv("SERVICE_TEST_RELEASES")
	if list == "" {
		t.Skip("needs the service's repository and Node.js: make testacc-service SERVICE=path")
	}
	for line := range strings.Lines(string(read(t, list))) {
		name, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		var program struct{ Version string }
		if err := json.Unmarshal(read(t, filepath.Join(dir, "package.json")), &program); err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release{name, program.Version, dir})
	}
	return releases
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// start runs a release with settings, such as "CHUNK_SIZE=1000", until the test ends. It returns the base URL and the
// document, which every release serves as soon as it listens.
func start(t *testing.T, r release, settings ...string) (baseURL string, document []byte) {
	t.Helper()
	preload, err := filepath.Abs("testdata/loopback.js")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "--require", preload, r.dir)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "STORAGE_PATH=" + cmd.Dir}, settings...)
	if _, err := cmd.StdinPipe(); err != nil { // whose end ends the release
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Wait() }) // until it is killed
	port, log := "", ""
	for lines := bufio.NewScanner(stderr); port == "" && lines.Scan(); log += lines.Text() + "\n" {
		_, port, _ = strings.Cut(lines.Text(), "listens on ")
	}
	go io.Copy(io.Discard, stderr)
	baseURL = "http://127.0.0.1:" + port
	response, err := http.Get(baseURL + "/instance")
	if err != nil {
		t.Fatalf("%s does not run: %v\n%s", r.name, err, log)
	}
	defer response.Body.Close()
	document, err = io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s answered with status %s (%v): %s", r.name, response.Status, err, document)
	}
	return baseURL, document
}
