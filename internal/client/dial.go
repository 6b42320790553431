package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

// connect returns a connection over which the request can be sent: to the target, to where ConnectTo says, or to or through a proxy. It is
// closed when the attempt ends, so that nothing goes on with a peer that stays silent.
func (e *exchange) connect(ctx context.Context) (net.Conn, error) {
	target := address.HostPort(e.target)
	first := e.route.dialHostPort(target)
	dialed, err := e.session.dial(ctx, "tcp", first)
	if err != nil {
		e.dialFailed(err, first)
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = dialed.Close() })
	e.connected(dialed.RemoteAddr().String(), first)

	e.wire = &wire{Conn: dialed}
	var connection net.Conn = e.wire
	if e.route.proxyUse != noProxy {
		if connection, err = e.throughProxy(ctx, connection, target); err != nil {
			return nil, err
		}
	}
	if e.target.Scheme == "http" {
		return connection, nil
	}
	e.phase = handshaking
	config := e.session.client.tls.other
	if e.isOwn {
		config = e.session.client.tls.own
		e.asked.CertificateSent = config.GetClientCertificate != nil
	}
	return shakeHands(ctx, connection, config, target)
}

// connected notes that there is a connection to an address, and which phase begins with it. first is the host and port that was dialed.
func (e *exchange) connected(address, first string) {
	e.dialed = address
	if e.route.proxyUse == noProxy && address != first { // the address of a proxy says nothing about the instance
		e.asked.Peer = address
	}
	switch {
	case e.route.proxyUse == tunnels, e.route.proxyUse == forwards && e.route.proxy.Scheme == "https":
		e.phase = proxying
	case e.target.Scheme == "https":
		e.phase = handshaking
	default:
		e.phase = requesting
	}
}

// dialFailed notes how far a failed dial got. If the other side reset the connection before the dial returned, there was one.
func (e *exchange) dialFailed(err error, first string) {
	if operation, ok := errors.AsType[*net.OpError](err); ok && operation.Addr != nil {
		e.dialed = operation.Addr.String()
	}
	switch {
	case isA[*net.DNSError](err):
		e.phase = resolving
	case isReset(err):
		e.connected(e.dialed, first)
	default:
		e.phase = connecting
	}
}

// dialRandom tries the addresses of a host in random order, until one of them accepts. Each but the last gets its share of the time that is
// left, as in [net.Dialer], but at most a second, because it may be silent, as one of IPv6 is in a network that drops its packets.
func dialRandom(ctx context.Context, network, hostPort string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	addresses, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return nil, err
	}
	deadline, _ := ctx.Deadline() // that of the attempt
	err = &net.AddrError{Err: "it has no address", Addr: host}
	for n, i := range rand.Perm(len(addresses)) { //nolint:gosec // it is no secret
		var dialer net.Dialer
		if left := len(addresses) - n; left > 1 {
			dialer.Timeout = min(time.Second, time.Until(deadline)/time.Duration(left))
		}
		var connection net.Conn
		if connection, err = dialer.DialContext(ctx, network, net.JoinHostPort(addresses[i].String(), port)); err == nil {
			return connection, nil
		}
	}
	return nil, err
}
