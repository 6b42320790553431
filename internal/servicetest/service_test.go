package servicetest_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/servicetest"
)

// settings are the environments in which each release is started.
var settings = []string{"default", "API_PASSWORD=secret", "FILE_MAX_AGE=0", "FILE_MAX_AGE=900", "FILE_MAX_SIZE=abc"}

// Each release answers in each setting what it answered when it was captured. One that is not captured answers like the
// newest that is, but for its version.
func TestReleases(t *testing.T) {
	t.Parallel()
	known, tags := captured(t)
	capturing, newest := os.Getenv("SERVICE_TEST_CAPTURE") != "", tags[len(tags)-1]
	for _, release := range installed(t) {
		t.Run(release.name, func(t *testing.T) {
			t.Parallel()
			want := known[release.name]
			if want == nil {
				want = servicetest.Documents{}
				for setting, document := range known[newest] {
					want[setting] = bytes.Replace(document, []byte(newest), []byte(release.version), 1)
				}
			}
			var lines []string
			for _, setting := range settings {
				_, document := start(t, release, strings.TrimPrefix(setting, "default"))
				if !capturing && !bytes.Equal(document, want[setting]) {
					t.Errorf("%s: it answers\n%s\nwant\n%s\nor capture it with CAPTURE=1", setting, document, want[setting])
				}
				lines = append(lines, fmt.Sprintf("%q: %s", setting, document))
			}
			if capturing {
				file, content := "testdata/releases/"+release.name+".json", "{\n"+strings.Join(lines, ",\n")+"\n}\n"
				if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// One apply reads every release, and waits for one.
func TestAccReleases(t *testing.T) {
	t.Parallel()
	baseURLs, instances := map[string]config.Variable{}, map[string]knownvalue.Check{}
	for _, release := range installed(t) {
		baseURL, _ := start(t, release)
		baseURLs[release.name] = config.StringVariable(baseURL)
		if release.name != "1.0.0" {
			version := map[string]knownvalue.Check{"api_version": knownvalue.StringExact(release.version)}
			instances[release.name] = knownvalue.ObjectPartial(version)
		}
	}
	refused := map[string]knownvalue.Check{"1.0.0": knownvalue.StringExact("not an instance document: fileMaxAge")}
	const address = "data.filetransfer_instances.all"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: acctest.RequiredProviders + `
variable "base_urls" {}

data "filetransfer_instances" "all" {
  base_urls      = var.base_urls
  allow_failures = true
}

resource "filetransfer_instance_record" "release" {
  base_url   = var.base_urls["2.2.3"]
  stable_for = "1s"

  expected {
    api_version = "2.2.3"
  }
}
`,
			ConfigVariables: config.Variables{"base_urls": config.MapVariable(baseURLs)},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, tfjsonpath.New("instances"), knownvalue.MapExact(instances)),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("errors"), knownvalue.MapExact(refused)),
			},
		}},
	})
}

// Releases from 2.0.0 to the newest captured one report for wrong settings what the table of the page says.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	table := regexp.MustCompile("\\| `FILE_MAX_AGE` \\|\n.*\n((\\|.*\n)+)").FindSubmatch(read(t, page))
	releases := installed(t)
	_, tags := captured(t)
	for row := range strings.Lines(string(table[1])) {
		cells := strings.Split(row, " | ")
		size, age := strings.Trim(cells[1], "`"), regexp.MustCompile("^-?[0-9]+").FindString(cells[2])
		for _, value := range regexp.MustCompile("`(.*?)`|empty").FindAllStringSubmatch(cells[0], -1) {
			t.Run(value[0], func(t *testing.T) {
				t.Parallel()
				for _, release := range releases {
					if strings.HasPrefix(release.name, "1.") || !slices.Contains(tags, release.name) {
						continue
					}
					maxSize, chunkSize := size, size
					if size == "the default" {
						maxSize, chunkSize = "1000000000", "10000000"
					}
					want := fmt.Sprintf(`{"fileMaxSize":%s,"chunkSize":%s,.*"fileMaxAge":%s,`, maxSize, chunkSize, age)
					_, document := start(t, release,
						"FILE_MAX_SIZE="+value[1], "CHUNK_SIZE="+value[1], "FILE_MAX_AGE="+value[1])
					if !regexp.MustCompile(want).Match(document) {
						t.Errorf("%s reports %s, want %s", release.name, document, want)
					}
				}
			})
		}
	}
}
