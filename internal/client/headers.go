package client

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// RefusedHeaders lists the headers that only the client may set: they control decompression, connection reuse and message framing.
var RefusedHeaders = []string{"Accept-Encoding", "Connection", "Content-Length", "Transfer-Encoding"}

// HeaderFault reports an invalid request header: its name as written, and what is wrong. It never contains the header's value.
type HeaderFault struct{ Name, Reason string }

// ParseHeaders returns headers with canonical names, and a fault for each invalid one. Use the result only if there are no faults.
func ParseHeaders(headers map[string]string) (http.Header, []HeaderFault) {
	parsed := make(http.Header, len(headers))
	writtenAs := make(map[string]string, len(headers))
	var faults []HeaderFault
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		canonical := http.CanonicalHeaderKey(name)
		previous, duplicate := writtenAs[canonical]
		writtenAs[canonical] = name
		fault := HeaderFault{Name: name}
		switch value := headers[name]; {
		case !httpguts.ValidHeaderFieldName(name):
			fault.Reason = "the name is not a valid HTTP header name; it is made of letters, digits and hyphens"
		case duplicate:
			fault.Reason = fmt.Sprintf("this is the same header as %q: header names are case-insensitive; keep one of them", previous)
		case slices.Contains(RefusedHeaders, canonical):
			fault.Reason = "the provider sets this header itself; remove it"
		case strings.ContainsAny(value, "\r\n"):
			fault.Reason = "the value has a line break"
		case !httpguts.ValidHeaderFieldValue(value):
			fault.Reason = "the value has a control character, which a header cannot carry"
		case canonical == "Host" && (value == "" || !httpguts.ValidHostHeader(value)):
			fault.Reason = "the value is not a host or a host and port"
		default:
			parsed[canonical] = []string{value}
			continue
		}
		faults = append(faults, fault)
	}
	return parsed, faults
}
