package client_test

import (
	"net"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The name of the instance does not resolve. Its certificate and Host header are those of the name.
func TestConnectToChangesWhereAConnectionGoes(t *testing.T) {
	t.Parallel()
	const name = instancetest.ProxiedHost
	proxy := instancetest.NewProxy(t)
	for scheme, instance := range map[string]instancetest.Option{"http": instancetest.WithPath("/files"), "https": instancetest.WithClientCertificate()} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithPath("/files"), instance, instancetest.WithScript(instancetest.Redirect(302, "/files/instance")))
			url := scheme + "://" + name
			read(t, url+"/files", connecting(t, strings.ToUpper(url), server.Address()), trusting(server), withClientCert(server),
				withHeaders(t, map[string]string{"X-Api-Key": "k3y"}), proxied("HTTP_PROXY", proxy.URL()), proxied("HTTPS_PROXY", proxy.URL()))
			for _, request := range server.Requests() {
				if request.Host != name || request.Header.Get("X-Api-Key") != "k3y" || request.ClientCertificate != (scheme == "https") ||
					scheme == "https" && request.TLSName != name {
					t.Errorf("the instance was sent %+v", request)
				}
			}
		})
	}
	t.Cleanup(func() {
		if n := proxy.Connections(); n != 0 {
			t.Errorf("%d connections to the proxy", n)
		}
	})
}

// Other origins are reached as usual, also after a redirect, and get no extra header.
func TestConnectToIsForOneOrigin(t *testing.T) {
	t.Parallel()
	const name = "http://" + instancetest.ProxiedHost
	tunneled, other := instancetest.New(t), instancetest.New(t)
	tunneled.SetScript(instancetest.Redirect(302, other.URL()+"/there"))
	other.SetScript(instancetest.Redirect(302, name+"/instance"))
	through := connecting(t, name, tunneled.Address())
	read(t, name, through, withHeaders(t, map[string]string{"X-Api-Key": "k3y"}))
	read(t, other.URL(), through)
	for server, hosts := range map[*instancetest.Server][]string{tunneled: {instancetest.ProxiedHost, instancetest.ProxiedHost}, other: {other.Address(), other.Address()}} {
		for i, request := range server.Requests() {
			if request.Host != hosts[i] || (request.Header.Get("X-Api-Key") != "") != (server == tunneled) {
				t.Errorf("%s was sent %+v", server.URL(), request)
			}
		}
	}
	for _, url := range []string{"https://" + instancetest.ProxiedHost, name + ":8080"} { // the same host
		failure := readFailure(t, url, through, attempts(1))
		if failure.StableReason != "no such host" || failure.ConnectTo != "" || failure.Hint != 0 {
			t.Errorf("%+v", failure)
		}
	}
}

// Only if the address cannot be resolved or reached is it the likely cause.
func TestFailureNamesConnectTo(t *testing.T) {
	t.Parallel()
	const name = "https://" + instancetest.ProxiedHost
	status := instancetest.New(t, instancetest.WithTLS(), instancetest.WithDefault(instancetest.Status(404)))
	redirect := instancetest.New(t, instancetest.WithTLS(), instancetest.WithDefault(instancetest.Redirect(302, "http://h")))
	closing := instancetest.New(t, instancetest.WithoutCertificateRequest(), instancetest.WithDefault(instancetest.CloseConnection()))
	tests := map[string]struct {
		address string
		kind    client.Kind
		hint    client.Hint
	}{
		"refused":      {instancetest.ReserveAddress(t), client.KindConnect, client.HintConnectTo},
		"unresolved":   {"tunnel.invalid:8443", client.KindResolve, client.HintConnectTo},
		"name servers": {net.JoinHostPort(hostOfFailingNameServer, "1"), client.KindNameServer, client.HintConnectTo},
		"status":       {status.Address(), client.KindStatus, 0},
		"redirect":     {redirect.Address(), client.KindRedirect, 0},
		"broken":       {closing.Address(), client.KindBroken, 0},
	}
	for situation, test := range tests {
		t.Run(situation, func(t *testing.T) {
			t.Parallel()
			failure := readFailure(t, name, connecting(t, name, test.address), trusting(status), attempts(1))
			if failure.Kind != test.kind || failure.Hint != test.hint || failure.ConnectTo != test.address {
				t.Errorf("%+v, want kind %d and hint %d", failure, test.kind, test.hint)
			}
		})
	}
}
