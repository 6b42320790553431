package servicetest_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/servicetest"
)

// settings are the environments in which each release is started.
var settings = []string{"default", "API_PASSWORD=secret", "FILE_MAX_AGE=0", "FILE_MAX_AGE=900", "FILE_MAX_SIZE=abc"}

// captured returns what each release answered when it was captured.
func captured(t *testing.T) map[string]servicetest.Documents {
	t.Helper()
	all, err := servicetest.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	return all
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
	details, err := instance.Parse(document)
	if refused, ok := errors.AsType[*instance.DocumentError](err); ok {
		for _, fault := range refused.Faults {
			refusedFor = append(refusedFor, fault.Path)
		}
	} else if err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	return details, refusedFor
}

// The tests with the service compare every attribute, also one that is new.
func TestAttributes(t *testing.T) {
	t.Parallel()
	got, want := attributes(&instance.Details{}), acctest.NewerDetails(nil)
	if got, want := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		t.Errorf("the attributes are %q, want %q", got, want)
	}
}

// A document of each shape is read as it is meant, and no unit is in doubt. TestPageOfReleases shows which releases have which fields.
func TestCapturedDocuments(t *testing.T) {
	t.Parallel()
	oneMonth := []int64{1800, 21600, 43200, 86400, 345600, 604800, 1209600, 2592000}
	all := captured(t)
	tests := []struct {
		release, setting string
		age, merge       int64
		options          []int64 // in seconds
	}{
		// Its value of "4 jours" is three days.
		{"1.1.0", "default", 2592000, 10, []int64{1800, 21600, 43200, 86400, 259200, 604800, 1209600, 2592000}},
		{"1.1.0", "FILE_MAX_AGE=0", 0, 10, nil},
		{"1.1.0", "FILE_MAX_AGE=900", 900, 10, nil},

		// It reports minutes without inSeconds.
		{"1.1.1", "default", 2592000, 10, []int64{
			1800, 21600, 43200, 86400, 345600, 604800, 1209600, 2592000, 7776000, 15552000, 31104000, 93312000,
		}},
		{"1.1.1", "FILE_MAX_AGE=0", 0, 10, nil},
		{"1.1.1", "FILE_MAX_AGE=900", 900, 10, []int64{1800, 21600, 43200}},

		{"1.2.1", "default", 2592000, 10, oneMonth},
		{"1.2.1", "FILE_MAX_AGE=0", 0, 10, nil},
		{"1.2.1", "FILE_MAX_AGE=900", 900, 10, nil},

		{"2.2.3", "default", 2592000, 50, oneMonth},
		{"2.2.3", "FILE_MAX_AGE=0", 15770000000, 50, slices.Concat(oneMonth, []int64{7776000, 15552000, 15770000000})},
		{"2.2.3", "FILE_MAX_AGE=900", 900, 50, nil},
	}
	for _, test := range tests {
		t.Run(test.release+", "+test.setting, func(t *testing.T) {
			t.Parallel()
			details, err := instance.Parse(all[test.release][test.setting])
			if err != nil {
				t.Fatal(err)
			}
			var options []int64
			for _, option := range details.RecommendedExpireTimes {
				options = append(options, option.InSeconds)
				if option.Ambiguity != "" {
					t.Errorf("the unit of %q is in doubt: %s", option.Label, option.Ambiguity)
				}
			}
			if details.FileMaxAgeSeconds != test.age || details.MaxTransfersInMerge != test.merge || !slices.Equal(options, test.options) {
				t.Errorf("maximum age %d, limit of a merge %d, options of %d seconds, want %d, %d, %d",
					details.FileMaxAgeSeconds, details.MaxTransfersInMerge, options, test.age, test.merge, test.options)
			}
		})
	}
}

