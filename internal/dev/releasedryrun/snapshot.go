package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

const (
	project  = "terraform-provider-filetransfer"
	manifest = "terraform-registry-manifest.json"
)

// snapshot is what goreleaser left in dist/.
type snapshot struct {
	Version string `json:"version"` // Without a leading "v".
	Commit  string `json:"commit"`

	root, dist string
	archives   []archive
}

// archive is the zip for one target.
type archive struct {
	Name, Goos, Goarch string
}

func readSnapshot(root string) (*snapshot, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	s := &snapshot{root: root, dist: filepath.Join(root, "dist")}
	if err := readJSON(filepath.Join(s.dist, "metadata.json"), s); err != nil {
		return nil, err
	}
	var artifacts []struct {
		archive
		Type string
	}
	if err := readJSON(filepath.Join(s.dist, "artifacts.json"), &artifacts); err != nil {
		return nil, err
	}
	for _, artifact := range artifacts {
		if artifact.Type == "Archive" {
			s.archives = append(s.archives, artifact.archive)
		}
	}
	if s.archives == nil {
		return nil, fmt.Errorf("%s has no archives", s.dist)
	}
	slices.SortFunc(s.archives, func(a, b archive) int { return strings.Compare(a.Name, b.Name) })
	return s, nil
}

func readJSON(name string, target any) error {
	document, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(document, target); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// file returns the name that the Registry expects of a release's file.
func (s *snapshot) file(suffix string) string { return project + "_" + s.Version + "_" + suffix }

// path returns where that file is.
func (s *snapshot) path(suffix string) string { return filepath.Join(s.dist, s.file(suffix)) }

// verifyChecksums returns an error unless SHA256SUMS lists the archives and the manifest, nothing else, and all of them with
// the checksum they have.
func (s *snapshot) verifyChecksums() error {
	list, err := os.ReadFile(s.path("SHA256SUMS"))
	if err != nil {
		return err
	}
	// goreleaser takes the manifest from the tree, under another name, without a copy in dist/.
	want := map[string]string{s.file("manifest.json"): filepath.Join(s.root, manifest)}
	for _, a := range s.archives {
		want[a.Name] = filepath.Join(s.dist, a.Name)
	}

	var problems []error
	for line := range strings.Lines(string(list)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		path, found := want[name]
		if !found {
			problems = append(problems, fmt.Errorf("lists %q, which the Registry does not expect there, or twice", name))
			continue
		}
		delete(want, name)
		content, err := os.ReadFile(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if actual := sha256.Sum256(content); sum != hex.EncodeToString(actual[:]) {
			problems = append(problems, fmt.Errorf("the checksum of %s is %x, not %s", name, actual, sum))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		problems = append(problems, fmt.Errorf("%s is not listed", name))
	}
	if problems != nil {
		return fmt.Errorf("%s: %w", s.file("SHA256SUMS"), errors.Join(problems...))
	}
	return nil
}

// verifyArchives returns an error unless every archive has the executable that its name promises. It prints their sizes.
func (s *snapshot) verifyArchives(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "TARGET\tBINARY\tZIP\t")
	for _, a := range s.archives {
		zipped, size, err := s.verifyArchive(a)
		if err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		fmt.Fprintf(table, "%s_%s\t%.1f MiB\t%.1f MiB\t\n", a.Goos, a.Goarch, mebibytes(size), mebibytes(zipped))
	}
	return table.Flush()
}

func mebibytes(size int) float64 { return float64(size) / (1 << 20) }

// verifyArchive returns the sizes of the archive and of the executable in it.
func (s *snapshot) verifyArchive(a archive) (zipped, size int, err error) {
	if want := s.file(a.Goos + "_" + a.Goarch + ".zip"); a.Name != want {
		return 0, 0, fmt.Errorf("the Registry expects the name %s", want)
	}
	content, err := os.ReadFile(filepath.Join(s.dist, a.Name))
	if err != nil {
		return 0, 0, err
	}
	reader, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return 0, 0, err
	}
	name := project + "_v" + s.Version
	if a.Goos == "windows" {
		name += ".exe"
	}
	index := slices.IndexFunc(reader.File, func(f *zip.File) bool { return f.Name == name })
	if index < 0 {
		return 0, 0, fmt.Errorf("has no %s", name)
	}
	file := reader.File[index]
	if file.Mode().Perm() != 0o755 {
		return 0, 0, fmt.Errorf("%s has the mode %s", name, file.Mode())
	}
	stream, err := file.Open()
	if err != nil {
		return 0, 0, err
	}
	defer stream.Close()
	executable, err := io.ReadAll(stream)
	if err != nil {
		return 0, 0, err
	}
	return len(content), len(executable), verifyBuild(executable, a)
}

// verifyBuild returns an error unless the executable says of itself that it is for the archive's target, needs no C library
// and names no path of the machine that built it.
func verifyBuild(executable []byte, a archive) error {
	info, err := buildinfo.Read(bytes.NewReader(executable))
	if err != nil {
		return err
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	for key, want := range map[string]string{"GOOS": a.Goos, "GOARCH": a.Goarch, "CGO_ENABLED": "0", "-trimpath": "true"} {
		if settings[key] != want {
			return fmt.Errorf("was built with %s=%s, not %s", key, settings[key], want)
		}
	}
	return nil
}
