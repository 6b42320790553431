package client_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// twoAddresses returns the URL of an instance at 127.0.0.1, under a name that also has the address 127.0.0.2, and its port.
func twoAddresses(t *testing.T) (url, port string) {
	t.Helper()
	_, port, _ = net.SplitHostPort(instancetest.New(t).Address())
	return "http://" + net.JoinHostPort(hostWithTwoAddresses, port), port
}

// An old server at one address of a host must not stay unseen while a new one answers at another.
func TestWaitAsksAllAddressesOfAHost(t *testing.T) {
	t.Parallel()
	url, port := twoAddresses(t)
	instancetest.New(t, instancetest.WithListenAddress("127.0.0.2:"+port), instancetest.WithDocument(instancetest.Older()))
	seen := make(map[int64]bool) // by chunk size
	until := client.Condition{Differences: func(details *instance.Details) []client.Difference {
		if seen[details.ChunkSizeBytes] = true; len(seen) == 2 {
			return nil
		}
		return []client.Difference{{Name: "chunk_size"}}
	}}
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	_, err := newClient(t, newConfig()).Wait(ctx, newRequest(t, url), until)
	check(t, "error of a wait until both addresses have answered", err, nil)
}

// An address that cannot be reached costs no attempt, as one of IPv6 on a machine without it.
func TestAddressThatIsDownCostsNoAttempt(t *testing.T) {
	t.Parallel()
	url, _ := twoAddresses(t)
	config := newConfig()
	config.Retry.MaxAttempts = 1
	c, request := newClient(t, config), newRequest(t, url)
	for range 10 {
		mustRead(t, c, request)
		ctx, cancel := context.WithTimeout(t.Context(), long)
		defer cancel()
		_, err := c.Wait(ctx, request, anything())
		check(t, "error of a wait", err, nil)
	}
}

// A certificate is for an IPv6 address without its zone.
func TestZoneOfAnAddressIsInNoCertificate(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skipf("this machine has no IPv6: %v", err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	instancetest.New(t, instancetest.WithListenAddress(address), instancetest.WithTLS())
	mustRead(t, newClient(t, newConfig()), newRequest(t, "https://"+strings.Replace(address, "::1", "::1%25lo", 1)))
}
