// Package address parses and normalizes base URLs, origins, and hosts with ports. It makes no connections.
package address

import (
	"errors"
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

const instancePath = "/instance"

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// BaseURL is the base URL of an instance: an http or https URL with a host and without user info, query or fragment.
// Make one with [ParseBaseURL].
type BaseURL struct {
	// Written is the base URL as passed to [ParseBaseURL].
	Written string
	// Effective is the base URL in normal form: lower-case ASCII, without default port, leading zeros and trailing slashes.
	Effective string
	// Origin is the scheme, host and port of Effective; see [OriginOf].
	Origin string
	// Document is the URL to request: Effective followed by /instance.
	Document *url.URL
}

// String returns the URL of the instance document, {base_url}/instance, for messages: the base URL is as written.
func (b BaseURL) String() string { return strings.TrimRight(b.Written, "/") + instancePath }

// SyntaxError reports an invalid base URL, or an invalid host and port, and how to fix it. It never contains the input.
type SyntaxError struct {
	// Problem is the predicate of a sentence about the input: "has no scheme".
	Problem string
	// Remedy is one or more sentences that say what to write instead.
	Remedy string
	// Padded is true if the input begins or ends with white space, such as a line break.
	Padded bool
	// Secret is true if the input may contain a secret. The configuration line with it must then not be printed.
	Secret bool
}

func (e *SyntaxError) Error() string { return e.Problem + ": " + e.Remedy }

const (
	noScheme      = "has no scheme"
	badHost       = "has a character in its host that a host cannot have"
	exampleRemedy = `Write it like "https://files.example.org" or "https://example.org/files/api".`
	schemeRemedy  = `It must start with "https://" or "http://".`
	portRemedy    = "A port is a number from 1 to 65535."
	ipv6Remedy    = `Write an IPv6 address like "http://[::1]:8080".`
)

// ParseBaseURL parses a base URL. It keeps the path, except for trailing slashes. The error is always a [*SyntaxError].
func ParseBaseURL(text string) (BaseURL, error) {
	u, syntaxErr := parseBaseURL(text)
	if syntaxErr != nil {
		return BaseURL{}, syntaxErr
	}
	origin, path := OriginOf(u), strings.TrimRight(u.EscapedPath(), "/")
	document := &url.URL{Scheme: u.Scheme, Host: HostPort(u), RawPath: path + instancePath}
	document.Path, _ = url.PathUnescape(document.RawPath) // no error: EscapedPath returned it
	return BaseURL{Written: text, Effective: origin + path, Origin: origin, Document: document}, nil
}

var (
	httpScheme = regexp.MustCompile(`(?i)^https?:`)
	// noPort matches a possible host, after any slash, and a colon followed by more than digits, such as "user:password".
	noPort = regexp.MustCompile(`(^|/)(\[[^\]]*\]|[^/:\[]*):[^/]*[^0-9/\s]`)
)

// mayHoldSecret reports whether invalid input may contain a secret: user info, a query, a fragment, a password, or a key.
func mayHoldSecret(text string) bool {
	hasMark := strings.ContainsAny(text, "@?#") || strings.Contains(text, "%40") // an at sign
	hasPassword := noPort.MatchString(httpScheme.ReplaceAllString(strings.TrimLeft(text, "\"'"), ""))
	hasSeveralLines := strings.ContainsAny(strings.TrimSpace(text), "\r\n")
	return hasMark || hasPassword || hasSeveralLines
}

func parseBaseURL(text string) (*url.URL, *SyntaxError) {
	switch {
	case text == "":
		return nil, refused(text, "is empty", exampleRemedy)
	case !utf8.ValidString(text):
		return nil, refused(text, "is not valid UTF-8", exampleRemedy)
	case strings.ContainsFunc(text, unicode.IsControl):
		return nil, refused(text, "has a control character, such as a line break at its end", "Remove it.")
	case strings.ContainsFunc(text, isInvisible):
		return nil, refused(text, "has a character that cannot be seen, or that changes the direction of text",
			"Remove it: type the URL instead of pasting it.")
	case strings.Trim(text, " \"'") != text:
		return nil, refused(text, "begins or ends with a space or a quotation mark", "Remove it.")
	}
	u, err := url.Parse(text)
	if err != nil {
		// The text of err repeats the URL, including user info.
		return nil, parseError(text, err)
	}
	return u, checkBaseURL(u, text)
}

// isInvisible reports whether r cannot be seen, or changes the direction of text.
func isInvisible(r rune) bool {
	const blankBraille = '\u2800'
	return !unicode.IsPrint(r) || r == blankBraille ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func refused(text, problem, remedy string) *SyntaxError {
	return &SyntaxError{
		Problem: problem,
		Remedy:  remedy,
		Padded:  strings.TrimSpace(text) != text,
		Secret:  mayHoldSecret(text),
	}
}

// parseError converts an error from url.Parse, which may have only words, to a SyntaxError without any of the input.
func parseError(text string, err error) *SyntaxError {
	reason := errors.Unwrap(err).Error() // of the *url.Error
	_, isEscape := errors.AsType[url.EscapeError](err)
	_, isInvalidHost := errors.AsType[url.InvalidHostError](err)
	switch {
	case !strings.Contains(text, "://"):
		return refused(text, noScheme, schemeRemedy)
	case strings.HasPrefix(reason, "invalid port"):
		return refused(text, "has a port that is not a number, or an IPv6 address without brackets",
			portRemedy+" "+ipv6Remedy)
	case strings.HasPrefix(reason, "missing ']'"):
		return refused(text, "has a host with an opening bracket and no closing one", ipv6Remedy)
	case strings.HasPrefix(reason, "invalid IP-literal"), strings.HasPrefix(reason, "invalid host: ParseAddr"):
		return refused(text, "has brackets around a host that is not an IPv6 address", "Remove the brackets. "+ipv6Remedy)
	case isEscape:
		return refused(text, "has an invalid percent-encoding", "Write a percent sign that stands for itself as %25.")
	case isInvalidHost:
		return refused(text, badHost, exampleRemedy)
	default:
		return refused(text, "is not a valid URL", exampleRemedy)
	}
}

// checkBaseURL returns nil if u, parsed from text, is a valid base URL.
func checkBaseURL(u *url.URL, text string) *SyntaxError {
	_, isPort := parsePort(u.Port())
	switch {
	case u.Scheme == "", strings.IndexAny(u.Opaque, "0123456789") == 0: // "localhost:3000" parses as scheme "localhost"
		return refused(text, noScheme, schemeRemedy)
	case defaultPorts[u.Scheme] == "":
		return refused(text, "has a scheme other than http and https", schemeRemedy)
	case u.User != nil:
		return refused(text, "has user info (a user name or password before the host)",
			"Remove it: reading an instance requires no credentials.")
	case u.Hostname() == "":
		return refused(text, "has no host", exampleRemedy)
	case strings.HasSuffix(u.Host, ":") && defaultPorts[strings.ToLower(u.Hostname())] != "":
		return refused(text, "has two schemes", "Remove one of them.")
	case !isHost(u.Hostname()):
		return refused(text, badHost, exampleRemedy)
	case u.RawQuery != "" || u.ForceQuery:
		return refused(text, "has a query",
			"Remove the question mark and what follows it: instances are read without a query.")
	case strings.Contains(text, "#"): // url.Parse drops an empty fragment
		return refused(text, "has a fragment",
			"Remove the number sign (#) and what follows it: a fragment is never sent to a server.")
	case u.Port() != "" && !isPort:
		return refused(text, "has a port that is out of range", portRemedy)
	}
	return nil
}

// isHost reports whether text has only characters of host names and IP addresses. url.Parse accepts more.
func isHost(text string) bool {
	if _, err := idna.Lookup.ToASCII(text); err != nil && !isASCII(text) { // a lookup of ASCII needs no IDNA
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		isAllowed := unicode.In(r, unicode.Letter, unicode.Mark, unicode.Number) || strings.ContainsRune("-._~:%", r)
		return !isAllowed || isInvisible(r)
	})
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return utf8.RuneLen(r) > 1 })
}

