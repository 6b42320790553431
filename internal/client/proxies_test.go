package client

import (
	"net/url"
	"testing"
)

// The URL of a proxy often has no port, and then has that of its scheme.
func TestDefaultPortsOfProxies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"http://proxy": "proxy:80", "https://proxy": "proxy:443", "socks5://proxy": "proxy:1080", "socks5h://proxy": "proxy:1080",
		"http://proxy:3128": "proxy:3128", "https://[::1]": "[::1]:443",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			proxy, err := url.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, use := range []proxyUse{forwards, tunnels} {
				if got := (route{proxyUse: use, proxy: proxy}).dialHostPort("instance:80"); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
}
