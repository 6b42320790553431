package provider

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The acceptance tests run configurations as users write them. What needs wide
// tables, or no CLI, is tested in instance_protocol_test.go.

// instanceIs checks attributes of data.filetransfer_instance.<name>.
func instanceIs(name string, want map[string]knownvalue.Check) []statecheck.StateCheck {
	var checks []statecheck.StateCheck
	for attribute, value := range want {
		checks = append(checks, statecheck.ExpectKnownValue("data."+instanceName+"."+name, tfjsonpath.New(attribute), value))
	}
	return checks
}

// entries checks recommended_expire_times.
func entries(want ...any) knownvalue.Check {
	checks := make([]knownvalue.Check, 0, len(want))
	for _, entry := range want {
		entry := entry.(args) //nolint:forcetypeassert // as in contractTimes
		checks = append(checks, knownvalue.ObjectExact(map[string]knownvalue.Check{
			"label":      knownvalue.StringExact(entry["label"].(string)),    //nolint:forcetypeassert // see above
			"in_seconds": knownvalue.Int64Exact(entry["in_seconds"].(int64)), //nolint:forcetypeassert // see above
			"in_minutes": knownvalue.Int64Exact(entry["in_minutes"].(int64)), //nolint:forcetypeassert // see above
		}))
	}
	return knownvalue.ListExact(checks)
}

// mustFail runs a step that must fail and returns what the CLI said.
func mustFail(t *testing.T, step resource.TestStep, checks ...tfversion.TerraformVersionCheck) string {
	t.Helper()
	said := ""
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   checks,
		ProtoV6ProviderFactories: factories(),
		ErrorCheck: func(err error) error {
			said = err.Error()
			return nil
		},
		Steps: []resource.TestStep{step},
	})
	if said == "" {
		t.Fatal("no error")
	}
	return said
}

// mustMention checks that phrases are in what the CLI said, however it breaks
// lines.
func mustMention(t *testing.T, said string, phrases ...string) {
	t.Helper()
	for _, phrase := range phrases {
		if !words(phrase).MatchString(said) {
			t.Errorf("%q is not in:\n%s", phrase, said)
		}
	}
}

