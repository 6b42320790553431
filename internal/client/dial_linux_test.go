package client_test

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"
)

// The dial ends before the attempt does, so that the error has the address. A full queue of connections makes an
// address silent.
func TestAddressThatDropsPacketsIsNamed(t *testing.T) {
	t.Parallel()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	check(t, "error of a socket", err, nil)
	t.Cleanup(func() { _ = syscall.Close(socket) })
	loopback := &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}
	check(t, "error of listening", errors.Join(syscall.Bind(socket, loopback), syscall.Listen(socket, 0)), nil)
	bound, err := syscall.Getsockname(socket)
	check(t, "error of its address", err, nil)
	address := fmt.Sprintf("127.0.0.1:%d", bound.(*syscall.SockaddrInet4).Port)
	for isFull := false; !isFull; {
		connection, err := net.DialTimeout("tcp", address, 100*time.Millisecond)
		if isFull = err != nil; !isFull {
			t.Cleanup(func() { _ = connection.Close() })
		}
	}
	// A dial has four fifths of the time of its attempt, and of the read. Less than a second proves nothing.
	for name, test := range map[string]struct {
		requestTimeout, limit time.Duration
		class                 string
	}{
		"short attempt":  {time.Second, time.Minute, "connection failed"},
		"short read":     {time.Minute, 1300 * time.Millisecond, "connection failed"},
		"too short read": {time.Minute, 900 * time.Millisecond, "no response in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := newConfig()
			config.RequestTimeout, config.Retry.MaxAttempts = test.requestTimeout, 1
			began := time.Now()
			_, failed := newClient(t, config).Read(limited(t, test.limit), newRequest(t, "http://"+address))
			check(t, "Class", failed.Failure.Class(), test.class)
			check(t, "TimedOut", failed.Failure.TimedOut, false)
			if test.class == "connection failed" {
				check(t, "Reason", failed.Failure.Reason, "dial tcp "+address+": i/o timeout")
			}
			if lasted := time.Since(began); lasted < 800*time.Millisecond {
				t.Errorf("the dial ended after %s", lasted)
			}
		})
	}
}
