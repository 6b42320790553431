package client_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

// A fault never repeats a value.
func TestParseHeaders(t *testing.T) {
	t.Parallel()
	const value, notAName, ownHeader = "s3cret", "not a valid HTTP header name", "sets this header itself"
	tests := map[string]struct {
		headers map[string]string
		want    http.Header
		faults  []client.InvalidHeader // with a part of the reason
	}{
		"none":              {nil, http.Header{}, nil},
		"canonical":         {map[string]string{"x-api-KEY": "v"}, http.Header{"X-Api-Key": {"v"}}, nil},
		"several":           {map[string]string{"authorization": "B v", "Cookie": "a=b"}, http.Header{"Authorization": {"B v"}, "Cookie": {"a=b"}}, nil},
		"overrides":         {map[string]string{"accept": "*/*", "user-agent": "u"}, http.Header{"Accept": {"*/*"}, "User-Agent": {"u"}}, nil},
		"host":              {map[string]string{"HOST": "files.example.org:8443"}, http.Header{"Host": {"files.example.org:8443"}}, nil},
		"host, IPv6":        {map[string]string{"Host": "[::1]:80"}, http.Header{"Host": {"[::1]:80"}}, nil},
		"empty value":       {map[string]string{"X-Empty": ""}, http.Header{"X-Empty": {""}}, nil},
		"tab and non-ASCII": {map[string]string{"X-Text": "a\tä"}, http.Header{"X-Text": {"a\tä"}}, nil},
		"token characters":  {map[string]string{"x!#$%&'*+-.^_`|~1": "v"}, http.Header{"X!#$%&'*+-.^_`|~1": {"v"}}, nil},

		"empty name":         {map[string]string{"": value}, nil, []client.InvalidHeader{{"", notAName}}},
		"space in a name":    {map[string]string{"X Y": value}, nil, []client.InvalidHeader{{"X Y", notAName}}},
		"non-ASCII name":     {map[string]string{"Ä": value}, nil, []client.InvalidHeader{{"Ä", notAName}}},
		"line break in name": {map[string]string{"X\r\nY": value}, nil, []client.InvalidHeader{{"X\r\nY", notAName}}},
		"names that fold": {map[string]string{"X-KEY": value, "X-Key": value, "x-key": value}, nil, []client.InvalidHeader{
			{"X-Key", `the same header as "X-KEY"`}, {"x-key", `the same header as "X-Key"`},
		}},
		"accept-encoding":   {map[string]string{"accept-encoding": value}, nil, []client.InvalidHeader{{"accept-encoding", ownHeader}}},
		"connection":        {map[string]string{"CONNECTION": value}, nil, []client.InvalidHeader{{"CONNECTION", ownHeader}}},
		"content-length":    {map[string]string{"Content-Length": value}, nil, []client.InvalidHeader{{"Content-Length", ownHeader}}},
		"transfer-encoding": {map[string]string{"Transfer-Encoding": value}, nil, []client.InvalidHeader{{"Transfer-Encoding", ownHeader}}},
		"line feed":         {map[string]string{"X": value + "\n"}, nil, []client.InvalidHeader{{"X", "line break"}}},
		"carriage return":   {map[string]string{"X": value + "\rY: z"}, nil, []client.InvalidHeader{{"X", "line break"}}},
		"NUL":               {map[string]string{"X": value + "\x00"}, nil, []client.InvalidHeader{{"X", "control character"}}},
		"empty host":        {map[string]string{"host": ""}, nil, []client.InvalidHeader{{"host", "not a host"}}},
		"host with a space": {map[string]string{"Host": value + " x"}, nil, []client.InvalidHeader{{"Host", "not a host"}}},
		"every fault, by name": {map[string]string{"b": "\n", "a": "\x01", "Connection": "x"}, nil, []client.InvalidHeader{
			{"Connection", ownHeader}, {"a", "control character"}, {"b", "line break"},
		}},
	}
	for name, test := range tests {
		got, faults := client.ParseHeaders(test.headers)
		if len(faults) != len(test.faults) || len(faults) == 0 && !maps.EqualFunc(got, test.want, slices.Equal[[]string]) {
			t.Fatalf("%s: got %v and faults %v, want %v and %v", name, got, faults, test.want, test.faults)
		}
		for i, fault := range faults {
			check(t, name+": Name", fault.Name, test.faults[i].Name)
			checkContains(t, name+": Reason", fault.Reason, test.faults[i].Reason)
			checkText(t, fault.Reason)
		}
	}
}
