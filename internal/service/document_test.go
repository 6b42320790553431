package service_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// settings are the environments in which each release is started.
var settings = []string{"default", "API_PASSWORD=secret", "FILE_MAX_AGE=0", "FILE_MAX_AGE=900", "FILE_MAX_SIZE=abc"}

// documents is what releases answered: the document as delivered, by release and setting.
type documents map[string]map[string]json.RawMessage

const capturedDir = "../instance/testdata/releases"

// captured returns the documents in the repository.
func captured(t *testing.T) documents {
	t.Helper()
	files, _ := filepath.Glob(capturedDir + "/*.json")
	found := documents{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var bySetting map[string]json.RawMessage
		if err := json.Unmarshal(content, &bySetting); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		found[strings.TrimSuffix(filepath.Base(file), ".json")] = bySetting
	}
	return found
}

// capture replaces the documents in the repository, byte for byte and one on a line.
func (d documents) capture(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(capturedDir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(capturedDir, 0o755); err != nil {
		t.Fatal(err)
	}
	for release, bySetting := range d {
		var lines []string
		for _, setting := range settings {
			lines = append(lines, fmt.Sprintf("%q: %s", setting, bySetting[setting]))
		}
		content := "{\n" + strings.Join(lines, ",\n") + "\n}\n"
		if err := os.WriteFile(filepath.Join(capturedDir, release+".json"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// inOrder sorts releases by their numbers. Commits after a release come after it.
func inOrder(releases []string) []string {
	numbers := func(release string) []int {
		n := make([]int, 3)
		fmt.Sscanf(strings.TrimPrefix(release, "v"), "%d.%d.%d", &n[0], &n[1], &n[2])
		return n
	}
	slices.SortFunc(releases, func(a, b string) int {
		return cmp.Or(slices.Compare(numbers(a), numbers(b)), cmp.Compare(a, b))
	})
	return releases
}

// meaning is what a document says, read without the provider's parser.
type meaning struct {
	attributes map[string]any
	faults     []string // the fields for which it has to be refused, in the contract's order
	ambiguous  bool     // it has to be read with a warning
}

func meaningOf(document []byte) (m meaning) {
	fields := map[string]any{}
	json.Unmarshal(document, &fields)
	check := func(ok bool, path string) {
		if !ok {
			m.faults = append(m.faults, path)
		}
	}
	number := func(object map[string]any, field, path string) float64 {
		n, ok := object[field].(float64)
		check(ok, path+field)
		return n
	}
	size, chunk := number(fields, "fileMaxSize", ""), number(fields, "chunkSize", "")
	password, ok := fields["requirePassword"].(bool)
	check(ok, "requirePassword")
	var version [3]int
	text, _ := fields["apiVersion"].(string)
	n, _ := fmt.Sscanf(text, "%d.%d.%d", &version[0], &version[1], &version[2])
	check(n == 3, "apiVersion")
	if n, err := strconv.ParseInt(fmt.Sprint(fields["fileMaxAge"]), 10, 64); err == nil {
		fields["fileMaxAge"] = float64(n) // which may be a string
	}
	age := number(fields, "fileMaxAge", "")
	if _, ok := fields["maxTransfersInMerge"]; !ok {
		fields["maxTransfersInMerge"] = 10.
		if version[0] >= 2 {
			fields["maxTransfersInMerge"] = 50.
		}
	}
	mergeLimit := number(fields, "maxTransfersInMerge", "")
	entries, ok := fields["recommendedExpireTimes"].([]any)
	check(ok, "recommendedExpireTimes")
	times := []any{}
	for i, entry := range entries {
		path := fmt.Sprintf("recommendedExpireTimes[%d].", i)
		object, _ := entry.(map[string]any)
		label, ok := object["label"].(string)
		check(ok, path+"label")
		seconds := number(object, "value", path)
		if _, ok := object["inSeconds"]; ok {
			seconds = number(object, "inSeconds", path)
		} else if seconds < 60 {
			m.ambiguous = true
		}
		times = append(times, map[string]any{"label": label, "in_seconds": seconds, "in_minutes": float64(int(seconds) / 60)})
	}
	m.attributes = map[string]any{
		"file_max_size": size, "chunk_size": chunk, "file_max_age": age, "max_transfers_in_merge": mergeLimit,
		"require_password": password, "recommended_expire_times": times, "response_body": string(document), "api_version": text,
		"api_version_major": float64(version[0]), "api_version_minor": float64(version[1]), "api_version_patch": float64(version[2]),
	}
	return m
}

// changedFields returns the fields that differ between two documents.
func changedFields(a, b []byte) (changed []string) {
	var one, other map[string]any
	json.Unmarshal(a, &one)
	json.Unmarshal(b, &other)
	both := maps.Clone(one)
	maps.Copy(both, other)
	for _, field := range slices.Sorted(maps.Keys(both)) {
		if !reflect.DeepEqual(one[field], other[field]) {
			changed = append(changed, field)
		}
	}
	return changed
}

// table is the table in the documentation. Releases that follow each other and are the same share a row.
func (d documents) table() string {
	text := "| Releases | Shape | What is special |\n|---|---|---|\n"
	var first, last, row string
	end := func() {
		if releases := first; row != "" {
			if first != last {
				releases += " to " + last
			}
			text += "| " + releases + row
		}
	}
	before := meaning{}
	for _, release := range inOrder(slices.Collect(maps.Keys(d))) {
		document, m := string(d[release]["default"]), meaningOf(d[release]["default"])
		var special []string
		note := func(is bool, format string, args ...any) {
			if is {
				special = append(special, fmt.Sprintf(format, args...))
			}
		}
		shape, readable := "newer", len(m.faults) == 0
		switch {
		case !readable:
			shape = "neither"
		case !strings.Contains(document, "inSeconds"):
			shape = "older"
		case !strings.Contains(document, "maxTransfersInMerge"):
			shape = "mixture: `inSeconds`, no `maxTransfersInMerge`"
		}
		chunk, earlier := m.attributes["chunk_size"], before.attributes["chunk_size"]
		note(!readable, "Cannot be read: no `%s`.", strings.Join(m.faults, "`, no `"))
		note(m.ambiguous, "`value` is in minutes, and is read as seconds with a warning.")
		note(readable, "`FILE_MAX_AGE=0` is reported as %.0f.", meaningOf(d[release]["FILE_MAX_AGE=0"]).attributes["file_max_age"])
		note(strings.Contains(string(d[release]["FILE_MAX_AGE=900"]), `"900"`), "`fileMaxAge` is a string where it is set.")
		note(readable && earlier != nil && earlier != chunk, "`chunkSize` is %.0f unless it is set, and was %.0f before.", chunk, earlier)
		if this := fmt.Sprintf(" | %s | %s |\n", shape, strings.Join(special, " ")); this != row {
			end()
			first, row = release, this
		}
		last = release
		if readable {
			before = m
		}
	}
	end()
	return text
}

func TestDocumentationHasTheTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/guides/response-shapes.md")
	if err != nil {
		t.Fatal(err)
	}
	if table := captured(t).table(); !strings.Contains(string(page), "\n\n"+table+"\n") {
		t.Errorf("the guide does not have the table that follows from %s:\n%s", capturedDir, table)
	}
}
