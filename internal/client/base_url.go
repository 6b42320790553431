package client

import (
	"cmp"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// instancePath is what the service's contract adds to a base URL.
const instancePath = "/instance"

// defaultPorts are the ports of the schemes that an instance can have.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// BaseURL is the base URL of an instance: http or https, with a host, without user info, query or fragment. Make one
// with [ParseBaseURL].
type BaseURL struct {
	written   string
	effective string
	instance  *url.URL
	origin    origin
}

// BaseURLError says why a text is not a base URL and what to write instead. It never repeats the text, which may
// include a secret.
type BaseURLError struct {
	// Problem completes a sentence that begins with the name of the argument: "has no scheme".
	Problem string
	// Remedy is a sentence.
	Remedy string
}

func (e *BaseURLError) Error() string { return "the base URL " + e.Problem + ": " + e.Remedy }

const (
	badHost       = "has a character in its host that a host cannot have"
	exampleRemedy = `Write it like "https://files.example.org" or "https://example.org/files/api".`
	schemeRemedy  = `It must start with "https://" or "http://".`
	portRemedy    = "A port is a number from 1 to 65535."
)

// ParseBaseURL reads a base URL. A path is kept as written but for its trailing slashes. The error is always a
// [*BaseURLError].
func ParseBaseURL(text string) (BaseURL, error) {
	u, err := url.Parse(text)
	if err != nil {
		// url.Parse repeats what it was given, user info included.
		return BaseURL{}, parseError(text, err)
	}
	if fault := checkBaseURL(u, text); fault != nil {
		return BaseURL{}, fault
	}
	o := originOf(u)
	path := strings.TrimRight(u.EscapedPath(), "/")
	instance := &url.URL{Scheme: u.Scheme, Host: u.Host, RawPath: path + instancePath}
	instance.Path, _ = url.PathUnescape(instance.RawPath) // which is valid, having been parsed and escaped
	return BaseURL{written: text, effective: o.String() + path, instance: instance, origin: o}, nil
}

// parseError puts what url.Parse found wrong into words that repeat nothing.
func parseError(text string, err error) *BaseURLError {
	reason := errors.Unwrap(err).Error() // of the *url.Error
	switch {
	case strings.ContainsFunc(text, unicode.IsControl):
		return &BaseURLError{"has a control character, such as a line break at its end", "Remove it, for example with trimspace()."}
	case strings.TrimSpace(text) != text:
		return &BaseURLError{"begins or ends with a space", "Remove it, for example with trimspace()."}
	case strings.HasPrefix(reason, "invalid port"):
		return &BaseURLError{"has a port that is not a number, or an IPv6 address without brackets", portRemedy + ` Write an IPv6 address like "http://[::1]:8080".`}
	case strings.HasPrefix(reason, "missing ']'"):
		return &BaseURLError{"has a host with an opening bracket and no closing one", `Write an IPv6 address like "http://[::1]:8080".`}
	case isA[url.EscapeError](err):
		return &BaseURLError{"has an invalid percent-encoding", "Write a percent sign that stands for itself as %25."}
	case isA[url.InvalidHostError](err):
		return &BaseURLError{badHost, exampleRemedy}
	default:
		return &BaseURLError{"is not a valid URL", exampleRemedy}
	}
}

func checkBaseURL(u *url.URL, text string) *BaseURLError {
	port, portErr := strconv.ParseUint(cmp.Or(u.Port(), "80"), 10, 16)
	_, hostErr := idna.Lookup.ToASCII(u.Hostname())
	switch {
	case u.Scheme == "":
		return &BaseURLError{"has no scheme", schemeRemedy}
	case defaultPorts[u.Scheme] == "":
		return &BaseURLError{"has a scheme other than http and https", schemeRemedy}
	case u.User != nil:
		return &BaseURLError{
			"has user info (a user name or password before the host)",
			"Remove it: reading an instance requires no credentials. If a reverse proxy requires some, send them with request_headers, which is sensitive.",
		}
	case u.Hostname() == "":
		return &BaseURLError{"has no host", exampleRemedy}
	case strings.ContainsFunc(u.Hostname(), isNoHostRune), hostErr != nil && !isASCII(u.Hostname()):
		return &BaseURLError{badHost, exampleRemedy}
	case u.RawQuery != "" || u.ForceQuery:
		return &BaseURLError{
			"has a query",
			"Remove the question mark and what follows it: instances are read without a query. A secret that a reverse proxy requires belongs in request_headers, which is sensitive.",
		}
	case strings.Contains(text, "#"): // url.Parse drops an empty one
		return &BaseURLError{"has a fragment", "Remove the number sign (#) and what follows it: a fragment is never sent to a server."}
	case portErr != nil || port == 0:
		return &BaseURLError{"has a port that is out of range", portRemedy}
	}
	return nil
}

// isNoHostRune tells whether a host name or IP address cannot have a character that url.Parse accepts. It accepts all
// of RFC 3986 and more, such as quotes, angle brackets and bytes that are not UTF-8.
func isNoHostRune(r rune) bool {
	return r == utf8.RuneError || !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Number) && !strings.ContainsRune("-._~:%", r)
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// Written returns the base URL as it was written.
func (b BaseURL) Written() string { return b.written }

// String returns the URL that is read, {base_url}/instance, with the base URL as it was written.
func (b BaseURL) String() string { return strings.TrimRight(b.written, "/") + instancePath }

// Effective returns the form in which two base URLs of the same instance are equal: scheme and host in lower case, no
// default port, no trailing slashes, nothing else changed.
func (b BaseURL) Effective() string { return b.effective }

// SameOrigin tells whether two base URLs have the same scheme, host and port.
func (b BaseURL) SameOrigin(other BaseURL) bool { return b.origin == other.origin }

// endsInInstance tells whether the base URL itself ends in /instance, which is a common mistake: the path is added to
// it once more.
func (b BaseURL) endsInInstance() bool {
	return strings.HasSuffix(b.instance.Path, instancePath+instancePath)
}

// origin is what headers and client certificates are meant for: scheme, host and port (RFC 6454, section 4).
type origin struct {
	scheme, host, port string
}

// originOf returns the origin of an absolute URL: the host in lower case, or in the ASCII form in which it is looked
// up, and always with a port.
func originOf(u *url.URL) origin {
	host := u.Hostname()
	if isASCII(host) {
		host = strings.ToLower(host)
	} else if ascii, err := idna.Lookup.ToASCII(host); err == nil { // as net/http does; no letters like k become a k elsewhere
		host = ascii
	}
	return origin{scheme: u.Scheme, host: host, port: cmp.Or(u.Port(), defaultPorts[u.Scheme])}
}

// String returns the origin without a default port.
func (o origin) String() string {
	host := o.host
	if strings.Contains(host, ":") {
		host = "[" + strings.ReplaceAll(host, "%", "%25") + "]"
	}
	if o.port != defaultPorts[o.scheme] {
		host += ":" + o.port
	}
	return o.scheme + "://" + host
}
