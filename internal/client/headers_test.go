package client_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
)

func TestHeaderNamesBecomeCanonical(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		headers map[string]string
		want    http.Header
	}{
		"none":              {nil, http.Header{}},
		"canonical":         {map[string]string{"x-api-KEY": "v"}, http.Header{"X-Api-Key": {"v"}}},
		"several":           {map[string]string{"authorization": "B v", "Cookie": "a=b"}, http.Header{"Authorization": {"B v"}, "Cookie": {"a=b"}}},
		"overrides":         {map[string]string{"accept": "*/*", "user-agent": "u"}, http.Header{"Accept": {"*/*"}, "User-Agent": {"u"}}},
		"host":              {map[string]string{"HOST": "files.example.org:8443"}, http.Header{"Host": {"files.example.org:8443"}}},
		"host, IPv6":        {map[string]string{"Host": "[::1]:80"}, http.Header{"Host": {"[::1]:80"}}},
		"empty value":       {map[string]string{"X-Empty": ""}, http.Header{"X-Empty": {""}}},
		"tab and non-ASCII": {map[string]string{"X-Text": "a\tä"}, http.Header{"X-Text": {"a\tä"}}},
		"token characters":  {map[string]string{"x!#$%&'*+-.^_`|~1": "v"}, http.Header{"X!#$%&'*+-.^_`|~1": {"v"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, faults := client.ParseHeaders(test.headers)
			if len(faults) > 0 || !maps.EqualFunc(got, test.want, slices.Equal[[]string]) {
				t.Errorf("got %v and faults %v, want %v", got, faults, test.want)
			}
		})
	}
}

func TestHeadersAreRefusedWithoutTheirValues(t *testing.T) {
	t.Parallel()
	const value = "s3cret"
	const notAName, ownHeader = "not a valid HTTP header name", "sets this header itself"
	tests := map[string]struct {
		headers map[string]string
		faults  []client.InvalidHeader // with a part of the reason
	}{
		"empty name":         {map[string]string{"": value}, []client.InvalidHeader{{"", notAName}}},
		"space in a name":    {map[string]string{"X Y": value}, []client.InvalidHeader{{"X Y", notAName}}},
		"non-ASCII name":     {map[string]string{"Ä": value}, []client.InvalidHeader{{"Ä", notAName}}},
		"line break in name": {map[string]string{"X\r\nY": value}, []client.InvalidHeader{{"X\r\nY", notAName}}},
		"names that fold":    {map[string]string{"X-Key": value, "x-key": "other"}, []client.InvalidHeader{{"x-key", `the same header as "X-Key"`}}},
		"three that fold": {map[string]string{"X-KEY": value, "X-Key": value, "x-key": value}, []client.InvalidHeader{
			{"X-Key", `the same header as "X-KEY"`}, {"x-key", "the same header as"},
		}},
		"accept-encoding":   {map[string]string{"accept-encoding": value}, []client.InvalidHeader{{"accept-encoding", ownHeader}}},
		"connection":        {map[string]string{"CONNECTION": value}, []client.InvalidHeader{{"CONNECTION", ownHeader}}},
		"content-length":    {map[string]string{"Content-Length": value}, []client.InvalidHeader{{"Content-Length", ownHeader}}},
		"transfer-encoding": {map[string]string{"Transfer-Encoding": value}, []client.InvalidHeader{{"Transfer-Encoding", ownHeader}}},
		"line feed":         {map[string]string{"X": value + "\n"}, []client.InvalidHeader{{"X", "line break"}}},
		"carriage return":   {map[string]string{"X": value + "\rY: z"}, []client.InvalidHeader{{"X", "line break"}}},
		"NUL":               {map[string]string{"X": value + "\x00"}, []client.InvalidHeader{{"X", "control character"}}},
		"empty host":        {map[string]string{"host": ""}, []client.InvalidHeader{{"host", "not a host"}}},
		"host with a space": {map[string]string{"Host": value + " x"}, []client.InvalidHeader{{"Host", "not a host"}}},
		"every fault, by name": {map[string]string{"b": "\n", "a": "\x01", "Connection": "x", "ok": "v"}, []client.InvalidHeader{
			{"Connection", ownHeader}, {"a", "control character"}, {"b", "line break"},
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, faults := client.ParseHeaders(test.headers)
			if len(faults) != len(test.faults) {
				t.Fatalf("faults %v, want %v", faults, test.faults)
			}
			for i, fault := range faults {
				if fault.Name != test.faults[i].Name || !strings.Contains(fault.Reason, test.faults[i].Reason) {
					t.Errorf("fault %d is %q: %s; want %q: … %s …", i, fault.Name, fault.Reason, test.faults[i].Name, test.faults[i].Reason)
				}
				checkText(t, fault.Reason)
			}
		})
	}
}
