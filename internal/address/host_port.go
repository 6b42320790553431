package address

import (
	"net"
	"net/netip"
	"strings"
)

// ParseHostPort parses a host and a port from 1 to 65535, such as "h:80" or "[::1]:80". It returns both in the same
// form, with the host in ASCII (IDNA) and no zeros before the port. The error is always a [*SyntaxError].
func ParseHostPort(text string) (string, error) {
	host, digits, err := net.SplitHostPort(text)
	port, isPort := parsePort(digits)
	isNameOrIP := host != "" && !strings.Contains(host, "%") // SplitHostPort has refused a colon
	if strings.HasPrefix(text, "[") {
		ip, _ := netip.ParseAddr(host)
		isNameOrIP = ip.Is6()
	}
	if err != nil || !isPort || !isNameOrIP || !isHost(host) {
		return "", refused(text, "is not a host and a port",
			`Write it like "127.0.0.1:8443" or "[::1]:8443", without a scheme or a path.`)
	}
	return net.JoinHostPort(asciiHost(host), port), nil
}
