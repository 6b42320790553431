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

const capturedDir = "../instance/testdata/releases"

// settings are the environments in which each release is started.
var settings = []string{"default", "API_PASSWORD=secret", "FILE_MAX_AGE=0", "FILE_MAX_AGE=900", "FILE_MAX_SIZE=abc"}

// documents is what releases answered: a document, as delivered, by release and setting.
type documents map[string]map[string]json.RawMessage

// captured returns the documents in the repository.
func captured(t *testing.T) documents {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(capturedDir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
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

// capture writes the documents, each on a line of its own and byte for byte.
func (d documents) capture() error {
	if err := os.RemoveAll(capturedDir); err != nil {
		return err
	}
	if err := os.MkdirAll(capturedDir, 0o755); err != nil {
		return err
	}
	for release, bySetting := range d {
		var lines []string
		for _, setting := range settings {
			lines = append(lines, fmt.Sprintf("%q: %s", setting, bySetting[setting]))
		}
		content := "{\n" + strings.Join(lines, ",\n") + "\n}\n"
		if err := os.WriteFile(filepath.Join(capturedDir, release+".json"), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
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
	faults     []string // the fields for which it has to be refused
	ambiguous  bool     // it has to be read with a warning
}

func meaningOf(document []byte) (m meaning) {
	var raw map[string]any
	json.Unmarshal(document, &raw)
	check := func(ok bool, format string, args ...any) {
		if !ok {
			m.faults = append(m.faults, fmt.Sprintf(format, args...))
		}
	}
	number := func(object map[string]any, path, field string) float64 {
		n, ok := object[field].(float64)
		check(ok, "%s%s", path, field)
		return n
	}

	if text, ok := raw["fileMaxAge"].(string); ok {
		delete(raw, "fileMaxAge")
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			raw["fileMaxAge"] = float64(n)
		}
	}
	password, ok := raw["requirePassword"].(bool)
	check(ok, "requirePassword")
	text, _ := raw["apiVersion"].(string)
	var major, minor, patch int
	n, _ := fmt.Sscanf(text, "%d.%d.%d", &major, &minor, &patch)
	check(n == 3, "apiVersion")
	mergeLimit := 10.
	if _, ok := raw["maxTransfersInMerge"]; ok {
		mergeLimit = number(raw, "", "maxTransfersInMerge")
	} else if major >= 2 {
		mergeLimit = 50
	}
	entries, ok := raw["recommendedExpireTimes"].([]any)
	check(ok, "recommendedExpireTimes")
	times := []any{}
	for i, entry := range entries {
		object, _ := entry.(map[string]any)
		path := fmt.Sprintf("recommendedExpireTimes[%d].", i)
		label, ok := object["label"].(string)
		check(ok, "%slabel", path)
		seconds := number(object, path, "value")
		if _, ok := object["inSeconds"]; ok {
			seconds = number(object, path, "inSeconds")
		} else if seconds < 60 {
			m.ambiguous = true
		}
		times = append(times, map[string]any{"label": label, "in_seconds": seconds, "in_minutes": float64(int64(seconds) / 60)})
	}
	m.attributes = map[string]any{
		"file_max_size": number(raw, "", "fileMaxSize"), "chunk_size": number(raw, "", "chunkSize"), "require_password": password,
		"api_version": text, "api_version_major": float64(major), "api_version_minor": float64(minor), "api_version_patch": float64(patch),
		"file_max_age": number(raw, "", "fileMaxAge"), "max_transfers_in_merge": mergeLimit, "recommended_expire_times": times,
		"response_body": string(document),
	}
	slices.Sort(m.faults)
	return m
}

// changedFields returns the fields that differ between two documents.
func changedFields(a, b []byte) []string {
	var one, other map[string]any
	json.Unmarshal(a, &one)
	json.Unmarshal(b, &other)
	both := maps.Clone(one)
	maps.Copy(both, other)
	var changed []string
	for field := range both {
		if !reflect.DeepEqual(one[field], other[field]) {
			changed = append(changed, field)
		}
	}
	slices.Sort(changed)
	return changed
}

// table is the table "Supported versions of the service" in the documentation.
func (d documents) table() string {
	text := "| Release | Response format | What is special | Tested settings |\n|---|---|---|---|\n"
	chunk := 0.
	for _, release := range inOrder(slices.Collect(maps.Keys(d))) {
		usual, m := string(d[release]["default"]), meaningOf(d[release]["default"])
		var format string
		var special []string
		switch {
		case len(m.faults) > 0:
			format = "neither"
			special = append(special, "Cannot be read: no `"+strings.Join(m.faults, "`, no `")+"`.")
		case !strings.Contains(usual, "inSeconds"):
			format = "older shape"
		case !strings.Contains(usual, "maxTransfersInMerge"):
			format = "mixture: `inSeconds`, no `maxTransfersInMerge`"
		default:
			format = "newer shape"
		}
		if m.ambiguous {
			special = append(special, "`value` is in minutes, and is read as seconds with a warning.")
		}
		if unlimited := meaningOf(d[release]["FILE_MAX_AGE=0"]); len(m.faults) == 0 {
			special = append(special, fmt.Sprintf("`FILE_MAX_AGE=0` is reported as %.0f.", unlimited.attributes["file_max_age"]))
		}
		if strings.Contains(string(d[release]["FILE_MAX_AGE=900"]), `"900"`) {
			special = append(special, "`fileMaxAge` is a string where it is set.")
		}
		if now := m.attributes["chunk_size"].(float64); now != chunk {
			if chunk != 0 {
				special = append(special, fmt.Sprintf("`chunkSize` is %.0f unless it is set, and was %.0f before.", now, chunk))
			}
			chunk = now
		}
		refused := 0
		for _, document := range d[release] {
			refused += min(1, len(meaningOf(document).faults))
		}
		text += fmt.Sprintf("| %s | %s | %s | %d read, %d refused |\n",
			release, format, strings.Join(special, " "), len(d[release])-refused, refused)
	}
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
