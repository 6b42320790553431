package client_test

import (
	"context"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Other systems have no address 127.0.0.2 without further ado.

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
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := make(map[int64]bool) // by chunk size
	_, err := newClient(t, newConfig()).Wait(ctx, newRequest(t, url), client.Condition{
		Differences: func(details *instance.Details) []client.Difference {
			if seen[details.ChunkSizeBytes] = true; len(seen) == 2 {
				cancel()
			}
			return nil
		},
		StableFor: 6 * time.Second, // 20 requests and more
	})
	if len(seen) != 2 {
		t.Errorf("the wait ended with error %v, and saw the chunk sizes %v, want those of both addresses", err, seen)
	}
}

// An address that refuses connections, as one of IPv6 does on a machine without it, costs no attempt. One that stays silent takes all the
// time of an attempt, and another attempt chooses another address.
func TestAddressThatIsDown(t *testing.T) {
	t.Parallel()
	for name, silent := range map[string]bool{"refuses": false, "silent": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, port := twoAddresses(t)
			config := newConfig()
			if silent {
				listenAndNeverAccept(t, port)
				config.RequestTimeout = short
			} else {
				config.Retry.MaxAttempts = 1
			}
			c, request := newClient(t, config), newRequest(t, url)
			for range 3 {
				mustRead(t, c, request)
				if _, err := c.Wait(t.Context(), request, anything()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// listenAndNeverAccept listens at 127.0.0.2, and fills the queue of connections, so that the system ignores others.
func listenAndNeverAccept(t *testing.T, port string) {
	t.Helper()
	number, _ := strconv.Atoi(port)
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Port: number, Addr: [4]byte{127, 0, 0, 2}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(socket, 0); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		queued, err := (&net.Dialer{Timeout: 100 * time.Millisecond}).DialContext(t.Context(), "tcp", "127.0.0.2:"+port)
		if err != nil {
			return
		}
		t.Cleanup(func() { _ = queued.Close() })
	}
	t.Fatal("the queue is not full after ten connections")
}
