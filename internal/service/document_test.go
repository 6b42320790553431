package service_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// settings are the environments in which each release is started.
var settings = []string{"default", "API_PASSWORD=secret", "FILE_MAX_AGE=0", "FILE_MAX_AGE=900", "FILE_MAX_SIZE=abc"}

// documents is what a release answered, byte for byte, by setting.
type documents map[string]json.RawMessage

const capturedDir = "testdata/releases"

// captured returns what each release answered when it was captured.
func captured(t *testing.T) map[string]documents {
	t.Helper()
	files, err := filepath.Glob(capturedDir + "/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in %s: %v", capturedDir, err)
	}
	all := map[string]documents{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var answered documents
		if err := json.Unmarshal(content, &answered); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = answered
	}
	return all
}

// capture writes what a release answered, one document on a line.
func capture(t *testing.T, release string, answered documents) {
	t.Helper()
	var lines []string
	for _, setting := range settings {
		lines = append(lines, fmt.Sprintf("%q: %s", setting, answered[setting]))
	}
	content := "{\n" + strings.Join(lines, ",\n") + "\n}\n"
	if err := os.WriteFile(filepath.Join(capturedDir, release+".json"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// inOrder sorts releases by their numbers. Commits after a release come after it.
func inOrder(releases []string) []string {
	numbers := func(release string) []int {
		n := make([]int, 3)
		fmt.Sscanf(release, "%d.%d.%d", &n[0], &n[1], &n[2])
		return n
	}
	slices.SortFunc(releases, func(a, b string) int {
		return cmp.Or(slices.Compare(numbers(a), numbers(b)), cmp.Compare(a, b))
	})
	return releases
}

// parse returns the details of a document, or the names of the fields for which it is refused.
func parse(t *testing.T, document []byte) (details *instance.Details, refusedFor []string) {
	t.Helper()
	details, err := instance.Parse(document, nil)
	if refused, ok := errors.AsType[*instance.DocumentError](err); ok {
		for _, fault := range refused.Faults {
			refusedFor = append(refusedFor, fault.Path)
		}
	} else if err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	return details, refusedFor
}

// Each captured document is read as it is meant, or is refused for the fields that it lacks.
func TestCapturedDocuments(t *testing.T) {
	t.Parallel()
	const options = "30 minutes 1800, 6 heures 21600, 12 heures 43200, 1 jour 86400, 4 jours 345600, 1 semaine 604800, 2 semaines 1209600, 1 mois 2592000"
	mixed := []string{"1.1.2", "1.2.0", "1.2.1"}
	newer := []string{"2.0.0", "2.1.0", "2.2.0", "2.2.1", "2.2.2", "2.2.3", "2.2.3-2-g73174c8"}
	readable := slices.Concat([]string{"1.1.0", "1.1.1"}, mixed, newer)
	usual := []string{"default", "API_PASSWORD=secret"}
	tests := []struct {
		releases, settings []string
		want               string // maximum age, default or reported limit of a merge, and options, each with its label and seconds
	}{
		{[]string{"1.0.0"}, []string{"default", "API_PASSWORD=secret", "FILE_MAX_AGE=0", "FILE_MAX_AGE=900"}, "refused for fileMaxAge, recommendedExpireTimes"},
		{[]string{"1.0.0"}, []string{"FILE_MAX_SIZE=abc"}, "refused for fileMaxSize, fileMaxAge, recommendedExpireTimes"},
		{readable, []string{"FILE_MAX_SIZE=abc"}, "refused for fileMaxSize"},

		// Its value of "4 jours" is three days.
		{[]string{"1.1.0"}, usual, "age 2592000, merge 10: " + strings.Replace(options, "345600", "259200", 1)},
		{[]string{"1.1.0"}, []string{"FILE_MAX_AGE=0"}, "age 0, merge 10: "},
		{[]string{"1.1.0"}, []string{"FILE_MAX_AGE=900"}, "age 900, merge 10: "},

		// Its options are minutes, which cannot be known. The warning says so.
		{[]string{"1.1.1"}, usual, "with a warning: age 2592000, merge 10: 30 minutes 30, 6 heures 360, 12 heures 720, 1 jour 1440, 4 jours 5760, " +
			"1 semaine 10080, 2 semaines 20160, 1 mois 43200, 3 mois 129600, 6 mois 259200, 1 an 518400, 3 ans 1555200"},
		{[]string{"1.1.1"}, []string{"FILE_MAX_AGE=0"}, "age 0, merge 10: "},
		{[]string{"1.1.1"}, []string{"FILE_MAX_AGE=900"}, "with a warning: age 900, merge 10: 30 minutes 30, 6 heures 360, 12 heures 720"},

		{mixed, usual, "age 2592000, merge 10: " + options},
		{mixed, []string{"FILE_MAX_AGE=0"}, "age 0, merge 10: "},
		{mixed, []string{"FILE_MAX_AGE=900"}, "age 900, merge 10: "},

		{newer, usual, "age 2592000, merge 50: " + options},
		{newer, []string{"FILE_MAX_AGE=0"}, "age 15770000000, merge 50: " + options + ", 3 mois 7776000, 6 mois 15552000, Infini 15770000000"},
		{newer, []string{"FILE_MAX_AGE=900"}, "age 900, merge 50: "},
	}
	want := map[string]string{}
	for _, test := range tests {
		for _, release := range test.releases {
			for _, setting := range test.settings {
				want[release+"/"+setting] = test.want
			}
		}
	}
	for release, answered := range captured(t) {
		chunkSize := int64(10000000)
		if release == "2.2.3-2-g73174c8" {
			chunkSize = 20000000
		}
		version, _, _ := strings.Cut(release, "-")
		for setting, document := range answered {
			t.Run(release+"/"+setting, func(t *testing.T) {
				t.Parallel()
				details, refusedFor := parse(t, document)
				if details == nil {
					if got := "refused for " + strings.Join(refusedFor, ", "); got != want[release+"/"+setting] {
						t.Errorf("the document is %s, want %q", got, want[release+"/"+setting])
					}
					return
				}
				var read []string
				for _, option := range details.RecommendedExpireTimes {
					read = append(read, fmt.Sprint(option.Label, " ", option.InSeconds))
				}
				got := fmt.Sprintf("age %d, merge %d: %s", details.FileMaxAgeSeconds, details.MaxTransfersInMerge, strings.Join(read, ", "))
				if len(details.Warnings) > 0 {
					got = "with a warning: " + got
				}
				if got != want[release+"/"+setting] {
					t.Errorf("the document is read as %q, want %q", got, want[release+"/"+setting])
				}
				if details.APIVersion.Text != version || details.FileMaxSizeBytes != 1000000000 || details.ChunkSizeBytes != chunkSize {
					t.Errorf("version %s, maximum size %d, chunk size %d, want %s, 1000000000, %d",
						details.APIVersion.Text, details.FileMaxSizeBytes, details.ChunkSizeBytes, version, chunkSize)
				}
				if want := setting == "API_PASSWORD=secret"; details.RequirePassword != want {
					t.Errorf("a password is required: %t, want %t", details.RequirePassword, want)
				}
			})
		}
	}
}

// shape describes the document of a release as the guide "Supported versions of Stend" does.
func shape(t *testing.T, document []byte) string {
	t.Helper()
	details, refusedFor := parse(t, document)
	switch text := string(document); {
	case len(refusedFor) > 0:
		return "Cannot be read: no `" + strings.Join(refusedFor, "`, no `") + "`."
	case len(details.Warnings) > 0:
		return "older, with minutes in `value`"
	case !strings.Contains(text, "inSeconds"):
		return "older"
	case !strings.Contains(text, "maxTransfersInMerge"):
		return "mixture: `inSeconds`, no `maxTransfersInMerge`"
	default:
		return "newer"
	}
}

// The table in the guide "Supported versions of Stend" follows from the captured documents. Releases that follow each other and
// have the same shape share a row.
func TestTableOfReleases(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/guides/supported-versions.md")
	if err != nil {
		t.Fatal(err)
	}
	all := captured(t)
	tags := slices.DeleteFunc(slices.Collect(maps.Keys(all)), func(release string) bool { return strings.Contains(release, "-") })
	table := "\n\n| Releases | Shape of the document |\n|---|---|\n"
	for releases := inOrder(tags); len(releases) > 0; {
		row, this := releases[0], shape(t, all[releases[0]]["default"])
		same := 1
		for same < len(releases) && shape(t, all[releases[same]]["default"]) == this {
			same++
		}
		if same > 1 {
			row += " to " + releases[same-1]
		}
		table += "| " + row + " | " + this + " |\n"
		releases = releases[same:]
	}
	if !strings.Contains(string(page), table+"\n") {
		t.Errorf("the guide does not have the table that follows from %s:%s", capturedDir, table)
	}
}
