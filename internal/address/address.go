// Package address parses the base URLs of instances, and hosts with ports. It makes no connections.
package address

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// BaseURL is the base URL of an instance: an http or https URL with a host, and without user info, query or fragment. Make one with
// [Parse].
type BaseURL struct {
	// Written is the base URL as passed to [Parse].
	Written string
	// Effective is Written with the host in lower-case ASCII, without a default port and trailing slashes, and with those characters of the
	// path escaped that cannot be sent as they are. Two base URLs that have the same one are one instance.
	Effective string
	// Origin is the scheme, host and port of Effective (see [OriginOf]).
	Origin string
	// DocumentURL is the URL to request, which is Effective followed by /instance.
	DocumentURL *url.URL
}

// Parse parses a base URL. The error says what is wrong. It may quote parts of the text, but nothing after a question mark, a number sign
// or a character that cannot be printed. If the text may have a password, the error is, or wraps, [ErrUserInfo].
func Parse(text string) (BaseURL, error) {
	baseURL, err := parse(text)
	return baseURL, hideUserInfo(text, err)
}

// ErrUserInfo is the error about a text that is invalid, and may have a password. Nothing of such a text is safe to show.
var ErrUserInfo = errors.New("it has an @")

// hideUserInfo returns err, or [ErrUserInfo] in its place if text may have a password.
func hideUserInfo(text string, err error) error {
	switch {
	case err == nil:
		return nil
	case strings.Contains(text, "@"):
		return ErrUserInfo
	case strings.Contains(text, "%40"):
		return fmt.Errorf("%w, which is written %%40", ErrUserInfo)
	default:
		return err
	}
}

func parse(text string) (BaseURL, error) {
	if err := checkText(text); err != nil {
		return BaseURL{}, err
	}
	switch {
	case !strings.Contains(text, "://"):
		return BaseURL{}, errors.New(`it has no scheme; it must begin with "https://" or "http://"`)
	case strings.Contains(text, "#"):
		return BaseURL{}, errors.New("it has a fragment (#), which is never sent to a server")
	case strings.Contains(text, "?"):
		return BaseURL{}, errors.New("it has a query; an instance is read without one")
	}
	u, err := url.Parse(text)
	if err != nil {
		return BaseURL{}, errors.Unwrap(err) // without the *url.Error, which repeats the whole text
	}
	switch {
	case defaultPorts[u.Scheme] == "":
		return BaseURL{}, fmt.Errorf("it has the scheme %q; only http and https can be read", u.Scheme)
	case u.User != nil:
		return BaseURL{}, ErrUserInfo
	case u.Hostname() == "":
		return BaseURL{}, errors.New("it has no host")
	}
	if err := Normalize(u); err != nil {
		return BaseURL{}, err
	}
	origin := OriginOf(u)
	effective := origin + strings.TrimRight(escapedPath(u), "/")
	documentURL, err := url.Parse(effective + "/instance")
	if err != nil {
		return BaseURL{}, errors.Unwrap(err)
	}
	return BaseURL{Written: text, Effective: effective, Origin: origin, DocumentURL: documentURL}, nil
}

// needsEscape matches what cannot be in the path of a request as it is. It leaves brackets alone, as net/url does.
var needsEscape = regexp.MustCompile(`[^\w\-.~!$&'()*+,;=:@/%\[\]]+`)

// escapedPath returns the path of a URL that was parsed, as it was written, but for what needs an escape. [url.URL.EscapedPath] would
// escape all of such a path anew, and so turn %2F into a slash.
func escapedPath(u *url.URL) string {
	written := cmp.Or(u.RawPath, u.EscapedPath()) // RawPath is empty if they do not differ
	return needsEscape.ReplaceAllStringFunc(written, url.PathEscape)
}

// notInHosts has signs that a host never has, in whichever form.
const notInHosts = `/@"<>\ `

var errNoHost = errors.New("it has no valid host")

// Normalize replaces the host of an http or https URL by that of its origin. Otherwise, net/http would map a host that is not ASCII in two
// ways: for the connection, and for the Host header, which could then name somebody else's server. The error says that there is no server
// with such a host or port.
func Normalize(u *url.URL) error {
	host, err := asciiHost(u.Hostname())
	if err != nil {
		return err
	}
	if _, err := netip.ParseAddr(host); strings.ContainsAny(host, notInHosts) || strings.Contains(host, ":") && err != nil {
		return errNoHost
	}
	if u.Port() != "" {
		if err := checkPort(u.Port()); err != nil {
			return err
		}
	}
	u.Host = originHost(u)
	return nil
}

// OriginOf returns the origin (RFC 6454, section 4) of an absolute URL, such as "https://h:8443". The host is in lower-case ASCII, and a
// default port is left out.
func OriginOf(u *url.URL) string { return (&url.URL{Scheme: u.Scheme, Host: originHost(u)}).String() }

func originHost(u *url.URL) string {
	return strings.TrimSuffix(HostPort(u), ":"+defaultPorts[u.Scheme])
}

// HostPort returns the host of an http or https URL in lower-case ASCII, and its port, even if that is the default.
func HostPort(u *url.URL) string {
	host, err := asciiHost(u.Hostname())
	if err != nil {
		host = u.Hostname()
	}
	return net.JoinHostPort(host, cmp.Or(u.Port(), defaultPorts[u.Scheme]))
}

// asciiHost returns a host name in lower-case ASCII, as it is looked up (RFC 5891, section 5). It does not check a name that is ASCII
// already: names with underscores, for example, are common.
func asciiHost(host string) (string, error) {
	if !isASCII(host) {
		return idna.Lookup.ToASCII(host)
	}
	name, zone, hasZone := strings.Cut(host, "%") // the zone of an IPv6 address keeps its case
	if hasZone {
		zone = "%" + zone
	}
	return strings.ToLower(name) + zone, nil
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// checkText returns an error if a text was taken with something around it, or cannot be printed.
func checkText(text string) error {
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case text == "":
		return errors.New("it is empty")
	case strings.TrimSpace(text) != text:
		return errors.New("it begins or ends with white space, such as a space or a line break")
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		return errors.New("it has a character that cannot be printed")
	case unicode.Is(unicode.Quotation_Mark, first):
		return errors.New("it begins with a quotation mark, which is a part of the value; leave out the quotation marks around it")
	default:
		return nil
	}
}

// checkPort returns an error if a port is not a number from 1 to 65535.
func checkPort(text string) error {
	if port, err := strconv.ParseUint(text, 10, 16); err != nil || port == 0 {
		return fmt.Errorf("it has the port %q; a port is a number from 1 to 65535", text)
	}
	return nil
}

// ParseHostPort parses a host and a port from 1 to 65535, such as "h:80" or "[::1]:80", and returns both with the host in ASCII. The error
// says what is wrong, as that of [Parse] does.
func ParseHostPort(text string) (string, error) {
	hostPort, err := parseHostPort(text)
	return hostPort, hideUserInfo(text, err)
}

func parseHostPort(text string) (string, error) {
	if err := checkText(text); err != nil {
		return "", err
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil || strings.ContainsAny(text, " ?#") {
		return "", errors.New("it is not a host and a port")
	}
	if err := checkPort(port); err != nil {
		return "", err
	}
	host, err = asciiHost(host)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(text, "[") {
		if ip, _ := netip.ParseAddr(host); !ip.Is6() {
			return "", errors.New("only an IPv6 address stands in brackets")
		}
	} else if host == "" || strings.ContainsAny(host, notInHosts+"%") {
		return "", errNoHost
	}
	return net.JoinHostPort(host, port), nil
}
