package client_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

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

// silentAddress makes an address silent, by a queue of connections that is full.
func silentAddress(t *testing.T, ip, port string) {
	t.Helper()
	number, err := strconv.Atoi(port)
	check(t, "error of a port", err, nil)
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	check(t, "error of a socket", err, nil)
	t.Cleanup(func() { _ = syscall.Close(socket) })
	address := &syscall.SockaddrInet4{Addr: netip.MustParseAddr(ip).As4(), Port: number}
	check(t, "error of listening", errors.Join(syscall.Bind(socket, address), syscall.Listen(socket, 0)), nil)
	for range 8 {
		connection, err := net.DialTimeout("tcp", net.JoinHostPort(ip, port), 300*time.Millisecond)
		if err != nil {
			return
		}
		t.Cleanup(func() { _ = connection.Close() })
	}
	t.Skip("this system queues more connections than a socket asks for")
}

// An address that stays silent, as one of IPv6 in a network that drops it, takes its share of an attempt in a wait, but at most a second. A
// streak goes on all the same, in little more than its own time.
func TestSilentAddressTakesAShare(t *testing.T) {
	t.Parallel()
	url, port := twoAddresses(t)
	silentAddress(t, "127.0.0.2", port)
	config, request := newConfig(), newRequest(t, url)
	for requestTimeout, limit := range map[time.Duration]time.Duration{time.Second: long, 15 * time.Second: 12 * time.Second} {
		t.Run(requestTimeout.String(), func(t *testing.T) {
			t.Parallel()
			config := config
			config.RequestTimeout = requestTimeout
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			_, err := newClient(t, config).Wait(ctx, request, stableFor(4*time.Second))
			check(t, "error of a wait", err, nil)
		})
	}

	config.RequestTimeout = time.Second
	config.Retry.MaxAttempts = 1
	silent := "127.0.0.2:" + port
	got := readError(t, newClient(t, config), newRequest(t, "http://"+silent))
	checkFailure(t, got, failing{"", client.ConnectionFailed, final, "no connection in time (to " + silent + ")"})
	check(t, "CutOff", got.Failure.CutOff, client.CutOffByRequestTimeout)
}

// A limit that net/http sets to the dial of one address is not that of the attempt.
func TestShareOfAnAttemptIsNotItsTimeLimit(t *testing.T) {
	t.Parallel()
	_, port, _ := net.SplitHostPort(instancetest.ReserveAddress(t)) // where 127.0.0.1 is silent, and 127.0.0.2 refuses
	silentAddress(t, "127.0.0.1", port)
	config := newConfig()
	config.Retry.MaxAttempts, config.RequestTimeout = 1, 4*time.Second
	got := readError(t, newClient(t, config), newRequest(t, "http://"+net.JoinHostPort(hostWithTwoAddresses, port)))
	checkFailure(t, got, failing{"", client.ConnectionFailed, final, ""})
	check(t, "CutOff", got.Failure.CutOff, client.NotCutOff)
}

// The address that an attempt waited for in vain is not one that refused at once.
func TestAddressThatRefusesIsNotNamedAsSilent(t *testing.T) {
	t.Parallel()
	_, port, _ := net.SplitHostPort(instancetest.ReserveAddress(t)) // where 127.0.0.1 refuses
	silentAddress(t, "127.0.0.2", port)
	config := newConfig()
	config.Retry.MaxAttempts, config.RequestTimeout = 1, time.Second
	got := readError(t, newClient(t, config), newRequest(t, "http://"+net.JoinHostPort(hostWithTwoAddresses, port)))
	check(t, "Reason", got.Failure.Reason, "no connection in time")
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
