package client_test

import (
	"context"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const proxyPassword = "pr0xy-passw0rd"

// setProxies sets the environment variables that choose a proxy, and clears the
// others of them.
func setProxies(t *testing.T, values map[string]string) {
	t.Helper()
	for _, name := range proxyVariables {
		t.Setenv(name, values[name])
	}
}

//nolint:paralleltest // the environment is the process's
func TestProxy(t *testing.T) {
	tests := map[string]struct {
		scheme    string
		instance  []it.Option
		variables []string
	}{
		"plain":               {"http", nil, []string{"HTTP_PROXY"}},
		"plain, lower case":   {"http", nil, []string{"http_proxy"}},
		"CONNECT":             {"https", []it.Option{it.WithTLSHTTP1()}, []string{"HTTPS_PROXY"}},
		"CONNECT, lower case": {"https", []it.Option{it.WithTLSHTTP1()}, []string{"https_proxy"}},
		"CONNECT, HTTP/2":     {"https", []it.Option{it.WithTLS()}, []string{"HTTPS_PROXY"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := it.New(t, test.instance...)
			proxy := it.NewProxy(t, it.WithProxyTarget(server))
			withPassword := strings.Replace(proxy.URL(), "://", "://user:"+proxyPassword+"@", 1)
			for _, url := range []string{proxy.URL(), strings.TrimPrefix(proxy.URL(), "http://"), withPassword} {
				values := map[string]string{}
				for _, variable := range test.variables {
					values[variable] = url
				}
				setProxies(t, values)
				read(t, test.scheme+"://"+it.ProxiedHost, trusting(server), withHeaders(t, map[string]string{"X-Api-Key": "k3y"}))
			}
			if n := len(server.Requests()); n != 3 {
				t.Errorf("%d requests, want 3", n)
			}
			for _, request := range server.Requests() {
				if request.Host != it.ProxiedHost || request.Header.Get("X-Api-Key") != "k3y" {
					t.Errorf("the instance was asked for host %q with %v", request.Host, request.Header)
				}
			}
			for _, request := range proxy.Requests() {
				if test.scheme == "https" && (request.Method != "CONNECT" || request.Header.Get("X-Api-Key") != "") {
					t.Errorf("the proxy was asked %s with %v", request.Method, request.Header)
				}
			}
			if sent := proxy.Requests()[2].Header.Get("Proxy-Authorization"); !strings.HasPrefix(sent, "Basic ") {
				t.Errorf("the password was sent as %q", sent)
			}
		})
	}
}

//nolint:paralleltest // the environment is the process's
func TestNoProxy(t *testing.T) {
	server := it.New(t)
	setProxies(t, map[string]string{"HTTP_PROXY": "http://" + it.ReserveAddress(t)})
	read(t, server.URL()) // loopback

	setProxies(t, map[string]string{"HTTP_PROXY": "http://[not a URL", "NO_PROXY": "." + it.ProxiedHost + "," + it.ProxiedHost})
	must(t, failing(t, "http://"+it.ProxiedHost, attempts(1)), client.KindResolve, 1, "could not be resolved")
}

//nolint:paralleltest // the environment is the process's
func TestProxyFaults(t *testing.T) {
	target := it.New(t, it.WithTLS())
	nowhere := it.ReserveAddress(t)
	proxyTo := func(options ...it.ProxyOption) string { return it.NewProxy(t, options...).URL() }
	refusing := func(status int) string { return proxyTo(it.WithProxyRefusal(status)) }
	untrusted := it.New(t, it.WithCertificate(it.CertificateExpired))
	silent := "http://" + listen(t, nil)
	closing := "http://" + listen(t, func(c net.Conn) { _ = c.Close() })
	const password = "http://user:" + proxyPassword + "@"
	tests := map[string]struct {
		scheme, proxy string
		kind          client.Kind
		attempts      int
		status        int
		words         []string
		options       []option
	}{
		"refused":                {"https", refusing(403), client.KindProxy, 1, 403, []string{"proxy refused to connect to the instance", "status 403 Forbidden"}, nil},
		"wants credentials":      {"https", refusing(407), client.KindProxy, 1, 407, []string{"proxy refused", "status 407"}, nil},
		"cannot reach it":        {"https", refusing(502), client.KindProxy, 4, 502, []string{"proxy refused", "status 502 Bad Gateway"}, nil},
		"overloaded":             {"https", refusing(503), client.KindProxy, 4, 503, []string{"proxy refused", "status 503"}, nil},
		"other success":          {"https", refusing(204), client.KindProxy, 1, 204, []string{"proxy refused", "status 204"}, nil},
		"refused, plain":         {"http", refusing(403), client.KindStatus, 1, 403, []string{"status 403 Forbidden"}, nil},
		"credentials, plain":     {"http", refusing(407), client.KindStatus, 1, 407, []string{"status 407"}, nil},
		"unreachable":            {"https", password + nowhere, client.KindProxy, 4, 0, []string{"the proxy could not be reached", "connection refused"}, nil},
		"unreachable, plain":     {"http", password + nowhere, client.KindProxy, 4, 0, []string{"the proxy could not be reached", "connection refused"}, nil},
		"unreachable, SOCKS":     {"https", "socks5://user:" + proxyPassword + "@" + nowhere, client.KindProxy, 4, 0, []string{"the proxy could not be reached", "connection refused"}, nil},
		"no SOCKS":               {"https", "socks5" + strings.TrimPrefix(closing, "http"), client.KindProxy, 4, 0, []string{"the proxy could not be reached", "closed or reset"}, nil},
		"no such proxy":          {"https", password + "nonexistent.invalid:3128", client.KindProxy, 4, 0, []string{"the proxy could not be reached: no such host"}, nil},
		"proxy not trusted":      {"https", untrusted.URL(), client.KindProxy, 1, 0, []string{"the proxy could not be reached", "certificate has expired"}, nil},
		"silent proxy":           {"https", silent, client.KindTimeout, 1, 0, []string{"no connection within"}, []option{timeout(soon), attempts(1)}},
		"closing proxy":          {"https", closing, client.KindProxy, 4, 0, []string{"the proxy broke the connection"}, nil},
		"closing proxy, plain":   {"http", closing, client.KindBroken, 4, 0, []string{"the server closed or reset the connection before it had answered"}, nil},
		"not a URL":              {"https", password + "[::1", client.KindProxy, 1, 0, []string{"HTTPS_PROXY is not valid"}, nil},
		"not a URL, plain":       {"http", password + "[::1", client.KindProxy, 1, 0, []string{"HTTP_PROXY is not valid"}, nil},
		"not a URL, until ready": {"http", password + "[::1", client.KindProxy, 1, 0, []string{"HTTP_PROXY is not valid"}, []option{untilReady}},
		"line break":             {"http", password + "proxy.invalid\n", client.KindProxy, 1, 0, []string{"HTTP_PROXY is not valid"}, nil},
		"other scheme":           {"http", "ftp://user:" + proxyPassword + "@proxy.invalid", client.KindProxy, 1, 0, []string{"HTTP_PROXY is not valid"}, nil},
		"no host":                {"http", "http://", client.KindProxy, 1, 0, []string{"HTTP_PROXY is not valid"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			setProxies(t, map[string]string{strings.ToUpper(test.scheme) + "_PROXY": test.proxy})
			options := append([]option{trusting(target)}, test.options...)
			failure := failing(t, test.scheme+"://"+it.ProxiedHost, options...)
			must(t, failure, test.kind, test.attempts, test.words...)
			if failure.StatusCode != test.status {
				t.Errorf("status %d, want %d", failure.StatusCode, test.status)
			}
			if text := failure.Error(); strings.Contains(text, proxyPassword) || strings.Contains(text, "user") {
				t.Errorf("the failure %q repeats the proxy's user info", text)
			}
		})
	}
	if n := len(target.Requests()); n != 0 {
		t.Errorf("%d requests went past the proxy", n)
	}
}

// A proxy that repeats the credentials that it was sent must not bring them
// into a failure, a state or a log.
//
//nolint:paralleltest // the environment is the process's
func TestEchoedProxyCredentials(t *testing.T) {
	const long, escaped, short = "pr0xy-us3r:" + proxyPassword, "pr0xy-us3r:p@ss/w0rd", "pr0xy-us3r:pw42"
	encode := func(credentials string) string { return base64.StdEncoding.EncodeToString([]byte(credentials)) }
	// What terminates TLS for a proxy knows the credentials, although they are not
	// in the request that comes through the tunnel.
	echo := func(credentials string, form func(credentials string) string) it.Step {
		return it.Func(func(w http.ResponseWriter, r *http.Request) {
			if sent := r.Header.Get("Proxy-Authorization"); r.TLS == nil && sent != "Basic "+encode(credentials) {
				t.Errorf("the proxy was sent %q", sent)
			}
			status := http.StatusForbidden
			if r.URL.Path == "/document/instance" {
				status = http.StatusOK
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(it.Document{}.With("message", form(credentials)).With("fileMaxSize", form(credentials)).JSON()))
		})
	}
	forms := map[string]func(credentials string) string{
		"header":     func(credentials string) string { return "Basic " + encode(credentials) },
		"base64":     encode,
		"both":       func(credentials string) string { return credentials },
		"user alone": func(credentials string) string { return "unknown user " + strings.Split(credentials, ":")[0] },
		"password only": func(credentials string) string {
			return "the password " + strings.Split(credentials, ":")[1] + " is not the right one"
		},
	}
	tests := map[string]struct {
		scheme, before, credentials string
	}{
		"HTTP_PROXY":                    {"http", "http://", long},
		"HTTP_PROXY, no scheme":         {"http", "", long},
		"HTTP_PROXY, short":             {"http", "http://", short},
		"HTTP_PROXY, escaped":           {"http", "http://", escaped},
		"HTTPS_PROXY":                   {"https", "http://", long},
		"HTTPS_PROXY, no scheme":        {"https", "", long},
		"HTTPS_PROXY, no scheme, short": {"https", "", short},
	}
	for name, test := range tests {
		for how, form := range forms {
			t.Run(name+", "+how, func(t *testing.T) {
				echoing := it.New(t, it.WithDefault(echo(test.credentials, form)))
				address := echoing.Address()
				if test.scheme == "https" {
					echoing = it.New(t, it.WithTLS(), it.WithDefault(echo(test.credentials, form)))
					address = strings.TrimPrefix(it.NewProxy(t, it.WithProxyTarget(echoing)).URL(), "http://")
				}
				user, password, _ := strings.Cut(test.credentials, ":")
				setProxies(t, map[string]string{strings.ToUpper(test.scheme) + "_PROXY": test.before + url.UserPassword(user, password).String() + "@" + address})
				for path, kind := range map[string]client.Kind{"": client.KindStatus, "/document": client.KindDocument} {
					var log logged
					c, request := prepare(t, test.scheme+"://"+it.ProxiedHost+path, trusting(echoing), log.option())
					_, err := c.Read(t.Context(), request)
					failure, ok := client.AsFailure(err)
					if !ok {
						t.Fatalf("error %v, want a failure", err)
					}
					must(t, failure, kind, 1, "(redacted)")
					for _, printed := range append(failure.Details, failure.Error(), failure.StateText(), log.String()) {
						for _, private := range []string{user, password, encode(test.credentials)} {
							if strings.Contains(printed, private) {
								t.Errorf("%q repeats %q of the proxy's user info", printed, private)
							}
						}
					}
					if !strings.Contains(log.String(), "(redacted)") {
						t.Errorf("the log does not tell of the failure:\n%s", &log)
					}
				}
			})
		}
	}
}

//nolint:paralleltest // the environment is the process's
func TestProxyOfCGI(t *testing.T) {
	setProxies(t, map[string]string{"HTTP_PROXY": "http://proxy.invalid", "REQUEST_METHOD": "GET"})
	must(t, failing(t, "http://"+it.ProxiedHost, untilReady), client.KindProxy, 1, "HTTP_PROXY", "REQUEST_METHOD")
}

// The environment is read when a client is made: its reads agree.
//
//nolint:paralleltest // the environment is the process's
func TestProxyIsReadOnce(t *testing.T) {
	server := it.New(t)
	proxy := it.NewProxy(t, it.WithProxyTarget(server))
	setProxies(t, map[string]string{"HTTP_PROXY": proxy.URL()})
	c, request := prepare(t, "http://"+it.ProxiedHost)
	setProxies(t, nil)
	if _, err := c.Read(t.Context(), request); err != nil {
		t.Errorf("%v", err)
	}
	c, request = prepare(t, "http://"+it.ProxiedHost, attempts(1))
	if _, err := c.Read(context.WithoutCancel(t.Context()), request); err == nil {
		t.Error("a client made without a proxy read a host that has no address")
	}
}
