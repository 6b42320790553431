package provider

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
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

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// good answers a good document, whatever the path.
var good = instancetest.Body(200, "application/json", instancetest.Newer().JSON())

// under returns base URLs under one origin, and their keys, which are in order.
func under(origin string, count int) (baseURLs args, keys []string) {
	baseURLs = make(args)
	for i := range count {
		key := fmt.Sprintf("key%03d", i)
		keys = append(keys, key)
		baseURLs[key] = origin + "/" + key
	}
	return baseURLs, keys
}

// keysAsked are the keys of under, in the order in which they were asked.
func keysAsked(instance *instancetest.Server) []string {
	var keys []string
	for _, request := range instance.Requests() {
		keys = append(keys, strings.TrimSuffix(strings.TrimPrefix(request.Path, "/"), "/instance"))
	}
	return keys
}

const baseURLsVariable = "variable \"base_urls\" { type = map(string) }\n"

// variableOf returns base URLs as the variable base_urls.
func variableOf(baseURLs args) config.Variables {
	values := make(map[string]config.Variable)
	for key, baseURL := range baseURLs {
		values[key] = config.StringVariable(baseURL.(string))
	}
	return config.Variables{"base_urls": config.MapVariable(values)}
}

func TestAccInstances_Documents(t *testing.T) {
	t.Parallel()
	baseURLs := everyDocument(t)
	instances, checks := tfjsonpath.New("instances"), []statecheck.StateCheck{}
	const all = "data.filetransfer_instances.all"
	for name, test := range documents {
		want := newer.with(test.want).with(args{"base_url": baseURLs[name]})
		delete(want, "response_body")
		for attribute, value := range want {
			checks = append(checks, statecheck.ExpectKnownValue(all, instances.AtMapKey(name).AtMapKey(attribute), exactly(value)))
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{{
			ConfigVariables: variableOf(baseURLs),
			Config: baseURLsVariable + `
data "filetransfer_instances" "all" {
  base_urls       = var.base_urls
  request_headers = { X-Token = "a" }
}
`,
			ConfigStateChecks: append(checks,
				statecheck.ExpectKnownValue(all, instances, knownvalue.MapSizeExact(len(documents))),
				statecheck.ExpectKnownValue(all, tfjsonpath.New("errors"), knownvalue.MapSizeExact(0)),
				statecheck.ExpectKnownValue(all, tfjsonpath.New("allow_failures"), knownvalue.Null()),
				statecheck.ExpectKnownValue(all, tfjsonpath.New("max_concurrency"), knownvalue.Null()),
				statecheck.ExpectSensitiveValue(all, tfjsonpath.New("request_headers"))),
		}},
	})
}

// TestAccInstances_Failures: without allow_failures, each is an error. With it, each is in errors, and all else in instances.
func TestAccInstances_Failures(t *testing.T) {
	t.Parallel()
	baseURLs, classes := brokenFleet(t)
	configuration := func(arguments string) string {
		return impatientBlock + baseURLsVariable + "data \"filetransfer_instances\" \"all\" {\nbase_urls = var.base_urls\n" + arguments + "\n}\n"
	}
	var says []string
	for _, key := range slices.Sorted(maps.Keys(classes)) { // in this order
		says = append(says, "Error: ", fmt.Sprintf(`: base_urls = var.base_urls Instance %q: GET %s/instance`, key, baseURLs[key]), "set allow_failures = true.")
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{
				ConfigVariables: variableOf(baseURLs),
				Config:          configuration(""),
				ExpectError:     words(says...),
			},
			{
				ConfigVariables: variableOf(baseURLs),
				Config:          configuration("allow_failures = true\nmax_concurrency = 3"),
				ConfigStateChecks: append(
					inState("data.filetransfer_instances.all", args{"errors": classes, "allow_failures": true, "max_concurrency": int64(3)}),
					statecheck.ExpectKnownValue("data.filetransfer_instances.all", tfjsonpath.New("instances"), knownvalue.MapSizeExact(5)),
				),
			},
		},
	})
}

func TestFleetSharesOneRequestBetweenKeysOfOneInstance(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithOtherRoutes())
	baseURLs := args{
		"a": instance.URL(), "b": instance.URL() + "//", "c": strings.ToUpper(instance.URL()), "d": instance.URL() + "/other",
	}
	got := read(t, nil, instancesName, args{"base_urls": baseURLs, "allow_failures": true})
	mustEqual(t, "the number of requests", len(instance.Requests()), 2)
	mustEqual(t, "the keys read", slices.Sorted(maps.Keys(got.instances())), []string{"a", "b", "c"})
	for key, one := range got.instances() {
		mustEqual(t, "base_url of "+key, one.(args)["base_url"], baseURLs[key])
	}
	mustEqual(t, "errors", got.errors(), args{"d": "status 404 Not Found"})
}

