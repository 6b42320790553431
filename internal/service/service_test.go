package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// Each release answers in each setting what it answered when it was captured, and is read in every way that the provider has.
func TestReleases(t *testing.T) {
	t.Parallel()
	known, capturing := captured(t), os.Getenv("SERVICE_TEST_CAPTURE") != ""
	for _, release := range installed(t) {
		t.Run(release.name, func(t *testing.T) {
			t.Parallel()
			answered, baseURLs := documents{}, map[string]config.Variable{}
			instances, refused := map[string]knownvalue.Check{}, map[string]knownvalue.Check{}
			want := known[release.name]
			if want == nil {
				want = asNewest(t, known, release)
			}
			for _, setting := range settings {
				p := start(t, release, strings.TrimPrefix(setting, "default"))
				document := p.document(t)
				if !capturing && !bytes.Equal(document, want[setting]) {
					t.Errorf("%s: the release answers\n%s\nwant\n%s\nIf the answer is right, capture it with CAPTURE=1.", setting, document, want[setting])
				}
				if details, lacking := read(t, document); len(lacking) == 0 {
					instances[setting] = knownvalue.ObjectPartial(attributes(details))
				} else {
					refused[setting] = knownvalue.StringExact("not an instance document: " + lacking[0])
				}
				answered[setting], baseURLs[setting] = document, config.StringVariable(p.url)
			}
			all := resource.TestStep{
				Config:          instancesConfig,
				ConfigVariables: config.Variables{"base_urls": config.MapVariable(baseURLs)},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.filetransfer_instances.all", tfjsonpath.New("instances"), knownvalue.MapExact(instances)),
					statecheck.ExpectKnownValue("data.filetransfer_instances.all", tfjsonpath.New("errors"), knownvalue.MapExact(refused)),
				},
			}
			single := resource.TestStep{
				Config:          instanceConfig,
				ConfigVariables: config.Variables{"base_url": baseURLs["default"]},
			}
			if details, lacking := read(t, answered["default"]); len(lacking) == 0 {
				attributes := attributes(details)
				attributes["response_body"] = knownvalue.StringExact(string(answered["default"]))
				for name, value := range attributes {
					single.ConfigStateChecks = append(single.ConfigStateChecks,
						statecheck.ExpectKnownValue("data.filetransfer_instance.files", tfjsonpath.New(name), value),
						statecheck.ExpectKnownValue("filetransfer_instance_record.files", tfjsonpath.New(name), value))
				}
			} else {
				single.ExpectError = regexp.MustCompile(lacking[0] + ": required, but missing")
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
				Steps:                    []resource.TestStep{all, single},
			})
			if capturing {
				capture(t, release.name, answered)
			}
		})
	}
}

// asNewest returns what a release has to answer that is not captured: the same as the newest that is, but for its version.
func asNewest(t *testing.T, known map[string]documents, r release) documents {
	t.Helper()
	newest := known[inOrder(slices.Collect(maps.Keys(known)))[len(known)-1]]
	details, _ := read(t, newest["default"])
	want := documents{}
	for setting, document := range newest {
		want[setting] = bytes.Replace(document, []byte(details.APIVersion.Text), []byte(r.version), 1)
	}
	return want
}

const requiredProviders = `
terraform {
  required_providers {
    filetransfer = {
      source = "filetransfer/filetransfer"
    }
  }
}
`

const instanceConfig = requiredProviders + `
variable "base_url" {
  type = string
}

data "filetransfer_instance" "files" {
  base_url = var.base_url
}

resource "filetransfer_instance_record" "files" {
  base_url = var.base_url
}
`

const instancesConfig = requiredProviders + `
variable "base_urls" {
  type = map(string)
}

data "filetransfer_instances" "all" {
  base_urls      = var.base_urls
  allow_failures = true
}
`

