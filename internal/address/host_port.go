package address

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// ParseHostPort parses a host and a port from 1 to 65535, such as "h:80" or "[::1]:80". It returns both in the same form, with the
// host in ASCII (IDNA). The error is always a [*SyntaxError].
func ParseHostPort(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	number, portErr := strconv.ParseUint(port, 10, 16)
	_, notIP := netip.ParseAddr(host)
	switch {
	case err != nil, portErr != nil, number == 0,
		host == "", !isHost(host), strings.ContainsFunc(host, isInvisible),
		strings.ContainsAny(host, ":%") && notIP != nil, net.JoinHostPort(host, port) != text: // brackets around a host that is not an IPv6 address
		return "", refused(text, "is not a host and a port", `Write it like "127.0.0.1:8443" or "[::1]:8443", without a scheme or a path.`)
	}
	return net.JoinHostPort(asciiHost(host), port), nil
}