func TestAccInstanceShapes(t *testing.T) {
	t.Parallel()
	documents := map[string]instancetest.Document{
		"newer":    instancetest.Newer(),
		"older":    instancetest.Older(),
		"mixed":    instancetest.Mixed(),
		"exponent": instancetest.Newer().With("fileMaxAge", instancetest.Raw("1.577e10")).With("fileMaxSize", instancetest.Raw("6e10")).With("chunkSize", instancetest.Raw("20000000.0")),
		"for_ever": instancetest.Newer().With("fileMaxAge", int64(15770000000)).With("fileMaxSize", instancetest.Raw("9007199254740993")).
			With("recommendedExpireTimes", []instancetest.Document{instancetest.NewerEntry("∞ für immer", 15770000000)}),
		"suffix":  instancetest.Newer().With("apiVersion", "2.0.0-rc.1").Without("maxTransfersInMerge"),
		"nothing": instancetest.Newer().With("recommendedExpireTimes", []instancetest.Document{}).With("fileMaxSize", 0),
		"future":  instancetest.Newer().With("newField", map[string]any{"deep": []int{1, 2}}),
	}
	bom := instancetest.New(t, instancetest.WithDocument("\ufeff"+instancetest.Newer().JSON()))
	config := fmt.Sprintf(`
		data "filetransfer_instance" "bom" { base_url = %q }
		output "from_response_body" { value = jsondecode(data.filetransfer_instance.future.response_body).newField.deep[1] }
		`, bom.URL())
	for name, document := range documents {
		server := instancetest.New(t, instancetest.WithDocument(document))
		config += fmt.Sprintf("data \"filetransfer_instance\" %q { base_url = %q }\n", name, server.URL())
	}

	var checks []statecheck.StateCheck
	for name, want := range map[string]map[string]knownvalue.Check{
		"newer": {
			"file_max_size": knownvalue.Int64Exact(64424509440), "chunk_size": knownvalue.Int64Exact(20000000), "require_password": knownvalue.Bool(true),
			"api_version": knownvalue.StringExact("2.1.5"), "api_version_major": knownvalue.Int64Exact(2),
			"api_version_minor": knownvalue.Int64Exact(1), "api_version_patch": knownvalue.Int64Exact(5),
			"file_max_age": knownvalue.Int64Exact(2592000), "max_transfers_in_merge": knownvalue.Int64Exact(50),
			"recommended_expire_times": entries(contractTimes...),
			"response_body":            knownvalue.StringExact(documents["newer"].JSON()),
			"request_headers":          knownvalue.Null(), "wait_until_ready": knownvalue.Null(), "timeouts": knownvalue.Null(),
		},
		"older": {
			"file_max_size": knownvalue.Int64Exact(21474836480), "require_password": knownvalue.Bool(false), "api_version_major": knownvalue.Int64Exact(1),
			"file_max_age": knownvalue.Int64Exact(2592000), "max_transfers_in_merge": knownvalue.Int64Exact(10),
			"recommended_expire_times": entries(contractTimes...),
		},
		"mixed": {
			"file_max_age": knownvalue.Int64Exact(2592000), "max_transfers_in_merge": knownvalue.Int64Exact(10),
			"recommended_expire_times": entries(contractTimes...),
		},
		"exponent": {
			"file_max_age": knownvalue.Int64Exact(15770000000), "file_max_size": knownvalue.Int64Exact(60000000000), "chunk_size": knownvalue.Int64Exact(20000000),
		},
		"for_ever": {
			"file_max_age": knownvalue.Int64Exact(15770000000), "file_max_size": knownvalue.Int64Exact(9007199254740993),
			"recommended_expire_times": entries(args{"label": "∞ für immer", "in_seconds": int64(15770000000), "in_minutes": int64(262833333)}),
		},
		"suffix": {
			"api_version": knownvalue.StringExact("2.0.0-rc.1"), "api_version_major": knownvalue.Int64Exact(2),
			"api_version_patch": knownvalue.Int64Exact(0), "max_transfers_in_merge": knownvalue.Int64Exact(50),
		},
		"nothing": {"recommended_expire_times": knownvalue.ListExact(nil), "file_max_size": knownvalue.Int64Exact(0)},
		"future":  {"response_body": knownvalue.StringExact(documents["future"].JSON()), "file_max_size": knownvalue.Int64Exact(64424509440)},
		"bom":     {"response_body": knownvalue.StringExact(instancetest.Newer().JSON()), "api_version": knownvalue.StringExact("2.1.5")},
	} {
		checks = append(checks, instanceIs(name, want)...)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{{
			Config:            config,
			ConfigStateChecks: append(checks, statecheck.ExpectKnownOutputValue("from_response_body", knownvalue.Int64Exact(2))),
		}},
	})
}

func TestAccProviderBaseURL(t *testing.T) {
	older := instancetest.New(t, instancetest.WithDocument(instancetest.Older()), instancetest.WithPath("/files/api"))
	newer := instancetest.New(t)
	const read = `data "filetransfer_instance" "test" {}`
	is := func(baseURL, version string) []statecheck.StateCheck {
		return instanceIs("test", map[string]knownvalue.Check{
			"base_url": knownvalue.StringExact(baseURL), "api_version": knownvalue.StringExact(version),
		})
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{
				PreConfig:         func() { t.Setenv(baseURLVariable, older.URL()+"/") },
				Config:            read,
				ConfigStateChecks: is(older.URL()+"/", "1.3.2"),
			},
			{
				Config:            fmt.Sprintf(`provider "filetransfer" { base_url = %q }`, newer.URL()) + "\n" + read,
				ConfigStateChecks: is(newer.URL(), "2.1.5"),
			},
			{
				Config:            fmt.Sprintf(`data "filetransfer_instance" "test" { base_url = "%s//" }`, newer.URL()),
				ConfigStateChecks: is(newer.URL()+"//", "2.1.5"),
			},
			{
				PreConfig:   func() { t.Setenv(baseURLVariable, "") },
				Config:      read,
				ExpectError: words("Neither the data source nor the provider has a base_url, and the environment variable FILETRANSFER_BASE_URL is not set."),
			},
		},
	})
	for _, request := range older.Requests() {
		mustEqual(t, "the path", request.Path, "/files/api/instance")
	}
}