// brokenFleet is 10 instances of which five fail, two of them for one reason.
func brokenFleet(t *testing.T) (baseURLs, classes args) {
	t.Helper()
	start := func(step instancetest.Step) string { return instancetest.New(t, instancetest.WithDefault(step)).URL() }
	baseURLs, _ = under(start(good), 5)
	return baseURLs.with(args{
			"document": start(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", nil).With("chunkSize", -1))),
			"failing":  start(instancetest.Status(500)),
			"failing2": start(instancetest.Status(500)),
			"refused":  "http://" + instancetest.ReserveAddress(t),
			"web":      start(instancetest.Body(200, "text/html", "<title>Welcome</title>")),
		}), args{
			"document": "not an instance document: fileMaxSize",
			"failing":  "status 500 Internal Server Error",
			"failing2": "status 500 Internal Server Error",
			"refused":  "connection failed",
			"web":      "not JSON",
		}
}

func TestFleetWithAllowedFailures(t *testing.T) {
	t.Parallel()
	baseURLs, classes := brokenFleet(t)
	got := read(t, impatient(2), instancesName, args{"base_urls": baseURLs, "allow_failures": true})
	mustEqual(t, "errors", got.errors(), classes)
	mustEqual(t, "the number of instances", len(got.instances()), 5)
	says := []string{
		"5 of 10 could not be read. As allow_failures is true, they are in errors and not in instances:\n",
		"\n\nFor 2 of them: The instance, or a proxy in front of it, is failing: check its log.",
		"\n\nFor 3 of them: If this apply creates the instance",
		"\n\nFor 1 of them: Check the host and port in the base URL,",
		"\n\nFor 1 of them: Check that the base URL is the address of the instance's API",
		"told to answer 500 (2 attempts)\n", "connection refused (2 attempts)\n", "found the number -1 (1 attempt)",
	}
	for key := range classes {
		says = append(says, fmt.Sprintf("\n  - %q: GET %s/instance: ", key, baseURLs[key]))
	}
	got.told.must(t, warning(fmt.Sprintf("Instances could not be read: \"document\" (%s)", baseURLs["document"]), says...)...)
	for _, remedy := range []string{"check its log", "this apply creates", "host and port"} {
		mustEqual(t, "how often the warning says "+remedy, strings.Count(got.told.String(), remedy), 1)
	}
	mustNotSay(t, got.told.String(), "..")
}

func TestFleetWarningStaysShort(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithOtherRoutes())
	shared := make(args)
	for i := range maxListed + 1 {
		shared[fmt.Sprintf("key%03d", i)] = instance.URL() + "/shared"
	}
	own := func(count int) args {
		baseURLs, _ := under(instance.URL(), count)
		return baseURLs
	}
	tests := map[string]struct {
		baseURLs args
		begins   string
		more     string // "" for none
	}{
		"as many as are listed":         {own(maxListed), "20 of 20 could not be read.", ""},
		"more than are listed":          {own(maxListed + 5), "25 of 25 could not be read.", "\n  - and 5 more\n"},
		"one URL, one more than listed": {shared, "21 of 21 could not be read.", "\n  - and 1 more\n"},
		"beside one that is read":       {own(1).with(args{"good": instance.URL()}), "1 of 2 could not be read.", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := read(t, nil, instancesName, args{"base_urls": test.baseURLs, "allow_failures": true})
			first := slices.Min(slices.Collect(maps.Keys(got.errors())))
			got.told.must(t, warning(fmt.Sprintf("Instances could not be read: %q (%s)", first, test.baseURLs[first]), test.begins, test.more)...)
			detail := got.told[0].Detail
			mustEqual(t, "whether something is left out", strings.Contains(detail, " more"), test.more != "")
			mustEqual(t, "the number of lines", strings.Count(detail, "\n  - \"key"), min(len(got.errors()), maxListed))
		})
	}
}

// Each path leads to a login page of its own.
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
	told := read(t, nil, instancesName, args{"base_urls": baseURLs, "allow_failures": true}).told.String()
	mustEqual(t, "the number of remedies", strings.Count(told, "of them: "), 2)
	mustSay(t, told, "For 100 of them: The base URL redirects, and what failed is where it leads", "For 100 of them: If that is a login page")
}

