package client_test

import (
	"context"
	"io"
	"math"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// silence is a server that accepts connections and answers none.
type silence struct {
	*instancetest.RawServer

	accepted, closed chan struct{} // an element for each connection that the client has opened, and closed
}

// newSilence starts a server that does something with each connection, and then waits until the client closes it.
func newSilence(t *testing.T, begin func(net.Conn)) silence {
	t.Helper()
	s := silence{nil, make(chan struct{}, 100), make(chan struct{}, 100)}
	s.RawServer = instancetest.NewRaw(t, func(c net.Conn) {
		s.accepted <- struct{}{}
		begin(c)
		instancetest.Await(c)
		s.closed <- struct{}{}
	})
	return s
}

// receive waits for an element of a channel, as long as long.
func receive(t *testing.T, what string, elements <-chan struct{}) {
	t.Helper()
	select {
	case <-elements:
	case <-time.After(long):
		t.Fatalf("waited %s in vain for %s", long, what)
	}
}

// Whatever stays silent, an attempt ends in time, and nothing goes on with its connection: net/http separates a dial from the context of
// its request. A wait ends at once when it is canceled.
func TestSilentServersHoldNoRead(t *testing.T) {
	t.Parallel()
	nothing := func(net.Conn) {}
	begins := func(response string) func(net.Conn) {
		return func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096)) // the request
			_, _ = io.WriteString(c, response)
		}
	}
	tests := map[string]struct {
		url, variable string // the variable of the proxy that is the silent server, or ""
		begin         func(net.Conn)
		kind          client.Kind
		reason        string
	}{
		"response":      {"http://", "", nothing, client.NoResponseInTime, "no response in time"},
		"head":          {"http://", "", begins("HTTP/1.1 200 OK\r\nX: "), client.NoResponseInTime, "no response in time"},
		"body":          {"http://", "", begins(okHead + "Content-Length: 9999\r\n\r\n{"), client.NoResponseInTime, "no response in time"},
		"redirect":      {"http://", "", begins("HTTP/1.1 302 X\r\nLocation: /there\r\nContent-Length: 9\r\n\r\n"), client.NoResponseInTime, "no response in time"},
		"error":         {"http://", "", begins("HTTP/1.1 403 X\r\nContent-Length: 100\r\n\r\nNo"), client.Status, "status 403 Forbidden"},
		"TLS":           {"https://", "", nothing, client.NoResponseInTime, "no response in time"},
		"CONNECT":       {proxiedHTTPS, "HTTPS_PROXY=http://", nothing, client.ProxyFailed, "no answer of the proxy in time"},
		"https proxy":   {proxiedHTTPS, "HTTPS_PROXY=https://", nothing, client.ProxyFailed, "no answer of the proxy in time"},
		"SOCKS proxy":   {proxiedHTTPS, "HTTPS_PROXY=socks5://", nothing, client.ProxyFailed, "no answer of the proxy in time"},
		"behind SOCKS":  {proxiedHTTPS, "HTTPS_PROXY=socks5://", socks(0), client.NoResponseInTime, "no response in time"},
		"forward proxy": {proxiedHTTP, "HTTP_PROXY=http://", nothing, client.NoResponseInTime, "no response in time"},
	}
	for name, test := range tests {
		for certificate, tls := range map[string]client.TLS{"": trusted, ", with a client certificate": certified} {
			t.Run(name+certificate, func(t *testing.T) {
				t.Parallel()
				server := newSilence(t, test.begin)
				url, variable := test.url+server.Address(), "NO_PROXY="
				if test.variable != "" {
					url, variable = test.url, test.variable+server.Address()
				}
				config := newConfig()
				config.TLS, config.Retry.MaxAttempts, config.RequestTimeout = tls, 1, time.Second
				request := newRequest(t, url)
				began := time.Now()
				got := readError(t, newClient(t, config, variable), request)
				checkFailure(t, got, failing{"", test.kind, final, test.reason})
				check(t, "TimedOut", got.Failure.TimedOut, test.kind != client.Status)
				check(t, "whether it names the redirect", strings.Contains(got.Failure.Request, "/there"), false)
				receive(t, "a connection to be closed", server.closed)
				if lasted := time.Since(began); lasted > 10*time.Second {
					t.Errorf("the connection was closed after %s, want 2 s", lasted)
				}

				receive(t, "a connection", server.accepted)
				config.RequestTimeout = math.MaxInt64
				checkCanceledAtOnce(t, newClient(t, config, variable), request, server.accepted)
			})
		}
	}
}

// checkCanceledAtOnce cancels a wait as soon as a channel has an element.
func checkCanceledAtOnce(t *testing.T, c *client.Client, request client.Request, begun <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := c.Wait(ctx, request, anything())
		checkCanceled(t, err)
		check(t, "failure of an attempt that was canceled", readErrorOf(err).Failure, nil)
	}()
	receive(t, "a connection", begun)
	cancel()
	receive(t, "the end of a wait that was canceled", ended)
}

// A name server that stays silent is no server that stays silent, although Go connects to it as well.
func TestSilentNameServer(t *testing.T) {
	t.Parallel()
	config := newConfig()
	config.Retry.MaxAttempts, config.RequestTimeout = 1, time.Second
	c, request := newClient(t, config), newRequest(t, "https://"+hostOfSilentNameServer)
	got := readError(t, c, request)
	checkFailure(t, got, failing{"", client.HostNotResolved, final, "no answer from a name server in time"})
	check(t, "TimedOut", got.Failure.TimedOut, true)
	check(t, "Request", got.Failure.Request, "GET https://"+hostOfSilentNameServer+"/instance")
}

// The largest durations add up to none that is negative.
func TestLargestDurations(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Status(503)))
	config := newConfig()
	config.RequestTimeout = math.MaxInt64
	config.Retry = client.Retry{MaxAttempts: math.MaxInt64, MinDelay: math.MaxInt64, MaxDelay: math.MaxInt64}
	c, request := newClient(t, config), newRequest(t, server.URL())
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := c.Read(ctx, request)
	got := checkReadError(t, err, request)
	check(t, "Kind", got.Failure.Kind, client.Status)
	check(t, "Attempts", got.Attempts, 2)
	check(t, "Ending", got.Ending, client.OutOfTime)

	server.SetDefault(instancetest.Answer())
	_, err = c.Wait(t.Context(), request, stableFor(0))
	check(t, "error of a wait", err, nil)
	ctx, cancel = context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = c.Wait(ctx, request, stableFor(math.MaxInt64))
	check(t, "Ending of a wait", readErrorOf(err).Ending, client.OutOfTime)
}