func TestAccInstanceRetries(t *testing.T) {
	t.Parallel()
	bad := instancetest.Status(503)
	flaky := instancetest.New(t, instancetest.WithScript(bad, instancetest.RetryAfter(503, "3600")))
	steady := instancetest.New(t)
	config := fmt.Sprintf(`
		provider "filetransfer" {
			retry           = { max_attempts = 3, min_delay = "1ms", max_delay = "2ms" }
			request_timeout = "20s"
		}
		data "filetransfer_instance" "flaky" {
			base_url = %q
			timeouts = { read = "5m" }
		}
		data "filetransfer_instance" "steady" { base_url = %q }
		`, flaky.URL(), steady.URL())
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{{
			Config: config,
			ConfigStateChecks: instanceIs("flaky", map[string]knownvalue.Check{
				"api_version": knownvalue.StringExact("2.1.5"),
				"timeouts":    knownvalue.ObjectExact(map[string]knownvalue.Check{"read": knownvalue.StringExact("5m")}),
			}),
		}},
	})
	mustEqual(t, "the number of additional requests", len(flaky.Requests())-len(steady.Requests()), 2)

	once := instancetest.New(t, instancetest.WithScript(bad))
	said := mustFail(t, resource.TestStep{Config: fmt.Sprintf(`
		provider "filetransfer" { retry = { max_attempts = 1 } }
		data "filetransfer_instance" "test" { base_url = %q }
		`, once.URL())})
	mustMention(t, said, "Instance answered with status 503", "GET "+once.URL()+"/instance: status 503", "wait_until_ready = true")
	mustEqual(t, "the number of requests", len(once.Requests()), 1)
}

func TestAccInstanceRequestHeaders(t *testing.T) {
	t.Parallel()
	home := instancetest.New(t,
		instancetest.WithRequiredHeader("X-Token", "provider"), instancetest.WithRequiredHeader("X-Extra", "own"))
	elsewhere := instancetest.New(t, instancetest.WithRequiredHeader("X-Token", "hunter2-own"))
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{needsSensitiveState},
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf(`
				provider "filetransfer" {
					base_url        = %q
					request_headers = { X-Token = "provider", X-Extra = "provider", X-Provider = "secret" }
				}
				data "filetransfer_instance" "home" {
					request_headers = { x-extra = "own" }
				}
				data "filetransfer_instance" "elsewhere" {
					base_url        = %q
					request_headers = { X-Token = "hunter2-own" }
				}
				`, home.URL(), elsewhere.URL()),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectSensitiveValue("data.filetransfer_instance.home", tfjsonpath.New("request_headers")),
				statecheck.ExpectKnownValue("data.filetransfer_instance.elsewhere", tfjsonpath.New("api_version"), knownvalue.StringExact("2.1.5")),
			},
		}},
	})
	for _, request := range elsewhere.Requests() {
		if len(request.Header["X-Provider"]) > 0 || len(request.Header["X-Extra"]) > 0 {
			t.Errorf("the provider's headers went elsewhere: %v", request.Header)
		}
	}
	for _, request := range home.Requests() {
		mustEqual(t, "X-Provider", request.Header.Get("X-Provider"), "secret")
		if agent := request.Header.Get("User-Agent"); !strings.HasPrefix(agent, "terraform-provider-filetransfer/test Terraform/") || strings.HasSuffix(agent, "/") {
			t.Errorf("the User-Agent is %q", agent)
		}
	}

	said := mustFail(t, resource.TestStep{Config: fmt.Sprintf(`
		data "filetransfer_instance" "test" {
			base_url        = %q
			request_headers = { X-Token = "hunter2-own" }
		}
		output "leak" { value = data.filetransfer_instance.test.request_headers }
		`, elsewhere.URL())})
	mustMention(t, said, "Output refers to sensitive values")
	mustNotSay(t, said, "hunter2-own")
}

func TestAccInstancePlanHidesHeaders(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	// The plan is shown because it is not empty: the instance is read on apply.
	said := mustFail(t, resource.TestStep{PlanOnly: true, Config: fmt.Sprintf(`
		resource "terraform_data" "url" { input = %q }
		data "filetransfer_instance" "test" {
			base_url        = terraform_data.url.output
			request_headers = { X-Token = "hunter2-own" }
		}
		`, server.URL())}, needsTerraformData)
	mustMention(t, said, `data "filetransfer_instance" "test"`, "base_url = (known after apply)", "request_headers = (sensitive value)")
	mustNotSay(t, said, "hunter2-own")
	mustEqual(t, "the number of requests", len(server.Requests()), 0)
}

