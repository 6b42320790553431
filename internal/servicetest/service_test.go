package servicetest_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
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
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/servicetest"
)

// Each release answers in each setting what it answered when it was captured, and is read in every way that the provider has.
func TestReleases(t *testing.T) {
	t.Parallel()
	known, capturing := captured(t), os.Getenv("SERVICE_TEST_CAPTURE") != ""
	for _, release := range installed(t) {
		t.Run(release.name, func(t *testing.T) {
			t.Parallel()
			want := known[release.name]
			if want == nil {
				want = asNewest(t, known, release)
			}
			var lines []string // one document on each
			answered, baseURLs := servicetest.Documents{}, map[string]config.Variable{}
			instances, failures := map[string]knownvalue.Check{}, map[string]knownvalue.Check{}
			for _, setting := range settings {
				p := start(t, release, strings.TrimPrefix(setting, "default"))
				document := p.document(t)
				if !capturing && !bytes.Equal(document, want[setting]) {
					t.Errorf("%s: the release answers\n%s\nwant\n%s\nIf the answer is right, capture it with CAPTURE=1.",
						setting, document, want[setting])
				}
				if details, refusedFor := parse(t, document); details != nil {
					instances[setting] = knownvalue.ObjectPartial(attributes(details))
				} else {
					failures[setting] = knownvalue.StringExact("not an instance document: " + refusedFor[0])
				}
				answered[setting], baseURLs[setting] = document, config.StringVariable(p.url)
				lines = append(lines, fmt.Sprintf("%q: %s", setting, document))
			}
			if capturing {
				content := "{\n" + strings.Join(lines, ",\n") + "\n}\n"
				if err := os.WriteFile(filepath.Join("testdata/releases", release.name+".json"), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}

			const address = "data.filetransfer_instances.all"
			many := resource.TestStep{
				Config: acctest.RequiredProviders + `
variable "base_urls" {
  type = map(string)
}

data "filetransfer_instances" "all" {
  base_urls      = var.base_urls
  allow_failures = true
}
`,
				ConfigVariables: config.Variables{"base_urls": config.MapVariable(baseURLs)},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("instances"), knownvalue.MapExact(instances)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("errors"), knownvalue.MapExact(failures)),
				},
			}
			single := resource.TestStep{
				Config: acctest.RequiredProviders + `
variable "base_url" {
  type = string
}

data "filetransfer_instance" "files" {
  base_url = var.base_url
}

resource "filetransfer_instance_record" "files" {
  base_url = var.base_url
}
`,
				ConfigVariables: config.Variables{"base_url": baseURLs["default"]},
			}
			if details, refusedFor := parse(t, answered["default"]); details != nil {
				values := attributes(details)
				single.ConfigStateChecks = acctest.ExpectKnownValues("filetransfer_instance_record.files", values)
				values["response_body"] = knownvalue.StringExact(string(answered["default"]))
				single.ConfigStateChecks = append(single.ConfigStateChecks,
					acctest.ExpectKnownValues("data.filetransfer_instance.files", values)...)
			} else {
				single.ExpectError = regexp.MustCompile(refusedFor[0] + ": required, but missing")
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
				Steps:                    []resource.TestStep{many, single},
			})
		})
	}
}

// asNewest returns what a release has to answer that is not captured: the same as the newest that is, but for its version.
func asNewest(t *testing.T, known map[string]servicetest.Documents, r release) servicetest.Documents {
	t.Helper()
	newest := known[inOrder(slices.Collect(maps.Keys(known)))[len(known)-1]]
	details, _ := parse(t, newest["default"])
	want := servicetest.Documents{}
	for setting, document := range newest {
		want[setting] = bytes.Replace(document, []byte(details.APIVersion.Text), []byte(r.version), 1)
	}
	return want
}

