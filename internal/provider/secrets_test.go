package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// logOutput takes the lines of several loggers.
type logOutput struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *logOutput) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(line)
}

func (l *logOutput) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// traced returns a context in which everything is logged at TRACE: what the
// provider logs, and what the framework does.
func traced(ctx context.Context) (context.Context, *logOutput) {
	output := &logOutput{}
	return tfsdklogtest.RootLogger(tflogtest.RootLogger(ctx, output), output), output
}

// echoHeaders answers with every header that was sent, on one line and line by
// line.
func echoHeaders(status int) instancetest.Step {
	return instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "%v\n", r.Header)
		_ = r.Header.Write(w)
	})
}

// Headers with secrets, and what must not show of them.
var (
	secretHeaders    = args{"Authorization": "Bearer hunter2-token", "Cookie": "session=hunter2-cookie; theme=dark"}
	ownSecretHeaders = args{"X-Own": "hunter2 own", "X-Json": `{"key":"hunter2-json"}`}
	secretsInHeaders = []string{"hunter2-token", "hunter2-cookie", "hunter2 own", "hunter2-json"}
)

func TestNothingSecretIsLogged(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t, instancetest.WithTLS())
	keyLine := strings.Split(material.ClientKeyPEM(), "\n")[1]
	secure := args{
		"ca_cert_pem":     material.CACertPEM(),
		"client_cert_pem": material.ClientCertPEM(),
		"client_key_pem":  material.ClientKeyPEM(),
	}
	tests := map[string]struct {
		options   []instancetest.Option
		provider  args
		arguments args
		logged    []string
	}{
		"success": {
			[]instancetest.Option{instancetest.WithClientCertificate()}, secure, nil,
			[]string{"Calling provider defined DataSource Read", "Read the instance"},
		},
		"error with the headers": {
			[]instancetest.Option{instancetest.WithDefault(echoHeaders(500))}, impatient(2), nil,
			[]string{"Trying again", "Could not read the instance"},
		},
		"document with the headers": {
			[]instancetest.Option{instancetest.WithDefault(echoHeaders(200))}, impatient(1), nil,
			[]string{"Could not read the instance"},
		},
		"waiting": {
			[]instancetest.Option{instancetest.WithScript(echoHeaders(404), echoHeaders(200))}, impatient(1),
			args{"wait_until_ready": true},
			[]string{"Trying again", "Read the instance"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, test.options...)
			ctx, output := traced(t.Context())
			ours := providerserver.NewProtocol6(New("test")())()
			call := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			block := providerBlock(t, args{"base_url": server.URL(), "request_headers": secretHeaders}.with(test.provider))
			config := dynamicValue(t, valueOf(t, instanceType(), args{"request_headers": ownSecretHeaders}.with(test.arguments)))

			_, err := ours.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
			call(err)
			_, err = ours.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: block})
			call(err)
			_, err = ours.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: instanceName, Config: &config})
			call(err)
			_, err = ours.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: block})
			call(err)
			read, err := ours.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: instanceName, Config: &config})
			call(err)

			for _, line := range test.logged {
				if !strings.Contains(output.String(), line) {
					t.Errorf("%q is not in the log", line)
				}
			}
			secrets := append([]string{keyLine}, secretsInHeaders...)
			mustNotSay(t, output.String(), secrets...)
			mustNotSay(t, diagnostics(read.Diagnostics).String(), secrets...)
			if requests := server.Requests(); len(requests) == 0 || requests[0].Header.Get("X-Own") != ownSecretHeaders["X-Own"] {
				t.Errorf("the headers were not sent: %+v", requests)
			}
		})
	}
}

// TestMaskSecrets: whatever is logged while an instance is read loses the
// header values, but for those too short to be one.
func TestMaskSecrets(t *testing.T) {
	t.Parallel()
	const line = "1 of 1, ab and so on"
	tests := map[string]struct {
		headers      http.Header
		logged, want string
	}{
		"none":             {nil, line, line},
		"token":            {http.Header{"Authorization": {"Bearer hunter2"}}, "sent Bearer hunter2 twice", "sent *** twice"},
		"three characters": {http.Header{"X-Pin": {"abc"}}, "it is abc.", "it is ***."},
		"two characters":   {http.Header{"X-On": {"ab"}}, line, line},
		"one character":    {http.Header{"X-On": {"1"}}, line, line},
		"nothing":          {http.Header{"X-On": {""}}, line, line},
		"several":          {http.Header{"X-On": {"1"}, "X-A": {"hunter2", "hunter3"}, "X-B": {"hunter4"}}, "1 hunter4 hunter3 hunter2", "1 *** *** ***"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var output bytes.Buffer
			ctx := maskSecrets(tflogtest.RootLogger(t.Context(), &output), test.headers)
			tflog.Debug(ctx, test.logged, map[string]any{"field": test.logged})

			entries, err := tflogtest.MultilineJSONDecode(&output)
			if err != nil || len(entries) != 1 {
				t.Fatalf("%v, %v", entries, err)
			}
			mustEqual(t, "the message", entries[0]["@message"], any(test.want))
			mustEqual(t, "the field", entries[0]["field"], any(test.want))
		})
	}
}