func TestAccInstanceTLS(t *testing.T) {
	t.Parallel()
	trusted := instancetest.New(t, instancetest.WithTLS())
	mutual := instancetest.New(t, instancetest.WithClientCertificate())
	selfSigned := instancetest.New(t, instancetest.WithCertificate(instancetest.CertificateSelfSigned))
	expired := instancetest.New(t, instancetest.WithCertificate(instancetest.CertificateExpired))
	data := func(name string, server *instancetest.Server) string {
		return fmt.Sprintf("data \"filetransfer_instance\" %q { base_url = %q }\n", name, server.URL())
	}
	read := func(name string) []statecheck.StateCheck {
		return instanceIs(name, map[string]knownvalue.Check{"api_version": knownvalue.StringExact("2.1.5")})
	}
	// A provider in the test's own process is configured once, so that it has
	// no aliases: each block is a step.
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{
				Config:            fmt.Sprintf("provider \"filetransfer\" { ca_cert_pem = %q }\n", trusted.CACertPEM()) + data("trusted", trusted),
				ConfigStateChecks: read("trusted"),
			},
			{
				Config: fmt.Sprintf("provider \"filetransfer\" {\nca_cert_pem = %q\nclient_cert_pem = %q\nclient_key_pem = %q\n}\n",
					trusted.CACertPEM(), trusted.ClientCertPEM(), trusted.ClientKeyPEM()) + data("mutual", mutual),
				ConfigStateChecks: read("mutual"),
			},
			{
				Config:            "provider \"filetransfer\" { insecure = true }\n" + data("insecure", selfSigned),
				ConfigStateChecks: read("insecure"),
			},
			{
				Config:      data("system", trusted),
				ExpectError: words("GET " + trusted.URL() + "/instance: certificate signed by unknown authority"),
			},
		},
	})
	for _, request := range trusted.Requests() {
		mustEqual(t, "the protocol", request.Proto, "HTTP/2.0")
		mustEqual(t, "whether a client certificate was shown", request.ClientCertificate, false)
	}

	said := mustFail(t, resource.TestStep{
		Config: fmt.Sprintf("provider \"filetransfer\" { ca_cert_pem = %q }\n", trusted.CACertPEM()) +
			data("self_signed", selfSigned) + data("expired", expired) + data("mutual", mutual),
	})
	mustMention(t, said,
		"Certificate of the instance not trusted", "GET "+selfSigned.URL()+"/instance: certificate signed by unknown authority", "set the provider's ca_cert_pem",
		"GET "+expired.URL()+"/instance: the certificate has expired",
		"TLS handshake with the instance failed", "GET "+mutual.URL()+"/instance:", "set the provider's client_cert_pem and client_key_pem")
}

