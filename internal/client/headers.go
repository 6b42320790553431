package client

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// RefusedHeaders lists the headers that only the client may set, for decompression, connections and message framing.
var RefusedHeaders = []string{"Accept-Encoding", "Connection", "Content-Length", "Transfer-Encoding"}

// InvalidHeader says what is wrong with a request header. Name is "" if it is not valid: it may be a value, swapped.
type InvalidHeader struct{ Name, Reason string }

// ParseHeaders returns headers with canonical names, and the invalid ones. Use the result only if there are none.
func ParseHeaders(headers map[string]*string) (http.Header, []InvalidHeader) {
	parsed := make(http.Header, len(headers))
	writtenAs := make(map[string]string, len(headers))
	var invalid []InvalidHeader
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		canonical := http.CanonicalHeaderKey(name)
		previous, duplicate := writtenAs[canonical]
		writtenAs[canonical] = name
		reason := ""
		switch value := headers[name]; {
		case !httpguts.ValidHeaderFieldName(name):
			name, reason = "", "a header name has only letters, digits and hyphens; it is not shown, as it may be a swapped value"
		case value == nil:
			reason = "the value is null; remove the header, or set a value"
		case duplicate:
			reason = fmt.Sprintf("this is the same header as %q: header names are case-insensitive; keep one of them", previous)
		case slices.Contains(RefusedHeaders, canonical):
			reason = "the provider sets this header itself; remove it"
		case strings.ContainsAny(*value, "\r\n"):
			reason = "the value has a line break; if it comes from a file, wrap it in trimspace()"
		case !httpguts.ValidHeaderFieldValue(*value):
			reason = "the value has a control character, which a header cannot carry"
		case canonical == "Host" && (*value == "" || !httpguts.ValidHostHeader(*value)):
			reason = "the value is not a host or a host and port"
		default:
			parsed[canonical] = []string{*value}
			continue
		}
		invalid = append(invalid, InvalidHeader{name, reason})
	}
	return parsed, invalid
}
