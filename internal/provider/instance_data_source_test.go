package provider

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// documentedTimes are the expiry options of the documents of instancetest.
var documentedTimes = []any{
	expireTime("30 minutes", 1800), expireTime("1 hour", 3600), expireTime("6 hours", 21600), expireTime("12 hours", 43200),
	expireTime("1 day", 86400), expireTime("1 week", 604800), expireTime("2 weeks", 1209600), expireTime("1 month", 2592000),
}

func expireTime(label string, seconds int64) args {
	return args{"label": label, "in_seconds": seconds, "in_minutes": seconds / 60}
}

// newer is what is read of instancetest.Newer().
var newer = args{
	"file_max_size": int64(64424509440), "chunk_size": int64(20000000), "require_password": true,
	"api_version": "2.1.5", "api_version_major": int64(2), "api_version_minor": int64(1), "api_version_patch": int64(5),
	"file_max_age": int64(2592000), "max_transfers_in_merge": int64(50), "recommended_expire_times": documentedTimes,
}

func versionArgs(text string, major, minor, patch int64) args {
	return args{"api_version": text, "api_version_major": major, "api_version_minor": minor, "api_version_patch": patch}
}

// documents are documents whose values are of every kind, and what is read of each that differs from newer. The parser's
// tests have every form of a document.
var documents = func() map[string]struct {
	document string
	want     args
} {
	newer, older := instancetest.Newer(), instancetest.Older()
	times := func(entries ...instancetest.Document) instancetest.Document {
		return newer.With("recommendedExpireTimes", append([]instancetest.Document{}, entries...))
	}
	return map[string]struct {
		document string
		want     args
	}{
		"newer": {newer.JSON(), nil},
		"older": {older.JSON(), versionArgs("1.3.2", 1, 3, 2).with(args{
			"file_max_size": int64(21474836480), "chunk_size": int64(10000000), "require_password": false,
			"max_transfers_in_merge": int64(10),
		})},
		"mixed":       {instancetest.Mixed().JSON(), versionArgs("1.5.0", 1, 5, 0).with(args{"max_transfers_in_merge": int64(10)})},
		"pre-release": {newer.With("apiVersion", "2.1.5-rc.1+build").JSON(), args{"api_version": "2.1.5-rc.1+build"}},
		"largest": {
			newer.With("fileMaxSize", instancetest.Raw("9223372036854775807")).JSON(), args{"file_max_size": int64(9223372036854775807)},
		},
		"zeros": {
			newer.With("fileMaxSize", 0).With("chunkSize", 0).With("fileMaxAge", "0").With("maxTransfersInMerge", 0).JSON(),
			args{"file_max_size": int64(0), "chunk_size": int64(0), "file_max_age": int64(0), "max_transfers_in_merge": int64(0)},
		},
		"no options": {times().JSON(), args{"recommended_expire_times": []any{}}},
		"labels and order as delivered": {
			times(instancetest.NewerEntry("1 año", 31536000), instancetest.NewerEntry(`"∞" 分`, 15770000000),
				instancetest.NewerEntry("90 s", 90), instancetest.NewerEntry("", 0)).JSON(),
			args{"recommended_expire_times": []any{
				expireTime("1 año", 31536000), expireTime(`"∞" 分`, 15770000000), expireTime("90 s", 90), expireTime("", 0),
			}},
		},
		"unknown fields": {
			newer.With("newField", instancetest.Document{}.With("deep", []int{1})).With("FileMaxSize", "not ours").JSON(), nil,
		},
		"byte order mark": {"\ufeff" + newer.JSON(), args{"response_body": newer.JSON()}},
	}
}()

// everyDocument starts an instance for each of documents, and returns their base URLs.
func everyDocument(t *testing.T) args {
	t.Helper()
	baseURLs := make(args)
	for name, test := range documents {
		baseURLs[name] = instancetest.New(t, instancetest.WithDocument(test.document)).URL()
	}
	return baseURLs
}

