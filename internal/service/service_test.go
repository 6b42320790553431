//go:build unix

package service_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// installed returns the releases in order, and the folder of each. Without them it skips the test.
func installed(t *testing.T) (releases []string, folders map[string]string) {
	t.Helper()
	list := os.Getenv("SERVICE_TEST_RELEASES")
	if list == "" {
		t.Skip("needs the service's repository and Node.js: make testacc-service SERVICE=path")
	}
	content, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	folders = map[string]string{}
	for line := range strings.Lines(string(content)) {
		release, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		folders[release] = folder
	}
	return inOrder(slices.Collect(maps.Keys(folders))), folders
}

// TestReleases reads every release in every setting. It prints the table at the end, or what is wrong.
func TestReleases(t *testing.T) {
	t.Parallel()
	releases, folders := installed(t)
	known, capture := captured(t), os.Getenv("SERVICE_TEST_CAPTURE") != ""
	var lock sync.Mutex
	answered, wrong := documents{}, map[string]map[string][]string{} // the settings of each problem of a release
	t.Cleanup(func() {
		for i, release := range releases {
			for n, problem := range slices.Sorted(maps.Keys(wrong[release])) {
				in := slices.DeleteFunc(slices.Clone(settings), func(s string) bool { return !slices.Contains(wrong[release][problem], s) })
				if n == 0 {
					earlier, before := release, known[release][in[0]]
					if before == nil && i > 0 {
						earlier = releases[i-1]
						before = answered[earlier][in[0]]
					}
					t.Errorf("%s answers\n%s\nand %s answered\n%s", release, answered[release][in[0]], earlier, before)
				}
				t.Errorf("%s: %s (%s)", release, problem, strings.Join(in, ", "))
			}
		}
		if t.Failed() {
			return
		}
		fmt.Printf("\n%s\n", answered.table())
		if capture {
			answered.capture(t)
		}
	})
	for _, setting := range settings {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			services := map[string]*service{}
			for _, release := range releases {
				services[release] = start(t, folders[release], t.TempDir(), instancetest.ReserveAddress(t), strings.TrimPrefix(setting, "default"))
			}
			readings := read(t, services)
			lock.Lock()
			defer lock.Unlock()
			var before answer
			for _, release := range releases {
				s := services[release]
				document := s.document(t)
				want := known[release][setting]
				if capture {
					want = document
				} else if want == nil {
					t.Logf("%s is new. Not as in the release before: %q", release, changedFields(document, before.document))
				}
				if answered[release] == nil {
					answered[release], wrong[release] = map[string]json.RawMessage{}, map[string][]string{}
				}
				for _, problem := range problems(readings[release], s.url, document, want, before) {
					wrong[release][problem] = append(wrong[release][problem], setting)
				}
				before = answer{release, document}
				answered[release][setting] = document
			}
		})
	}
}

// The ways of reading.
const (
	single = "data.filetransfer_instance"
	fleet  = "data.filetransfer_instances"
	record = "filetransfer_instance_record"
)

// reading is what one way of reading an instance gives.
type reading struct {
	attributes map[string]any
	refusal    string   // why there are no attributes
	warnings   []string // their summaries, of the plan and of the apply
}

// resources are the values of resources and data sources by address, in a state.
type resources struct {
	Values struct {
		RootModule struct {
			Resources []struct {
				Address string
				Values  map[string]any
			}
		} `json:"root_module"`
	}
}

func (r resources) at(address string) map[string]any {
	for _, resource := range r.Values.RootModule.Resources {
		if resource.Address == address {
			return resource.Values
		}
	}
	return nil
}

// read reads services in every way, and returns what came of it by their keys and by the way.
func read(t *testing.T, services map[string]*service) map[string]map[string]*reading {
	t.Helper()
	urls, readings, refused := map[string]string{}, map[string]map[string]*reading{}, []string{}
	for key, s := range services {
		s.document(t) // so that it is ready
		urls[key], readings[key] = s.url, map[string]*reading{single: {}, fleet: {}, record: {}}
	}
	w := newWorkspace(t, "read.tf")
	do := func(command ...string) {
		w.set(map[string]any{"base_urls": urls, "refused": refused})
		diagnostics, _ := w.do(command[0], command[1:]...)
		for _, d := range diagnostics {
			for key, ways := range readings {
				for way, got := range ways {
					about := d.Address == fmt.Sprintf("%s.this[%q]", way, key)
					if way == fleet {
						about = d.Address == fleet+".all" && strings.Contains(d.Summary+d.Detail, fmt.Sprintf("%q", key))
					}
					switch {
					case about && d.Severity == "error":
						got.refusal = d.Detail
					case about && !strings.Contains(d.Summary, "could not be read"):
						got.warnings = append(got.warnings, d.Summary)
					}
				}
			}
		}
	}
	do("plan")
	for key, ways := range readings {
		if ways[single].refusal != "" {
			refused = append(refused, key)
		}
	}
	do("apply", "-auto-approve")

	var state resources
	w.show(&state)
	all := state.at(fleet + ".all")
	for key, ways := range readings {
		ways[single].attributes = state.at(fmt.Sprintf("%s.this[%q]", single, key))
		ways[record].attributes = state.at(fmt.Sprintf("%s.this[%q]", record, key))
		ways[fleet].attributes, _ = all["instances"].(map[string]any)[key].(map[string]any)
		ways[fleet].refusal, _ = all["errors"].(map[string]any)[key].(string)
	}
	return readings
}

