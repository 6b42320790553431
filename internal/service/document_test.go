package service_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
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

// read reads a document without the provider's parser. If it lacks fields that are required, it returns their names instead.
func read(t *testing.T, document []byte) (details instance.Details, lacking []string) {
	t.Helper()
	var delivered map[string]any
	var fields struct {
		FileMaxSize            int64
		ChunkSize              int64
		RequirePassword        bool
		APIVersion             string
		FileMaxAge             json.Number // or a string with one
		MaxTransfersInMerge    *int64
		RecommendedExpireTimes []struct {
			Label     string
			InSeconds *int64
			Value     int64
		}
	}
	if err := errors.Join(json.Unmarshal(document, &delivered), json.Unmarshal(document, &fields)); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	for _, name := range []string{"fileMaxSize", "chunkSize", "requirePassword", "apiVersion", "fileMaxAge", "recommendedExpireTimes"} {
		if delivered[name] == nil {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) > 0 {
		return instance.Details{}, lacking
	}
	details = instance.Details{
		FileMaxSizeBytes:       fields.FileMaxSize,
		ChunkSizeBytes:         fields.ChunkSize,
		RequirePassword:        fields.RequirePassword,
		APIVersion:             instance.Version{Text: fields.APIVersion},
		MaxTransfersInMerge:    10,
		RecommendedExpireTimes: []instance.ExpireTime{},
	}
	version := &details.APIVersion
	_, versionErr := fmt.Sscanf(version.Text, "%d.%d.%d", &version.Major, &version.Minor, &version.Patch)
	age, ageErr := fields.FileMaxAge.Int64()
	if err := errors.Join(versionErr, ageErr); err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	details.FileMaxAgeSeconds = age
	if fields.MaxTransfersInMerge != nil {
		details.MaxTransfersInMerge = *fields.MaxTransfersInMerge
	}
	for _, option := range fields.RecommendedExpireTimes {
		seconds := option.Value
		if option.InSeconds != nil {
			seconds = *option.InSeconds
		}
		details.RecommendedExpireTimes = append(details.RecommendedExpireTimes, instance.ExpireTime{Label: option.Label, InSeconds: seconds})
	}
	return details, nil
}

// inMinutes tells whether the options look like minutes that were read as seconds.
func inMinutes(details instance.Details) bool {
	return slices.ContainsFunc(details.RecommendedExpireTimes, func(option instance.ExpireTime) bool { return option.InSeconds < 60 })
}

// Each captured document is read as it is meant, or is refused for the fields that it lacks.
func TestCapturedDocuments(t *testing.T) {
	t.Parallel()
	for release, answered := range captured(t) {
		for setting, document := range answered {
			t.Run(release+"/"+setting, func(t *testing.T) {
				t.Parallel()
				want, lacking := read(t, document)
				got, err := instance.Parse(document, nil)
				if refused, ok := errors.AsType[*instance.DocumentError](err); ok {
					var faults []string
					for _, fault := range refused.Faults {
						faults = append(faults, fault.Path)
					}
					if !slices.Equal(faults, lacking) {
						t.Errorf("refused, want faults in %q only: %v", lacking, err)
					}
					return
				}
				if len(lacking) > 0 {
					t.Fatalf("%q are lacking, want an error", lacking)
				}
				if warned := len(got.Warnings) > 0; warned != inMinutes(want) {
					t.Errorf("warnings %v, want any: %t", got.Warnings, inMinutes(want))
				}
				got.Warnings = nil
				if !reflect.DeepEqual(*got, want) {
					t.Errorf("details %+v, want %+v", *got, want)
				}
			})
		}
	}
}

// shape describes the document of a release as the guide "Supported versions of Stend" does.
func shape(t *testing.T, document []byte) string {
	t.Helper()
	details, lacking := read(t, document)
	switch text := string(document); {
	case len(lacking) > 0:
		return "Cannot be read: no `" + strings.Join(lacking, "`, no `") + "`."
	case inMinutes(details):
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