func TestAccInstance_Documents(t *testing.T) {
	t.Parallel()
	configuration, checks := "", []statecheck.StateCheck{}
	for name, baseURL := range everyDocument(t) {
		test, label := documents[name], strings.ReplaceAll(name, " ", "_")
		configuration += data(label, baseURL.(string))
		checks = append(checks, inState("data.filetransfer_instance."+label, newer.with(args{
			"base_url": baseURL, "response_body": test.document, "request_headers": nil, "wait_until_ready": nil, "timeouts": nil,
		}).with(test.want))...)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps:                    []resource.TestStep{{Config: configuration, ConfigStateChecks: checks}},
	})
}

// TestAccInstance_Arguments: they are in the state as they were written, and headers are sensitive.
func TestAccInstance_Arguments(t *testing.T) {
	t.Parallel()
	instance := instancetest.New(t, instancetest.WithRequiredHeader("X-Token", "a"))
	spelling := "HTTP" + strings.TrimPrefix(instance.URL(), "http") + "//"
	const all, provided = "data.filetransfer_instance.all", "data.filetransfer_instance.provided"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{{
			Config: providerWith(fmt.Sprintf("base_url = %q", spelling), `request_headers = { X-Token = "a" }`) +
				data("all", instance.URL(), `request_headers = { x-token = "a" }`, "wait_until_ready = false", `timeouts { read = "60s" }`) +
				data("nothing", spelling, "request_headers = {}", "timeouts {}") +
				`data "filetransfer_instance" "provided" {}`,
			ConfigStateChecks: slices.Concat(
				inState(all, args{"base_url": instance.URL(), "request_headers": args{"x-token": "a"}, "wait_until_ready": false, "timeouts": args{"read": "60s"}}),
				inState("data.filetransfer_instance.nothing", args{"base_url": spelling, "request_headers": args{}, "timeouts": args{"read": nil}}),
				inState(provided, args{"base_url": spelling, "api_version": "2.1.5"}),
				[]statecheck.StateCheck{statecheck.ExpectSensitiveValue(all, tfjsonpath.New("request_headers"))},
			),
		}},
	})
}

// TestAccInstance_ReadsEveryTime: while it starts, and after it has changed.
func TestAccInstance_ReadsEveryTime(t *testing.T) {
	t.Parallel()
	starting := []instancetest.Step{
		instancetest.Status(404), instancetest.Reset(), instancetest.Body(200, "text/html", "<title>Welcome to nginx</title>"),
		instancetest.AnswerDocument("{}"), instancetest.Redirect(302, "ftp://files.example.org"),
		instancetest.Status(503, "Retry-After", "86400"),
	}
	one, fleet := instancetest.New(t), instancetest.New(t)
	config := impatientBlock + data("this", one.URL(), "wait_until_ready = true") + fmt.Sprintf(`
data "filetransfer_instances" "all" {
  base_urls        = { it = %q }
  wait_until_ready = true
}

output "limit" { value = data.filetransfer_instance.this.file_max_size }
`, fleet.URL())
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{
				PreConfig: func() {
					one.SetScript(starting...)
					fleet.SetScript(starting...)
				},
				Config: config,
				ConfigStateChecks: slices.Concat(inState("data.filetransfer_instance.this", newer), []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.filetransfer_instances.all",
						tfjsonpath.New("instances").AtMapKey("it").AtMapKey("api_version"), knownvalue.StringExact("2.1.5")),
				}),
			},
			{
				PreConfig: func() { one.SetDefault(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", 1000))) },
				Config:    config,
				ConfigPlanChecks: planned([]plancheck.PlanCheck{
					plancheck.ExpectKnownOutputValue("limit", knownvalue.Int64Exact(1000)),
				}),
			},
		},
	})
}

