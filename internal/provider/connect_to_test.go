package provider_test

import (
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Both data sources and the record connect to connect_to, under a name that resolves nowhere.
func TestReadsConnectToTheAddress(t *testing.T) {
	t.Parallel()
	const baseURL = "http://" + instancetest.ProxiedHost
	instance := instancetest.New(t)
	p, diags := configure(t.Context(), t, object{"base_url": baseURL, "connect_to": instance.Address()})
	diags.require(t)
	p.read(t.Context(), t, instanceName, nil).requireSuccess(t)
	p.read(t.Context(), t, instancesName, object{"base_urls": object{"it": baseURL}}).requireSuccess(t)
	p.apply(t, result{}, object{"base_url": baseURL}).requireSuccess(t)
	requests := instance.Requests()
	if len(requests) != 3 {
		t.Errorf("%d requests, want 3", len(requests))
	}
	for _, request := range requests {
		assertEqual(t, "Host", request.Host, instancetest.ProxiedHost)
	}
}
