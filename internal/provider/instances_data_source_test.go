package provider_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"go.uber.org/goleak"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// good answers with a document, whatever the path.
var good = instancetest.Body(200, "application/json", instancetest.Newer().JSON())

// under returns base URLs under one origin, and their keys in order: key000, key001, ...
func under(origin string, count int) (baseURLs object, keys []string) {
	baseURLs = make(object)
	for i := range count {
		key := fmt.Sprintf("key%03d", i)
		keys = append(keys, key)
		baseURLs[key] = origin + "/" + key
	}
	return baseURLs, keys
}

// keysAsked returns the keys of under in the order in which their instances were asked.
func keysAsked(instance *instancetest.Server) []string {
	var keys []string
	for _, request := range instance.Requests() {
		keys = append(keys, strings.TrimSuffix(strings.TrimPrefix(request.Path, "/"), "/instance"))
	}
	return keys
}

// TestAccInstances reads two instances. TestAccInstance_Documents has every kind of value.
func TestAccInstances(t *testing.T) {
	t.Parallel()
	paris, lyon := instancetest.New(t).URL(), instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("chunkSize", 1))).URL()
	const address = "data.filetransfer_instances.all"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf(`
data "filetransfer_instances" "all" {
  base_urls       = { paris = %q, lyon = %q }
  request_headers = { X-Token = "a" }
}
`, paris, lyon),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(address, tfjsonpath.New("instances"), knownvalue.MapExact(map[string]knownvalue.Check{
					"paris": knownvalue.ObjectExact(acctest.NewerDetails(map[string]knownvalue.Check{
						"base_url": knownvalue.StringExact(paris),
					})),
					"lyon": knownvalue.ObjectExact(acctest.NewerDetails(map[string]knownvalue.Check{
						"base_url":   knownvalue.StringExact(lyon),
						"chunk_size": knownvalue.Int64Exact(1),
					})),
				})),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("errors"), knownvalue.MapSizeExact(0)),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("allow_failures"), knownvalue.Null()),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("max_concurrency"), knownvalue.Null()),
				statecheck.ExpectSensitiveValue(address, tfjsonpath.New("request_headers")),
			},
		}},
	})
}