func TestAccInstance_Errors(t *testing.T) {
	t.Parallel()
	failing := func(step instancetest.Step) string { return instancetest.New(t, instancetest.WithDefault(step)).URL() }
	status, page := failing(instancetest.Status(403)), failing(instancetest.Body(200, "text/html", "<title>Welcome</title>"))
	faulty := failing(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", nil).With("chunkSize", -1)))
	down, path := "http://"+instancetest.ReserveAddress(t), instancetest.New(t, instancetest.WithOtherRoutes()).URL()+"/instance"
	line := func(baseURL string) string { return fmt.Sprintf("base_url = %q", baseURL) }
	mustFail(t, nil, impatientBlock+data("status", status)+data("page", page)+data("faulty", faulty)+data("down", down)+data("path", path),
		errorAtLine{line(status), []string{"Instance answered with status 403", "GET " + status + "/instance", "send them with request_headers"}},
		errorAtLine{line(page), []string{"Response of the instance is not JSON", `"Welcome"`, "not of its web page"}},
		errorAtLine{line(faulty), []string{"Response is not an instance document", "fileMaxSize: expected an integer", "chunkSize"}},
		errorAtLine{line(down), []string{"Instance not reachable", "connection refused", "set wait_until_ready = true."}},
		errorAtLine{line(path), []string{"Instance answered with status 404", "The base URL ends in /instance", "remove it."}})
}

// TestValuesOfAnObjectAreACopy: a new state is made of those of a configuration.
func TestValuesOfAnObjectAreACopy(t *testing.T) {
	t.Parallel()
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"base_url": tftypes.String}}
	config := valueOf(t, object, args{"base_url": "https://files.example.org"})
	elementsOf(config)["base_url"] = stringValue("changed")
	mustEqual(t, "base_url", plain(t, config).(args)["base_url"], "https://files.example.org")
}

func TestInstanceArgumentsAreValidated(t *testing.T) {
	t.Parallel()
	tests := map[string]validation{
		"nothing": {nil, nil},
		"everything": {args{
			"base_url": "https://[::1]:8080/files/", "request_headers": args{"X-Token": "a"}, "wait_until_ready": true,
			"timeouts": args{"read": "1h"},
		}, nil},
		"everything unknown": {args{
			"base_url": unknown{}, "request_headers": unknown{}, "wait_until_ready": unknown{}, "timeouts": unknown{},
		}, nil},
		"elements unknown": {args{"request_headers": args{"Host": unknown{}}, "timeouts": args{"read": unknown{}}}, nil},
	}
	addRefused(tests, "base_url", "Invalid base URL", refusedBaseURLs)
	addRefused(tests, "request_headers", "Invalid request header", refusedHeaders)
	addRefused(tests, "timeouts.read", "Invalid duration", refusedDurations)
	runValidations(t, instanceName, tests)
}

// TestReadsAndImportsRefuseABadBaseURL: one that is known only after apply is checked by the read.
func TestReadsAndImportsRefuseABadBaseURL(t *testing.T) {
	t.Parallel()
	server := recordProvider(t, nil)
	for name, one := range refusedBaseURLs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := "base_url"
			if one.secret {
				at = ""
			}
			got := server.read(t.Context(), t, instanceName, args{"base_url": one.value}).told
			got.must(t, fault(at, "Invalid base URL", one.says...)...)
			imported := server.importRecord(t, one.value.(string)).told
			imported.must(t, fault("", "Invalid base URL", append(slices.Clone(one.says), "The import ID")...)...)
			mustNotSay(t, got.String()+imported.String(), "hunter2")
		})
	}
}

func TestRequestHeadersOfProviderAndDataSource(t *testing.T) {
	t.Parallel()
	const ourAgent = "terraform-provider-filetransfer/1.2.3 Terraform/1.11.4"
	type headers = map[string]string
	tests := map[string]struct {
		provider, own args
		elsewhere     bool    // the instance has another origin than the provider's
		want          headers // but for what is always sent
	}{
		"none":       {nil, nil, false, nil},
		"provider's": {args{"x-token": "a", "User-Agent": "mine"}, nil, false, headers{"X-Token": "a", "User-Agent": "mine"}},
		"own":        {nil, args{"X-Token": "a", "Accept": "text/plain"}, false, headers{"X-Token": "a", "Accept": "text/plain"}},
		"own win, others are added": {
			args{"X-Token": "a", "X-More": "b"}, args{"x-TOKEN": "c", "X-Own": "d"}, false,
			headers{"X-Token": "c", "X-More": "b", "X-Own": "d"},
		},
		"own empty value wins":       {args{"X-Token": "a"}, args{"X-Token": ""}, false, headers{"X-Token": ""}},
		"instance at another origin": {args{"X-Token": "a", "User-Agent": "mine"}, args{"X-Own": "b"}, true, headers{"X-Own": "b"}},
		"Host":                       {nil, args{"host": "files.example.org:8443"}, false, headers{"Host": "files.example.org:8443"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, instance := instancetest.New(t), instancetest.New(t)
			baseURL := home.URL()
			if !test.elsewhere {
				instance, baseURL = home, home.URL()+"/some/path" // of the same origin
			}
			read(t, args{"base_url": baseURL, "request_headers": test.provider}, instanceName,
				args{"base_url": instance.URL(), "request_headers": test.own}).must(t)

			request := instance.Requests()[0]
			sent := headers{"Host": request.Host}
			for name, values := range request.Header {
				sent[name] = strings.Join(values, ", ")
			}
			want := headers{
				"Accept": "application/json", "Accept-Encoding": "gzip", "Cache-Control": "no-cache", "User-Agent": ourAgent, "Host": instance.Address(),
			}
			maps.Copy(want, test.want)
			mustEqual(t, "the headers", sent, want)
		})
	}
}

