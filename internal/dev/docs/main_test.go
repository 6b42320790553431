package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	generated := map[string]string{"index.md": "a", "guides/new.md": "b", "guides/same.md": "c"}
	tests := map[string]struct {
		current map[string]string
		want    []string // the files that the error names
	}{
		"up to date": {current: generated},
		"changed, missing and left over": {
			current: map[string]string{"index.md": "changed", "guides/same.md": "c", "old.md": ""},
			want:    []string{"docs/guides/new.md", "docs/index.md", "docs/old.md"},
		},
		"nothing there": {want: []string{"docs/guides/new.md", "docs/guides/same.md", "docs/index.md"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := compare(folder(t, test.current), folder(t, generated))
			if test.want == nil {
				if err != nil {
					t.Errorf("error is %v, want none", err)
				}
				return
			}
			if want := ":\n\t" + strings.Join(test.want, "\n\t"); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("error is %v, want it to end in%s", err, want)
			}
		})
	}
}

// folder returns a new folder with the files, or one that does not exist if there are none.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "folder")
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