// attributes returns what the provider makes of details. TestCapturedDocuments shows what these are, and TestAttributes that it returns
// all.
func attributes(details *instance.Details) map[string]knownvalue.Check {
	options := []knownvalue.Check{}
	for _, option := range details.RecommendedExpireTimes {
		options = append(options, acctest.ExpireTime(option.Label, option.InSeconds))
	}
	return map[string]knownvalue.Check{
		"api_version":              knownvalue.StringExact(details.APIVersion.Text),
		"api_version_major":        knownvalue.Int64Exact(details.APIVersion.Major),
		"api_version_minor":        knownvalue.Int64Exact(details.APIVersion.Minor),
		"api_version_patch":        knownvalue.Int64Exact(details.APIVersion.Patch),
		"chunk_size":               knownvalue.Int64Exact(details.ChunkSizeBytes),
		"file_max_age":             knownvalue.Int64Exact(details.FileMaxAgeSeconds),
		"file_max_size":            knownvalue.Int64Exact(details.FileMaxSizeBytes),
		"max_transfers_in_merge":   knownvalue.Int64Exact(details.MaxTransfersInMerge),
		"recommended_expire_times": knownvalue.ListExact(options),
		"require_password":         knownvalue.Bool(details.RequirePassword),
	}
}

// The service runs with the digits that a setting begins with. What it reports is passed on, because it is what counts.
func TestMisreadSetting(t *testing.T) {
	t.Parallel()
	for _, release := range installed(t) {
		if strings.HasPrefix(release.version, "1.") {
			continue
		}
		t.Run(release.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, release, "CHUNK_SIZE=5e+09")
			p.document(t)
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
				Steps: []resource.TestStep{{
					Config: acctest.RequiredProviders + fmt.Sprintf(`
data "filetransfer_instance" "files" {
  base_url = %[1]q
}

resource "filetransfer_instance_record" "files" {
  base_url = %[1]q
}
`, p.url),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue("data.filetransfer_instance.files", tfjsonpath.New("chunk_size"), knownvalue.Int64Exact(5)),
						statecheck.ExpectKnownValue("filetransfer_instance_record.files", tfjsonpath.New("chunk_size"), knownvalue.Int64Exact(5)),
					},
				}},
			})
		})
	}
}

// Releases from 2.0.0 on report for wrong settings what the table of the page of releases says.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/guides/supported-versions.md")
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile("\\|.* `CHUNK_SIZE` \\| `FILE_MAX_AGE` \\|\n.*\n((\\|.*\n)+)").FindSubmatch(page)
	if table == nil {
		t.Fatal("the page has no table of wrong settings")
	}
	releases, known := installed(t), captured(t)
	for row := range strings.Lines(string(table[1])) {
		cells := strings.Split(row, " | ")
		size := strings.Trim(cells[1], "`")                       // or "the default"
		age := regexp.MustCompile("^[0-9]+").FindString(cells[2]) // some are explained
		values := regexp.MustCompile("`(.*?)`|empty").FindAllStringSubmatch(cells[0], -1)
		for _, value := range values {
			t.Run(cmp.Or(value[1], "empty"), func(t *testing.T) {
				t.Parallel()
				for _, release := range releases {
					if strings.HasPrefix(release.version, "1.") || known[release.name] == nil {
						continue
					}
					var defaults, got map[string]json.RawMessage
					p := start(t, release, "FILE_MAX_SIZE="+value[1], "CHUNK_SIZE="+value[1], "FILE_MAX_AGE="+value[1])
					err := errors.Join(json.Unmarshal(known[release.name]["default"], &defaults), json.Unmarshal(p.document(t), &got))
					if err != nil {
						t.Fatal(err)
					}
					want := map[string]string{"fileMaxSize": size, "chunkSize": size, "fileMaxAge": age}
					if size == "the default" {
						want["fileMaxSize"], want["chunkSize"] = string(defaults["fileMaxSize"]), string(defaults["chunkSize"])
					}
					for field := range want {
						if string(got[field]) != want[field] {
							t.Errorf("%s reports %s as %s, want %s", release.name, field, got[field], want[field])
						}
					}
				}
			})
		}
	}
}