func TestProvidersRetryAndTLSArgumentsApply(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t)
	ca := args{"ca_cert_pem": material.CACertPEM()}
	pair := args{"client_cert_pem": material.ClientCertPEM(), "client_key_pem": material.ClientKeyPEM()}
	failing, silent := instancetest.WithDefault(instancetest.Status(503)), instancetest.WithDefault(instancetest.Silent())
	const status503 = "Instance answered with status 503"
	tests := map[string]struct {
		provider args
		option   instancetest.Option
		fails    string // the summary
		requests int
	}{
		"4 attempts by default":    {args{"retry": args{"min_delay": "1ms", "max_delay": "1ms"}}, failing, status503, 4},
		"max_attempts 1":           {oneAttempt(), failing, status503, 1},
		"max_attempts 6":           {impatient(6), failing, status503, 6},
		"request_timeout":          {oneAttempt().with(args{"request_timeout": "250ms"}), silent, "Instance did not answer in time", 1},
		"ca_cert_pem":              {ca, instancetest.WithTLS(), "", 1},
		"system's CA certificates": {nil, instancetest.WithTLS(), "Certificate of the instance not trusted", 0},
		"insecure":                 {args{"insecure": true}, instancetest.WithCertificate(instancetest.CertificateSelfSigned), "", 1},
		"client certificate":       {ca.with(pair), instancetest.WithClientCertificate(), "", 1},
		"no client certificate":    {ca.with(oneAttempt()), instancetest.WithClientCertificate(), "TLS handshake with the instance failed", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t, test.option)
			var want []expected
			if test.fails != "" {
				want = []expected{{at: "base_url", summary: test.fails}}
			}
			server, _ := configure(t.Context(), t, test.provider)
			server.read(t.Context(), t, instanceName, args{"base_url": instance.URL()}).told.must(t, want...)
			mustEqual(t, "the number of requests", len(instance.Requests()), test.requests)
		})
	}
}

func TestReadsShareTheProvidersConnections(t *testing.T) {
	t.Parallel()
	const reads, parallelism = 200, 10
	const connections = reads / 4 // net/http dials ahead, more often on a busy machine
	instance := instancetest.New(t, instancetest.WithTLS())
	server, _ := configure(t.Context(), t, args{"ca_cert_pem": instance.CACertPEM()})
	var running sync.WaitGroup
	for range parallelism {
		running.Go(func() {
			for range reads / parallelism {
				server.read(t.Context(), t, instanceName, args{"base_url": instance.URL()}).told.must(t)
			}
		})
	}
	running.Wait()
	mustEqual(t, "the number of requests", len(instance.Requests()), reads)
	if got := instance.Connections(); got > connections {
		t.Errorf("%d connections, want at most %d", got, connections)
	}
	mustEqual(t, "the protocol", instance.Requests()[0].Proto, "HTTP/1.1")
}

func TestInstanceDoesNotWaitForAFaultOfTheConfiguration(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://me:hunter2@%zz")
	got := read(t, impatient(1), instanceName, args{"base_url": "http://" + instancetest.ProxiedHost, "wait_until_ready": true})
	got.told.must(t, fault("base_url", "Instance not reachable through the proxy", "HTTP_PROXY is not valid")...)
	mustNotSay(t, got.told.String(), "timeouts.read", "wait_until_ready", "hunter2")
}

