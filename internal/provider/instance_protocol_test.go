package provider

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// These tests speak the plugin protocol with the provider, without a CLI.

// contractTimes are the expiry options of the documents of instancetest.
var contractTimes = []any{
	args{"label": "30 minutes", "in_seconds": int64(1800), "in_minutes": int64(30)},
	args{"label": "1 hour", "in_seconds": int64(3600), "in_minutes": int64(60)},
	args{"label": "6 hours", "in_seconds": int64(21600), "in_minutes": int64(360)},
	args{"label": "12 hours", "in_seconds": int64(43200), "in_minutes": int64(720)},
	args{"label": "1 day", "in_seconds": int64(86400), "in_minutes": int64(1440)},
	args{"label": "1 week", "in_seconds": int64(604800), "in_minutes": int64(10080)},
	args{"label": "2 weeks", "in_seconds": int64(1209600), "in_minutes": int64(20160)},
	args{"label": "1 month", "in_seconds": int64(2592000), "in_minutes": int64(43200)},
}

// stateOfNewer is what is read of instancetest.Newer().
func stateOfNewer() args {
	return args{
		"file_max_size": int64(64424509440), "chunk_size": int64(20000000), "require_password": true,
		"api_version": "2.1.5", "api_version_major": int64(2), "api_version_minor": int64(1), "api_version_patch": int64(5),
		"file_max_age": int64(2592000), "max_transfers_in_merge": int64(50), "recommended_expire_times": contractTimes,
	}
}

func TestInstanceState(t *testing.T) {
	t.Parallel()
	newer, older := instancetest.Newer(), instancetest.Older()
	raw := func(text string) any { return instancetest.Raw(text) }
	tests := map[string]struct {
		document string
		want     args // what differs from stateOfNewer
	}{
		"newer": {newer.JSON(), nil},
		"older": {older.JSON(), args{
			"file_max_size": int64(21474836480), "chunk_size": int64(10000000), "require_password": false, "max_transfers_in_merge": int64(10),
			"api_version": "1.3.2", "api_version_major": int64(1), "api_version_minor": int64(3), "api_version_patch": int64(2),
		}},
		"mixed": {instancetest.Mixed().JSON(), args{
			"max_transfers_in_merge": int64(10),
			"api_version":            "1.5.0", "api_version_major": int64(1), "api_version_minor": int64(5), "api_version_patch": int64(0),
		}},
		"merge limit of an older version": {newer.With("apiVersion", "1.0.0").With("maxTransfersInMerge", 7).JSON(), args{
			"max_transfers_in_merge": int64(7), "api_version": "1.0.0", "api_version_major": int64(1), "api_version_minor": int64(0), "api_version_patch": int64(0),
		}},
		"no merge limit from 2.0.0 on": {newer.With("apiVersion", "2.0.0").Without("maxTransfersInMerge").JSON(), args{
			"api_version": "2.0.0", "api_version_minor": int64(0), "api_version_patch": int64(0),
		}},
		"age as a number":             {newer.With("fileMaxAge", 2592000).JSON(), nil},
		"for ever":                    {newer.With("fileMaxAge", int64(15770000000)).JSON(), args{"file_max_age": int64(15770000000)}},
		"for ever as a string":        {newer.With("fileMaxAge", "15770000000").JSON(), args{"file_max_age": int64(15770000000)}},
		"exponent":                    {newer.With("fileMaxAge", raw("1.577e10")).With("fileMaxSize", raw("6e10")).JSON(), args{"file_max_age": int64(15770000000), "file_max_size": int64(60000000000)}},
		"decimal":                     {newer.With("chunkSize", raw("20000000.0")).JSON(), nil},
		"largest":                     {newer.With("fileMaxSize", raw("9223372036854775807")).JSON(), args{"file_max_size": int64(9223372036854775807)}},
		"beyond what a float can say": {newer.With("fileMaxSize", raw("9007199254740993")).JSON(), args{"file_max_size": int64(9007199254740993)}},
		"zeros": {newer.With("fileMaxSize", 0).With("chunkSize", 0).With("fileMaxAge", "0").With("maxTransfersInMerge", 0).JSON(), args{
			"file_max_size": int64(0), "chunk_size": int64(0), "file_max_age": int64(0), "max_transfers_in_merge": int64(0),
		}},
		"no options":   {newer.With("recommendedExpireTimes", []instancetest.Document{}).JSON(), args{"recommended_expire_times": []any{}}},
		"pre-release":  {newer.With("apiVersion", "2.1.5-rc.1").JSON(), args{"api_version": "2.1.5-rc.1"}},
		"build suffix": {newer.With("apiVersion", "2.1.5+build.7").JSON(), args{"api_version": "2.1.5+build.7"}},
		"units entry by entry, labels and order as delivered": {
			newer.With("recommendedExpireTimes", []instancetest.Document{
				instancetest.OlderEntry("1 año", 31536000),
				instancetest.NewerEntry("30 分", 1800),
				instancetest.NewerEntry(`"6 heures"`, 15770000000),
				instancetest.NewerEntry("90 s", 90),
				instancetest.NewerEntry("", 0),
			}).JSON(),
			args{"recommended_expire_times": []any{
				args{"label": "1 año", "in_seconds": int64(31536000), "in_minutes": int64(525600)},
				args{"label": "30 分", "in_seconds": int64(1800), "in_minutes": int64(30)},
				args{"label": `"6 heures"`, "in_seconds": int64(15770000000), "in_minutes": int64(262833333)},
				args{"label": "90 s", "in_seconds": int64(90), "in_minutes": int64(1)},
				args{"label": "", "in_seconds": int64(0), "in_minutes": int64(0)},
			}},
		},
		"unknown fields":  {newer.With("newField", instancetest.Document{}.With("deep", []int{1})).With("FileMaxSize", "not ours").JSON(), nil},
		"white space":     {"\r\n " + strings.ReplaceAll(newer.JSON(), ",", " ,\n\t") + "\n", nil},
		"byte order mark": {"\ufeff" + newer.JSON(), args{"response_body": newer.JSON()}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithDocument(test.document))
			got := readInstance(t.Context(), t, nil, args{"base_url": server.URL()}).must(t)
			want := stateOfNewer().with(args{
				"base_url": server.URL(), "response_body": test.document,
				"request_headers": nil, "wait_until_ready": nil, "timeouts": nil,
			}).with(test.want)
			got.mustMatch(t, want)
			mustEqual(t, "the number of attributes", len(got), len(want))
		})
	}
}

