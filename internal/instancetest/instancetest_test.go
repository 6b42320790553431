package instancetest_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The client's tests use every step, certificate and proxy, and would not pass if
// one misbehaved otherwise than it says. Here is what they would not notice.

func TestShapesFollowTheContract(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		document it.Document
		members  string
		age      any
		entry    map[string]any
	}{
		"newer": {
			it.Newer(), "fileMaxSize chunkSize requirePassword apiVersion fileMaxAge maxTransfersInMerge recommendedExpireTimes",
			"2592000", map[string]any{"label": "30 minutes", "inSeconds": 1800.0, "value": 30.0},
		},
		"older": {
			it.Older(), "fileMaxSize chunkSize requirePassword apiVersion fileMaxAge recommendedExpireTimes",
			"2592000", map[string]any{"label": "30 minutes", "value": 1800.0},
		},
		"mixed": {
			it.Mixed(), "fileMaxSize chunkSize requirePassword apiVersion fileMaxAge recommendedExpireTimes",
			2592000.0, map[string]any{"label": "30 minutes", "inSeconds": 1800.0, "value": 30.0},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := test.document.JSON()
			var got map[string]any
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatalf("not JSON: %v\n%s", err, text)
			}
			members := strings.Fields(test.members)
			if len(got) != len(members) {
				t.Errorf("%d members, want %d: %s", len(got), len(members), text)
			}
			at := 0
			for _, member := range members {
				i := strings.Index(text[at:], `"`+member+`":`)
				if i < 0 {
					t.Fatalf("%s is absent or out of order: %s", member, text)
				}
				at += i
			}
			if got["fileMaxAge"] != test.age {
				t.Errorf("fileMaxAge is %#v, want %#v", got["fileMaxAge"], test.age)
			}
			entries, _ := got["recommendedExpireTimes"].([]any)
			if len(entries) != 8 {
				t.Fatalf("%d entries, want 8", len(entries))
			}
			if fmt.Sprint(entries[0]) != fmt.Sprint(test.entry) {
				t.Errorf("first entry is %v, want %v", entries[0], test.entry)
			}
		})
	}
}

