package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestReleaseWorkflow_UsesTheSameGoreleaser(t *testing.T) {
	t.Parallel()
	workflow, err := os.ReadFile("../../../.github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	used := regexp.MustCompile(regexp.QuoteMeta(goreleaserModule)+`@\S+`).FindAllString(string(workflow), -1)
	if want := []string{goreleaserModule + "@" + goreleaserVersion}; !slices.Equal(used, want) {
		t.Errorf("the release workflow uses %q, want %q", used, want)
	}
}

func TestDryRun_WithoutGPG(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := dryRun(t.Context(), t.TempDir(), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "gpg is not on PATH") {
		t.Errorf("error is %v, want what is missing", err)
	}
}

// line returns a line of SHA256SUMS for a file with this content.
func line(content, name string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:]) + "  " + name + "\n"
}

func TestVerifyChecksums(t *testing.T) {
	t.Parallel()
	const (
		manifestName = "terraform-provider-filetransfer_1.2.3_manifest.json"
		linux        = "terraform-provider-filetransfer_1.2.3_linux_amd64.zip"
		darwin       = "terraform-provider-filetransfer_1.2.3_darwin_arm64.zip"
		sbom         = linux + ".sbom.json"
	)
	good := line("linux", linux) + line("darwin", darwin) + line("{}", manifestName)
	tests := map[string]struct {
		sums    string
		without string   // file that is missing
		want    []string // nothing: no error
	}{
		"as it should be":        {sums: good},
		"another archive inside": {sums: strings.Replace(good, line("linux", linux), line("other", linux), 1), want: []string{"checksum of " + linux}},
		"an archive left out":    {sums: line("linux", linux) + line("{}", manifestName), want: []string{darwin + " is not listed"}},
		"manifest left out":      {sums: line("linux", linux) + line("darwin", darwin), want: []string{manifestName + " is not listed"}},
		"bill of materials":      {sums: good + line("x", sbom), want: []string{sbom}},
		"twice":                  {sums: good + line("linux", linux), want: []string{linux, "or twice"}},
		"not a list":             {sums: "hello\n", want: []string{`lists ""`, linux, darwin, manifestName}},
		"archive is gone":        {sums: good, without: darwin, want: []string{darwin}},
		"empty":                  {want: []string{linux + " is not listed"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			release := &snapshot{
				Version: "1.2.3", root: root, dist: filepath.Join(root, "dist"),
				archives: []archive{{Name: darwin}, {Name: linux}},
			}
			files := map[string]string{
				manifest: "{}", "dist/" + linux: "linux", "dist/" + darwin: "darwin", "dist/" + sbom: "x",
				"dist/terraform-provider-filetransfer_1.2.3_SHA256SUMS": test.sums,
			}
			delete(files, "dist/"+test.without)
			if err := os.Mkdir(release.dist, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, file := range slices.Sorted(maps.Keys(files)) {
				if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(file)), []byte(files[file]), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := release.verifyChecksums()
			if test.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
}

func TestVerifyBuild(t *testing.T) {
	t.Parallel()
	// A test binary is not built like a release.
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	executable, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	err = verifyBuild(executable, archive{Goos: "plan9", Goarch: "386"})
	if err == nil || !strings.Contains(err.Error(), "was built with") {
		t.Errorf("error is %v, want the setting that differs", err)
	}
	if err := verifyBuild([]byte("no executable"), archive{}); err == nil {
		t.Error("something that is no executable is accepted")
	}
}