func TestAccInstanceFailures(t *testing.T) {
	t.Parallel()
	serving := func(step instancetest.Step) string {
		return instancetest.New(t, instancetest.WithDefault(step)).URL()
	}
	tests := map[string]struct {
		baseURL  string
		more     string // arguments
		mentions []string
	}{
		"refused": {"http://" + instancetest.ReserveAddress(t), "", []string{
			"Instance not reachable", "GET {url}/instance: connection refused", "Check host and port in base_url",
		}},
		"reset":        {serving(instancetest.Reset()), "", []string{"Connection to the instance broke", "GET {url}/instance: the"}},
		"silent":       {serving(instancetest.Silent()), "", []string{"GET {url}/instance: no complete response within 1s", "request_timeout"}},
		"out_of_time":  {serving(instancetest.Silent()), `timeouts = { read = "300ms" }`, []string{"Instance did not answer in time", "timeouts.read (300ms), ran out", "raise timeouts.read"}},
		"not_HTTP":     {serving(instancetest.Verbatim("SSH-2.0-x\r\n\r\n", instancetest.CloseConnection())), "", []string{"Response of the instance is not valid HTTP"}},
		"redirect":     {serving(instancetest.Redirect(301, "ftp://files.example.org")), "", []string{"Redirect of the instance not followed", "ftp://files.example.org"}},
		"wrong_path":   {serving(instancetest.Answer()) + "/wrong", "", []string{"Instance answered with status 404", "Route GET:/wrong/instance not found", "Check the path of base_url"}},
		"path_twice":   {serving(instancetest.Answer()) + "/instance", "", []string{"base_url ends in /instance, a path that the provider adds itself"}},
		"forbidden":    {serving(instancetest.Status(403)), "", []string{"Instance answered with status 403", "request_headers"}},
		"HTML_of_502":  {serving(instancetest.Body(502, "text/html", "<h1>Bad Gateway</h1>")), "", []string{"GET {url}/instance: status 502 Bad Gateway: Bad Gateway"}},
		"too_large":    {serving(instancetest.EndlessBody()), "", []string{"Response of the instance too large", "more than 1048576 bytes"}},
		"web_page":     {serving(instancetest.Body(200, "text/html", "<p>Send a file")), "", []string{"Response of the instance is not JSON", `Content-Type "text/html"`, "Send a file"}},
		"null_size":    {serving(instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", nil))), "", []string{"Response is not an instance document", "GET {url}/instance answered JSON", "fileMaxSize: expected an integer", "found null"}},
		"first_public": {serving(instancetest.AnswerDocument(instancetest.Older().Without("fileMaxAge"))), "", []string{"fileMaxAge: expected this field, which the contract requires, found nothing: the field is missing"}},
	}
	config := "provider \"filetransfer\" {\nretry = { max_attempts = 1 }\nrequest_timeout = \"1s\"\n}\n"
	for name, test := range tests {
		config += fmt.Sprintf("data \"filetransfer_instance\" %q {\nbase_url = %q\n%s\n}\n", name, test.baseURL, test.more)
	}
	said := mustFail(t, resource.TestStep{Config: config})
	for name, test := range tests {
		mustMention(t, said, "with data.filetransfer_instance."+name+",")
		for _, phrase := range test.mentions {
			mustMention(t, said, strings.ReplaceAll(phrase, "{url}", test.baseURL))
		}
	}
	// Each is shown with the line of its base_url.
	if lines := strings.Count(said, ": base_url = "); lines != len(tests) {
		t.Errorf("%d of %d errors are at a base_url:\n%s", lines, len(tests), said)
	}
}

func TestAccInstanceRefusedConfigurations(t *testing.T) {
	t.Parallel()
	data := func(name, arguments string) string {
		return fmt.Sprintf("data \"filetransfer_instance\" %q {\n%s\n}\n", name, arguments)
	}
	const good = `base_url = "https://files.example.org"`
	tests := map[string]struct {
		config   string
		mentions []string
	}{
		"data sources": {
			data("user_info", `base_url = "https://me:hunter2@files.example.org"`) +
				data("query", `base_url = "https://files.example.org/?token=hunter2"`) +
				data("scheme", `base_url = "files.example.org"`) +
				data("duration", good+"\n"+`timeouts = { read = "-5s" }`) +
				data("no_duration", good+"\n"+`timeouts = { read = "abc" }`) +
				data("header", good+"\n"+`request_headers = { Connection = "close" }`) +
				data("null_header", good+"\n"+`request_headers = { X-Token = null }`) +
				data("folded", good+"\n"+`request_headers = { X-Token = "a", x-token = "b" }`),
			[]string{
				"with data.filetransfer_instance.user_info,", "base_url is not usable. The base URL has user info", "Remove it", "send them with request_headers",
				"with data.filetransfer_instance.query,", "The base URL has a query.",
				"The base URL has no scheme.",
				`timeouts.read is "-5s", which is not positive.`, `timeouts.read is "abc", which is not a duration.`,
				`request_headers["Connection"] is not usable: the provider sets this header itself; remove it.`,
				`request_headers["X-Token"] is not usable: the value is null;`,
				`request_headers["x-token"] is not usable: this is the same header as "X-Token"`,
			},
		},
		"provider": {
			`provider "filetransfer" {
				base_url        = "https://me:hunter2@files.example.org"
				client_key_pem  = "hunter2"
				request_timeout = "0s"
				retry           = { min_delay = "11s" }
			}
			` + data("test", ""),
			[]string{
				"The base URL has user info", "client_key_pem is set, but client_cert_pem is not.", `request_timeout is "0s", which is not positive.`,
				"min_delay is 11s, which is longer than max_delay, 10s (the defaults are 500ms and 10s).", "Make min_delay at most max_delay.",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := mustFail(t, resource.TestStep{Config: test.config})
			mustMention(t, said, test.mentions...)
			mustNotSay(t, said, "hunter2")
		})
	}
}

func TestAccInstanceUnknownBaseURL(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{needsTerraformData},
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf(`
				resource "terraform_data" "instance" { input = %q }
				data "filetransfer_instance" "test" { base_url = terraform_data.instance.output }
				resource "terraform_data" "user" { input = data.filetransfer_instance.test.file_max_age }
				`, server.URL()),
			ConfigStateChecks: append(
				instanceIs("test", map[string]knownvalue.Check{"base_url": knownvalue.StringExact(server.URL())}),
				statecheck.ExpectKnownValue("terraform_data.user", tfjsonpath.New("output"), knownvalue.Int64Exact(2592000)),
			),
		}},
	})
}