// attributes returns what the provider has to make of details. An attribute of the provider that is not here does no harm:
// TestCapturedDocuments compares all details.
func attributes(details instance.Details) map[string]knownvalue.Check {
	return map[string]knownvalue.Check{
		"api_version":              knownvalue.StringExact(details.APIVersion.Text),
		"chunk_size":               knownvalue.Int64Exact(details.ChunkSizeBytes),
		"file_max_age":             knownvalue.Int64Exact(details.FileMaxAgeSeconds),
		"file_max_size":            knownvalue.Int64Exact(details.FileMaxSizeBytes),
		"max_transfers_in_merge":   knownvalue.Int64Exact(details.MaxTransfersInMerge),
		"recommended_expire_times": knownvalue.ListSizeExact(len(details.RecommendedExpireTimes)),
		"require_password":         knownvalue.Bool(details.RequirePassword),
	}
}

// Each release replaces the one before it: the apply waits while the old process answers, and then changes what uses the record.
// A chunk size that the last one does not read as it was meant fails the apply.
func TestRelease(t *testing.T) {
	t.Parallel()
	releases := installed(t)
	server := newServer(t)
	var steps []resource.TestStep
	for i, release := range releases {
		if release.version == "1.0.0" {
			continue // it cannot be read
		}
		chunkSize := 1000 + i
		steps = append(steps, resource.TestStep{
			Config: releaseConfig(server.URL, release.version, chunkSize, "1m", "null"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectKnownValue("terraform_data.upload_job", tfjsonpath.New("input"), knownvalue.Int64Exact(int64(chunkSize))),
				beforeApply(func() { server.replace(start(t, release, fmt.Sprintf("CHUNK_SIZE=%d", chunkSize)), 2) }),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("terraform_data.upload_job", tfjsonpath.New("output"), knownvalue.Int64Exact(int64(chunkSize))),
			},
		})
	}
	last := releases[len(releases)-1]
	steps = append(steps, resource.TestStep{
		Config: releaseConfig(server.URL, last.version, 30000000, "3s", "null"),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			beforeApply(func() {
				p := start(t, last, "CHUNK_SIZE=3e+07")
				p.document(t) // so that it answers in time
				server.replace(p, 0)
			}),
		}},
		ExpectError: regexp.MustCompile(`chunk_size is 3, expected 30000000`),
	})
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories, Steps: steps})
}

// A release whose process ends as it starts fails the apply, and so does each rollback until the earlier release serves again.
func TestRollback(t *testing.T) {
	t.Parallel()
	releases := installed(t)
	release := releases[len(releases)-1]
	for name, triggers := range map[string]string{"without triggers": "null", "with triggers": "{ chunk_size = local.chunk_size }"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
				Steps: []resource.TestStep{
					{
						Config: releaseConfig(server.URL, release.version, 1000, "1m", triggers),
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
							beforeApply(func() { server.replace(start(t, release, "CHUNK_SIZE=1000"), 0) }),
						}},
						ConfigStateChecks: []statecheck.StateCheck{
							statecheck.ExpectKnownValue("filetransfer_instance_record.files", tfjsonpath.New("wait_failed"), knownvalue.Bool(false)),
						},
					},
					{
						Config: releaseConfig(server.URL, release.version, 2000, "3s", triggers),
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
							beforeApply(func() { server.replace(start(t, release, "CHUNK_SIZE=2000", "STORAGE_PATH=/dev/null/none"), 0) }),
						}},
						ExpectError: regexp.MustCompile(`502 Bad Gateway`),
					},
					{ // the record is as before the release, and no process runs
						Config:      releaseConfig(server.URL, release.version, 1000, "3s", triggers),
						ExpectError: regexp.MustCompile(`502 Bad Gateway`),
					},
					{
						Config: releaseConfig(server.URL, release.version, 1000, "1m", triggers),
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
							plancheck.ExpectResourceAction("filetransfer_instance_record.files", plancheck.ResourceActionUpdate),
							beforeApply(func() { server.replace(start(t, release, "CHUNK_SIZE=1000"), 0) }),
						}},
						ConfigStateChecks: []statecheck.StateCheck{
							statecheck.ExpectKnownValue("filetransfer_instance_record.files", tfjsonpath.New("wait_failed"), knownvalue.Bool(false)),
						},
					},
				},
			})
		})
	}
}