func TestFleetWarnsOncePerKindListingKeys(t *testing.T) {
	t.Parallel()
	doubtful := instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{
		instancetest.OlderEntry("half an hour?", 30), instancetest.NewerEntry("1 hour", 3600).With("value", 61),
	})
	a, b := instancetest.New(t, instancetest.WithDocument(doubtful)), instancetest.New(t, instancetest.WithDocument(doubtful))
	broken := instancetest.New(t, instancetest.WithDefault(instancetest.Status(404)))
	got := read(t, nil, instancesName, args{
		"base_urls": args{"a": a.URL(), "a2": a.URL() + "/", "b": b.URL(), "c": broken.URL()}, "allow_failures": true,
	})
	const short = `
  - recommendedExpireTimes[0] ("half an hour?"): 30`
	const contradictory = `
  - recommendedExpireTimes[1] ("1 hour"): inSeconds is 3600`
	first := fmt.Sprintf("\"a\" (%s)", a.URL())
	got.told.must(t, slices.Concat(
		warning(fmt.Sprintf("Instances could not be read: \"c\" (%s)", broken.URL()), "1 of 4 could not be read", `"c": GET `),
		warning("Expiry options shorter than a minute: "+first, "\n\"a\", \"a2\""+short, "\n\"b\""+short),
		warning("Expiry options contradict themselves: "+first, "\n\"a\", \"a2\""+contradictory, "\n\"b\""+contradictory),
		warning("Expiry options without inSeconds beside others with it: "+first, "\n\"a\", \"a2\""+short, "\n\"b\""+short),
	)...)
}

func TestFleetReadsNoMoreAtOnceThanItsMaxConcurrency(t *testing.T) {
	t.Parallel()
	for places, arguments := range map[int]args{3: {"max_concurrency": 3}, 32: nil} {
		t.Run(strconv.Itoa(places), func(t *testing.T) {
			t.Parallel()
			var running atomic.Int64
			all := make(chan struct{})
			release := sync.OnceFunc(func() { close(all) })
			instance := instancetest.New(t, instancetest.WithDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
				if running.Add(1) == int64(places) {
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
			read(t, nil, instancesName, args{"base_urls": baseURLs}.with(arguments)).must(t)
			mustEqual(t, "requests at once", instance.PeakRequests(), places)
		})
	}
}

// TestFleetMemberThatWaitsForARetryHoldsNoPlace: with one place and delays of an hour, all others are asked.
func TestFleetMemberThatWaitsForARetryHoldsNoPlace(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const members = 5
	var asked atomic.Int64
	instance := instancetest.New(t, instancetest.WithDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == members {
			cancel()
		}
		instancetest.Status(503)(s, w, r)
	}))
	baseURLs, keys := under(instance.URL(), members)
	server, _ := configure(ctx, t, args{"retry": args{"min_delay": "1h", "max_delay": "1h"}})
	server.read(ctx, t, instancesName, args{
		"base_urls": baseURLs, "max_concurrency": 1, "timeouts": args{"read": "3h"},
	}).told.must(t, expected{summary: "Read canceled", says: []string{"5 of 5 were not read yet."}})
	mustEqual(t, "the keys", slices.Sorted(slices.Values(keysAsked(instance))), keys)
}

// TestFleetLeavesNoGoroutineBehind is not parallel to other tests: it would see their goroutines.
func TestFleetLeavesNoGoroutineBehind(t *testing.T) { //nolint:paralleltest // see above
	leaks := goleak.IgnoreCurrent()
	steps := map[string]instancetest.Step{"read": good, "not read in time": instancetest.Silent()}
	for name, step := range steps { //nolint:paralleltest // see above
		t.Run(name, func(t *testing.T) {
			baseURLs, _ := under(instancetest.New(t, instancetest.WithDefault(step)).URL(), 10)
			read(t, nil, instancesName, args{
				"base_urls": baseURLs, "max_concurrency": 2, "allow_failures": true, "timeouts": args{"read": "200ms"},
			})
		})
	}
	goleak.VerifyNone(t, leaks)
}

func TestFleetMembersThatAreNotReadInTimeAreFailures(t *testing.T) {
	t.Parallel()
	// One gets no answer, and keeps the one place.
	instance := instancetest.New(t, instancetest.WithDefault(instancetest.Silent()))
	got := read(t, nil, instancesName, args{
		"base_urls":       args{"a": instance.URL() + "/a", "b": instance.URL() + "/b"},
		"max_concurrency": 1, "allow_failures": true, "timeouts": args{"read": "400ms"},
	})
	mustEqual(t, "errors", got.errors(), args{"a": "no response in time", "b": "no response in time"})
	asked, other := "a", "b"
	if keys := keysAsked(instance); len(keys) == 1 && keys[0] == other {
		asked, other = other, asked
	}
	mustEqual(t, "the keys", keysAsked(instance), []string{asked})
	got.told.must(t, warning(fmt.Sprintf("Instances could not be read: \"a\" (%s/a)", instance.URL()),
		fmt.Sprintf("%q: GET %s/%s/instance: connected, but no response in time (1 attempt)\n", asked, instance.URL(), asked),
		fmt.Sprintf("%q: GET %s/%s/instance: no request was made before the time for the read ran out (0 attempts)\n", other, instance.URL(), other),
		`For 1 of them: Check that the instance is up and can be reached. If it is only slow, raise timeouts.read.`,
		`For 1 of them: Raise timeouts.read, or max_concurrency so that more instances are asked at once.`)...)
}