// Whatever reads release 1.1.1 gives its twelve options in seconds. Without the service: this is the document that it answered.
func TestAccMinutes(t *testing.T) {
	t.Parallel()
	document := captured(t)["1.1.1"]["default"]
	details, _ := parse(t, document)
	options := attributes(details)["recommended_expire_times"]
	path := tfjsonpath.New("recommended_expire_times")
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   acctest.SkipWithout(acctest.ProviderFunctions),
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: acctest.RequiredProviders + `
variable "base_url" {
  type = string
}

data "filetransfer_instance" "one" {
  base_url = var.base_url
}

data "filetransfer_instances" "many" {
  base_urls = { one = var.base_url }
}

resource "filetransfer_instance_record" "kept" {
  base_url = var.base_url
}

output "parsed" {
  value = provider::filetransfer::parse_instance(data.filetransfer_instance.one.response_body)
}
`,
			ConfigVariables: config.Variables{
				"base_url": config.StringVariable(instancetest.New(t, instancetest.WithDocument(string(document))).URL()),
			},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.filetransfer_instance.one", path, options),
				statecheck.ExpectKnownValue("data.filetransfer_instances.many",
					tfjsonpath.New("instances").AtMapKey("one").AtMapKey("recommended_expire_times"), options),
				statecheck.ExpectKnownValue("filetransfer_instance_record.kept", path, options),
				statecheck.ExpectKnownOutputValueAtPath("parsed", path, options),
			},
		}},
	})
}

// The settings of a server change what its document says.
func TestCapturedSettings(t *testing.T) {
	t.Parallel()
	details, err := instance.Parse(captured(t)["2.2.3-2-g73174c8"]["API_PASSWORD=secret"])
	if err != nil {
		t.Fatal(err)
	}
	if !details.RequirePassword {
		t.Error("a password is not required, want it required")
	}
	if details.APIVersion.Text != "2.2.3" || details.FileMaxSizeBytes != 1000000000 || details.ChunkSizeBytes != 20000000 {
		t.Errorf("version %s, maximum size %d, chunk size %d, want 2.2.3, 1000000000, 20000000",
			details.APIVersion.Text, details.FileMaxSizeBytes, details.ChunkSizeBytes)
	}
}

// A document that cannot be read is refused for the fields at fault.
func TestCapturedDocumentsThatAreRefused(t *testing.T) {
	t.Parallel()
	all := captured(t)
	for _, test := range []struct {
		release, setting string
		want             []string
	}{
		{"1.0.0", "default", []string{"fileMaxAge", "recommendedExpireTimes"}},
		{"1.0.0", "FILE_MAX_SIZE=abc", []string{"fileMaxSize", "fileMaxAge", "recommendedExpireTimes"}},
		{"2.2.3", "FILE_MAX_SIZE=abc", []string{"fileMaxSize"}},
	} {
		t.Run(test.release+", "+test.setting, func(t *testing.T) {
			t.Parallel()
			if _, got := parse(t, all[test.release][test.setting]); !slices.Equal(got, test.want) {
				t.Errorf("the document is refused for %q, want %q", got, test.want)
			}
		})
	}
}

// What the guide "Supported versions of Stend" says about releases follows from the captured documents: which ones can be read, and from
// which release on a field is there.
func TestPageOfReleases(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../docs/guides/supported-versions.md")
	if err != nil {
		t.Fatal(err)
	}
	page, all := string(content), captured(t)
	releases := slices.DeleteFunc(inOrder(slices.Collect(maps.Keys(all))), func(release string) bool {
		return strings.Contains(release, "-") // a commit after a release
	})
	listed := map[string]string{} // whether a release can be read
	for _, row := range regexp.MustCompile(`(?m)^\| ([0-9.]+)(?: to ([0-9.]+))? \| (Yes|No) \|`).FindAllStringSubmatch(page, -1) {
		first, last := slices.Index(releases, row[1]), slices.Index(releases, cmp.Or(row[2], row[1]))
		if first < 0 || last < first {
			t.Fatalf("the releases of this row do not exist, or are in another order: %s", row[0])
		}
		for _, release := range releases[first : last+1] {
			listed[release] += row[3]
		}
	}
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			want := "Yes"
			if _, refusedFor := parse(t, all[release]["default"]); refusedFor != nil {
				want = "No"
			}
			if listed[release] != want {
				t.Errorf("whether it can be read: the page says %q, want %q, once", listed[release], want)
			}
		})
	}
	for _, field := range []string{"maxTransfersInMerge", "inSeconds"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			lacksField := func(release string) bool { return !strings.Contains(string(all[release]["default"]), `"`+field+`"`) }
			newer := slices.DeleteFunc(slices.Clone(releases), lacksField)
			if !slices.Equal(newer, releases[len(releases)-len(newer):]) {
				t.Fatalf("the field comes and goes: it is there in %q", newer)
			}
			if row := "(?m)^\\| `" + field + "`.*, from " + regexp.QuoteMeta(newer[0]) + " on \\|"; !regexp.MustCompile(row).MatchString(page) {
				t.Errorf("the page does not say that the field is there from %s on", newer[0])
			}
		})
	}
}
