package client_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

func TestValidHeaders(t *testing.T) {
	t.Parallel()
	got, invalid := client.ParseHeaders(written(map[string]string{
		"x-api-KEY": "v", "Cookie": "a=b", "accept": "*/*", "user-agent": "u", "HOST": "files.example.org:8443",
		"X-Empty": "", "X-Text": "a\tä", "x!#$%&'*+-.^_`|~1": "v",
	}))
	checkHeaders(t, "headers", got, http.Header{
		"X-Api-Key": {"v"}, "Cookie": {"a=b"}, "Accept": {"*/*"}, "User-Agent": {"u"}, "Host": {"files.example.org:8443"},
		"X-Empty": {""}, "X-Text": {"a\tä"}, "X!#$%&'*+-.^_`|~1": {"v"},
	})
	check(t, "number of invalid headers", len(invalid), 0)
	got, _ = client.ParseHeaders(written(map[string]string{"Host": "[::1]:80"}))
	checkHeaders(t, "headers", got, http.Header{"Host": {"[::1]:80"}})
}

// written returns headers as they are written, without null values.
func written(headers map[string]string) map[string]*string {
	values := make(map[string]*string)
	for name, value := range headers {
		values[name] = &value
	}
	return values
}

// A reason never repeats a value, nor a name that is none: both may have been swapped.
func TestInvalidHeaders(t *testing.T) {
	t.Parallel()
	const notAName, ownHeader = "a header name has only letters", "sets this header itself"
	tests := map[string]struct{ name, value, reason string }{
		"empty name":         {"", "s3cret", notAName},
		"swapped":            {"Bearer s3cret", "Authorization", notAName},
		"non-ASCII name":     {"Ä", "s3cret", notAName},
		"line break in name": {"X\r\nY", "s3cret", notAName},
		"accept-encoding":    {"accept-encoding", "s3cret", ownHeader},
		"connection":         {"CONNECTION", "s3cret", ownHeader},
		"content-length":     {"Content-Length", "s3cret", ownHeader},
		"transfer-encoding":  {"Transfer-Encoding", "s3cret", ownHeader},
		"line feed":          {"X", "s3cret\n", "the value has a line break; if it comes from a file, wrap it in trimspace()"},
		"carriage return":    {"X", "s3cret\rY: z", "line break"},
		"NUL":                {"X", "s3cret\x00", "control character"},
		"empty host":         {"host", "", "not a host"},
		"host with a space":  {"Host", "s3cret x", "not a host"},
	}
	for name, test := range tests {
		_, invalid := client.ParseHeaders(written(map[string]string{test.name: test.value}))
		if test.reason == notAName {
			test.name = ""
		}
		if len(invalid) != 1 || invalid[0].Name != test.name {
			t.Errorf("%s: got %q, want %q", name, invalid, test.name)
			continue
		}
		checkContains(t, name+": Reason", invalid[0].Reason, test.reason)
		checkText(t, invalid[0].Reason)
	}
}

func TestEachInvalidHeaderIsNamed(t *testing.T) {
	t.Parallel()
	_, invalid := client.ParseHeaders(written(map[string]string{"x": "\n", "Connection": "x", "X-KEY": "v", "X-Key": "v", "x-key": "v"}))
	var names []string
	for _, header := range invalid {
		names = append(names, header.Name)
	}
	check(t, "names", strings.Join(names, " "), "Connection X-Key x x-key")
	checkContains(t, "Reason of X-Key", invalid[1].Reason, `the same header as "X-KEY"`)
	checkContains(t, "Reason of x-key", invalid[3].Reason, `the same header as "X-Key"`)
}