func TestInstanceKeepsArgumentsAsWritten(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithPath("/files/api"))
	_, host, _ := strings.Cut(server.URL(), "://")
	tests := map[string]struct{ provider, arguments, want args }{
		"path":             {nil, args{"base_url": server.URL()}, args{"base_url": server.URL()}},
		"trailing slash":   {nil, args{"base_url": server.URL() + "/"}, args{"base_url": server.URL() + "/"}},
		"trailing slashes": {nil, args{"base_url": server.URL() + "//"}, args{"base_url": server.URL() + "//"}},
		"upper case":       {nil, args{"base_url": "HTTP://" + host}, args{"base_url": "HTTP://" + host}},
		"provider's":       {args{"base_url": server.URL() + "/"}, nil, args{"base_url": server.URL() + "/"}},
		"other arguments": {
			nil,
			args{"base_url": server.URL(), "request_headers": args{"x-token": "a"}, "wait_until_ready": false, "timeouts": args{"read": "60s"}},
			args{"request_headers": args{"x-token": "a"}, "wait_until_ready": false, "timeouts": args{"read": "60s"}},
		},
		"nothing in them": {
			nil,
			args{"base_url": server.URL(), "request_headers": args{}, "timeouts": args{}},
			args{"request_headers": args{}, "timeouts": args{"read": nil}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			readInstance(t.Context(), t, test.provider, test.arguments).must(t).mustMatch(t, test.want)
		})
	}
	t.Cleanup(func() {
		for _, request := range server.Requests() {
			mustEqual(t, "what was asked for", request.Method+" "+request.Path, "GET /files/api/instance")
		}
	})
}

func TestInstanceValidation(t *testing.T) {
	t.Parallel()
	tests := map[string]validationCase{
		"nothing": {nil, nil},
		"everything": {args{
			"base_url": "https://[::1]:8080/files/", "request_headers": args{"X-Token": "a"}, "wait_until_ready": true, "timeouts": args{"read": "1h"},
		}, nil},
		"everything unknown": {args{"base_url": unknown{}, "request_headers": unknown{}, "wait_until_ready": unknown{}, "timeouts": unknown{}}, nil},
		"elements unknown":   {args{"request_headers": args{"Host": unknown{}}, "timeouts": args{"read": unknown{}}}, nil},
	}
	addRefusals(tests, "timeouts.read")
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := validateInstance(t, test.arguments)
			got.must(t, test.want...)
			mustNotSay(t, got.String(), "hunter2")
		})
	}
}

func TestInstanceRequestHeaders(t *testing.T) {
	t.Parallel()
	const ourAgent = "terraform-provider-filetransfer/1.2.3 Terraform/1.11.4"
	tests := map[string]struct {
		provider, own args
		elsewhere     bool // read another origin than the provider's
		want          map[string]string
		host          string
	}{
		"none": {want: map[string]string{"Accept": "application/json", "User-Agent": ourAgent}},
		"provider's": {
			provider: args{"x-token": "provider", "User-Agent": "mine"},
			want:     map[string]string{"X-Token": "provider", "User-Agent": "mine", "Accept": "application/json"},
		},
		"own": {
			own:  args{"X-Token": "own", "Accept": "text/plain"},
			want: map[string]string{"X-Token": "own", "Accept": "text/plain", "User-Agent": ourAgent},
		},
		"own win, others are added": {
			provider: args{"X-Token": "provider", "X-Provider": "p"}, own: args{"x-TOKEN": "own", "X-Own": "o"},
			want: map[string]string{"X-Token": "own", "X-Provider": "p", "X-Own": "o"},
		},
		"own empty value wins": {
			provider: args{"X-Token": "provider"}, own: args{"X-Token": ""},
			want: map[string]string{"X-Token": ""},
		},
		"another origin": {
			provider: args{"X-Token": "provider", "User-Agent": "mine"}, own: args{"X-Own": "o"}, elsewhere: true,
			want: map[string]string{"X-Own": "o", "User-Agent": ourAgent},
		},
		"Host": {own: args{"host": "files.example.org:8443"}, want: map[string]string{}, host: "files.example.org:8443"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, read := instancetest.New(t), instancetest.New(t)
			baseURL := home.URL()
			if !test.elsewhere {
				// Another path of the origin is the same origin.
				read, baseURL = home, home.URL()+"/some/path"
			}
			readInstance(t.Context(), t,
				args{"base_url": baseURL, "request_headers": test.provider},
				args{"base_url": read.URL(), "request_headers": test.own}).must(t)

			requests := read.Requests()
			if len(requests) != 1 {
				t.Fatalf("%d requests, want 1", len(requests))
			}
			for _, name := range []string{"Accept", "User-Agent", "X-Token", "X-Provider", "X-Own"} {
				values, sent := requests[0].Header[name]
				want, wanted := test.want[name]
				if name == "Accept" || name == "User-Agent" {
					wanted = wanted || !sent // always sent; looked at where it is named
					if test.want[name] == "" {
						continue
					}
				}
				if sent != wanted || sent && !slices.Equal(values, []string{want}) {
					t.Errorf("%s is %q, want %q", name, values, want)
				}
			}
			if test.host != "" {
				mustEqual(t, "the host", requests[0].Host, test.host)
			}
		})
	}
}

