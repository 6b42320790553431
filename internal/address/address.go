// Package address parses the base URLs of instances, and hosts with ports. It makes no connections.
//
// No error contains any part of the text that was parsed, because a password may be in it.
package address

import (
	"cmp"
	"errors"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// BaseURL is the base URL of an instance: an http or https URL with a host, and without user info, query or fragment.
// Make one with [Parse].
type BaseURL struct {
	Raw         string   // as passed to Parse
	Normalized  string   // with scheme and host in lower case, and without a default port and trailing slashes
	Origin      string   // the origin of Normalized, such as "https://h:8443"
	DocumentURL *url.URL // Normalized and "/instance": the URL to request
}

// needsEscape matches what cannot be in a URL as it is. [url.URL.EscapedPath] would escape all of a path that has such
// characters anew, and so turn %2F into a slash.
var needsEscape = regexp.MustCompile(`[^\w\-.~!$&'()*+,;=:@/%\[\]]+`)

// Parse parses a base URL. The error says what is wrong with it, as in "it has no host".
func Parse(text string) (BaseURL, error) {
	scheme, _, hasScheme := strings.Cut(text, "://")
	switch {
	case text == "":
		return BaseURL{}, errors.New("it is empty")
	case strings.TrimSpace(text) != text:
		return BaseURL{}, errors.New("it begins or ends with white space, such as a space or a line break")
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		return BaseURL{}, errors.New("it has a character that cannot be printed")
	case !hasScheme:
		return BaseURL{}, errors.New(`it has no scheme; it must begin with "https://" or "http://"`)
	case defaultPorts[strings.ToLower(scheme)] == "":
		return BaseURL{}, errors.New(`it does not begin with "https://" or "http://"`)
	case strings.Contains(text, "?"):
		return BaseURL{}, errors.New("it has a query (?); an instance is read without one")
	case strings.Contains(text, "#"):
		return BaseURL{}, errors.New("it has a fragment (#), which is never sent to a server")
	}
	u, err := parseURL(needsEscape.ReplaceAllStringFunc(text, url.PathEscape))
	if err != nil {
		return BaseURL{}, err
	}
	if u.User != nil {
		return BaseURL{}, errors.New("it has user info (a user name or a password before an @)")
	}
	if err := CheckHost(u); err != nil {
		return BaseURL{}, err
	}
	normalized := Origin(u) + strings.TrimRight(u.EscapedPath(), "/")
	documentURL, err := parseURL(normalized + "/instance")
	return BaseURL{Raw: text, Normalized: normalized, Origin: Origin(u), DocumentURL: documentURL}, err
}

// parseURL parses a URL as [url.Parse] does, whose errors repeat the URL.
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it is not a valid URL; check its host, its port, and what follows each %")
	}
	return u, nil
}

// validHost matches a name, or an IP address. [url.Parse] has checked an address in brackets, except for its zone.
var validHost = regexp.MustCompile(`^([\w.-]+|[[:xdigit:]]*:[[:xdigit:]:.]+(%[\w.-]+)?)$`)

// CheckHost returns an error if no server can have the host or the port of a URL. A host that is not ASCII is one of
// these: net/http would convert it in two ways, one for the connection and one for the Host header.
func CheckHost(u *url.URL) error {
	host, port := u.Hostname(), u.Port()
	switch number, err := strconv.ParseUint(port, 10, 16); {
	case host == "":
		return errors.New("it has no host")
	case strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }):
		return errors.New(`its host is not ASCII; write it in its ASCII form, which begins with "xn--"`)
	case !validHost.MatchString(host):
		return errors.New("its host has a character that no host has")
	case port != "" && (err != nil || number == 0):
		return errors.New("its port is not a number from 1 to 65535")
	default:
		return nil
	}
}

// Origin returns the origin (RFC 6454, section 4) of an http or https URL, such as "https://h:8443". The host is in
// lower case, and a default port is left out.
func Origin(u *url.URL) string {
	host := strings.TrimSuffix(HostPort(u), ":"+defaultPorts[u.Scheme])
	return (&url.URL{Scheme: u.Scheme, Host: host}).String()
}

// HostPort returns the host of an http or https URL in lower case, and its port, even if that is the default.
func HostPort(u *url.URL) string {
	host := u.Hostname()
	address, _, _ := strings.Cut(host, "%") // the zone of an IPv6 address is case-sensitive
	return net.JoinHostPort(strings.ToLower(address)+host[len(address):], cmp.Or(u.Port(), defaultPorts[u.Scheme]))
}

// ParseHostPort parses a host and a port from 1 to 65535, such as "h:80" or "[::1]:80", and returns them with the host
// in lower case. The error says what is wrong, as that of [Parse] does.
func ParseHostPort(text string) (string, error) {
	u, err := url.Parse("http://" + strings.ReplaceAll(text, "%", "%25")) // as a URL has the zone of an IPv6 address
	if err != nil || u.Host != text || u.Port() == "" {
		return "", errors.New("it is not a host and a port")
	}
	if err := CheckHost(u); err != nil {
		return "", err
	}
	return HostPort(u), nil
}
