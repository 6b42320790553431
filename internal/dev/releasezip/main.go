// Command releasezip prints a zip of files, byte for byte as goreleaser writes it: in the order of its arguments, with one time for
// all. Only the provider can be executed.
//
//	go run ./internal/dev/releasezip 1767225600 LICENSE terraform-provider-filetransfer_v0.1.0 >ZIP
package main

import (
	"archive/zip"
	"compress/flate"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	seconds, err := strconv.ParseInt(os.Args[1], 10, 64)
	check(err)
	archive := zip.NewWriter(os.Stdout)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, path := range os.Args[2:] {
		content, err := os.ReadFile(path)
		check(err)
		header := &zip.FileHeader{Name: filepath.Base(path), Method: zip.Deflate, Modified: time.Unix(seconds, 0).UTC()}
		header.SetMode(0o644)
		if strings.HasPrefix(header.Name, "terraform-provider-") {
			header.SetMode(0o755)
		}
		file, err := archive.CreateHeader(header)
		check(err)
		_, err = file.Write(content)
		check(err)
	}
	check(archive.Close())
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