func TestInstanceRetries(t *testing.T) {
	t.Parallel()
	bad, good := instancetest.Status(503), instancetest.Answer()
	slow := args{"retry": args{"max_attempts": 3, "min_delay": "30ms", "max_delay": "40ms"}}
	tests := map[string]struct {
		provider  args
		script    []instancetest.Step
		requests  int
		fails     string // the status that it fails with
		atLeast   time.Duration
		arguments args
	}{
		"twice, then good":            {impatient(3), []instancetest.Step{bad, bad}, 3, "", 0, nil},
		"default attempts":            {args{"retry": args{"min_delay": "1ms", "max_delay": "1ms"}}, []instancetest.Step{bad, bad, bad, bad, good}, 4, "503", 0, nil},
		"one attempt":                 {oneAttempt(), []instancetest.Step{bad}, 1, "503", 0, nil},
		"408 429 500 502 504":         {impatient(9), []instancetest.Step{instancetest.Status(408), instancetest.Status(429), instancetest.Status(500), instancetest.Status(502), instancetest.Status(504)}, 6, "", 0, nil},
		"broken connections":          {impatient(9), []instancetest.Step{instancetest.Reset(), instancetest.CloseConnection(), instancetest.ShortBody(), instancetest.ResetInBody()}, 5, "", 0, nil},
		"min_delay":                   {slow, []instancetest.Step{bad, bad}, 3, "", 60 * time.Millisecond, nil},
		"Retry-After above max_delay": {impatient(2), []instancetest.Step{instancetest.RetryAfter(503, "86400")}, 2, "", 0, nil},
		"Retry-After below min_delay": {slow, []instancetest.Step{instancetest.RetryAfter(429, "0"), instancetest.RetryAfter(503, "Thu, 01 Jan 1970 00:00:00 GMT")}, 3, "", 60 * time.Millisecond, nil},
		"Retry-After within":          {args{"retry": args{"min_delay": "1ms", "max_delay": "1m"}}, []instancetest.Step{instancetest.RetryAfter(503, "1")}, 2, "", time.Second, nil},
		"404 is not retried":          {impatient(3), []instancetest.Step{instancetest.Status(404)}, 1, "404", 0, nil},
		"501 is not retried":          {impatient(3), []instancetest.Step{instancetest.Status(501)}, 1, "501", 0, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithScript(test.script...))
			start := time.Now()
			got := readInstance(t.Context(), t, test.provider, args{"base_url": server.URL()})
			took := time.Since(start)

			mustEqual(t, "the number of requests", len(server.Requests()), test.requests)
			if took < test.atLeast || took > 30*time.Second {
				t.Errorf("it took %s, want at least %s", took, test.atLeast)
			}
			if test.fails == "" {
				got.must(t)
				return
			}
			says := []string{"GET " + server.URL() + "/instance: status " + test.fails}
			if test.requests > 1 {
				says = append(says, fmt.Sprintf("the last of %d attempts", test.requests))
			}
			got.told.must(t, expected{at: "base_url", summary: "Instance answered with status " + test.fails, says: says})
		})
	}
}

func TestInstanceTLS(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t, instancetest.WithTLS())
	ca := args{"ca_cert_pem": material.CACertPEM()}
	client := args{"client_cert_pem": material.ClientCertPEM(), "client_key_pem": material.ClientKeyPEM()}
	insecure := args{"insecure": true}
	untrusted := expected{
		at: "base_url", summary: "Certificate of the instance not trusted",
		says: []string{"GET {url}: ", "ca_cert_pem"},
	}
	tests := map[string]struct {
		provider args
		option   instancetest.Option
		want     []expected
		shown    bool // the client certificate
	}{
		"trusted":                    {ca, instancetest.WithTLS(), nil, false},
		"trusted, HTTP/1":            {ca, instancetest.WithTLSHTTP1(), nil, false},
		"untrusted":                  {nil, instancetest.WithTLS(), []expected{untrusted}, false},
		"expired":                    {ca, instancetest.WithCertificate(instancetest.CertificateExpired), []expected{untrusted}, false},
		"wrong host":                 {ca, instancetest.WithCertificate(instancetest.CertificateWrongHost), []expected{untrusted}, false},
		"self-signed":                {ca, instancetest.WithCertificate(instancetest.CertificateSelfSigned), []expected{untrusted}, false},
		"insecure, self-signed":      {insecure, instancetest.WithCertificate(instancetest.CertificateSelfSigned), nil, false},
		"insecure, wrong host":       {insecure, instancetest.WithCertificate(instancetest.CertificateWrongHost), nil, false},
		"not insecure":               {args{"insecure": false}, instancetest.WithTLS(), []expected{untrusted}, false},
		"client certificate":         {ca.with(client), instancetest.WithClientCertificate(), nil, true},
		"insecure client":            {insecure.with(client), instancetest.WithClientCertificate(), nil, true},
		"client certificate missing": {ca, instancetest.WithClientCertificate(), []expected{{at: "base_url", summary: "TLS handshake with the instance failed", says: []string{"GET {url}: ", "client_cert_pem", "client_key_pem"}}}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, test.option)
			got := readInstance(t.Context(), t, test.provider, args{"base_url": server.URL()})
			got.told.must(t, of(server, test.want)...)
			if len(test.want) > 0 {
				// Nothing but the handshake: what cannot pass is not retried.
				mustEqual(t, "the number of connections", server.Connections(), 1)
				return
			}
			got.state.mustMatch(t, stateOfNewer())
			mustEqual(t, "whether the client certificate was shown", server.Requests()[0].ClientCertificate, test.shown)
		})
	}
}

// of puts the server's URL into what is expected.
func of(server *instancetest.Server, want []expected) []expected {
	want = slices.Clone(want)
	for i := range want {
		want[i].says = slices.Clone(want[i].says)
		for j := range want[i].says {
			want[i].says[j] = strings.ReplaceAll(want[i].says[j], "{url}", server.URL()+"/instance")
		}
	}
	return want
}

