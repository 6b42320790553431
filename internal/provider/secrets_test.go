package provider

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Headers with secrets, and what must not be shown of them. No secret is part of another.
var (
	pair             = base64.StdEncoding.EncodeToString([]byte("me:sesame-basic"))
	secretHeaders    = args{"Authorization": "Bearer hunter2-token", "Cookie": "session=hunter2-cookie; theme=dark"}
	ownSecretHeaders = args{"X-Own": "hunter2 own", "X-Json": `{"key":"hunter2-json"}`, "X-Basic": "Basic " + pair}
	secretsInHeaders = []string{"hunter2-token", "hunter2-cookie", "hunter2 own", "hunter2-json", "sesame-basic", pair}
)

// echo answers with a text in which %s stands for all secrets that were sent, and the decoded pair of Basic: short
// enough to be shown.
func echo(status int, contentType, format string) instancetest.Step {
	return instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
		pair, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Header.Get("X-Basic"), "Basic "))
		all := string(pair)
		for _, name := range []string{"Authorization", "Cookie", "X-Basic", "X-Json", "X-Own"} {
			all += " " + r.Header.Get(name)
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, format, all)
	})
}

// TestSecretsAreInNoDiagnosticAndNoLog: at TF_LOG=TRACE, whatever the instance makes of what it was sent.
func TestSecretsAreInNoDiagnosticAndNoLog(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t, instancetest.WithTLS())
	keyLine := strings.Split(material.ClientKeyPEM(), "\n")[1]
	secure := args{"ca_cert_pem": material.CACertPEM(), "client_cert_pem": material.ClientCertPEM(), "client_key_pem": material.ClientKeyPEM()}
	tests := map[string]struct {
		option    instancetest.Option
		provider  args
		arguments args
		logged    []string
	}{
		"success":            {instancetest.WithClientCertificate(), secure, nil, []string{"Calling provider defined DataSource Read", "Read the instance"}},
		"echo in a text":     {instancetest.WithDefault(echo(500, "text/plain", "you sent %s")), impatient(2), nil, []string{"Trying again", "Could not read the instance"}},
		"echo in a message":  {instancetest.WithDefault(echo(403, "application/json", `{"message":%q}`)), nil, nil, nil},
		"echo in a title":    {instancetest.WithDefault(echo(404, "text/html", "<title>%s</title>")), nil, nil, nil},
		"echo, not JSON":     {instancetest.WithDefault(echo(200, "text/plain", "%s")), nil, nil, nil},
		"echo in a document": {instancetest.WithDefault(echo(200, "application/json", `{"fileMaxSize":%q}`)), nil, nil, nil},
		"echo in a warning": {instancetest.WithDefault(instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{
				instancetest.OlderEntry("\x1b[31m"+r.Header.Get("X-Own"), 1),
			}).JSON())
		})), nil, nil, nil},
		"echo as a type": {instancetest.WithDefault(instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", r.Header.Get("X-Own"))
		})), nil, nil, nil},
		"echo in a redirect": {instancetest.WithDefault(instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "ftp://files.example.org/"+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			w.WriteHeader(302)
		})), nil, nil, nil},
		"while waiting": {
			instancetest.WithScript(echo(404, "text/plain", "%s"), echo(200, "text/plain", "%s")), impatient(1), args{"wait_until_ready": true},
			[]string{"Trying again", "Read the instance"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t, test.option)
			ctx, log := traced(t.Context())
			provider := args{"base_url": instance.URL(), "request_headers": secretHeaders}.with(test.provider)
			arguments := args{"request_headers": ownSecretHeaders}.with(test.arguments)
			validate(ctx, t, block, provider).must(t)
			validate(ctx, t, instanceName, arguments).must(t)
			server, _ := configure(ctx, t, provider)

			got := server.read(ctx, t, instanceName, arguments)

			mustSay(t, log.String(), test.logged...)
			secrets := append([]string{keyLine}, secretsInHeaders...)
			mustNotSay(t, log.String(), secrets...)
			mustNotSay(t, got.told.String(), append(secrets, "\x1b")...)
			if test.logged == nil {
				mustSay(t, got.told.String(), "(redacted)")
			}
			mustEqual(t, "X-Own", instance.Requests()[0].Header.Get("X-Own"), ownSecretHeaders["X-Own"])
		})
	}
}

func TestSecretsOfARefusedConfigurationAreNotLogged(t *testing.T) {
	t.Parallel()
	material := instancetest.New(t, instancetest.WithTLS())
	keyLine := strings.Split(material.ClientKeyPEM(), "\n")[1]
	tests := map[string]args{
		"key of another certificate": {"client_cert_pem": material.CACertPEM(), "client_key_pem": material.ClientKeyPEM()},
		"key without certificate":    {"client_key_pem": material.ClientKeyPEM()},
		"header":                     {"request_headers": args{"Connection": "hunter2"}},
	}
	for name, one := range refusedBaseURLs {
		if one.secret {
			tests["base_url, "+name] = args{"base_url": one.value}
		}
	}
	for name, arguments := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, log := traced(t.Context())
			if told := validate(ctx, t, block, arguments); len(told) != 1 {
				t.Errorf("want one error:\n%s", told)
			}
			configure(ctx, t, arguments) // Terraform does not get this far
			mustSay(t, log.String(), "Calling provider defined Provider Configure")
			mustNotSay(t, log.String(), "hunter2", keyLine)
		})
	}
}
