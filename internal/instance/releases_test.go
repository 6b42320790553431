package instance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// TestReleasesOfTheService reads what every release of the service answers in five settings, as captured by
// make testacc-service.
func TestReleasesOfTheService(t *testing.T) {
	t.Parallel()

	options := func(labels string, inSeconds ...int64) []instance.ExpireTime {
		var all []instance.ExpireTime
		for i, label := range strings.Split(labels, ", ") {
			all = append(all, instance.ExpireTime{Label: label, InSeconds: inSeconds[i]})
		}
		return all
	}
	const toAMonth = "30 minutes, 6 heures, 12 heures, 1 jour, 4 jours, 1 semaine, 2 semaines, 1 mois"
	var (
		// The "4 jours" of the first release that has options are three days.
		older = options(toAMonth, 1800, 21600, 43200, 86400, 259200, 604800, 1209600, 2592000)
		// Minutes, which the documentation takes for seconds.
		minutes = options(toAMonth+", 3 mois, 6 mois, 1 an, 3 ans",
			30, 360, 720, 1440, 5760, 10080, 20160, 43200, 129600, 259200, 518400, 1555200)
		newer = options(toAMonth+", 3 mois, 6 mois, Infini",
			1800, 21600, 43200, 86400, 345600, 604800, 1209600, 2592000, 7776000, 15552000, 15770000000)
	)
	releases := map[string]struct {
		options      []instance.ExpireTime
		mergeLimit   int64
		unlimitedAge int64 // what FILE_MAX_AGE=0 is reported as
		chunkSize    int64
	}{
		"1.0.0":            {},
		"1.1.0":            {older, 10, 0, 10000000},
		"1.1.1":            {minutes, 10, 0, 10000000},
		"1.1.2":            {newer, 10, 0, 10000000},
		"1.2.0":            {newer, 10, 0, 10000000},
		"1.2.1":            {newer, 10, 0, 10000000},
		"2.0.0":            {newer, 50, 15770000000, 10000000},
		"2.1.0":            {newer, 50, 15770000000, 10000000},
		"2.2.0":            {newer, 50, 15770000000, 10000000},
		"2.2.1":            {newer, 50, 15770000000, 10000000},
		"2.2.2":            {newer, 50, 15770000000, 10000000},
		"2.2.3":            {newer, 50, 15770000000, 10000000},
		"2.2.3-2-g73174c8": {newer, 50, 15770000000, 20000000},
	}

	files, err := filepath.Glob(filepath.Join("testdata", "releases", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(releases) {
		t.Errorf("%d releases were captured, and %d are in the table: %q", len(files), len(releases), files)
	}
	for name, release := range releases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(filepath.Join("testdata", "releases", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var documents map[string]json.RawMessage
			if err := json.Unmarshal(content, &documents); err != nil {
				t.Fatal(err)
			}

			var faults []string
			if release.options == nil {
				faults = []string{"fileMaxAge: " + missing, "recommendedExpireTimes: " + missing}
			}
			_, documentError := parse(t, documents["FILE_MAX_SIZE=abc"])
			checkFaults(t, documentError, slices.Concat([]string{"fileMaxSize: " + anInteger + "null"}, faults)...)

			check := func(setting string, password bool, maxAge int64) {
				t.Helper()
				details, documentError := parse(t, documents[setting])
				if faults != nil {
					checkFaults(t, documentError, faults...)
					return
				}
				want := instance.Details{
					FileMaxSizeBytes: 1000000000, ChunkSizeBytes: release.chunkSize, RequirePassword: password,
					FileMaxAgeSeconds: maxAge, MaxTransfersInMerge: release.mergeLimit,
					RecommendedExpireTimes: []instance.ExpireTime{},
				}
				want.APIVersion.Text, _, _ = strings.Cut(name, "-")
				fmt.Sscanf(name, "%d.%d.%d", &want.APIVersion.Major, &want.APIVersion.Minor, &want.APIVersion.Patch)
				for _, option := range release.options {
					if option.InSeconds <= maxAge {
						want.RecommendedExpireTimes = append(want.RecommendedExpireTimes, option)
					}
				}
				if times := want.RecommendedExpireTimes; len(times) > 0 && times[0].InSeconds == 30 {
					want.Warnings = []instance.Warning{{
						Kind: instance.SuspiciouslyShort, Path: "recommendedExpireTimes[0]", Label: "30 minutes", Value: 30, InSeconds: 30,
					}}
				}
				checkEqualDetails(t, details, documentError, want)
			}
			check("default", false, 2592000)
			check("API_PASSWORD=secret", true, 2592000)
			check("FILE_MAX_AGE=0", false, release.unlimitedAge)
			check("FILE_MAX_AGE=900", false, 900)
			if len(documents) != 5 {
				t.Errorf("%d documents, want 5", len(documents))
			}
		})
	}
}