func TestFleetHeadersGoToEveryInstance(t *testing.T) {
	t.Parallel()
	a, b := instancetest.New(t), instancetest.New(t)
	read(t, args{"base_url": a.URL(), "request_headers": args{"X-Provider": "only a"}}, instancesName, args{
		"base_urls": args{"a": a.URL(), "b": b.URL()}, "request_headers": args{"x-token": "both"},
	}).must(t)
	for want, instance := range map[string]*instancetest.Server{"only a": a, "": b} {
		mustEqual(t, "X-Provider", instance.Requests()[0].Header.Get("X-Provider"), want)
		mustEqual(t, "X-Token", instance.Requests()[0].Header.Get("X-Token"), "both")
	}
}

func TestFleetArgumentsAreValidated(t *testing.T) {
	t.Parallel()
	one := args{"base_urls": args{"a": "https://files.example.org"}}
	const badURL = "Invalid base URL"
	urls := func(baseURLs args, want ...expected) validation { return validation{args{"base_urls": baseURLs}, want} }
	concurrency := func(number any, found string) validation {
		return validation{one.with(args{"max_concurrency": number}), fault("max_concurrency", "Invalid number",
			"max_concurrency is "+found+".", "Write a whole number from 1 to 256.")}
	}
	tests := map[string]validation{
		"one instance": {one, nil},
		"everything": {one.with(args{
			"max_concurrency": 256, "allow_failures": true, "wait_until_ready": true, "timeouts": args{"read": "1h"},
			"request_headers": args{"X-Token": "a"},
		}), nil},
		"unknown": {args{
			"base_urls": unknown{}, "max_concurrency": unknown{}, "allow_failures": unknown{}, "timeouts": unknown{},
			"request_headers": unknown{},
		}, nil},
		"unknown URL": urls(args{"a": unknown{}}),
		"no instance": urls(args{}, fault("base_urls", badURL, "base_urls is empty. Name at least one instance.")...),
		"null URL": urls(args{"b": nil},
			fault("base_urls", badURL, `base_urls["b"] is null. Remove the key, or set it to a URL.`)...),
		"bad URL": urls(args{"a": "ftp://h"},
			fault(`base_urls["a"]`, badURL, `base_urls["a"] has a scheme other than http and https`)...),
		"no concurrency":   concurrency(0, "0"),
		"too much at once": concurrency(257, "257"),
		// All URLs may be on one line of the configuration, which Terraform prints for an error on any of them.
		"bad URL beside a secret": urls(args{"a": "https://me:hunter2@example.org", "b": "nope"}, append(
			fault("", badURL, `base_urls["a"] has user info`), fault("", badURL, `base_urls["b"] has no scheme`)...)...),
		"null beside an encoded secret": urls(args{"a": "http://u%3Ahunter2%40example.org", "b": nil}, append(
			fault("", badURL, `base_urls["a"] has an invalid percent-encoding`), fault("", badURL, `base_urls["b"] is null`)...)...),
	}
	runValidations(t, instancesName, tests)
}

// A base URL that is known only after apply is checked by the read.
func TestFleetWithABadURLIsNotRead(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t)
	got := read(t, nil, instancesName, args{
		"base_urls": args{"good": instance.URL(), "bad": "https://me:hunter2@example.org"}, "allow_failures": true,
	})
	got.told.must(t, fault("", "Invalid base URL", `base_urls["bad"] has user info`)...)
	mustNotSay(t, got.told.String(), "hunter2")
	mustEqual(t, "the number of requests", len(instance.Requests()), 0)
}

// TestFaultsAreToldInTheOrderOfTheKeys: the same order every time.
func TestFaultsAreToldInTheOrderOfTheKeys(t *testing.T) {
	t.Parallel()
	all := func(value any) args {
		elements, keys := under("", 30)
		for _, key := range keys {
			elements[key] = value
		}
		return elements
	}
	tests := map[string]args{
		"bad URLs":     {"base_urls": all("ftp://files.example.org")},
		"secret URLs":  {"base_urls": all("https://hunter2@files.example.org")},
		"null URLs":    {"base_urls": all(nil)},
		"null headers": {"base_urls": args{"a": "https://files.example.org"}, "request_headers": all(nil)},
		"bad headers":  {"base_urls": args{"a": "https://files.example.org"}, "request_headers": all("a\nb")},
	}
	for name, arguments := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := validate(t.Context(), t, instancesName, arguments)
			mustEqual(t, "the number of errors", len(told), 30)
			for i, one := range told {
				if !strings.Contains(one.Detail, fmt.Sprintf("[\"key%03d\"]", i)) {
					t.Fatalf("error %d is about another key:\n%s", i, told)
				}
			}
		})
	}
}