// TestCancellationEndsAReadAtOnce: as a cancellation, not as a failure that may be allowed or kept.
func TestCancellationEndsAReadAtOnce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		more args // arguments
		says string
	}{
		instanceName:  {args{"wait_until_ready": true}, "Reading the instance was"},
		instancesName: {args{"wait_until_ready": true, "allow_failures": true}, "Reading the instances was"},
		recordName:    {nil, "Reading the instance was"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t)
			server, _ := configure(t.Context(), t, args{"request_timeout": "1h"})
			arguments := reading(name, instance.URL()).with(args{"timeouts": args{"read": "2h"}}).with(test.more)
			read := func(ctx context.Context) answer { return server.read(ctx, t, name, arguments) }
			if name == recordName {
				created := server.create(t, arguments)
				read = func(ctx context.Context) answer { return server.refresh(ctx, t, created) }
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			instance.SetDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
				cancel()
				instancetest.Silent()(s, w, r)
			})
			start := time.Now()
			got := read(ctx)
			if took := time.Since(start); took > 10*time.Second { // hours, if it went on
				t.Errorf("it took %s", took)
			}
			got.told.must(t, expected{summary: "Read canceled", says: []string{test.says}})
		})
	}
}

func TestDoubtfulExpiryOptionsGiveOneWarningOfEachKind(t *testing.T) {
	t.Parallel()
	contradiction := func(label string, seconds int64) instancetest.Document {
		return instancetest.NewerEntry(label, seconds).With("value", seconds)
	}
	const contradict, short = "Expiry options contradict themselves", "Expiry options shorter than a minute"
	const mixed = "Expiry options without inSeconds beside others with it"
	var many []instancetest.Document
	for i := range 25 {
		many = append(many, contradiction(fmt.Sprintf("option %d", i), 3600))
	}
	tests := map[string]struct {
		entries []instancetest.Document
		want    []expected
		unsaid  []string
	}{
		"none":        {[]instancetest.Document{instancetest.NewerEntry("5 s", 5)}, nil, nil},
		"none, older": {[]instancetest.Document{instancetest.OlderEntry("1 min", 60)}, nil, nil},
		"some without inSeconds": {
			[]instancetest.Document{
				instancetest.OlderEntry("1 min", 60), instancetest.NewerEntry("1 day", 86400), instancetest.OlderEntry("1 month", 43200),
			},
			[]expected{{warning: true, summary: mixed, says: []string{
				"{url}\n  - recommendedExpireTimes[0] (\"1 min\"): 60\n  - recommendedExpireTimes[2] (\"1 month\"): 43200\n\n", "may be minutes",
			}}}, nil,
		},
		"one of each": {
			[]instancetest.Document{
				contradiction("1 heure", 3600), instancetest.OlderEntry("30 min", 30),
				contradiction("1 día", 86400), instancetest.OlderEntry("never", 0),
			},
			[]expected{
				{warning: true, summary: contradict, says: []string{
					"{url}\n", `- recommendedExpireTimes[0] ("1 heure"): inSeconds is 3600, in whole minutes 60, but value is 3600`,
					`- recommendedExpireTimes[2] ("1 día")`, "read by inSeconds", "operator",
				}},
				{warning: true, summary: short, says: []string{
					"{url}\n", `- recommendedExpireTimes[1] ("30 min"): 30`, `- recommendedExpireTimes[3] ("never"): 0`,
					"1.1.0, 1.1.1 or 1.2.0", "60 times",
				}},
				{warning: true, summary: mixed, says: []string{
					"{url}\n", `- recommendedExpireTimes[1] ("30 min"): 30`, `- recommendedExpireTimes[3] ("never"): 0`,
				}},
			},
			nil,
		},
		"many": {
			many, []expected{{warning: true, summary: contradict, says: []string{"recommendedExpireTimes[19]", "\n  - and 5 more\n"}}},
			[]string{"recommendedExpireTimes[20]"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := instancetest.Newer().With("recommendedExpireTimes", test.entries)
			instance := instancetest.New(t, instancetest.WithDocument(document))
			got := read(t, nil, instanceName, args{"base_url": instance.URL()})
			for i, one := range test.want {
				test.want[i].summary += ": " + instance.URL()
				for i := range one.says {
					one.says[i] = strings.ReplaceAll(one.says[i], "{url}", instance.URL()+"/instance")
				}
			}
			got.told.must(t, test.want...)
			mustNotSay(t, got.told.String(), test.unsaid...)
		})
	}
}