func TestAccUnknownProviderArguments(t *testing.T) {
	t.Parallel()
	home := instancetest.New(t, instancetest.WithDocument(instancetest.Older()))
	other := instancetest.New(t)
	block := fmt.Sprintf(`
		resource "terraform_data" "instance" { input = %q }
		provider "filetransfer" { base_url = terraform_data.instance.output }
		`, home.URL())
	own := fmt.Sprintf(`data "filetransfer_instance" "own" { base_url = %q }`+"\n", other.URL())
	const standard = `data "filetransfer_instance" "standard" {}`
	version := func(name, version string) []statecheck.StateCheck {
		return instanceIs(name, map[string]knownvalue.Check{"api_version": knownvalue.StringExact(version)})
	}
	tests := map[string][]resource.TestStep{
		"not needed, then known": {
			{Config: block + own, ConfigStateChecks: version("own", "2.1.5")},
			{Config: block + own + standard, ConfigStateChecks: append(version("own", "2.1.5"), version("standard", "1.3.2")...)},
		},
		"needed": {{
			Config:      block + own + standard,
			ExpectError: words("the provider's base_url is only known after apply."),
		}},
		"needed, with the remedy": {{
			Config:            block + own + `data "filetransfer_instance" "standard" { depends_on = [terraform_data.instance] }`,
			ConfigStateChecks: version("standard", "1.3.2"),
		}},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resource.Test(t, resource.TestCase{
				TerraformVersionChecks:   []tfversion.TerraformVersionCheck{needsTerraformData},
				ProtoV6ProviderFactories: factories(),
				Steps:                    steps,
			})
		})
	}
}

func TestAccInstanceWaitUntilReady(t *testing.T) {
	t.Parallel()
	starting := instancetest.New(t, instancetest.WithScript(
		instancetest.Reset(), instancetest.Status(503), instancetest.Status(404),
		instancetest.Body(200, "text/html", "<h1>Welcome to nginx"), instancetest.AnswerDocument("{}"),
	))
	provider := `provider "filetransfer" {
		retry = { max_attempts = 1, min_delay = "1ms", max_delay = "50ms" }
	}
	`
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{needsTerraformData},
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{{
			Config: provider + fmt.Sprintf(`
				resource "terraform_data" "instance" { input = %q }
				data "filetransfer_instance" "test" {
					base_url         = terraform_data.instance.output
					wait_until_ready = true
				}
				`, starting.URL()),
			ConfigStateChecks: instanceIs("test", map[string]knownvalue.Check{
				"api_version": knownvalue.StringExact("2.1.5"), "wait_until_ready": knownvalue.Bool(true),
			}),
		}},
	})

	said := mustFail(t, resource.TestStep{Config: provider + fmt.Sprintf(`
		data "filetransfer_instance" "test" {
			base_url         = "http://%s"
			wait_until_ready = true
			timeouts         = { read = "500ms" }
		}
		`, instancetest.ReserveAddress(t))})
	mustMention(t, said, "connection refused", "This was the last of", "timeouts.read (500ms), ran out", "raise timeouts.read")
}

