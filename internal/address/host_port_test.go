package address_test

import (
	"errors"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/address"
)

func TestHostAndPort(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"127.0.0.1:8443":     "127.0.0.1:8443",
		"[::1]:80":           "[::1]:80",
		"[fe80::1%Eth0]:080": "[fe80::1%Eth0]:80",
		"localhost:1":        "localhost:1",
		"h:018765":           "h:18765",
		"My_Tunnel:65535":    "My_Tunnel:65535",
		"bücher.example:80":  "xn--bcher-kva.example:80",
		"xn--:80":            "xn--:80",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := address.ParseHostPort(text)
			if err != nil || got != want {
				t.Errorf("ParseHostPort = %q, error %v, want %q", got, err, want)
			}
		})
	}
}

func TestHostAndPortIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "h", "127.0.0.1", ":80", "h:", "h:0", "h:00", "h:65536", "h:http", "h:+80", "h:80 ",
		"http://h:80", "h:80/", "me:hunter2@h:80", "h:80?a", "h h:80", "h%41:80", "h\n:80", "h:80\n",
		"::1", "::1:80", "[::1]", "[h]:80", "[127.0.0.1]:80", "[]:80", "a:b:80", "[fe80::1%a\n]:80",
		"h\u200b:80", "h\ufe0f:80", "\u0301h:80", "\xff:80",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := address.ParseHostPort(text)
			refused, ok := errors.AsType[*address.SyntaxError](err)
			if !ok {
				t.Fatalf("ParseHostPort = %q, error %v, want a *SyntaxError", got, err)
			}
			checkText(t, "Error", refused.Error(), "is not a host and a port: "+
				`Write it like "127.0.0.1:8443" or "[::1]:8443", without a scheme or a path.`)
		})
	}
}
