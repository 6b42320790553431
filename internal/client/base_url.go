package client

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// instancePath is what the service's contract adds to a base URL.
const instancePath = "/instance"

// maxPort is the highest TCP port.
const maxPort = 65535

// defaultPorts are the ports of the schemes that an instance can have.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// BaseURL is the base URL of an instance: http or https, with a host, without
// user info, query or fragment. Make one with [ParseBaseURL].
type BaseURL struct {
	effective string
	instance  *url.URL
	origin    origin
}

// BaseURLError says why a text is not a base URL and what to write instead. It
// never repeats the text, which may hold a secret.
type BaseURLError struct {
	Reason string
	Remedy string
}

func (e *BaseURLError) Error() string { return e.Reason + " " + e.Remedy }

// ParseBaseURL reads a base URL. A path is kept as written but for its
// trailing slashes. The error is always a [*BaseURLError].
func ParseBaseURL(text string) (BaseURL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return BaseURL{}, &BaseURLError{
			// url.Parse repeats what it was given, user info included.
			Reason: "The base URL is not a valid URL" + parseReason(text, err) + ".",
			Remedy: `Write it like "https://files.example.org" or "https://example.org/files/api".`,
		}
	}
	if err := checkBaseURL(u, text); err != nil {
		return BaseURL{}, err
	}

	o := originOf(u)
	path := strings.TrimRight(u.EscapedPath(), "/")
	instance := &url.URL{Scheme: u.Scheme, Host: u.Host, RawPath: path + instancePath}
	if instance.Path, err = url.PathUnescape(instance.RawPath); err != nil {
		return BaseURL{}, &BaseURLError{
			Reason: "The path of the base URL has an invalid percent-encoding.",
			Remedy: "Write a percent sign that stands for itself as %25.",
		}
	}
	return BaseURL{effective: o.String() + path, instance: instance, origin: o}, nil
}

func checkBaseURL(u *url.URL, text string) error {
	_, known := defaultPorts[u.Scheme]
	switch {
	case !known && u.Scheme == "":
		return &BaseURLError{
			Reason: "The base URL has no scheme.",
			Remedy: `It must start with "https://" or "http://".`,
		}
	case !known:
		return &BaseURLError{
			Reason: "The scheme of the base URL is not http or https.",
			Remedy: `It must start with "https://" or "http://".`,
		}
	case u.User != nil:
		return &BaseURLError{
			Reason: "The base URL has user info (a user name or password before the host).",
			Remedy: "Remove it: reading an instance takes no credentials. Where a reverse proxy wants some, send them with request_headers, which is sensitive.",
		}
	case u.Hostname() == "":
		return &BaseURLError{
			Reason: "The base URL has no host.",
			Remedy: `Write it like "https://files.example.org" or "https://example.org/files/api".`,
		}
	case strings.ContainsFunc(u.Hostname(), isNoHostRune):
		return &BaseURLError{
			Reason: "The host of the base URL has a character that a host cannot have.",
			Remedy: `Write it like "https://files.example.org" or "https://example.org/files/api".`,
		}
	case u.RawQuery != "" || u.ForceQuery:
		return &BaseURLError{
			Reason: "The base URL has a query.",
			Remedy: "Remove the question mark and what follows: the operation that is read takes no query. A secret that a reverse proxy wants belongs into request_headers, which is sensitive.",
		}
	case strings.Contains(text, "#"): // url.Parse drops an empty one
		return &BaseURLError{
			Reason: "The base URL has a fragment.",
			Remedy: "Remove the number sign (#) and what follows: a fragment is never sent to a server.",
		}
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 32); err != nil || n < 1 || n > maxPort {
			return &BaseURLError{
				Reason: "The port of the base URL is out of range.",
				Remedy: "A port is a number from 1 to 65535.",
			}
		}
	}
	return nil
}

// isNoHostRune tells whether a host name or IP address cannot have a character
// that url.Parse lets pass. It passes all of RFC 3986 and more, such as quotes,
// angle brackets and bytes that are not UTF-8.
func isNoHostRune(r rune) bool {
	return r == utf8.RuneError || !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Number) && !strings.ContainsRune("-._~:%", r)
}

// parseReason puts what url.Parse found wrong into words that repeat nothing.
func parseReason(text string, err error) string {
	switch {
	case strings.ContainsFunc(text, unicode.IsControl):
		return ": it has a control character, such as a line break at its end"
	case strings.TrimSpace(text) != text:
		return ": it begins or ends with a space"
	case isA[url.EscapeError](err):
		return ": it has an invalid percent-encoding"
	case isA[url.InvalidHostError](err):
		return ": its host has a character that a host cannot have"
	default:
		return ""
	}
}

// String returns the URL that is read: {base_url}/instance.
func (b BaseURL) String() string { return b.instance.String() }

// Effective returns the form in which two base URLs of the same instance are
// equal: scheme and host in lower case, no default port, no trailing slashes,
// nothing else changed.
func (b BaseURL) Effective() string { return b.effective }

// SameOrigin tells whether two base URLs have the same scheme, host and port.
func (b BaseURL) SameOrigin(other BaseURL) bool { return b.origin == other.origin }

// Origin returns the URL's origin: scheme, host and port.
func (b BaseURL) Origin() string { return b.origin.String() }

// UsesTLS tells whether the scheme is https.
func (b BaseURL) UsesTLS() bool { return b.origin.scheme == "https" }

// endsInInstance tells whether the base URL itself ends in /instance, which
// is a common mistake: the path is added to it once more.
func (b BaseURL) endsInInstance() bool {
	return strings.HasSuffix(b.instance.Path, instancePath+instancePath)
}

// origin is what headers and client certificates are meant for: scheme, host
// and port (RFC 6454, section 4).
type origin struct {
	scheme, host, port string
}

// originOf returns the origin of an absolute URL. The host is in lower case,
// and the port is always there.
//
// Only ASCII is folded: Unicode folds some letters into ASCII ones (U+0130 into
// "i") that are another host to the DNS, which must not get the headers.
func originOf(u *url.URL) origin {
	port := u.Port()
	if port == "" {
		port = defaultPorts[strings.ToLower(u.Scheme)]
	}
	return origin{scheme: strings.ToLower(u.Scheme), host: strings.Map(lowerASCII, u.Hostname()), port: port}
}

func lowerASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r - 'A' + 'a'
	}
	return r
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