func TestInstanceFailures(t *testing.T) {
	t.Parallel()
	const wait = "wait_until_ready = true"
	html := "<html><head><title>502</title><style>p{color:red}</style></head><body><h1>Bad Gateway</h1><p>upstream\n is away</p></body></html>"
	elsewhere := instancetest.ReserveAddress(t)
	tests := map[string]struct {
		step      instancetest.Step
		path      string // of the base URL
		provider  args
		arguments args
		want      expected
		unsaid    string // what the detail must not hold
		requests  int    // 0 for one
	}{
		"reset": {step: instancetest.Reset(), want: expected{
			summary: "Connection to the instance broke", says: []string{"GET {url}: ", "log of the instance", wait},
		}},
		"closed": {step: instancetest.CloseConnection(), want: expected{
			summary: "Connection to the instance broke", says: []string{"GET {url}: the server closed"},
		}},
		"short body": {step: instancetest.ShortBody(), want: expected{
			summary: "Connection to the instance broke", says: []string{"GET {url}: ", "before the whole response had arrived"},
		}},
		"silent": {step: instancetest.Silent(), provider: args{"request_timeout": "400ms"}, want: expected{
			summary: "Instance did not answer in time", says: []string{"GET {url}: no complete response within 400ms", "request_timeout"},
		}, unsaid: "timeouts.read"},
		"slow body": {step: instancetest.DripBody(), provider: args{"request_timeout": "400ms"}, want: expected{
			summary: "Instance did not answer in time", says: []string{"GET {url}: no complete response within 400ms"},
		}},
		"silent until the end": {step: instancetest.Silent(), arguments: args{"timeouts": args{"read": "600ms"}}, want: expected{
			summary: "Instance did not answer in time", says: []string{"GET {url}: ", "timeouts.read (600ms), ran out", "raise timeouts.read"},
		}},
		"no time for another attempt": {
			step: instancetest.Status(503), provider: args{"retry": args{"min_delay": "5s"}}, arguments: args{"timeouts": args{"read": "2s"}},
			want: expected{summary: "Instance answered with status 503", says: []string{"GET {url}: status 503", "timeouts.read (2s), ran out"}},
		},
		"not HTTP": {step: instancetest.Verbatim("SSH-2.0-OpenSSH_9.6\r\n\r\n", instancetest.CloseConnection()), want: expected{
			summary: "Response of the instance is not valid HTTP", says: []string{"GET {url}: the response is not valid HTTP", "port"},
		}},
		"redirect without end": {step: instancetest.Redirect(302, "/instance"), provider: impatient(3), requests: 6, want: expected{
			summary: "Redirect of the instance not followed", says: []string{"GET {url}: redirected to {url}: more than 5 redirects", "Set base_url to the address"},
		}},
		"redirect to ftp": {step: instancetest.Redirect(301, "ftp://files.example.org/x?token=hunter2"), want: expected{
			summary: "Redirect of the instance not followed", says: []string{"GET {url}: a redirect to ftp://files.example.org/x, which is neither http nor https"},
		}, unsaid: "hunter2"},
		"redirect to nowhere": {step: instancetest.Redirect(307, "http://"+elsewhere+"/x?token=hunter2"), want: expected{
			summary: "Instance not reachable", says: []string{"GET {url}: redirected to http://" + elsewhere + "/x: "},
		}, unsaid: "hunter2"},
		"the service's 404": {step: instancetest.Answer(), path: "/wrong", want: expected{
			summary: "Instance answered with status 404", says: []string{"/wrong/instance: status 404 Not Found: Route GET:/wrong/instance not found", "Check the path of base_url", "/api"},
		}, unsaid: wait},
		"path given twice": {step: instancetest.Answer(), path: "/instance", want: expected{
			summary: "Instance answered with status 404", says: []string{"/instance/instance: status 404", "base_url ends in /instance", "remove it"},
		}},
		"proxy's HTML": {step: instancetest.Body(502, "text/html", html), want: expected{
			summary: "Instance answered with status 502", says: []string{"GET {url}: status 502 Bad Gateway: Bad Gateway upstream is away", "check its log", wait},
		}, unsaid: "<"},
		"terminal escapes": {step: instancetest.Body(500, "text/plain", "a\x1b[31mb\nc\u202ed"), want: expected{
			summary: "Instance answered with status 500", says: []string{"status 500 Internal Server Error: a[31mb cd"},
		}, unsaid: "\x1b"},
		"401": {step: instancetest.Status(401), want: expected{
			summary: "Instance answered with status 401", says: []string{"GET {url}: status 401 Unauthorized: The instance was told", "request_headers", "client_cert_pem"},
		}},
		"403": {step: instancetest.Status(403), want: expected{summary: "Instance answered with status 403", says: []string{"request_headers"}}},
		"429": {step: instancetest.Status(429), want: expected{summary: "Instance answered with status 429", says: []string{"-parallelism", "max_concurrency of filetransfer_instances", "retry.max_delay"}}},
		"204": {step: instancetest.Status(204), want: expected{summary: "Instance answered with status 204", says: []string{"An instance answers 200"}}},
		"304": {step: instancetest.Status(304), want: expected{summary: "Instance answered with status 304", says: []string{"An instance answers 200"}}},
		"418": {step: instancetest.Status(418), want: expected{summary: "Instance answered with status 418", says: []string{"Check base_url"}}},
		"too large": {step: instancetest.EndlessBody(), want: expected{
			summary: "Response of the instance too large", says: []string{"GET {url}: a body of more than 1048576 bytes", "names an instance"},
		}},
		"web page": {step: instancetest.Body(200, "text/html; charset=utf-8", "<!DOCTYPE html><title>Files</title><body>Send a file"), want: expected{
			summary: "Response of the instance is not JSON", says: []string{"GET {url}: the body is not JSON", `Content-Type "text/html; charset=utf-8"`, "Send a file", "not of its web page"},
		}},
		"empty body": {step: instancetest.Body(200, "", ""), want: expected{
			summary: "Response of the instance is not JSON", says: []string{"GET {url}: the body is not JSON", "no Content-Type"},
		}},
		"not UTF-8": {step: instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", instancetest.Raw("\"2.0.0\xff\"")).JSON()), want: expected{
			summary: "Response of the instance is not JSON", says: []string{"UTF-8"},
		}},
		"list": {step: instancetest.AnswerDocument("[]"), want: expected{
			summary: "Response is not an instance document", says: []string{"GET {url} answered JSON", "the document: expected a JSON object, found an array"},
		}},
		"broken configuration": {step: instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", nil)), want: expected{
			summary: "Response is not an instance document", says: []string{"GET {url} answered JSON", "\n  - fileMaxSize: expected an integer", "found null", "its operator has to fix"},
		}},
		"first public version": {step: instancetest.AnswerDocument(instancetest.Older().Without("fileMaxAge").Without("recommendedExpireTimes")), want: expected{
			summary: "Response is not an instance document", says: []string{"\n  - fileMaxAge: ", "\n  - recommendedExpireTimes: ", "missing"},
		}},
		"fault of an entry": {step: instancetest.AnswerDocument(instancetest.Newer().With("recommendedExpireTimes", []instancetest.Document{
			instancetest.NewerEntry("a", 60), instancetest.NewerEntry("b", 60).With("inSeconds", -1),
		})), want: expected{
			summary: "Response is not an instance document", says: []string{"recommendedExpireTimes[1].inSeconds", "-1"},
		}},
		"many faults": {step: instancetest.AnswerDocument(instancetest.Newer().With("recommendedExpireTimes", slices.Repeat([]instancetest.Raw{"1"}, 30))), want: expected{
			summary: "Response is not an instance document", says: []string{"recommendedExpireTimes[19]", "\n  - and 10 more"},
		}, unsaid: "recommendedExpireTimes[20]"},
		"duplicate":   {step: instancetest.AnswerDocument(strings.Replace(instancetest.Newer().JSON(), "{", `{"chunkSize":1,`, 1)), want: expected{summary: "Response is not an instance document", says: []string{"chunkSize", "once"}}},
		"null limit":  {step: instancetest.AnswerDocument(instancetest.Newer().With("maxTransfersInMerge", nil)), want: expected{summary: "Response is not an instance document", says: []string{"maxTransfersInMerge", "null"}}},
		"bad version": {step: instancetest.AnswerDocument(instancetest.Newer().With("apiVersion", "2.0")), want: expected{summary: "Response is not an instance document", says: []string{"apiVersion", `"2.0"`, "three numbers"}}},
		"other case":  {step: instancetest.AnswerDocument(instancetest.Newer().Without("chunkSize").With("chunksize", 1)), want: expected{summary: "Response is not an instance document", says: []string{"chunkSize", "missing"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithDefault(test.step))
			arguments := args{"base_url": server.URL() + test.path}.with(test.arguments)
			got := readInstance(t.Context(), t, oneAttempt().with(test.provider), arguments)

			test.want.at = "base_url"
			got.told.must(t, of(server, []expected{test.want})...)
			if test.unsaid != "" {
				mustNotSay(t, got.told.String(), test.unsaid)
			}
			mustEqual(t, "the number of requests", len(server.Requests()), max(test.requests, 1))
		})
	}
}