// releaseConfig returns a configuration of a record, and of a job that uses it. triggers is an expression.
func releaseConfig(baseURL, version string, chunkSize int, timeout, triggers string) string {
	return requiredProviders + fmt.Sprintf(`
provider "filetransfer" {
  retry {
    min_delay = "50ms"
    max_delay = "50ms"
  }
}

locals {
  chunk_size = %d
}

resource "filetransfer_instance_record" "files" {
  base_url = %q
  triggers = %s

  expected {
    api_version = %q
    chunk_size  = local.chunk_size
  }

  timeouts {
    create = %[5]q
    update = %[5]q
  }
}

resource "terraform_data" "upload_job" {
  input = filetransfer_instance_record.files.chunk_size
}
`, chunkSize, baseURL, triggers, version, timeout)
}

// beforeApply is called after a plan is made and before it is applied.
type beforeApply func()

func (f beforeApply) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	f()
}

// server forwards requests to a process.
type server struct {
	*httptest.Server

	mu            sync.Mutex
	current, next *process
	left          int // answers of current until next replaces it
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:  func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", s.address() },
		ErrorLog: log.New(io.Discard, "", 0), // of a process that starts
	})
	t.Cleanup(s.Close)
	return s
}

// replace replaces the process after it has answered so many times more.
func (s *server) replace(next *process, answers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next, s.left = next, answers
}

// address returns the address of the process that answers.
func (s *server) address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.next == nil:
	case s.current != nil && s.left > 0:
		s.left--
	default:
		if s.current != nil {
			s.current.kill()
		}
		s.current, s.next = s.next, nil
	}
	return s.current.address
}

// Releases from 2.0.0 on report for wrong settings what the table in the guide "Release a server and wait for it" says.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/guides/release-a-server.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "| Value | `FILE_MAX_SIZE`, `CHUNK_SIZE` | `FILE_MAX_AGE` |\n|---|---|---|\n")
	if !found {
		t.Fatal("the guide has no table of wrong settings")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	releases, known := installed(t), captured(t)
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(row, "| \n"), " | ")
		if len(cells) != 3 {
			t.Fatalf("the guide has a row of %d cells: %s", len(cells), row)
		}
		for value := range strings.SplitSeq(cells[0], ", ") {
			t.Run(value, func(t *testing.T) {
				t.Parallel()
				for _, release := range releases {
					if !strings.HasPrefix(release.version, "1.") && known[release.name] != nil {
						checkSetting(t, release, known[release.name], strings.Trim(strings.TrimPrefix(value, "empty"), "`"), cells[1], cells[2])
					}
				}
			})
		}
	}
}

// checkSetting starts a release with a value for both sizes and for the maximum age, and checks that it reports what the guide says:
// "`null`", "15770000000: no maximum" or "the default".
func checkSetting(t *testing.T, r release, answered documents, value, size, age string) {
	t.Helper()
	var defaults, got map[string]json.RawMessage
	p := start(t, r, "FILE_MAX_SIZE="+value, "CHUNK_SIZE="+value, "FILE_MAX_AGE="+value)
	if err := errors.Join(json.Unmarshal(answered["default"], &defaults), json.Unmarshal(p.document(t), &got)); err != nil {
		t.Fatal(err)
	}
	for field, says := range map[string]string{"fileMaxSize": size, "chunkSize": size, "fileMaxAge": age} {
		want, _, _ := strings.Cut(strings.Trim(says, "`"), ":")
		if want == "the default" {
			want = string(defaults[field])
		}
		if string(got[field]) != want {
			t.Errorf("%s reports %s as %s, and the guide says %s", r.name, field, got[field], says)
		}
	}
}