// brokenFleet returns the base URLs of 10 instances, five of which fail for these reasons.
func brokenFleet(t *testing.T) (baseURLs object, reasons map[string]string) {
	t.Helper()
	serving := func(step instancetest.Step) string { return instancetest.New(t, instancetest.WithDefault(step)).URL() }
	baseURLs, _ = under(serving(good), 5)
	return baseURLs.with(object{
			"document": serving(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", nil).With("chunkSize", -1))),
			"failing":  serving(instancetest.Status(500)),
			"failing2": serving(instancetest.Status(500)),
			"refused":  "http://" + instancetest.ReserveAddress(t),
			"web":      serving(instancetest.Body(200, "text/html", "<title>Welcome</title>")),
		}), map[string]string{
			"document": "not an instance document: fileMaxSize",
			"failing":  "status 500 Internal Server Error",
			"failing2": "status 500 Internal Server Error",
			"refused":  "connection failed",
			"web":      "not JSON",
		}
}

// TestAccInstances_Failures gets an error for each instance that fails, or with allow_failures a reason in errors.
func TestAccInstances_Failures(t *testing.T) {
	t.Parallel()
	baseURLs, reasons := brokenFleet(t)
	variable := make(map[string]config.Variable)
	for key, baseURL := range baseURLs {
		variable[key] = config.StringVariable(baseURL.(string))
	}
	var texts []string
	errors := make(map[string]knownvalue.Check)
	for _, key := range slices.Sorted(maps.Keys(reasons)) { // in this order
		texts = append(texts, "Error: ", fmt.Sprintf(`: base_urls = var.base_urls Instance %q: GET %s/instance`, key, baseURLs[key]), "set allow_failures = true.")
		errors[key] = knownvalue.StringExact(reasons[key])
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.ProtoV6ProviderFactories,
		Steps: []resource.TestStep{
			{
				ConfigVariables: config.Variables{"base_urls": config.MapVariable(variable)},
				Config: acctest.ImpatientProvider + `
variable "base_urls" { type = map(string) }

data "filetransfer_instances" "all" {
  base_urls = var.base_urls
}
`,
				ExpectError: acctest.WrappedText(texts...),
			},
			{
				ConfigVariables: config.Variables{"base_urls": config.MapVariable(variable)},
				Config: acctest.ImpatientProvider + `
variable "base_urls" { type = map(string) }

data "filetransfer_instances" "all" {
  base_urls       = var.base_urls
  allow_failures  = true
  max_concurrency = 3
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.filetransfer_instances.all", tfjsonpath.New("errors"), knownvalue.MapExact(errors)),
					statecheck.ExpectKnownValue("data.filetransfer_instances.all", tfjsonpath.New("instances"), knownvalue.MapSizeExact(5)),
					statecheck.ExpectKnownValue("data.filetransfer_instances.all", tfjsonpath.New("max_concurrency"), knownvalue.Int64Exact(3)),
				},
			},
		},
	})
}

func TestFleetSharesOneRequestBetweenKeysOfOneInstance(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithOtherRoutes())
	baseURLs := object{
		"a": instance.URL(), "b": instance.URL() + "//", "c": strings.ToUpper(instance.URL()), "other": instance.URL() + "/other",
	}
	got := read(t, nil, instancesName, object{"base_urls": baseURLs, "allow_failures": true})
	assertEqual(t, "the number of requests", len(instance.Requests()), 2)
	instances := got.state["instances"].(object)
	assertEqual(t, "the keys read", slices.Sorted(maps.Keys(instances)), []string{"a", "b", "c"})
	for key, one := range instances {
		assertEqual(t, "base_url of "+key, one.(object)["base_url"], baseURLs[key])
	}
	assertEqual(t, "errors", got.state["errors"].(object), object{"other": "status 404 Not Found"})
}

func TestFleetWarnsOfAllowedFailures(t *testing.T) {
	t.Parallel()
	baseURLs, reasons := brokenFleet(t)
	got := read(t, shortRetries(2), instancesName, object{"base_urls": baseURLs, "allow_failures": true}).diagnostics
	details := []string{
		"5 of 10 could not be read. As allow_failures is true, they are in errors and not in instances:\n",
		"told to answer 500 (2 attempts)\n", "connection refused (2 attempts)\n", "found the number -1 (1 attempt)",
		"\n\nFor 2 of them: The instance, or a proxy in front of it, is failing: check its log.",
		"\n\nFor 3 of them: If this apply creates the instance",
		"\n\nFor 1 of them: Check the host and port in the base URL,",
		"\n\nFor 1 of them: Check that the base URL is the address of the instance's API",
	}
	for key := range reasons {
		details = append(details, fmt.Sprintf("\n  - %q: GET %s/instance: ", key, baseURLs[key]))
	}
	got.require(t, warningAt("", fmt.Sprintf("Instances could not be read: \"document\" (%s)", baseURLs["document"]), details...))
	for _, remedy := range []string{"check its log", "this apply creates", "host and port"} {
		assertEqual(t, "how often the warning has "+remedy, strings.Count(got.String(), remedy), 1)
	}
	assertNotContains(t, got.String(), "..")
}

func TestFleetWarningListsAtMost20Failures(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithOtherRoutes())
	shared := make(object)
	for i := range 21 {
		shared[fmt.Sprintf("key%03d", i)] = instance.URL() + "/shared"
	}
	under := func(count int) object {
		baseURLs, _ := under(instance.URL(), count)
		return baseURLs
	}
	tests := map[string]struct {
		baseURLs   object
		first      string
		lines      int
		begin, end string
	}{
		"20":                             {under(20), "/key000", 20, "20 of 20 could not be read.", "(1 attempt)\n\n"},
		"25":                             {under(25), "/key000", 20, "25 of 25 could not be read.", "\n  - and 5 more\n\n"},
		"21 of one URL":                  {shared, "/shared", 20, "21 of 21 could not be read.", "\n  - and 1 more\n\n"},
		"1, beside one that can be read": {under(1).with(object{"good": instance.URL()}), "/key000", 1, "1 of 2 could not be read.", "(1 attempt)\n\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, nil, instancesName, object{"base_urls": test.baseURLs, "allow_failures": true}).diagnostics
			got.require(t, warningAt("", fmt.Sprintf("Instances could not be read: \"key000\" (%s%s)", instance.URL(), test.first), test.begin, test.end))
			assertEqual(t, "the number of lines", strings.Count(got.String(), "\n  - \"key"), test.lines)
		})
	}
}

// Each instance redirects to a login page of its own.
func TestFleetSaysEachRemedyOnceWhateverTheRedirects(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithDefault(instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/instance") {
			http.Redirect(w, r, "/login"+r.URL.Path+"/", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<title>Sign in</title>")
	})))
	baseURLs, _ := under(instance.URL(), 100)
	warning := read(t, nil, instancesName, object{"base_urls": baseURLs, "allow_failures": true}).diagnostics.String()
	assertEqual(t, "the number of remedies", strings.Count(warning, "of them: "), 2)
	assertContains(t, warning, "For 100 of them: The base URL redirects, and what failed is where it leads", "For 100 of them: If that is a login page")
}

// A warning of one kind lists all keys, also where an instance fails.
func TestFleetWarnsOfDoubtfulOptionsOncePerKind(t *testing.T) {
	t.Parallel()
	doubtful := instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{
		instancetest.OlderEntry("half an hour?", 30), instancetest.NewerEntry("1 hour", 3600).With("value", 61),
	})
	a, b := instancetest.New(t, instancetest.WithDocument(doubtful)).URL(), instancetest.New(t, instancetest.WithDocument(doubtful)).URL()
	failing := instancetest.New(t, instancetest.WithDefault(instancetest.Status(404))).URL()
	const short = `
  - recommendedExpireTimes[0] ("half an hour?"): 30`
	const contradictory = `
  - recommendedExpireTimes[1] ("1 hour"): inSeconds is 3600`
	first := fmt.Sprintf("\"a\" (%s)", a)
	doubts := []diagnostic{
		warningAt("", "Expiry options shorter than a minute: "+first, "\n\"a\", \"a2\""+short, "\n\"b\""+short),
		warningAt("", "Expiry options contradict themselves: "+first, "\n\"a\", \"a2\""+contradictory, "\n\"b\""+contradictory),
		warningAt("", "Expiry options without inSeconds beside others with it: "+first, "\n\"a\", \"a2\""+short, "\n\"b\""+short),
	}
	t.Run("all were read", func(t *testing.T) {
		t.Parallel()
		got := read(t, nil, instancesName, object{"base_urls": object{"a": a, "a2": a + "/", "b": b}})
		got.diagnostics.require(t, doubts...)
	})
	t.Run("one failed", func(t *testing.T) {
		t.Parallel()
		got := read(t, nil, instancesName, object{"base_urls": object{"a": a, "a2": a + "/", "b": b, "c": failing}, "allow_failures": true})
		got.diagnostics.require(t, append([]diagnostic{
			warningAt("", fmt.Sprintf("Instances could not be read: \"c\" (%s)", failing), "1 of 4 could not be read", `"c": GET `),
		}, doubts...)...)
	})
}

func TestFleetReadsNoMoreAtOnceThanItsMaxConcurrency(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config object
		want   int
	}{
		"3":       {object{"max_concurrency": 3}, 3},
		"default": {nil, 32},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var running atomic.Int64
			all := make(chan struct{})
			release := sync.OnceFunc(func() { close(all) })
			instance := instancetest.New(t, instancetest.WithDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
				if running.Add(1) == int64(test.want) {
					release()
				}
				select { // no answer until as many are asked as may be
				case <-all:
				case <-r.Context().Done():
				}
				running.Add(-1)
				good(s, w, r)
			}))
			baseURLs, _ := under(instance.URL(), 50)
			read(t, nil, instancesName, object{"base_urls": baseURLs}.with(test.config)).requireSuccess(t)
			assertEqual(t, "requests at once", instance.PeakRequests(), test.want)
		})
	}
}

// With one place and delays of an hour, all instances are asked.
func TestFleetMemberThatWaitsForARetryHoldsNoPlace(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asked atomic.Int64
	instance := instancetest.New(t, instancetest.WithDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 5 {
			cancel()
		}
		instancetest.Status(503)(s, w, r)
	}))
	baseURLs, keys := under(instance.URL(), 5)
	p, _ := configure(ctx, t, object{"retry": object{"min_delay": "1h", "max_delay": "1h"}})
	got := p.read(ctx, t, instancesName, object{"base_urls": baseURLs, "max_concurrency": 1, "timeouts": object{"read": "3h"}})
	got.diagnostics.require(t, errorAt("", "Read canceled", "5 of 5 were not read yet."))
	assertEqual(t, "the keys", slices.Sorted(slices.Values(keysAsked(instance))), keys)
}

// TestFleetLeavesNoGoroutineBehind is not parallel to other tests: it would see their goroutines.
func TestFleetLeavesNoGoroutineBehind(t *testing.T) { //nolint:paralleltest // see above
	leaks := goleak.IgnoreCurrent()
	steps := map[string]instancetest.Step{"read": good, "not read in time": instancetest.Silent()}
	for name, step := range steps { //nolint:paralleltest // see above
		t.Run(name, func(t *testing.T) {
			baseURLs, _ := under(instancetest.New(t, instancetest.WithDefault(step)).URL(), 10)
			read(t, nil, instancesName, object{
				"base_urls": baseURLs, "max_concurrency": 2, "allow_failures": true, "timeouts": object{"read": "200ms"},
			})
		})
	}
	goleak.VerifyNone(t, leaks)
}

// One instance gets no answer, and keeps the one place.
func TestFleetMembersThatAreNotReadInTimeAreFailures(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithDefault(instancetest.Silent()))
	got := read(t, nil, instancesName, object{
		"base_urls":       object{"a": instance.URL() + "/a", "b": instance.URL() + "/b"},
		"max_concurrency": 1, "allow_failures": true, "timeouts": object{"read": "400ms"},
	})
	assertEqual(t, "errors", got.state["errors"].(object), object{"a": "no response in time", "b": "no response in time"})
	asked := keysAsked(instance)
	if len(asked) != 1 {
		t.Fatalf("asked were %q, want one", asked)
	}
	other := map[string]string{"a": "b", "b": "a"}[asked[0]]
	got.diagnostics.require(t, warningAt("", fmt.Sprintf("Instances could not be read: \"a\" (%s/a)", instance.URL()),
		fmt.Sprintf("%q: GET %s/%s/instance: connected, but no response in time (1 attempt)\n", asked[0], instance.URL(), asked[0]),
		fmt.Sprintf("%q: GET %s/%s/instance: no request was made before the time for the read ran out (0 attempts)\n", other, instance.URL(), other),
		`For 1 of them: Check that the instance is up and can be reached. If it is only slow, raise timeouts.read.`,
		`For 1 of them: Raise timeouts.read, or max_concurrency so that more instances are asked at once.`))
}

func TestFleetHeadersGoToEveryInstance(t *testing.T) {
	t.Parallel()
	a, b := instancetest.New(t), instancetest.New(t)
	read(t, object{"base_url": a.URL(), "request_headers": object{"X-Provider": "only a"}}, instancesName, object{
		"base_urls": object{"a": a.URL(), "b": b.URL()}, "request_headers": object{"x-token": "both"},
	}).requireSuccess(t)
	assertEqual(t, "X-Token for a", a.Requests()[0].Header.Get("X-Token"), "both")
	assertEqual(t, "X-Token for b", b.Requests()[0].Header.Get("X-Token"), "both")
	assertEqual(t, "X-Provider for a", a.Requests()[0].Header.Get("X-Provider"), "only a")
	assertEqual(t, "X-Provider for b", b.Requests()[0].Header.Get("X-Provider"), "")
}

func TestFleetArgumentsAreValidated(t *testing.T) {
	t.Parallel()
	one := object{"a": "https://files.example.org"}
	testValidation(t, instancesName, map[string]validation{
		"one instance": {config: object{"base_urls": one}},
		"everything": {config: object{
			"base_urls": one, "max_concurrency": 256, "allow_failures": true, "wait_until_ready": true, "timeouts": object{"read": "1h"},
			"request_headers": object{"X-Token": "a"},
		}},
		"everything unknown": {config: object{
			"base_urls": unknown{}, "max_concurrency": unknown{}, "allow_failures": unknown{}, "timeouts": unknown{},
			"request_headers": unknown{},
		}},
		"unknown URL": {config: object{"base_urls": object{"a": unknown{}}}},
		"no instance": {object{"base_urls": object{}}, []diagnostic{
			errorAt("base_urls", "Invalid base URL", "base_urls is empty. Name at least one instance."),
		}},
		"null URL": {object{"base_urls": object{"b": nil}}, []diagnostic{
			errorAt("base_urls", "Invalid base URL", `base_urls["b"] is null. Remove the key, or set it to a URL.`),
		}},
		"bad URL": {object{"base_urls": object{"a": "ftp://h"}}, []diagnostic{
			errorAt(`base_urls["a"]`, "Invalid base URL", `base_urls["a"] has a scheme other than http and https`),
		}},
		"max_concurrency 0": {object{"base_urls": one, "max_concurrency": 0}, []diagnostic{
			errorAt("max_concurrency", "Invalid number", "max_concurrency is 0.", "Write a whole number from 1 to 256."),
		}},
		"max_concurrency 257": {object{"base_urls": one, "max_concurrency": 257}, []diagnostic{
			errorAt("max_concurrency", "Invalid number", "max_concurrency is 257.", "Write a whole number from 1 to 256."),
		}},
		// All URLs may be on one line of the configuration, which Terraform prints for an error on any of them.
		"bad URL beside a secret": {object{"base_urls": object{"a": "https://me:hunter2@example.org", "b": "nope"}}, []diagnostic{
			errorAt("", "Invalid base URL", `base_urls["a"] has user info`),
			errorAt("", "Invalid base URL", `base_urls["b"] has no scheme.`),
		}},
		"null beside an encoded secret": {object{"base_urls": object{"a": "http://u%3Ahunter2%40example.org", "b": nil}}, []diagnostic{
			errorAt("", "Invalid base URL", `base_urls["a"] has an invalid percent-encoding`),
			errorAt("", "Invalid base URL", `base_urls["b"] is null`),
		}},
	})
}

// A base URL that is known only after apply is checked by the read.
func TestFleetWithABadURLIsNotRead(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t)
	got := read(t, nil, instancesName, object{
		"base_urls": object{"good": instance.URL(), "bad": "https://me:hunter2@example.org"}, "allow_failures": true,
	})
	got.diagnostics.require(t, errorAt("", "Invalid base URL", `base_urls["bad"] has user info`))
	assertNotContains(t, got.diagnostics.String(), "hunter2")
	assertEqual(t, "the number of requests", len(instance.Requests()), 0)
}

func TestErrorsAreInTheOrderOfTheKeys(t *testing.T) {
	t.Parallel()
	thirty := func(value any) object {
		elements, keys := under("", 30)
		for _, key := range keys {
			elements[key] = value
		}
		return elements
	}
	tests := map[string]object{
		"bad URLs":     {"base_urls": thirty("ftp://files.example.org")},
		"secret URLs":  {"base_urls": thirty("https://hunter2@files.example.org")},
		"null URLs":    {"base_urls": thirty(nil)},
		"null headers": {"base_urls": object{"a": "https://files.example.org"}, "request_headers": thirty(nil)},
		"bad headers":  {"base_urls": object{"a": "https://files.example.org"}, "request_headers": thirty("a\nb")},
	}
	for name, config := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := validate(t.Context(), t, instancesName, config)
			assertEqual(t, "the number of errors", len(got), 30)
			for i, one := range got {
				if !strings.Contains(one.Detail, fmt.Sprintf("[\"key%03d\"]", i)) {
					t.Fatalf("error %d is about another key:\n%s", i, got)
				}
			}
		})
	}
}