func TestInstanceNotThere(t *testing.T) {
	t.Parallel()
	address := instancetest.ReserveAddress(t)
	plain := instancetest.New(t)
	secure := instancetest.New(t, instancetest.WithTLS())
	tests := map[string]struct {
		provider, arguments args
		want                expected
	}{
		"refused": {
			nil, args{"base_url": "http://" + address},
			expected{at: "base_url", summary: "Instance not reachable", says: []string{"GET http://" + address + "/instance: connection refused", "host and port", "wait_until_ready = true"}},
		},
		"refused, provider's": { // not at an attribute: the data source has none at fault
			args{"base_url": "http://" + address}, nil,
			expected{summary: "Instance not reachable", says: []string{"GET http://" + address + "/instance: connection refused"}},
		},
		"TLS to a plain port": {
			nil, args{"base_url": "https://" + plain.Address()},
			expected{at: "base_url", summary: "TLS handshake with the instance failed", says: []string{"GET https://" + plain.Address() + "/instance: ", "write base_url with http://"}},
		},
		"plain to a TLS port": {
			nil, args{"base_url": "http://" + secure.Address()},
			expected{at: "base_url", summary: "Instance answered with status 400", says: []string{"GET http://" + secure.Address() + "/instance: status 400"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			readInstance(t.Context(), t, oneAttempt().with(test.provider), test.arguments).told.must(t, test.want)
		})
	}
}

func TestInstanceThroughAProxy(t *testing.T) {
	server := instancetest.New(t)
	proxy := instancetest.NewProxy(t, instancetest.WithProxyTarget(server))
	refusing := instancetest.NewProxy(t, instancetest.WithProxyRefusal(407))
	host := instancetest.ProxiedHost
	tests := map[string]struct {
		proxy, baseURL string
		want           []expected
	}{
		"used":      {proxy.URL(), "http://" + host, nil},
		"refuses":   {refusing.URL(), "https://" + host, []expected{{at: "base_url", summary: "Instance not reachable through the proxy", says: []string{"GET https://" + host + "/instance: ", "status 407", "HTTPS_PROXY"}}}},
		"away":      {"http://me:hunter2@" + instancetest.ReserveAddress(t), "http://" + host, []expected{{at: "base_url", summary: "Instance not reachable through the proxy", says: []string{"HTTP_PROXY"}}}},
		"not a URL": {"http://me:hunter2@%zz", "http://" + host, []expected{{at: "base_url", summary: "Instance not reachable through the proxy", says: []string{"HTTP_PROXY", "not valid"}}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HTTP_PROXY", test.proxy)
			t.Setenv("HTTPS_PROXY", test.proxy)
			t.Setenv("NO_PROXY", "")
			got := readInstance(t.Context(), t, oneAttempt(), args{"base_url": test.baseURL})
			got.told.must(t, test.want...)
			mustNotSay(t, got.told.String(), "hunter2")
			mustEqual(t, "whether there is a state", got.state != nil, len(test.want) == 0)
		})
	}
}

// TestInstanceUnknownProviderArguments: an argument of the provider that is
// only known after apply matters to the reads that need it, and to no other.
func TestInstanceUnknownProviderArguments(t *testing.T) {
	t.Parallel()
	plain := instancetest.New(t)
	secure := instancetest.New(t, instancetest.WithTLS())
	other := instancetest.New(t)
	ca := args{"ca_cert_pem": secure.CACertPEM()}
	own, ownSecure := args{"base_url": plain.URL()}, args{"base_url": secure.URL()}
	redirecting := args{"base_url": redirectingTo(t, secure)}
	waiting := own.with(args{"wait_until_ready": true})
	headers := args{"request_headers": args{"X-Token": "a"}}
	everything := args{
		"base_url": unknown{}, "request_headers": unknown{}, "request_timeout": unknown{}, "retry": unknown{},
		"ca_cert_pem": unknown{}, "client_cert_pem": unknown{}, "client_key_pem": unknown{}, "insecure": unknown{},
	}
	tests := map[string]struct {
		provider, arguments args
		needs               string // the arguments named; "" where the read works
	}{
		"base_url, not needed":                 {args{"base_url": unknown{}}, own, ""},
		"base_url, needed":                     {args{"base_url": unknown{}}, nil, "base_url"},
		"base_url, needed to place headers":    {headers.with(args{"base_url": unknown{}}), own, "base_url"},
		"base_url, no header in the map":       {args{"base_url": unknown{}, "request_headers": args{}}, own, ""},
		"request_headers, needed":              {args{"base_url": plain.URL(), "request_headers": unknown{}}, own, "request_headers"},
		"request_headers, provider's instance": {args{"base_url": plain.URL(), "request_headers": unknown{}}, nil, "request_headers"},
		"one header, needed":                   {args{"base_url": plain.URL(), "request_headers": args{"X-A": "a", "X-B": unknown{}}}, own, "request_headers"},
		"request_headers, another origin":      {args{"base_url": other.URL(), "request_headers": unknown{}}, own, ""},
		"request_headers, nothing to place":    {args{"request_headers": unknown{}}, own, ""},
		"both":                                 {args{"base_url": unknown{}, "request_headers": unknown{}}, own, "base_url, request_headers"},
		"request_timeout":                      {args{"request_timeout": unknown{}}, own, "request_timeout"},
		"retry":                                {args{"retry": unknown{}}, own, "retry.max_attempts, retry.max_delay, retry.min_delay"},
		"max_attempts":                         {args{"retry": args{"max_attempts": unknown{}}}, own, "retry.max_attempts"},
		"max_attempts while waiting":           {args{"retry": args{"max_attempts": unknown{}}}, waiting, ""},
		"min_delay while waiting":              {args{"retry": args{"min_delay": unknown{}}}, waiting, "retry.min_delay"},
		"delays, no other attempt":             {args{"retry": args{"max_attempts": 1, "min_delay": unknown{}, "max_delay": unknown{}}}, own, ""},
		"delays, no other attempt but waiting": {args{"retry": args{"max_attempts": 1, "min_delay": unknown{}}}, waiting, "retry.min_delay"},
		"max_delay":                            {args{"retry": args{"max_delay": unknown{}}}, own, "retry.max_delay"},
		"ca_cert_pem, plain HTTP":              {args{"ca_cert_pem": unknown{}}, own, ""},
		"ca_cert_pem, TLS":                     {args{"ca_cert_pem": unknown{}}, ownSecure, "ca_cert_pem"},
		"ca_cert_pem, redirected to TLS":       {args{"ca_cert_pem": unknown{}}, redirecting, "ca_cert_pem"},
		"insecure, redirected to trusted TLS":  {ca.with(args{"insecure": unknown{}}), redirecting, ""},
		"insecure, plain HTTP":                 {args{"insecure": unknown{}}, own, ""},
		"insecure, TLS":                        {ca.with(args{"insecure": unknown{}}), ownSecure, "insecure"},
		"client pair, plain HTTP":              {args{"client_cert_pem": unknown{}, "client_key_pem": unknown{}}, own, ""},
		"client pair, TLS":                     {ca.with(args{"client_cert_pem": unknown{}, "client_key_pem": unknown{}}), ownSecure, "client_cert_pem, client_key_pem"},
		"client pair, redirected to TLS":       {ca.with(args{"client_cert_pem": unknown{}, "client_key_pem": unknown{}}), redirecting, ""},
		"client key, TLS":                      {ca.with(args{"client_cert_pem": secure.ClientCertPEM(), "client_key_pem": unknown{}}), ownSecure, "client_key_pem"},
		"everything":                           {everything, nil, "base_url, ca_cert_pem, client_cert_pem, client_key_pem, insecure, request_headers, request_timeout, retry.max_attempts, retry.max_delay, retry.min_delay"},
	}
	for name, test := range tests {
		for _, deferral := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, deferral %v", name, deferral), func(t *testing.T) {
				t.Parallel()
				server, faults := configure(t.Context(), t, test.provider)
				faults.must(t)
				got := readInstanceFrom(t.Context(), t, server, test.arguments, deferral)
				switch {
				case test.needs == "":
					got.must(t).mustMatch(t, stateOfNewer())
					if got.deferred != nil {
						t.Errorf("deferred: %v", got.deferred)
					}
				case deferral:
					got.told.must(t)
					if got.state != nil || got.deferred == nil || got.deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
						t.Errorf("state %v, deferred %v", got.state, got.deferred)
					}
				default:
					got.told.must(t, expected{summary: "Provider configuration not known yet", says: []string{
						"the provider's " + test.needs + " is only known after apply", "Give " + test.needs + " a value", "-target", "depends_on",
					}})
				}
			})
		}
	}
}