func TestAccInstanceFeedsResources(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDefault(instancetest.AnswerDocument(instancetest.Older().With("fileMaxAge", 2592001))))
	config := fmt.Sprintf(`
		data "filetransfer_instance" "test" { base_url = %q }

		locals {
			instance = data.filetransfer_instance.test
		}

		resource "terraform_data" "storage" {
			input = {
				lifecycle_days       = ceil(local.instance.file_max_age / 86400)
				client_max_body_size = format("%%dm", ceil(local.instance.chunk_size / 1048576))
				week                 = one([for time in local.instance.recommended_expire_times : time.label if time.in_seconds == 604800])
				longest              = max(local.instance.recommended_expire_times[*].in_seconds...)
				merges               = local.instance.api_version_major >= 2 ? "many" : "at most ${local.instance.max_transfers_in_merge}"
			}
			lifecycle {
				precondition {
					condition     = local.instance.file_max_size >= 5 * pow(1024, 3)
					error_message = "The instance takes files of ${local.instance.file_max_size} bytes at most."
				}
				precondition {
					condition     = !local.instance.require_password
					error_message = "The instance requires a password."
				}
			}
		}
		`, server.URL())
	fed := func(merges string, days int64) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("terraform_data.storage", tfjsonpath.New("output"), knownvalue.ObjectExact(map[string]knownvalue.Check{
			"lifecycle_days": knownvalue.Int64Exact(days), "client_max_body_size": knownvalue.StringExact("10m"), "week": knownvalue.StringExact("1 week"),
			"longest": knownvalue.Int64Exact(2592000), "merges": knownvalue.StringExact(merges),
		}))
	}
	change := func(document instancetest.Document) func() {
		return func() { server.SetDefault(instancetest.AnswerDocument(document)) }
	}
	resource.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{needsTerraformData, needsPrecondition},
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{Config: config, ConfigStateChecks: []statecheck.StateCheck{fed("at most 10", 31)}},
			{
				// The instance is upgraded.
				PreConfig:         change(instancetest.Newer().With("chunkSize", 10485760).With("requirePassword", false)),
				Config:            config,
				ConfigStateChecks: []statecheck.StateCheck{fed("many", 30)},
			},
			{
				PreConfig:   change(instancetest.Newer().With("fileMaxSize", 1073741824)),
				Config:      config,
				ExpectError: words("The instance takes files of 1073741824 bytes at most."),
			},
			{
				PreConfig:   change(instancetest.Newer()),
				Config:      config,
				ExpectError: words("The instance requires a password."),
			},
		},
	})
}

// slowly makes requests overlap.
var slowly = instancetest.WithDefault(instancetest.Delay(10*time.Millisecond, instancetest.Answer()))

// TestAccInstanceReadsShareConnections: one plan, one transport.
func TestAccInstanceReadsShareConnections(t *testing.T) {
	const reads = 500
	t.Setenv("TF_CLI_ARGS_plan", "-parallelism=100") // more than the connections allowed
	tests := map[string]struct {
		option      instancetest.Option
		connections int // at most
	}{
		"plain":  {func(*instancetest.Server) {}, 32},
		"HTTP/2": {instancetest.WithTLS(), 1},
	}
	for name, test := range tests { //nolint:paralleltest // the environment is set
		t.Run(name, func(t *testing.T) {
			server := instancetest.New(t, test.option, slowly)
			// The first plan is the only one: it ends the test, as it is not empty.
			said := mustFail(t, resource.TestStep{PlanOnly: true, Config: fmt.Sprintf(`
				provider "filetransfer" { ca_cert_pem = %q }
				data "filetransfer_instance" "test" {
					for_each = toset([for i in range(%d) : tostring(i)])
					base_url = %q
				}
				output "chunks" { value = sum(values(data.filetransfer_instance.test)[*].chunk_size) }
				`, server.CACertPEM(), reads, server.URL())})
			mustMention(t, said, "plan was not empty", fmt.Sprintf("+ chunks = %d", reads*20000000))
			mustEqual(t, "the number of requests", len(server.Requests()), reads)
			if server.PeakRequests() < 2 {
				t.Error("the requests were made one by one")
			}
			if got := server.Connections(); got < 1 || got > test.connections {
				t.Errorf("%d connections, want 1 to %d", got, test.connections)
			}
		})
	}
}