// parsePort returns a port from 1 to 65535 without zeros before it. Returns false for any other text.
func parsePort(text string) (port string, ok bool) {
	number, err := strconv.ParseUint(text, 10, 16)
	return strconv.FormatUint(number, 10), err == nil && number > 0
}

// OriginOf returns the origin (RFC 6454, section 4) of an absolute URL, such as "https://h:8443", without a default port.
func OriginOf(u *url.URL) string { return (&url.URL{Scheme: u.Scheme, Host: HostPort(u)}).String() }

// HostPort returns the host of an absolute URL in lower-case ASCII (IDNA), if it has such a form, and its port, without
// zeros before it, unless it is the scheme's default. An IPv6 address is in brackets, and its zone keeps its case.
func HostPort(u *url.URL) string {
	host := asciiHost(u.Hostname())
	if isASCII(host) {
		name, _, _ := strings.Cut(host, "%")
		host = strings.ToLower(name) + host[len(name):]
	}
	port := u.Port()
	if number, ok := parsePort(port); ok {
		port = number
	}
	switch {
	case port != "" && port != defaultPorts[u.Scheme]:
		return net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		return "[" + host + "]"
	default:
		return host
	}
}

// asciiHost returns host in the ASCII form (IDNA) used for lookups, or unchanged if it has none.
func asciiHost(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil && !isASCII(host) { // as net/http does
		return ascii
	}
	return host
}

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
