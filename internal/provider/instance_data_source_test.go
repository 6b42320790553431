package provider

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

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

// TestReadsRefuseABadBaseURL: one that is known only after apply is checked by the read.
func TestReadsRefuseABadBaseURL(t *testing.T) {
	t.Parallel()
	for name, one := range refusedBaseURLs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := "base_url"
			if one.secret {
				at = ""
			}
			told := read(t, nil, instanceName, args{"base_url": one.value}).told
			told.must(t, fault(at, "Invalid base URL", one.says...)...)
			mustNotSay(t, told.String(), "hunter2")
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
