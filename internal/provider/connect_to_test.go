package provider

import (
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Every way of reading goes to connect_to, under a name that resolves nowhere.
func TestReadsConnectToTheAddress(t *testing.T) {
	t.Parallel()
	const baseURL = "http://" + instancetest.ProxiedHost
	instance := instancetest.New(t)
	server, told := configure(t.Context(), t, oneAttempt().with(args{"base_url": baseURL, "connect_to": instance.Address()}))
	told.must(t)
	server.read(t.Context(), t, instanceName, nil).must(t)
	server.read(t.Context(), t, instancesName, reading(instancesName, baseURL)).must(t)
	server.apply(t, answer{}, args{"base_url": baseURL}).must(t)
	for _, request := range instance.Requests() {
		mustEqual(t, "Host", request.Host, instancetest.ProxiedHost)
	}
	mustEqual(t, "requests", len(instance.Requests()), 3)
}
