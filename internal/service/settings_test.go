//go:build unix

package service_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// These tests show what the guide "Settings that follow from the limits" says about the service.

// wrongSettings matches a row of the guide's table: a value, and what 2.0.0 and later report if a size or a maximum age has it.
var wrongSettings = regexp.MustCompile("(?m)^\\| (?:`([^`]+)`|empty) \\| ([^|]+) \\| ([^|]+) \\|$")

// Every release reports what the guide says, and no apply takes that for what was asked for.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	releases, folders := installed(t)
	page, err := os.ReadFile("../../docs/guides/release-a-server.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := wrongSettings.FindAllStringSubmatch(string(page), -1)
	if len(rows) == 0 {
		t.Fatal("the guide has no table of wrong settings")
	}
	defaults := map[string]map[string]json.RawMessage{}
	for _, release := range releases {
		defaults[release] = start(t, folders[release], t.TempDir(), instancetest.ReserveAddress(t)).fields(t)
	}
	fields := map[string]string{"chunk_size": "chunkSize", "file_max_age": "fileMaxAge", "file_max_size": "fileMaxSize"}
	asked := map[string]any{"chunk_size": "30000000", "file_max_age": "2592001", "file_max_size": "64424509440"}
	for _, row := range rows {
		t.Run(cmp.Or(row[1], "empty"), func(t *testing.T) {
			t.Parallel()
			urls, wants := map[string]string{}, map[string][]string{}
			for _, release := range releases {
				if defaults[release]["fileMaxAge"] == nil {
					continue // it cannot be read
				}
				s := start(t, folders[release], t.TempDir(), instancetest.ReserveAddress(t),
					"FILE_MAX_SIZE="+row[1], "CHUNK_SIZE="+row[1], "FILE_MAX_AGE="+row[1])
				reported := s.fields(t)
				urls[release], wants[release] = s.url, meaningOf(s.document(t)).faults
				readable := len(wants[release]) == 0
				cells := map[string]string{"chunk_size": row[2], "file_max_age": row[3], "file_max_size": row[2]}
				for argument, field := range fields {
					want, got := strings.Trim(cells[argument], "`"), string(reported[field])
					if want == "the default" {
						want = string(defaults[release][field])
					}
					elsewhere := field == "fileMaxAge" && strings.HasPrefix(release, "1.") // not in the table
					if got != want && !elsewhere {
						t.Errorf("%s reports %s as %s, and the guide says %s", release, field, got, want)
					}
					if readable {
						wants[release] = append(wants[release], fmt.Sprintf("%s is %s, expected %s", argument, strings.Trim(got, `"`), asked[argument]))
					}
				}
			}
			w := newWorkspace(t, "expected.tf")
			w.set(map[string]any{"base_urls": urls, "expected": asked, "timeout": "3s"})
			diagnostics, ok := w.do("apply", "-auto-approve")
			for release, want := range wants {
				for _, text := range want {
					if ok || !slices.ContainsFunc(diagnostics, func(d diagnostic) bool {
						return d.Address == fmt.Sprintf("%s.this[%q]", record, release) && strings.Contains(d.Detail, text)
					}) {
						t.Errorf("%s: no error says %q: %+v", release, text, diagnostics)
					}
				}
			}
		})
	}
}

// One apply replaces a release and its chunk size: it waits while the old process answers, and then changes what follows.
func TestRelease(t *testing.T) {
	t.Parallel()
	releases, folders := installed(t)
	address := instancetest.ReserveAddress(t)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	proxy.ErrorLog = log.New(io.Discard, "", 0) // while no process runs
	answered := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		proxy.ServeHTTP(rw, r)
		select {
		case answered <- true:
		default:
		}
	}))
	t.Cleanup(server.Close)
	w, known := newWorkspace(t, "expected.tf"), captured(t)
	var s *service
	for i, release := range releases {
		if document := known[release]["default"]; document != nil && len(meaningOf(document).faults) > 0 {
			continue
		}
		var program struct{ Version string }
		content, err := os.ReadFile(filepath.Join(folders[release], "package.json"))
		if err == nil {
			err = json.Unmarshal(content, &program)
		}
		if err != nil {
			t.Fatal(err)
		}
		chunk := fmt.Sprint(1000 + i)
		replace := func() {
			if s != nil {
				<-answered
				<-answered
				s.end(syscall.SIGTERM)
			}
			s = start(t, folders[release], t.TempDir(), address, "CHUNK_SIZE="+chunk)
		}
		w.set(map[string]any{
			"base_urls": map[string]string{"one": server.URL}, "timeout": "1m",
			"expected": map[string]string{"api_version": program.Version, "chunk_size": chunk},
		})
		if _, ok := w.do("plan", "-out=made.tfplan"); !ok {
			t.Fatalf("%s: no plan", release)
		}
		applied := make(chan []diagnostic)
		go func() {
			diagnostics, _ := w.do("apply", "made.tfplan")
			applied <- diagnostics
		}()
		replace()
		for _, d := range <-applied {
			if d.Severity == "error" {
				t.Fatalf("%s: %+v", release, d)
			}
		}
		var state resources
		w.show(&state)
		if got := state.at(`terraform_data.consumer["one"]`)["output"]; fmt.Sprint(got) != chunk {
			t.Errorf("%s: what follows is %v, want %s", release, got, chunk)
		}
	}
}

// fields are those of the answer, as they are written there.
func (s *service) fields(t *testing.T) (fields map[string]json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal(s.document(t), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}
