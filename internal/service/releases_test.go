//go:build unix

package service_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// release is a tag of the service, or its newest commit, that is installed in a folder.
type release struct{ name, dir string }

// installReleases installs every tag and the newest commit, in order, unless an earlier run did.
func installReleases(t *testing.T, repository string) []release {
	t.Helper()
	cache := os.Getenv("FILETRANSFER_TEST_SERVICE_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(user, "terraform-provider-filetransfer", "service")
	}
	cache, err := filepath.Abs(fromRoot(cache))
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		return strings.TrimSpace(must(t, "", "git", append([]string{"-C", repository}, args...)...))
	}
	names := append(strings.Fields(git("tag")), git("describe", "--tags", "--abbrev=7"))
	var releases []release
	for _, name := range slices.Compact(inOrder(names)) {
		commit := git("rev-parse", name+"^{commit}")
		dir := filepath.Join(cache, name+"-"+commit[:12])
		if _, err := os.Stat(dir); err != nil {
			install(t, repository, commit, dir)
		}
		releases = append(releases, release{name, dir})
	}
	return releases
}

// fromRoot returns a path that is relative to the root of this repository, where make runs, or absolute.
func fromRoot(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join("..", "..", path)
}

// unpublished is a package that the releases before 1.2.0 need and the npm registry no longer has. It only makes words for
// links, which nobody asks for here, so that an empty one will do.
const unpublished = "@autheur/generator"

// install unpacks a commit and installs its packages in a folder that is complete if it is there.
func install(t *testing.T, repository, commit, dir string) {
	t.Helper()
	t.Logf("installing %s", dir)
	unfinished := dir + ".unfinished"
	os.RemoveAll(unfinished)
	if err := os.MkdirAll(unfinished, 0o750); err != nil {
		t.Fatal(err)
	}
	must(t, unfinished, "git", "-C", repository, "archive", "--output", filepath.Join(unfinished, ".tar"), commit)
	must(t, unfinished, "tar", "-xf", ".tar")
	npm := []string{"install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"}
	if _, stderr, ok := run(t, unfinished, os.Environ(), "npm", npm...); !ok {
		if !strings.Contains(stderr, "E404") || !strings.Contains(stderr, unpublished) {
			t.Fatalf("npm install in %s: %s", dir, stderr)
		}
		standIn := filepath.Join(unfinished, "stand-in")
		if err := os.Mkdir(standIn, 0o750); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(standIn, "package.json"), `{"name": "`+unpublished+`", "version": "1.2.0"}`)
		write(t, filepath.Join(standIn, "index.js"), "")
		must(t, unfinished, "npm", append(npm, "./stand-in")...)
	}
	if err := os.Rename(unfinished, dir); err != nil {
		t.Fatal(err)
	}
}
