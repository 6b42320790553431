//go:build unix

package service_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestService(t *testing.T) {
	t.Parallel()
	repository := os.Getenv("FILETRANSFER_TEST_SERVICE")
	if repository == "" {
		t.Skip("needs the service's repository and Node.js: make testacc-service SERVICE=path")
	}
	releases := installReleases(t, fromRoot(repository))
	c := newCLI(t)
	version, _, _ := run(t, work, c.env, c.path, "version")
	fmt.Println(version)

	t.Run("releases", func(t *testing.T) { testReleases(t, c, releases) })
	t.Run("upgrades", func(t *testing.T) { testUpgrades(t, c, releases) })
	t.Run("changed", func(t *testing.T) { testChanged(t, c, releases) })
}

// testReleases reads every release in every setting, and prints the table.
func testReleases(t *testing.T, c cli, releases []release) {
	t.Parallel()
	known, capture := captured(t), os.Getenv("FILETRANSFER_TEST_SERVICE_CAPTURE") != ""
	var lock sync.Mutex
	answered := documents{}
	for _, release := range releases {
		answered[release.name] = map[string]json.RawMessage{}
	}
	t.Run("with", func(t *testing.T) {
		for _, setting := range settings {
			t.Run(setting, func(t *testing.T) {
				t.Parallel()
				services := map[string]*service{}
				for _, release := range releases {
					services[release.name] = startService(t, release.dir, freePort(t), setting)
				}
				ways := c.read(t, services)
				var before []byte
				for _, release := range releases {
					name := release.name
					document := services[name].document(t)
					want, ok := known[name][setting]
					if capture {
						want = document
					} else if !ok {
						t.Logf("%s is new. Not as in the release before: %q", name, changedFields(document, before))
					}
					for _, problem := range problems(ways[name], services[name].url, document, want, before) {
						t.Errorf("%s: %s", name, problem)
					}
					before = document
					lock.Lock()
					answered[name][setting] = document
					lock.Unlock()
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	fmt.Printf("\n%s\n", answered.table())
	if capture {
		if err := answered.capture(); err != nil {
			t.Fatal(err)
		}
	}
}

// problems says what is wrong with a release. What it answered when it was captured is nil for a new one, which has to be
// read like the one before.
func problems(ways map[string]*reading, url string, document, captured, before []byte) []string {
	found := differences(ways, url, document)
	if captured != nil {
		if !bytes.Equal(document, captured) {
			found = append(found, fmt.Sprintf("%q not as captured: it answers\n%s\nand answered\n%s",
				changedFields(document, captured), document, captured))
		}
		return found
	}
	known := meaningOf(before).faults
	for _, fault := range meaningOf(document).faults {
		if !slices.Contains(known, fault) {
			found = append(found, fmt.Sprintf("%s is missing or of the wrong type, and was not in the release before", fault))
		}
	}
	return found
}

// reading is what one way of reading an instance gives.
type reading struct {
	attributes map[string]any
	refusal    string // why there are no attributes
	warned     bool
}

const readEveryWay = `
variable "base_urls" {
  type = map(string)
}

variable "refused" {
  type = set(string)
}

data "filetransfer_instance" "this" {
  for_each = { for name, base_url in var.base_urls : name => base_url if !contains(var.refused, name) }
  base_url = each.value
}

data "filetransfer_instances" "all" {
  base_urls      = var.base_urls
  allow_failures = true
}

resource "filetransfer_instance_record" "this" {
  for_each = var.base_urls
  base_url = each.value
  timeouts = {
    create = contains(var.refused, each.key) ? "2s" : "1m"
  }
}
`

// The ways of reading. The first part of an address is one too.
const (
	single = "data.filetransfer_instance"
	fleet  = "data.filetransfer_instances"
	record = "filetransfer_instance_record"
)

var addressOfOne = regexp.MustCompile(`^(.*)\.this\["(.*)"\]$`)

// read reads instances in every way, and returns what came of it by their names and by the way.
func (c cli) read(t *testing.T, services map[string]*service) map[string]map[string]*reading {
	t.Helper()
	urls, all := map[string]string{}, map[string]map[string]*reading{}
	for name, service := range services {
		service.document(t) // so that it is ready
		urls[name], all[name] = service.url, map[string]*reading{single: {}, fleet: {}, record: {}}
	}
	f := c.folder(t, readEveryWay)
	note := func(diagnostics []diagnostic) {
		for _, d := range diagnostics {
			short := d.Severity == "warning" && d.Summary == "Expiry options shorter than a minute"
			match := addressOfOne.FindStringSubmatch(d.Address)
			switch {
			case match != nil && d.Severity == "error":
				all[match[2]][match[1]].refusal = d.Summary + ": " + d.Detail
			case match != nil && short:
				all[match[2]][match[1]].warned = true
			case short:
				for name, ways := range all {
					ways[fleet].warned = strings.Contains(d.Detail, strconv.Quote(name))
				}
			case d.Address != fleet+".all":
				t.Errorf("unexpected: %+v", d)
			}
		}
	}

	// An error of the data source ends a plan, so that the instances it refuses are found first.
	f.set(map[string]any{"base_urls": urls, "refused": []string{}})
	diagnostics, _ := f.do("plan")
	note(diagnostics)
	refused := []string{}
	for name, ways := range all {
		if ways[single].refusal != "" {
			refused = append(refused, name)
		}
	}
	f.set(map[string]any{"base_urls": urls, "refused": refused})
	diagnostics, _ = f.do("apply", "-auto-approve")
	note(diagnostics)

	var state resources
	f.show(&state)
	for address, values := range state {
		if match := addressOfOne.FindStringSubmatch(address); match != nil {
			all[match[2]][match[1]].attributes = values
		}
	}
	for name, values := range state[fleet+".all"]["instances"].(map[string]any) {
		all[name][fleet].attributes = values.(map[string]any)
	}
	for name, text := range state[fleet+".all"]["errors"].(map[string]any) {
		all[name][fleet].refusal = text.(string)
	}
	return all
}

// differences compares what was read with what the document says.
func differences(ways map[string]*reading, url string, document []byte) (differences []string) {
	want := meaningOf(document)
	for _, way := range []string{single, fleet, record} {
		got := ways[way]
		differ := func(format string, args ...any) {
			differences = append(differences, way+": "+fmt.Sprintf(format, args...))
		}
		if got.warned != want.ambiguous && len(want.faults) == 0 {
			differ("a warning is %t, want %t", got.warned, want.ambiguous)
		}
		switch {
		case len(want.faults) == 0 && got.refusal != "":
			differ("refused: %s", got.refusal)
		case len(want.faults) == 0:
			attributes := maps.Clone(want.attributes)
			attributes["base_url"] = url
			if way == fleet {
				delete(attributes, "response_body")
			}
			for _, difference := range compare(got.attributes, attributes) {
				differ("%s", difference)
			}
		case way == fleet: // whose texts name the first fault
			if _, fault, _ := strings.Cut(got.refusal, ": "); !slices.Contains(want.faults, fault) {
				differ("has to be refused for %s, and gives %q %v", want.faults, got.refusal, got.attributes)
			}
		default:
			for _, fault := range want.faults {
				if !strings.Contains(got.refusal, fault+": ") {
					differ("has to be refused for %s, and gives %q %v", fault, got.refusal, got.attributes)
				}
			}
		}
	}
	return differences
}

// compare compares attributes, but for the arguments that are in the state beside them.
func compare(got, want map[string]any) (differences []string) {
	for _, attribute := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[attribute]; !ok && !slices.Contains([]string{"request_headers", "timeouts", "wait_until_ready"}, attribute) {
			differences = append(differences, attribute+" is not known to this test")
		}
	}
	for _, attribute := range slices.Sorted(maps.Keys(want)) {
		if !reflect.DeepEqual(got[attribute], want[attribute]) {
			differences = append(differences, fmt.Sprintf("%s is %v, want %v", attribute, got[attribute], want[attribute]))
		}
	}
	return differences
}

const followed = `
variable "base_url" {
  type = string
}

variable "up" {
  type = bool
}

data "filetransfer_instance" "this" {
  count    = var.up ? 1 : 0
  base_url = var.base_url
}

resource "filetransfer_instance_record" "this" {
  base_url = var.base_url
  timeouts = {
    read = "3s"
  }
}

resource "terraform_data" "consumer" {
  input = filetransfer_instance_record.this.response_body
}

resource "terraform_data" "other" {
  input = var.base_url
}
`

// change is what happened to a resource, or is planned for it.
type change struct {
	Address string
	Change  struct {
		Actions       []string
		Before, After map[string]any
	}
}

// testUpgrades replaces each release by the next on one port, with outages in between.
func testUpgrades(t *testing.T, c cli, releases []release) {
	t.Parallel()
	f, port := c.folder(t, followed), freePort(t)
	var recorded map[string]any
	for _, release := range releases {
		s := startService(t, release.dir, port, "default")
		now := meaningOf(s.document(t))
		now.attributes["base_url"] = s.url
		f.set(map[string]any{"base_url": s.url, "up": true})
		diagnostics, ok := f.do("plan", "-out=made.tfplan")
		if len(now.faults) > 0 {
			if ok || len(diagnostics) != 1 || !strings.Contains(diagnostics[0].Detail, now.faults[0]) {
				t.Errorf("%s: the plan does not fail for %q: %+v", release.name, now.faults, diagnostics)
			}
			s.end(syscall.SIGTERM)
			continue
		}
		var plan struct {
			Drift   []change  `json:"resource_drift"`
			Changes []change  `json:"resource_changes"`
			Before  resources `json:"prior_state"`
		}
		f.show(&plan, "made.tfplan")
		for _, difference := range compare(plan.Before[single+".this[0]"], now.attributes) {
			t.Errorf("%s: %s", release.name, difference)
		}
		plan.Changes = slices.DeleteFunc(plan.Changes, func(c change) bool { return c.Change.Actions[0] == "no-op" })
		if recorded != nil {
			if len(plan.Drift) != 1 || plan.Drift[0].Address != record+".this" {
				t.Fatalf("%s: want the record alone to have changed: %+v", release.name, plan.Drift)
			}
			for _, difference := range slices.Concat(compare(plan.Drift[0].Change.Before, recorded), compare(plan.Drift[0].Change.After, now.attributes)) {
				t.Errorf("%s: %s", release.name, difference)
			}
			if len(plan.Changes) != 1 || plan.Changes[0].Address != "terraform_data.consumer" || plan.Changes[0].Change.Actions[0] != "update" {
				t.Errorf("%s: want an update of the consumer alone: %+v", release.name, plan.Changes)
			}
		}
		if diagnostics, ok := f.do("apply", "made.tfplan"); !ok {
			t.Fatalf("%s: %+v", release.name, diagnostics)
		}
		recorded = now.attributes

		f.set(map[string]any{"base_url": s.url, "up": false})
		same := func(what string, outage bool, command string, args ...string) {
			t.Helper()
			diagnostics, ok := f.do(command, args...)
			warnings := 0
			for _, d := range diagnostics {
				if strings.Contains(d.Summary, s.url) == outage {
					warnings++
				}
			}
			want := 0
			if outage || now.ambiguous {
				want = 1
			}
			if !ok || warnings != want || len(diagnostics) != want {
				t.Errorf("%s, %s: want no change and %d warnings: succeeded %t, %+v", release.name, what, want, ok, diagnostics)
			}
		}
		s.signal(syscall.SIGSTOP)
		same("frozen", true, "plan", "-detailed-exitcode")
		s.signal(syscall.SIGCONT)
		s.document(t)
		same("continued", false, "plan", "-detailed-exitcode")
		s.end(syscall.SIGKILL)
		same("killed", true, "plan", "-detailed-exitcode")
		s = startService(t, release.dir, port, "default")
		s.document(t)
		same("restarted", false, "plan", "-detailed-exitcode")
		s.end(syscall.SIGTERM)
		same("stopped", true, "apply", "-auto-approve")
		var state resources
		f.show(&state)
		for _, difference := range compare(state[record+".this"], recorded) {
			t.Errorf("%s, after an outage: %s", release.name, difference)
		}
	}
	if recorded == nil {
		t.Error("no release was recorded")
	}
}

// testChanged shows that a release that answers differently is noticed.
func testChanged(t *testing.T, c cli, releases []release) {
	t.Parallel()
	const tag = "2.2.3"
	i := slices.IndexFunc(releases, func(r release) bool { return r.name == tag })
	if i < 0 {
		t.Fatalf("the repository has no tag %s", tag)
	}
	tests := map[string]struct {
		line, changed string
		field         string
		refused       bool
	}{
		"renamed":             {`requirePassword:`, `needsPassword:`, "requirePassword", true},
		"extra":               {`requirePassword:`, `motto: 'less', requirePassword:`, "motto", false},
		"text for a size":     {`(?m)^\s*chunkSize,$`, `chunkSize: String(chunkSize),`, "chunkSize", true},
		"text for the age":    {`(?m)^\s*fileMaxAge,$`, `fileMaxAge: String(fileMaxAge),`, "fileMaxAge", false},
		"fraction for a size": {`(?m)^\s*chunkSize,$`, `chunkSize: chunkSize + 0.5,`, "chunkSize", true},
	}
	services := map[string]*service{}
	for name, test := range tests {
		services[name] = startService(t, copyOf(t, releases[i], test.line, test.changed), freePort(t), "default")
	}
	ways := c.read(t, services)
	before := captured(t)[tag]["default"]
	for name, test := range tests {
		document, url := services[name].document(t), services[name].url
		asNew := strings.Join(problems(ways[name], url, document, nil, before), "\n")
		if test.refused != strings.Contains(asNew, test.field) || !test.refused && asNew != "" {
			t.Errorf("%s: a new release has these problems: %s", name, asNew)
		}
		if asKnown := strings.Join(problems(ways[name], url, document, before, nil), "\n"); !strings.Contains(asKnown, test.field) {
			t.Errorf("%s: a known release has these problems: %s", name, asKnown)
		}
		t.Logf("%s: %s", name, asNew)
	}
}

// copyOf returns a copy of a release in which one line is different.
func copyOf(t *testing.T, release release, line, changed string) string {
	t.Helper()
	dir := t.TempDir()
	entries, err := os.ReadDir(release.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if err := os.Symlink(filepath.Join(release.dir, entry.Name()), filepath.Join(dir, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	index := filepath.Join(dir, "index.js")
	code, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(line)
	if n := len(pattern.FindAll(code, -1)); n != 1 {
		t.Fatalf("%s matches %d times, want once", line, n)
	}
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	write(t, index, string(pattern.ReplaceAll(code, []byte(changed))))
	return dir
}
