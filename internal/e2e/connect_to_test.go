package e2e_test

import (
	"fmt"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// tunneled reads an instance whose name resolves nowhere, in every way.
const tunneled = `
variable "connect_to" { type = string }

provider "filetransfer" {
  base_url        = "https://` + instancetest.ProxiedHost + `"
  connect_to      = var.connect_to
  ca_cert_pem     = %q
  request_headers = { X-Token = "a" }
  retry           = { max_attempts = 1 }
}

data "filetransfer_instance" "this" {}

data "filetransfer_instances" "this" { base_urls = { one = "https://` + instancetest.ProxiedHost + `" } }

resource "filetransfer_instance_record" "this" { base_url = "https://` + instancetest.ProxiedHost + `" }
` + limitOutput

func TestAccConnectTo(t *testing.T) {
	t.Parallel()
	elsewhere := instancetest.New(t, instancetest.WithTLS(), instancetest.WithDefault(instancetest.Body(200, "", instancetest.Newer().JSON())))
	servers := []*instancetest.Server{
		instancetest.New(t, instancetest.WithTLS()),
		instancetest.New(t, instancetest.WithTLS()),
		instancetest.New(t, instancetest.WithTLS(), instancetest.WithDefault(instancetest.Redirect(302, elsewhere.URL()))),
	}
	deadProxy := "http://" + instancetest.ReserveAddress(t)
	w := newWorkspace(t, acceptance(t), fmt.Sprintf(tunneled, servers[0].CACertPEM())).with("HTTPS_PROXY="+deadProxy, "https_proxy="+deadProxy)
	w.with("TF_VAR_connect_to=" + servers[0].Address()).apply()
	for _, server := range servers { // another port each run, and in the last one a redirect to another origin
		w.with("TF_VAR_connect_to=" + server.Address()).wantNoChanges(nil)
		requests := server.Requests()
		if len(requests) == 0 {
			t.Error("no request")
		}
		for _, request := range requests {
			if request.Host != instancetest.ProxiedHost || request.TLSName != instancetest.ProxiedHost || request.Header.Get("X-Token") != "a" {
				t.Errorf("the instance was sent %+v", request)
			}
		}
	}
	for _, request := range elsewhere.Requests() {
		if request.Host != elsewhere.Address() || request.Header.Get("X-Token") != "" {
			t.Errorf("another origin was sent %+v", request)
		}
	}
	if len(elsewhere.Requests()) != 3 {
		t.Errorf("%d requests after redirects", len(elsewhere.Requests()))
	}

	nobody := instancetest.ReserveAddress(t)
	down := w.with("TF_VAR_connect_to=" + nobody).do("plan")
	down.wantText(t, "exit code 1:", "GET https://"+instancetest.ProxiedHost+"/instance (connect_to "+nobody+"): connection refused.",
		"The connection went to the provider's connect_to: check its host and port")
}
