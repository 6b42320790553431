package client

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// RefusedHeaders are the headers that would break what the client does itself: decompression, connection reuse and
// the framing of messages.
var RefusedHeaders = []string{"Accept-Encoding", "Connection", "Content-Length", "Transfer-Encoding"}

// HeaderFault is one thing wrong with extra request headers: the name of a header as written, and what is wrong and what to
// do. It never holds a value.
type HeaderFault struct{ Name, Reason string }

// ParseHeaders makes a header of extra request headers: names are made canonical. It returns every fault; the header
// is usable when there is none.
func ParseHeaders(headers map[string]string) (http.Header, []HeaderFault) {
	parsed := make(http.Header, len(headers))
	writtenAs := make(map[string]string, len(headers))
	var faults []HeaderFault
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		canonical := http.CanonicalHeaderKey(name)
		first, folds := writtenAs[canonical]
		writtenAs[canonical] = name
		fault := HeaderFault{Name: name}
		switch value := headers[name]; {
		case !httpguts.ValidHeaderFieldName(name):
			fault.Reason = "the name is not a valid HTTP header name; it is made of letters, digits and hyphens"
		case folds:
			fault.Reason = fmt.Sprintf("this is the same header as %q: header names are case-insensitive; keep one of them", first)
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