func TestDocumentsAreChangedInPlace(t *testing.T) {
	t.Parallel()
	base := it.Document{}.With("a", 1).With("b", 2)
	tests := map[string]struct {
		document it.Document
		want     string
	}{
		"empty":          {it.Document{}, `{}`},
		"replaced":       {base.With("a", "x"), `{"a":"x","b":2}`},
		"added":          {base.With("c", nil), `{"a":1,"b":2,"c":null}`},
		"removed":        {base.Without("a"), `{"b":2}`},
		"never there":    {base.Without("z"), `{"a":1,"b":2}`},
		"raw":            {base.With("a", it.Raw("1.577e10")), `{"a":1.577e10,"b":2}`},
		"raw message":    {base.With("a", json.RawMessage("[1, 2]")), `{"a":[1, 2],"b":2}`},
		"not JSON":       {base.With("a", it.Raw("NaN")), `{"a":NaN,"b":2}`},
		"list of raws":   {base.With("a", []it.Raw{"1e1", "{}"}), `{"a":[1e1,{}],"b":2}`},
		"no entries":     {base.With("a", []it.Document{}), `{"a":[],"b":2}`},
		"nested":         {base.With("a", []it.Document{it.OlderEntry("1 año", 5)}), `{"a":[{"label":"1 año","value":5}],"b":2}`},
		"newer entry":    {it.NewerEntry("90 s", 90), `{"label":"90 s","inSeconds":90,"value":1}`},
		"not escaped":    {base.With("a", "<&>"), `{"a":"<&>","b":2}`},
		"inside a map":   {base.With("a", map[string]any{"n": it.Document{}.With("x", 1)}), `{"a":{"n":{"x":1}},"b":2}`},
		"64 bits":        {base.With("a", int64(15770000000)), `{"a":15770000000,"b":2}`},
		"base unchanged": {base, `{"a":1,"b":2}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.document.JSON(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

const serviceJSON = "application/json; charset=utf-8"

func TestOnlyTheContractsRouteIsAnswered(t *testing.T) {
	t.Parallel()
	const document = `{"any":"text"}`
	tests := map[string]struct {
		method, path string
		status       int
	}{
		"instance":       {"GET", "/files/api/instance", 200},
		"query":          {"GET", "/files/api/instance?x=1", 200},
		"trailing slash": {"GET", "/files/api/instance/", 404},
		"double slash":   {"GET", "/files/api//instance", 404},
		"escaped":        {"GET", "/files/api/%69nstance", 404},
		"above the path": {"GET", "/instance", 404},
		"case":           {"GET", "/files/api/Instance", 404},
		"post":           {"POST", "/files/api/instance", 404},
	}
	server := it.New(t, it.WithPath("files/api/"), it.WithDocument(document))
	if want := server.Origin() + "/files/api"; server.URL() != want {
		t.Errorf("URL is %s, want %s", server.URL(), want)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := must(t, newClient(t, nil), test.method, server.Origin()+test.path)
			want := document
			if test.status == 404 {
				want = fmt.Sprintf(`{"statusCode":404,"error":"Not Found","message":"Route %s:%s not found"}`, test.method, test.path)
			}
			if got.status != test.status || got.body != want || got.header.Get("Content-Type") != serviceJSON || got.header.Get("ETag") != "" {
				t.Errorf("got %+v, want %d %s", got, test.status, want)
			}
		})
	}
}

func TestScriptIsServedInOrderAndThenTheDefault(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithRequiredHeader("X-Token", "right"), it.WithScript(it.RetryAfter(503, "soon")), it.WithScript(it.Body(502, "text/html", "<h1>"), it.Answer()), it.WithDefault(it.Status(418)))
	c := newClient(t, nil)
	for i, want := range []answer{
		{503, http.Header{"Retry-After": {"soon"}, "Content-Type": {serviceJSON}}, `{"statusCode":503,"error":"Service Unavailable","message":"The instance was told to answer 503"}`},
		{502, http.Header{"Content-Type": {"text/html"}}, "<h1>"},
		{200, http.Header{"Content-Type": {serviceJSON}}, it.Newer().JSON()},
		{418, http.Header{}, ""},
		{418, http.Header{}, ""},
	} {
		if got := must(t, c, "GET", server.URL()+"/instance"); got.status != 401 { // without the header, not from the script
			t.Errorf("got %+v, want 401", got)
		}
		got := must(t, c, "GET", server.URL()+"/instance", "X-Token", "right")
		if got.status != want.status || want.body != "" && got.body != want.body {
			t.Errorf("answer %d is %+v, want %+v", i, got, want)
		}
		for name := range want.header {
			if got.header.Get(name) != want.header.Get(name) {
				t.Errorf("answer %d has %s: %s, want %s", i, name, got.header.Get(name), want.header.Get(name))
			}
		}
	}
	server.SetDefault(it.AnswerDocument(it.Older()))
	server.SetScript(it.Status(500))
	for i, want := range []int{500, 200} {
		if got := must(t, c, "GET", server.URL()+"/instance", "X-Token", "right"); got.status != want {
			t.Errorf("answer %d after the change is %+v, want %d", i, got, want)
		}
	}
}

// A step that waits ends with the client, and with the server.
func TestStepsEndWithTheirClientAndTheirServer(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]it.Step{
		"silent":       it.Silent(),
		"delay":        it.Delay(time.Hour, it.Answer()),
		"drip header":  it.DripHeader(),
		"drip body":    it.DripBody(),
		"endless body": it.EndlessBody(),
		"part":         it.Verbatim("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", it.Silent()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			started, ended, results := make(chan struct{}), make(chan struct{}), make(chan error)
			server := it.New(t, it.WithTLS(), it.WithDefault(func(s *it.Server, w http.ResponseWriter, r *http.Request) {
				started <- struct{}{}
				defer func() { ended <- struct{}{} }()
				step(s, w, r)
			}))
			c := newClient(t, trusting(server))
			ctx, leave := context.WithCancel(t.Context())
			for _, end := range []func(){leave, server.Close} {
				go func() {
					_, err := ask(ctx, c, "GET", server.URL()+"/instance")
					results <- err
				}()
				<-started
				go end()
				<-ended
				if <-results == nil {
					t.Error("an answer came from a step that never ends")
				}
				ctx = t.Context()
			}
			server.Close()
		})
	}
}

func TestRequestsAreLogged(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithTLS())
	pair, err := tls.X509KeyPair([]byte(server.ClientCertPEM()), []byte(server.ClientKeyPEM()))
	if err != nil {
		t.Fatal(err)
	}
	showing := trusting(server)
	showing.Certificates = []tls.Certificate{pair}
	for _, c := range []*http.Client{newClient(t, trusting(server)), newClient(t, showing)} {
		for range 2 {
			must(t, c, "GET", server.URL()+"/x?a=b", "X-Number", "1")
		}
	}
	log := server.Requests()
	if len(log) != 4 || server.Connections() != 2 || server.Handshakes() != 2 {
		t.Fatalf("%d requests, %d connections, %d handshakes; want 4, 2 and 2", len(log), server.Connections(), server.Handshakes())
	}
	for i, r := range log {
		if r.Method != "GET" || r.Path != "/x" || r.RawQuery != "a=b" || r.Host != server.Address() || r.Proto != "HTTP/1.1" || r.Header.Get("X-Number") != "1" || r.ClientCertificate != (i > 1) {
			t.Errorf("request %d is %+v", i, r)
		}
	}
	log[0].Header.Set("X-Number", "changed")
	if got := server.Requests()[0].Header.Get("X-Number"); got != "1" {
		t.Errorf("the log was changed through a copy: %q", got)
	}
}

func TestRequestsUnderWayAreCounted(t *testing.T) {
	t.Parallel()
	const many = 5
	var arrived sync.WaitGroup
	arrived.Add(many)
	server := it.New(t, it.WithDefault(it.Func(func(http.ResponseWriter, *http.Request) {
		arrived.Done()
		arrived.Wait()
	})))
	c := newClient(t, nil)
	var group sync.WaitGroup
	for range many {
		group.Go(func() { must(t, c, "GET", server.URL()) })
	}
	group.Wait()
	server.SetDefault(it.Answer())
	must(t, c, "GET", server.URL())
	if server.PeakRequests() != many {
		t.Errorf("at most %d requests at once, want %d", server.PeakRequests(), many)
	}
}

func TestReservedAddressIsFreeUntilAnInstanceStartsThere(t *testing.T) {
	t.Parallel()
	address := it.ReserveAddress(t)
	if other := it.ReserveAddress(t); other == address {
		t.Errorf("%s was reserved twice", address)
	}
	refused := func() {
		t.Helper()
		if _, err := ask(t.Context(), newClient(t, nil), "GET", "http://"+address); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("while nothing listens, the error is %v", err)
		}
	}
	refused()
	server := it.New(t, it.WithListenAddress(address))
	must(t, newClient(t, nil), "GET", "http://"+address+"/instance")
	if _, err := it.Start(it.WithListenAddress(address)); err == nil {
		t.Error("two instances on one address")
	}
	var group sync.WaitGroup
	for range 3 {
		group.Go(server.Close)
	}
	group.Wait()
	refused()
	if len(server.Requests()) != 1 {
		t.Error("the log was lost with Close")
	}
}

func TestInstanceIsClosedRightAfterItsStart(t *testing.T) {
	t.Parallel()
	for range 20 {
		server, err := it.Start()
		if err != nil {
			t.Fatal(err)
		}
		server.Close()
	}
}

func TestProxyLogsWhatItIsAskedFor(t *testing.T) {
	t.Parallel()
	for method, options := range map[string][]it.Option{"GET": nil, "CONNECT": {it.WithTLS()}} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, options...)
			proxy := it.NewProxy(t, it.WithProxyTarget(server))
			address, err := url.Parse(proxy.URL())
			if err != nil {
				t.Fatal(err)
			}
			c := newClient(t, trusting(server))
			c.Transport.(*http.Transport).Proxy = http.ProxyURL(address)
			must(t, c, "GET", strings.Replace(server.URL(), server.Address(), it.ProxiedHost, 1)+"/instance")
			if log := proxy.Requests(); len(log) != 1 || log[0].Method != method || !strings.HasPrefix(log[0].Host, it.ProxiedHost) {
				t.Errorf("the proxy's log is %+v", log)
			}
			if log := server.Requests(); len(log) != 1 || log[0].Host != it.ProxiedHost {
				t.Errorf("the instance's log is %+v", log)
			}
		})
	}
}

func TestRawServerReadsARequestAndEndsWithItsClose(t *testing.T) {
	t.Parallel()
	requests := make(chan error, 2)
	server := it.NewRaw(t, func(c net.Conn) {
		requests <- it.ReadRequest(c)
		it.Await(c)
	})
	for _, request := range []string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET /"} {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, request)
		if request != "GET /" {
			if err := <-requests; err != nil {
				t.Errorf("a whole request: %v", err)
			}
			continue
		}
		for server.Connections() < 2 {
			time.Sleep(time.Millisecond)
		}
		server.Close()
		if err := <-requests; err == nil {
			t.Error("half a request was read as one")
		}
		if _, err := bufio.NewReader(c).ReadByte(); err == nil {
			t.Error("a byte came from a closed server")
		}
	}
}

// answer is a response that was read.
type answer struct {
	status int
	header http.Header
	body   string
}

// newClient returns a client with connections of its own.
func newClient(t *testing.T, config *tls.Config) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: config}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func trusting(server *it.Server) *tls.Config {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(server.CACertPEM()))
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

func must(t *testing.T, c *http.Client, method, url string, header ...string) answer {
	t.Helper()
	got, err := ask(t.Context(), c, method, url, header...)
	if err != nil {
		t.Errorf("%s %s: %v", method, url, err)
	}
	return got
}

func ask(ctx context.Context, c *http.Client, method, url string, header ...string) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return answer{}, err
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := c.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(body)}, err
}