// redirectingTo starts a server that redirects to an instance, and returns its URL.
func redirectingTo(t *testing.T, server *instancetest.Server) string {
	t.Helper()
	return instancetest.New(t, instancetest.WithDefault(instancetest.Redirect(http.StatusFound, server.URL()+"/instance"))).URL()
}

// A client certificate is not shown where a redirect leads, so that one that is
// not known yet is nothing to wait for.
func TestInstanceClientCertificateBehindARedirect(t *testing.T) {
	t.Parallel()
	// Over HTTP/1, where the refusal of a client without a certificate cannot get lost.
	mutual := instancetest.New(t, instancetest.WithClientCertificate(), instancetest.WithTLSHTTP1())
	ca := args{"ca_cert_pem": mutual.CACertPEM()}
	for name, pair := range map[string]args{
		"known":   {"client_cert_pem": mutual.ClientCertPEM(), "client_key_pem": mutual.ClientKeyPEM()},
		"unknown": {"client_cert_pem": unknown{}, "client_key_pem": unknown{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, faults := configure(t.Context(), t, ca.with(pair))
			faults.must(t)
			got := readInstanceFrom(t.Context(), t, server, args{"base_url": redirectingTo(t, mutual)}, true)
			got.told.must(t, expected{at: "base_url", summary: "TLS handshake with the instance failed", says: []string{
				"redirected to " + mutual.URL() + "/instance", "certificate required", "set base_url to its own address",
			}})
			if got.deferred != nil {
				t.Errorf("deferred: %v", got.deferred)
			}
		})
	}
}

func TestInstanceWithoutABaseURL(t *testing.T) {
	t.Parallel()
	tests := map[string]args{
		"nothing": nil,
		// Waiting for other arguments would only put the error off.
		"other arguments unknown": {"request_timeout": unknown{}, "request_headers": unknown{}, "ca_cert_pem": unknown{}},
	}
	for name, provider := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, _ := configure(t.Context(), t, provider)
			got := readInstanceFrom(t.Context(), t, server, nil, true)
			got.told.must(t, expected{summary: "No instance to read", says: []string{
				"Neither the data source nor the provider has a base_url", "FILETRANSFER_BASE_URL", "Set one of them",
			}})
			if got.deferred != nil {
				t.Errorf("deferred: %v", got.deferred)
			}
		})
	}
}

// onLine calls a function when a line of the log has a text.
type onLine struct {
	text string
	call func()
}

func (o onLine) Write(line []byte) (int, error) {
	if strings.Contains(string(line), o.text) {
		o.call()
	}
	return len(line), nil
}

// beforeRetry returns a context in which call is called once, before the first
// delay.
func beforeRetry(t *testing.T, call func()) context.Context {
	t.Helper()
	return tflogtest.RootLogger(t.Context(), onLine{text: "Trying again", call: sync.OnceFunc(call)})
}

