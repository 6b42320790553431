package service_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// settings are the environments in which each release is started.
var settings = []string{"default", "API_PASSWORD=secret", "FILE_MAX_AGE=0", "FILE_MAX_AGE=900", "FILE_MAX_SIZE=abc"}

// documents is what releases answered: the document as delivered, by release and setting.
type documents map[string]map[string]json.RawMessage

const capturedDir = "testdata/releases"

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

// capture writes the documents into the repository, byte for byte and one on a line.
func (d documents) capture(t *testing.T) {
	t.Helper()
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
	faults     []string          // the fields for which it has to be refused, in the guide's order
	is, want   map[string]string // what each field is, and what it has to be
	seconds    map[string]float64
	ambiguous  bool   // it has to be read with a warning
	mixed      string // an entry without inSeconds, if others have it
}

// field reads a field, and notes a fault if it is not of the type or not good.
func field[T any](m *meaning, object map[string]any, path, want string, good func(T) bool) T {
	delivered, there := object[path[strings.LastIndex(path, ".")+1:]]
	text, _ := json.Marshal(delivered)
	m.is[path], m.want[path] = string(text), want
	if !there {
		m.is[path] = "missing"
	}
	value, ok := delivered.(T)
	if !ok || good != nil && !good(value) {
		m.faults = append(m.faults, path)
	}
	return value
}

func meaningOf(document []byte) (m meaning) {
	m.is, m.want, m.seconds = map[string]string{}, map[string]string{}, map[string]float64{}
	fields := map[string]any{}
	json.Unmarshal(document, &fields)
	number := func(object map[string]any, path string) float64 {
		return field(&m, object, path, "an integer", func(n float64) bool { return n == math.Trunc(n) })
	}
	size, chunk := number(fields, "fileMaxSize"), number(fields, "chunkSize")
	password := field[bool](&m, fields, "requirePassword", "true or false", nil)
	var version [3]int
	text := field(&m, fields, "apiVersion", "a string of three numbers", func(text string) bool {
		n, _ := fmt.Sscanf(text, "%d.%d.%d", &version[0], &version[1], &version[2])
		return n == 3
	})
	if n, err := strconv.ParseInt(fmt.Sprint(fields["fileMaxAge"]), 10, 64); err == nil {
		fields["fileMaxAge"] = float64(n) // which may be a string
	}
	age := number(fields, "fileMaxAge")
	mergeLimit := 10.
	if version[0] >= 2 {
		mergeLimit = 50
	}
	if _, ok := fields["maxTransfersInMerge"]; ok {
		mergeLimit = number(fields, "maxTransfersInMerge")
	}
	times, withSeconds := []any{}, 0
	for i, entry := range field[[]any](&m, fields, "recommendedExpireTimes", "a list", nil) {
		path := fmt.Sprintf("recommendedExpireTimes[%d]", i)
		object, _ := entry.(map[string]any)
		label := field[string](&m, object, path+".label", "a string", nil)
		seconds := number(object, path+".value")
		if _, ok := object["inSeconds"]; ok {
			seconds = number(object, path+".inSeconds")
			withSeconds++
		} else {
			m.mixed = path
			m.ambiguous = m.ambiguous || seconds < 60
		}
		m.seconds[label] = seconds
		times = append(times, map[string]any{"label": label, "in_seconds": seconds, "in_minutes": float64(int(seconds) / 60)})
	}
	if withSeconds == 0 {
		m.mixed = ""
	}
	m.attributes = map[string]any{
		"file_max_size": size, "chunk_size": chunk, "file_max_age": age, "max_transfers_in_merge": mergeLimit,
		"require_password": password, "recommended_expire_times": times, "response_body": string(document), "api_version": text,
		"api_version_major": float64(version[0]), "api_version_minor": float64(version[1]), "api_version_patch": float64(version[2]),
	}
	return m
}

