package servicetest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/servicetest"
)

const page = "../../templates/guides/stend-releases-and-settings.md.tmpl"

// captured returns what each release answered when it was captured, and the names of the tags in their order.
func captured(t *testing.T) (all map[string]servicetest.Documents, tags []string) {
	t.Helper()
	all, err := servicetest.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	tags = slices.DeleteFunc(slices.Collect(maps.Keys(all)), func(name string) bool { return strings.Contains(name, "-") })
	slices.SortFunc(tags, func(a, b string) int {
		return version.Must(version.NewVersion(a)).Compare(version.Must(version.NewVersion(b)))
	})
	return all, tags
}

// Every release can be read but 1.0.0, and every setting but one that the server could not read itself.
func TestCapturedDocuments(t *testing.T) {
	t.Parallel()
	all, _ := captured(t)
	for release, documents := range all {
		for setting, document := range documents {
			var want []string
			if setting == "FILE_MAX_SIZE=abc" {
				want = append(want, "fileMaxSize")
			}
			if release == "1.0.0" {
				want = append(want, "fileMaxAge", "recommendedExpireTimes")
			}
			details, refused := instance.Parse(document)
			var got []string
			if refused != nil {
				for _, fault := range refused.Faults {
					got = append(got, fault.Path)
				}
			}
			if !slices.Equal(got, want) || (refused == nil) != (want == nil) ||
				refused == nil && details.RequirePassword != (setting == "API_PASSWORD=secret") {
				t.Errorf("%s, %s: %v, refused for %q (%v), want %q", release, setting, details, got, refused, want)
			}
		}
	}
}

// Documents of each shape mean this, in seconds.
func TestCapturedLimits(t *testing.T) {
	t.Parallel()
	oneMonth := []int64{1800, 21600, 43200, 86400, 345600, 604800, 1209600, 2592000}
	all, _ := captured(t)
	for _, test := range []struct {
		release, setting string
		age, merge       int64
		options          []int64
	}{
		// Its value of "4 jours" is three days.
		{"1.1.0", "default", 2592000, 10, []int64{1800, 21600, 43200, 86400, 259200, 604800, 1209600, 2592000}},
		{"1.1.0", "FILE_MAX_AGE=0", 0, 10, nil},
		// It reports minutes without inSeconds.
		{"1.1.1", "default", 2592000, 10, append(slices.Clone(oneMonth), 7776000, 15552000, 31104000, 93312000)},
		{"1.1.1", "FILE_MAX_AGE=900", 900, 10, []int64{1800, 21600, 43200}},
		{"1.2.1", "default", 2592000, 10, oneMonth},
		{"2.2.3", "default", 2592000, 50, oneMonth},
		{"2.2.3", "FILE_MAX_AGE=0", 15770000000, 50, append(slices.Clone(oneMonth), 7776000, 15552000, 15770000000)},
		{"2.2.3", "FILE_MAX_AGE=900", 900, 50, nil},
	} {
		details, err := instance.Parse(all[test.release][test.setting])
		if err != nil {
			t.Fatal(err)
		}
		var options []int64
		for _, option := range details.RecommendedExpireTimes {
			options = append(options, option.InSeconds)
		}
		age, merge := details.FileMaxAgeSeconds, details.MaxTransfersInMerge
		if age != test.age || merge != test.merge || !slices.Equal(options, test.options) {
			t.Errorf("got %d, %d, %d, want %v", age, merge, options, test)
		}
	}
}
