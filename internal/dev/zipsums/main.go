// Command zipsums prints the SHA-256 of each file in the zips that its arguments name, and fails where a name or a mode is not that of
// a release. It reads them with the library that Terraform
// and OpenTofu install them with, because another one may find other files in the same zip.
package main

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := list(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

// plain matches a name that is a line of its own, and no path.
var plain = regexp.MustCompile(`^\w[\w.-]*$`)

func list(path string) error {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer archive.Close()
	for _, file := range archive.File {
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(file.Name, "terraform-provider-") {
			mode = 0o755
		}
		if !plain.MatchString(file.Name) || file.Mode() != mode {
			return fmt.Errorf("%q has mode %s, or a name that no file of a release has", file.Name, file.Mode())
		}
		content, err := file.Open()
		if err != nil {
			return err
		}
		hash := sha256.New()
		if _, err := io.Copy(hash, content); err != nil { //nolint:gosec // Whoever sends a bomb only stops a release.
			return err
		}
		fmt.Printf("%x  %s/%s\n", hash.Sum(nil), filepath.Base(path), file.Name)
	}
	return nil
}