// TestReadsMaskTheLog: the URL is what the client logs as it is, so that a
// header value in it shows what stands behind the client.
func TestReadsMaskTheLog(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithPath("/hunter2"))
	headers := args{"X-Token": "hunter2"}
	tests := map[string]args{
		instanceName:  {"base_url": server.URL(), "request_headers": headers},
		instancesName: {"base_urls": args{"a": server.URL()}, "request_headers": headers},
	}
	for name, arguments := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, output := traced(t.Context())
			ours, _ := configure(ctx, t, nil)
			if got := readWithin(ctx, t, ours, name, arguments); len(got.told) > 0 {
				t.Fatal(got.told)
			}
			if !strings.Contains(output.String(), "Read the instance") || !strings.Contains(output.String(), server.Origin()+"/***/instance") {
				t.Errorf("the URL is not in the log:\n%s", output)
			}
			mustNotSay(t, output.String(), "hunter2")
		})
	}
}

// TestNothingSecretIsLoggedOfARefusedConfiguration: nor by its diagnostics.
func TestNothingSecretIsLoggedOfARefusedConfiguration(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t, instancetest.WithTLS())
	tests := map[string]args{
		"base_url":       {"base_url": "https://me:hunter2@files.example.org"},
		"unparsable":     {"base_url": "https://me:hunter2%zz@files.example.org"},
		"query":          {"base_url": "https://files.example.org?token=hunter2"},
		"line break":     {"request_headers": args{"X-Token": "hunter2\n"}},
		"refused header": {"request_headers": args{"Connection": "hunter2"}},
		"key":            {"client_cert_pem": material.CACertPEM(), "client_key_pem": "hunter2"},
		"other key":      {"client_cert_pem": material.CACertPEM(), "client_key_pem": material.ClientKeyPEM()},
		"lone key":       {"client_key_pem": material.ClientKeyPEM()},
	}
	for name, arguments := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, output := traced(t.Context())
			ours := providerserver.NewProtocol6(New("test")())()
			block := providerBlock(t, arguments)
			validated, err := ours.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: block})
			if err != nil {
				t.Fatal(err)
			}
			if len(validated.Diagnostics) != 1 {
				t.Errorf("want one error:\n%s", diagnostics(validated.Diagnostics))
			}
			// Terraform does not get this far.
			if _, err = ours.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: block}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(output.String(), "Calling provider defined Provider Configure") {
				t.Errorf("the log is incomplete:\n%s", output)
			}
			mustNotSay(t, output.String(), "hunter2", strings.Split(material.ClientKeyPEM(), "\n")[1])
		})
	}
}

// TestAccNothingSecretIsLogged looks at the provider's lines of the log of a
// run at TRACE. Those of the test framework are not the provider's.
func TestAccNothingSecretIsLogged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log.json")
	t.Setenv("TF_LOG", "JSON") // TRACE, in JSON
	t.Setenv("TF_LOG_PATH", file)
	t.Setenv("TF_ACC_LOG_PATH", "")
	t.Setenv("TF_LOG_PATH_MASK", "")

	good := instancetest.New(t, instancetest.WithClientCertificate())
	bad := instancetest.New(t, instancetest.WithDefault(echoHeaders(403)))
	config := fmt.Sprintf(`
		provider "filetransfer" {
			base_url        = %q
			request_headers = { Authorization = "Bearer hunter2-token", Cookie = "session=hunter2-cookie; theme=dark" }
			ca_cert_pem     = %q
			client_cert_pem = %q
			client_key_pem  = %q
		}
		data "filetransfer_instance" "good" {
			request_headers = { X-Own = "hunter2 own" }
		}
		`, good.URL(), good.CACertPEM(), good.ClientCertPEM(), good.ClientKeyPEM())
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories(),
		Steps: []resource.TestStep{
			{Config: config},
			{
				Config: config + fmt.Sprintf(`
					data "filetransfer_instance" "bad" {
						base_url        = %q
						request_headers = { X-Json = "{\"key\":\"hunter2-json\"}" }
					}
					`, bad.URL()),
				ExpectError: words("Instance answered with status 403"),
			},
		},
	})

	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var ours strings.Builder
	modules := make(map[string]int)
	for line := range bytes.Lines(log) {
		var entry struct {
			Module string `json:"@module"`
		}
		if json.Unmarshal(line, &entry) != nil || entry.Module == "sdk.helper_resource" {
			continue
		}
		modules[entry.Module]++
		ours.Write(line)
	}
	for _, module := range []string{typeName, "sdk.framework", "sdk.proto"} {
		if modules[module] == 0 {
			t.Errorf("no line of %s in the log, only %v", module, modules)
		}
	}
	for _, line := range []string{"Read the instance", "Could not read the instance", "Response contains error diagnostic"} {
		if !strings.Contains(ours.String(), line) {
			t.Errorf("%q is not in the log", line)
		}
	}
	mustNotSay(t, ours.String(), append([]string{strings.Split(good.ClientKeyPEM(), "\n")[1]}, secretsInHeaders...)...)
	for _, server := range []*instancetest.Server{good, bad} {
		if requests := server.Requests(); len(requests) == 0 || requests[0].Header.Get("X-Own")+requests[0].Header.Get("X-Json") == "" {
			t.Errorf("the headers were not sent: %+v", requests)
		}
	}
}