// unlike says what a new release has that the one before it had otherwise, and that has to mean the same.
func (m meaning) unlike(release string, before meaning) (found []string) {
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, fault := range m.faults {
		if !slices.Contains(before.faults, fault) {
			add("%s is %s, want %s; %s had %s", fault, m.is[fault], m.want[fault], release, cmp.Or(before.is[fault], "none"))
		}
	}
	if m.mixed != "" && before.mixed == "" {
		add("%s has no inSeconds, and others have; %s had none like that", m.mixed, release)
	}
	for label, seconds := range before.seconds {
		if now, ok := m.seconds[label]; ok && now != seconds {
			add("%q is %.0f seconds; %s had %.0f", label, now, release, seconds)
		}
	}
	return found
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

// table is the table in the documentation, of all releases with a tag. Those that follow each other and are the same share a row.
func (d documents) table() string {
	text := "| Releases | Shape of the document |\n|---|---|\n"
	var first, last, shape string
	end := func() {
		if releases := first; shape != "" {
			if first != last {
				releases += " to " + last
			}
			text += "| " + releases + " | " + shape + " |\n"
		}
	}
	for _, release := range inOrder(slices.Collect(maps.Keys(d))) {
		if strings.Contains(release, "-") {
			continue // a commit after a release
		}
		document, m, this := string(d[release]["default"]), meaningOf(d[release]["default"]), "newer"
		switch {
		case len(m.faults) > 0:
			this = "Cannot be read: no `" + strings.Join(m.faults, "`, no `") + "`."
		case m.ambiguous:
			this = "older, with minutes in `value`"
		case !strings.Contains(document, "inSeconds"):
			this = "older"
		case !strings.Contains(document, "maxTransfersInMerge"):
			this = "mixture: `inSeconds`, no `maxTransfersInMerge`"
		}
		if this != shape {
			end()
			first, shape = release, this
		}
		last = release
	}
	end()
	return text
}

func TestDocumentationHasTheTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/guides/supported-versions.md")
	if err != nil {
		t.Fatal(err)
	}
	if table := captured(t).table(); !strings.Contains(string(page), "\n\n"+table+"\n") {
		t.Errorf("the guide does not have the table that follows from %s:\n%s", capturedDir, table)
	}
}

// compare compares attributes, but for the arguments that are in the state beside them.
func compare(got, want map[string]any) string {
	got = maps.Clone(got)
	for _, argument := range []string{"expected", "request_headers", "timeouts", "wait_until_ready"} {
		delete(got, argument)
	}
	var differences []string
	for _, attribute := range slices.Sorted(maps.Keys(want)) {
		if !reflect.DeepEqual(got[attribute], want[attribute]) {
			differences = append(differences, fmt.Sprintf("%s is %v, want %v", attribute, got[attribute], want[attribute]))
		}
		delete(got, attribute)
	}
	if len(got) > 0 {
		differences = append(differences, fmt.Sprintf("not known to this test: %v", got))
	}
	return strings.Join(differences, "; ")
}

// The provider's parser finds in each captured document what it means, or why it has to be refused.
func TestCapturedDocuments(t *testing.T) {
	t.Parallel()
	for release, bySetting := range captured(t) {
		for setting, document := range bySetting {
			want := meaningOf(document)
			details, err := instance.Parse(document, nil)
			if refused, ok := errors.AsType[*instance.DocumentError](err); ok {
				for _, line := range refused.Lines() {
					field, _, _ := strings.Cut(line, ":")
					want.faults = slices.DeleteFunc(want.faults, func(fault string) bool { return fault == field })
				}
				if len(want.faults) > 0 {
					t.Errorf("%s, %s: no fault of %q: %v", release, setting, want.faults, err)
				}
				continue
			}
			times := []any{}
			for _, time := range details.RecommendedExpireTimes {
				times = append(times, map[string]any{
					"label": time.Label, "in_seconds": float64(time.InSeconds), "in_minutes": float64(time.InMinutes()),
				})
			}
			version := details.APIVersion
			got := map[string]any{
				"file_max_size": float64(details.FileMaxSizeBytes), "chunk_size": float64(details.ChunkSizeBytes),
				"file_max_age": float64(details.FileMaxAgeSeconds), "max_transfers_in_merge": float64(details.MaxTransfersInMerge),
				"require_password": details.RequirePassword, "recommended_expire_times": times, "response_body": string(document),
				"api_version": version.Text, "api_version_major": float64(version.Major), "api_version_minor": float64(version.Minor),
				"api_version_patch": float64(version.Patch),
			}
			if difference := compare(got, want.attributes); difference != "" || len(want.faults) > 0 || want.ambiguous != (len(details.Warnings) > 0) {
				t.Errorf("%s, %s: %s; faults %q, warnings %v", release, setting, difference, want.faults, details.Warnings)
			}
		}
	}
}