func TestInstanceWaitUntilReady(t *testing.T) {
	t.Parallel()
	tests := map[string]instancetest.Step{
		"503":               instancetest.Status(503),
		"404":               instancetest.Status(404),
		"501":               instancetest.Status(501),
		"401":               instancetest.Status(401),
		"204":               instancetest.Status(204),
		"reset":             instancetest.Reset(),
		"short body":        instancetest.ShortBody(),
		"not HTTP":          instancetest.Verbatim("220 ready\r\n\r\n", instancetest.CloseConnection()),
		"web page":          instancetest.Body(200, "text/html", "<h1>Welcome</h1>"),
		"too large":         instancetest.Body(200, "text/plain", strings.Repeat(" ", 1<<20+1)),
		"other document":    instancetest.AnswerDocument("{}"),
		"unfinished limits": instancetest.AnswerDocument(instancetest.Newer().With("fileMaxSize", nil)),
		"redirect":          instancetest.Redirect(302, "ftp://files.example.org"),
		"Retry-After":       instancetest.RetryAfter(503, "86400"),
	}
	for name, step := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithScript(step, step, step))
			waiting := args{"base_url": server.URL(), "wait_until_ready": true}
			got := readInstance(t.Context(), t, impatient(1), waiting).must(t)
			got.mustMatch(t, stateOfNewer())
			mustEqual(t, "wait_until_ready", got["wait_until_ready"], true)
			mustEqual(t, "the number of requests", len(server.Requests()), 4)

			// It is not retried, at one attempt, where nothing waits.
			server.SetScript(step, step)
			if got := readInstance(t.Context(), t, impatient(1), args{"base_url": server.URL()}); len(got.told.errors()) != 1 {
				t.Errorf("without wait_until_ready: %s", got.told)
			}
			mustEqual(t, "the number of requests", len(server.Requests()), 5)
		})
	}
	t.Run("timeout", func(t *testing.T) {
		t.Parallel()
		server := instancetest.New(t, instancetest.WithScript(instancetest.Silent(), instancetest.Silent()))
		readInstance(t.Context(), t, impatient(1).with(args{"request_timeout": "300ms"}),
			args{"base_url": server.URL(), "wait_until_ready": true}).must(t)
		if got := len(server.Requests()); got < 3 {
			t.Errorf("%d requests, want at least 3", got)
		}
	})
}

func TestInstanceWaitsForAServerThatStartsLater(t *testing.T) {
	t.Parallel()
	address := instancetest.ReserveAddress(t)
	var server *instancetest.Server
	ctx := beforeRetry(t, func() { server = instancetest.New(t, instancetest.WithListenAddress(address)) })

	got := readInstance(ctx, t, impatient(1), args{"base_url": "http://" + address, "wait_until_ready": true})

	got.must(t).mustMatch(t, stateOfNewer())
	mustEqual(t, "the number of requests", len(server.Requests()), 1)
}

func TestInstanceWaitsForItsCertificate(t *testing.T) {
	t.Parallel()
	placeholder := instancetest.New(t, instancetest.WithCertificate(instancetest.CertificateSelfSigned))
	ctx := beforeRetry(t, func() {
		placeholder.Close()
		instancetest.New(t, instancetest.WithTLS(), instancetest.WithListenAddress(placeholder.Address()))
	})
	provider := impatient(1).with(args{"ca_cert_pem": placeholder.CACertPEM()})

	got := readInstance(ctx, t, provider, args{"base_url": placeholder.URL(), "wait_until_ready": true})

	got.must(t).mustMatch(t, stateOfNewer())
}

func TestInstanceStopsWaiting(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Status(404)))
	got := readInstance(t.Context(), t,
		args{"retry": args{"max_attempts": 1, "min_delay": "10ms", "max_delay": "20ms"}},
		args{"base_url": server.URL(), "wait_until_ready": true, "timeouts": args{"read": "1s"}})

	if requests := len(server.Requests()); requests < 3 {
		t.Errorf("%d requests, want several", requests)
	}
	got.told.must(t, expected{at: "base_url", summary: "Instance answered with status 404", says: []string{
		"GET " + server.URL() + "/instance: status 404", // the last failure, not the end of the time
		"This was the last of",
		"timeouts.read (1s), ran out",
		"raise timeouts.read",
	}})
	mustNotSay(t, got.told.String(), "set wait_until_ready")
}

func TestInstanceWaitsNotForAFaultOfTheConfiguration(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://me:hunter2@%zz")
	t.Setenv("NO_PROXY", "")
	start := time.Now()
	got := readInstance(t.Context(), t, impatient(1), args{"base_url": "http://" + instancetest.ProxiedHost, "wait_until_ready": true})
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	got.told.must(t, expected{at: "base_url", summary: "Instance not reachable through the proxy", says: []string{"HTTP_PROXY"}})
	mustNotSay(t, got.told.String(), "timeouts.read")
}

func TestInstanceCancelled(t *testing.T) {
	t.Parallel()
	tests := map[string]func(ctx context.Context, cancel func(), server *instancetest.Server) context.Context{
		"during a request": func(ctx context.Context, cancel func(), server *instancetest.Server) context.Context {
			server.SetDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
				cancel()
				instancetest.Silent()(s, w, r)
			})
			return ctx
		},
		"during a delay": func(ctx context.Context, cancel func(), server *instancetest.Server) context.Context {
			server.SetDefault(instancetest.RetryAfter(503, "3600"))
			return tflogtest.RootLogger(ctx, onLine{text: "Trying again", call: cancel})
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ctx = prepare(ctx, cancel, server)
			start := time.Now()
			got := readInstance(ctx, t,
				args{"request_timeout": "1h", "retry": args{"max_delay": "1h"}},
				args{"base_url": server.URL(), "wait_until_ready": true, "timeouts": args{"read": "2h"}})
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("it took %s", took)
			}
			got.told.must(t, expected{summary: "Read cancelled", says: []string{"cancelled"}})
			mustEqual(t, "the number of requests", len(server.Requests()), 1)
		})
	}
}

