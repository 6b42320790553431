package provider

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The client's tests show that no secret shows, wherever a server repeats it. These show that every source of secrets
// comes to the client as one, and that the framework, which logs at TRACE, shows none either.

// echo answers with what the headers X-Token and X-Own say.
func echo(status int, contentType, before, after string) instancetest.Step {
	return instancetest.Func(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, before+r.Header.Get("X-Token")+" "+r.Header.Get("X-Own")+after)
	})
}

func TestSecretsAreInNoDiagnosticAndNoLog(t *testing.T) {
	t.Parallel()
	own := args{"request_headers": args{"X-Own": "hunter2 own"}}
	before, after, _ := strings.Cut(instancetest.Older().With("recommendedExpireTimes", []instancetest.Document{
		instancetest.OlderEntry("\x1b|", 1),
	}).JSON(), "|")
	for name, arguments := range map[string]args{instanceName: own, instancesName: own, recordName: nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			instance := instancetest.New(t, instancetest.WithClientCertificate())
			ctx, log := traced(t.Context())
			provider := args{
				"base_url": instance.URL(), "request_headers": args{"X-Token": "hunter2-token"}, "ca_cert_pem": instance.CACertPEM(),
				"client_cert_pem": instance.ClientCertPEM(), "client_key_pem": instance.ClientKeyPEM(),
			}
			validate(ctx, t, block, provider).must(t)
			server, _ := configure(ctx, t, provider)
			read := func() answer { return server.read(ctx, t, name, reading(name, instance.URL()).with(arguments)) }
			if name == recordName {
				created := server.create(t, reading(name, instance.URL()))
				read = func() answer { return server.refresh(ctx, t, created) }
			}

			instance.SetDefault(echo(200, "application/json", before, after)) // in a label, of which there is a warning
			doubt := read().told.String()
			mustSay(t, doubt, "Expiry options shorter than a minute", "(redacted)")
			instance.SetDefault(echo(403, "text/plain", "you sent ", ""))
			failure := read().told.String()
			mustSay(t, failure, "status 403", "you sent (redacted)")

			mustSay(t, log.String(), "Calling provider defined", "Read the instance", "Could not read the instance")
			mustNotSay(t, doubt+failure+log.String(), "hunter2", strings.Split(instance.ClientKeyPEM(), "\n")[1])
			mustNotSay(t, doubt+failure, "\x1b")
			sent := instance.Requests()[1].Header
			mustEqual(t, "X-Token", sent.Get("X-Token"), "hunter2-token")
			mustEqual(t, "whether X-Own was sent", sent.Get("X-Own") == "hunter2 own", arguments != nil)
		})
	}
}