// tooShort tells whether a warning is about options that may be in minutes.
func tooShort(summary string) bool { return strings.Contains(summary, "shorter than a minute") }

// answer is what a release answered.
type answer struct {
	release  string
	document []byte
}

// problems says what is wrong with a release. What it answered when it was captured is nil for a new one, which has to be
// read like the one before it.
func problems(ways map[string]*reading, url string, document, captured []byte, before answer) (found []string) {
	want := meaningOf(document)
	for _, way := range []string{single, fleet, record} {
		got := ways[way]
		add := func(format string, args ...any) { found = append(found, way+": "+fmt.Sprintf(format, args...)) }
		if len(want.faults) == 0 {
			attributes := maps.Clone(want.attributes)
			attributes["base_url"] = url
			if way == fleet {
				delete(attributes, "response_body")
			}
			if got.refusal != "" {
				add("refused: %s", got.refusal)
			} else if difference := compare(got.attributes, attributes); difference != "" {
				add("%s", difference)
			}
			if others := slices.DeleteFunc(slices.Clone(got.warnings), tooShort); len(others) > 0 {
				add("warns of %q, want nothing", slices.Compact(others))
			}
			if warned := slices.ContainsFunc(got.warnings, tooShort); warned != want.ambiguous {
				add("a warning about short options is %t, want %t", warned, want.ambiguous)
			}
		}
		for i, fault := range want.faults {
			if (way != fleet || i == 0) && !regexp.MustCompile(`\b`+regexp.QuoteMeta(fault)+`\b`).MatchString(got.refusal) {
				add("has to be refused for %s, and gives %v %s", fault, got.attributes, got.refusal)
			}
		}
	}
	if captured == nil {
		found = append(found, want.unlike(before.release, meaningOf(before.document))...)
	} else if !bytes.Equal(document, captured) {
		found = append(found, fmt.Sprintf("%q changed", changedFields(document, captured)))
	}
	return found
}

// TestChanged shows that a release that answers differently is noticed.
func TestChanged(t *testing.T) {
	t.Parallel()
	const tag = "2.2.3"
	_, folders := installed(t)
	tests := map[string]struct {
		edit, field string // sed's command
		read        bool
	}{
		"renamed":             {`s/^\t*requirePassword:/needsPassword:/`, "requirePassword", false},
		"extra":               {`s/^\t*requirePassword:/motto: 'less', &/`, "motto", true},
		"text for the age":    {`s/^\t*fileMaxAge,$/fileMaxAge: String(fileMaxAge),/`, "fileMaxAge", true},
		"text for a size":     {`s/^\t*chunkSize,$/chunkSize: String(chunkSize),/`, "chunkSize", false},
		"fraction for a size": {`s/^\t*chunkSize,$/chunkSize: chunkSize + 0.5,/`, "chunkSize", false},
	}
	services := map[string]*service{}
	for name, test := range tests {
		dir := t.TempDir()
		edit := command(dir, "sh", "-c", `cp -R "$1/." . && sed "$2" "$1/index.js" >index.js`, "sh", folders[tag], test.edit)
		if output, err := edit.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
		services[name] = start(t, dir, t.TempDir(), instancetest.ReserveAddress(t))
	}
	readings := read(t, services)
	before := captured(t)[tag]["default"]
	for name, test := range tests {
		s := services[name]
		document := s.document(t)
		asNew := strings.Join(problems(readings[name], s.url, document, nil, answer{tag, before}), "\n")
		if test.read != (asNew == "") || !test.read && !strings.Contains(asNew, test.field) {
			t.Errorf("%s: a new release has these problems: %s", name, asNew)
		}
		if asKnown := strings.Join(problems(readings[name], s.url, document, before, answer{}), "\n"); !strings.Contains(asKnown, test.field) {
			t.Errorf("%s: a known release has these problems: %s", name, asKnown)
		}
	}
}