func TestInstanceWarnings(t *testing.T) {
	t.Parallel()
	contradiction := func(label string, seconds int64) instancetest.Document {
		return instancetest.NewerEntry(label, seconds).With("value", seconds)
	}
	const contradict, short = "Expiry entries contradict themselves", "Expiry options shorter than a minute"
	var many []instancetest.Document
	for i := range 25 {
		many = append(many, contradiction(fmt.Sprintf("option %d", i), 3600))
	}
	full, oneMore := many[:20], many[:21]
	tests := map[string]struct {
		entries []instancetest.Document
		want    []expected
		unsaid  string
		seconds []int64
	}{
		"none":    {entries: []instancetest.Document{instancetest.NewerEntry("5 s", 5), instancetest.OlderEntry("1 min", 60)}, seconds: []int64{5, 60}},
		"rounded": {entries: []instancetest.Document{instancetest.NewerEntry("90 s", 90)}, seconds: []int64{90}},
		"one of each": {
			entries: []instancetest.Document{contradiction("1 heure", 3600), instancetest.OlderEntry("30 min", 30), contradiction("1 día", 86400), instancetest.OlderEntry("59", 59)},
			want: []expected{
				{warning: true, summary: contradict, says: []string{
					"{url}\n", `- recommendedExpireTimes[0] ("1 heure"): inSeconds is 3600, in whole minutes 60, but value is 3600`,
					`- recommendedExpireTimes[2] ("1 día")`, "read by inSeconds", "operator",
				}},
				{warning: true, summary: short, says: []string{
					"{url}\n", `- recommendedExpireTimes[1] ("30 min"): 30`, `- recommendedExpireTimes[3] ("59"): 59`, "1.1.0, 1.1.1 and 1.2.0", "in seconds", "60 times",
				}},
			},
			seconds: []int64{3600, 30, 86400, 59},
		},
		"zero": {
			entries: []instancetest.Document{instancetest.OlderEntry("never", 0)},
			want:    []expected{{warning: true, summary: short, says: []string{`("never"): 0`}}},
			seconds: []int64{0},
		},
		"many": {
			entries: many,
			want:    []expected{{warning: true, summary: contradict, says: []string{"recommendedExpireTimes[19]", "\n  - and 5 more"}}},
			unsaid:  "recommendedExpireTimes[20]",
			seconds: slices.Repeat([]int64{3600}, 25),
		},
		"as many as are listed": {
			entries: full,
			want:    []expected{{warning: true, summary: contradict, says: []string{"recommendedExpireTimes[19]"}}},
			unsaid:  "more",
			seconds: slices.Repeat([]int64{3600}, 20),
		},
		"one more than is listed": {
			entries: oneMore,
			want:    []expected{{warning: true, summary: contradict, says: []string{"recommendedExpireTimes[19]", "\n  - and 1 more\n"}}},
			unsaid:  "recommendedExpireTimes[20]",
			seconds: slices.Repeat([]int64{3600}, 21),
		},
		"label with escapes": {
			entries: []instancetest.Document{instancetest.OlderEntry("a\x1b[31m\nb", 1)},
			want:    []expected{{warning: true, summary: short, says: []string{`("a[31m b"): 1`}}},
			unsaid:  "\x1b",
			seconds: []int64{1},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("recommendedExpireTimes", test.entries)))
			got := readInstance(t.Context(), t, nil, args{"base_url": server.URL()})
			got.told.must(t, of(server, test.want)...)
			if test.unsaid != "" {
				mustNotSay(t, got.told.String(), test.unsaid)
			}
			var seconds []int64
			for _, entry := range got.state["recommended_expire_times"].([]any) {
				seconds = append(seconds, entry.(args)["in_seconds"].(int64))
			}
			mustEqual(t, "in_seconds", seconds, test.seconds)
		})
	}
}

func TestInstanceReadsShareConnections(t *testing.T) {
	t.Parallel()
	const reads = 500
	tests := map[string]struct {
		option      instancetest.Option
		connections int // at most
	}{
		"plain":  {func(*instancetest.Server) {}, 32},
		"HTTP/1": {instancetest.WithTLSHTTP1(), 32},
		"HTTP/2": {instancetest.WithTLS(), 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, test.option, slowly)
			ours, _ := configure(t.Context(), t, args{"ca_cert_pem": server.CACertPEM()})
			config := dynamicValue(t, valueOf(t, instanceType(), args{"base_url": server.URL()}))
			var running sync.WaitGroup
			for range reads {
				running.Go(func() {
					resp, err := ours.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: instanceName, Config: &config})
					if err != nil || len(resp.Diagnostics) > 0 {
						t.Errorf("%v\n%s", err, diagnostics(resp.Diagnostics))
					}
				})
			}
			running.Wait()
			mustEqual(t, "the number of requests", len(server.Requests()), reads)
			if got := server.Connections(); got < 1 || got > test.connections {
				t.Errorf("%d connections, want 1 to %d", got, test.connections)
			}
			if got := server.PeakRequests(); got < 2 || got > 32 {
				t.Errorf("%d requests at once, want 2 to 32", got)
			}
		})
	}
}

// TestInstanceEchoedHeaders: what an instance says of the headers that it was
// sent does not get into what a user is told.
func TestInstanceEchoedHeaders(t *testing.T) {
	t.Parallel()
	secrets := map[string]string{"Authorization": "Bearer hunter2-provider", "Cookie": "session=hunter2-cookie; theme=dark", "X-Own": "hunter2 own"}
	echo := func(status int, format string) instancetest.Step {
		return instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
			var all strings.Builder
			for _, name := range slices.Sorted(maps.Keys(secrets)) {
				all.WriteString(name + ": " + r.Header.Get(name) + " ")
			}
			w.Header().Set("Content-Type", all.String())
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, format, all.String())
		})
	}
	tests := map[string]instancetest.Step{
		"error":       echo(500, "%s"),
		"JSON error":  echo(403, `{"message": "%s"}`),
		"HTML":        echo(404, "<p>%s"),
		"not JSON":    echo(200, "%s"),
		"member name": echo(200, `{"%[1]s": 1, "%[1]s": 2, "apiVersion": "%[1]s"}`),
		"redirect": instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "ftp://files.example.org/"+strings.ReplaceAll(r.Header.Get("X-Own"), " ", "")+"/"+r.Header.Get("Authorization"))
			w.WriteHeader(302)
		}),
		"warning": instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
			entry := instancetest.OlderEntry(r.Header.Get("Authorization")+r.Header.Get("Cookie"), 1)
			_, _ = io.WriteString(w, instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{entry}).JSON())
		}),
	}
	for name, step := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithDefault(step))
			got := readInstance(t.Context(), t,
				oneAttempt().with(args{"base_url": server.URL(), "request_headers": args{"Authorization": secrets["Authorization"], "Cookie": secrets["Cookie"]}}),
				args{"request_headers": args{"X-Own": secrets["X-Own"]}})
			mustEqual(t, "the number of diagnostics", len(got.told), 1)
			mustEqual(t, "the number of requests", len(server.Requests()), 1)
			mustNotSay(t, got.told.String(), "hunter2-provider", "hunter2-cookie", "hunter2 own")
		})
	}
}

func TestInstanceReadTimeout(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arguments args
		want      time.Duration
	}{
		"nothing":               {nil, time.Minute},
		"not waiting":           {args{"wait_until_ready": false}, time.Minute},
		"waiting":               {args{"wait_until_ready": true}, 10 * time.Minute},
		"no read in timeouts":   {args{"timeouts": args{}}, time.Minute},
		"waiting, no read":      {args{"wait_until_ready": true, "timeouts": args{}}, 10 * time.Minute},
		"timeouts":              {args{"timeouts": args{"read": "5s"}}, 5 * time.Second},
		"waiting with timeouts": {args{"wait_until_ready": true, "timeouts": args{"read": "1h"}}, time.Hour},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := valueOf(t, instanceType(), test.arguments)
			got, faults := readArgumentsFrom(t.Context(), tfsdk.Config{Raw: raw, Schema: instanceSchema()}, elementsOf(t, raw))
			if faults.HasError() {
				t.Fatal(faults)
			}
			mustEqual(t, "the timeout", got.timeout, test.want)
		})
	}
}
