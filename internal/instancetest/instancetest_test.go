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
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestDocuments(t *testing.T) {
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

func TestDocumentWith(t *testing.T) {
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
	t.Run("refused value", func(t *testing.T) {
		t.Parallel()
		defer func() {
			if recover() == nil {
				t.Error("no panic for a value that JSON cannot hold")
			}
		}()
		base.With("a", make(chan int))
	})
}

func TestContract(t *testing.T) {
	t.Parallel()
	const document = `{"any":"text"}`
	tests := map[string]struct {
		method, path string
		status       int
		message      string
	}{
		"instance":       {"GET", "/files/api/instance", 200, ""},
		"query":          {"GET", "/files/api/instance?x=1", 200, ""},
		"trailing slash": {"GET", "/files/api/instance/", 404, "Route GET:/files/api/instance/ not found"},
		"double slash":   {"GET", "/files/api//instance", 404, "Route GET:/files/api//instance not found"},
		"escaped":        {"GET", "/files/api/%69nstance", 404, "Route GET:/files/api/%69nstance not found"},
		"above the path": {"GET", "/instance", 404, "Route GET:/instance not found"},
		"case":           {"GET", "/files/api/Instance", 404, "Route GET:/files/api/Instance not found"},
		"post":           {"POST", "/files/api/instance", 404, "Route POST:/files/api/instance not found"},
		"head":           {"HEAD", "/files/api/instance", 404, ""},
	}
	server := it.New(t, it.WithPath("files/api/"), it.WithDocument(document))
	if want := server.Origin() + "/files/api"; server.URL() != want {
		t.Errorf("URL is %s, want %s", server.URL(), want)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := send(t, client(t), test.method, server.Origin()+test.path)
			got.must(t, test.status, "application/json; charset=utf-8")
			switch {
			case test.status == 200:
				if got.body != document {
					t.Errorf("body is %q", got.body)
				}
				if got.header.Get("Access-Control-Allow-Origin") == "" || got.header.Get("ETag") != "" {
					t.Errorf("headers are %v", got.header)
				}
			case test.method != "HEAD":
				if want := fmt.Sprintf(`{"statusCode":404,"error":"Not Found","message":%q}`, test.message); got.body != want {
					t.Errorf("body is %s, want %s", got.body, want)
				}
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	if got := get(t, client(t), server).body; got != it.Newer().JSON() {
		t.Errorf("body is %s", got)
	}
	server.SetDefault(it.AnswerDocument(it.Older()))
	if got := get(t, client(t), server).body; got != it.Older().JSON() {
		t.Errorf("body after SetDefault is %s", got)
	}
	server.SetScript(it.Status(500))
	get(t, client(t), server).must(t, 500, "application/json; charset=utf-8")
	get(t, client(t), server).must(t, 200, "application/json; charset=utf-8")
}

// TestAnswers has the steps that give a complete answer.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const serviceJSON = "application/json; charset=utf-8"
	tests := map[string]struct {
		step        it.Step
		status      int
		contentType string
		body        string
		header      [2]string
	}{
		"status": {
			it.Status(503, "X-One", "1"), 503, serviceJSON,
			`{"statusCode":503,"error":"Service Unavailable","message":"The instance was told to answer 503"}`,
			[2]string{"X-One", "1"},
		},
		"no content":   {it.Status(204), 204, "", "", [2]string{}},
		"not modified": {it.Status(304), 304, "", "", [2]string{}},
		"retry after": {
			it.RetryAfter(429, "soon"), 429, serviceJSON,
			`{"statusCode":429,"error":"Too Many Requests","message":"The instance was told to answer 429"}`,
			[2]string{"Retry-After", "soon"},
		},
		"redirect": {
			it.Redirect(302, "elsewhere?x=1"), 302, serviceJSON,
			`{"statusCode":302,"error":"Found","message":"The instance was told to answer 302"}`,
			[2]string{"Location", "elsewhere?x=1"},
		},
		"body":            {it.Body(502, "text/html", "<h1>Bad</h1>"), 502, "text/html", "<h1>Bad</h1>", [2]string{}},
		"no content type": {it.Body(200, "", "<h1>?</h1>"), 200, "", "<h1>?</h1>", [2]string{}},
		"document":        {it.AnswerDocument(it.Raw("{}")), 200, serviceJSON, "{}", [2]string{}},
		"delayed":         {it.Delay(time.Millisecond, it.Body(200, "a/b", "late")), 200, "a/b", "late", [2]string{}},
		"function": {
			it.Func(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) }), 418, "", "", [2]string{},
		},
	}
	for name, test := range tests {
		for protocol, option := range protocols {
			t.Run(name+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				server := it.New(t, option, it.WithScript(test.step))
				got := get(t, client(t, trusting(server)), server)
				got.must(t, test.status, test.contentType)
				if got.body != test.body {
					t.Errorf("body is %s, want %s", got.body, test.body)
				}
				if name, value := test.header[0], test.header[1]; got.header.Get(name) != value {
					t.Errorf("header %s is %q, want %q", name, got.header.Get(name), value)
				}
				get(t, client(t, trusting(server)), server).must(t, 200, serviceJSON)
			})
		}
	}
}

// TestBreaks has the steps that end an answer too early.
func TestBreaks(t *testing.T) {
	t.Parallel()
	isReset := func(err error) bool { return errors.Is(err, syscall.ECONNRESET) }
	isEOF := func(err error) bool { return errors.Is(err, io.EOF) }
	isShort := func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }
	// A reset is reported once, then as an end; net/http's reader of headers drops the first report.
	isResetOrShort := func(err error) bool { return isReset(err) || isShort(err) }
	isMalformed := func(err error) bool { return strings.Contains(err.Error(), "malformed HTTP response") }
	anything := func(error) bool { return true }
	tests := map[string]struct {
		step it.Step
		is   func(error) bool // What HTTP/1 sees; HTTP/2 words it in several ways.
		http1Only,
		inBody bool
	}{
		"reset":            {step: it.Reset(), is: isReset},
		"close":            {step: it.CloseConnection(), is: isEOF},
		"short body":       {step: it.ShortBody(), is: isShort, inBody: true},
		"reset in body":    {step: it.ResetInBody(), is: isReset},
		"not HTTP":         {step: it.Verbatim("SSH-2.0-x\r\n", it.CloseConnection()), is: isMalformed, http1Only: true},
		"head cut short":   {step: it.Verbatim("HTTP/1.1 200 OK\r\nX-A: b\r\n", it.CloseConnection()), is: isShort, http1Only: true},
		"reset in head":    {step: it.Verbatim("HTTP/1.1 200 OK\r\nX-A: b\r\n", it.Reset()), is: isResetOrShort, http1Only: true},
		"reset in a delay": {step: it.Delay(time.Millisecond, it.Reset()), is: anything},
	}
	for name, test := range tests {
		for protocol, option := range protocols {
			if test.http1Only && protocol == "HTTP2" {
				continue
			}
			t.Run(name+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				server := it.New(t, option, it.WithDefault(test.step))
				got, err := try(t, client(t, trusting(server)), "GET", server.URL()+"/instance")
				if err == nil {
					t.Fatalf("no error; got %+v", got)
				}
				if protocol != "HTTP2" && !test.is(err) {
					t.Errorf("error is %#v: %v", err, err)
				}
				if test.inBody && (got.status != 200 || got.body != it.Newer().JSON()[:len(got.body)] || got.body == "") {
					t.Errorf("before the break came %+v", got)
				}
				if len(server.Requests()) == 0 {
					t.Error("the request was not logged")
				}
			})
		}
	}
}

// TestWaits has the steps that never end by themselves: they end with the client, and with the server.
func TestWaits(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		step      it.Step
		http1Only bool
	}{
		"silent":       {step: it.Silent()},
		"delay":        {step: it.Delay(time.Hour, it.Answer())},
		"drip header":  {step: it.DripHeader(), http1Only: true},
		"drip body":    {step: it.DripBody()},
		"endless body": {step: it.EndlessBody()},
		"silent after a part": {
			step: it.Verbatim("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", it.Silent()), http1Only: true,
		},
	}
	for name, test := range tests {
		for protocol, option := range protocols {
			if test.http1Only && protocol == "HTTP2" {
				continue
			}
			t.Run(name+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				started, ended := make(chan struct{}, 2), make(chan struct{}, 2)
				server := it.New(t, option, it.WithDefault(
					func(s *it.Server, w http.ResponseWriter, r *http.Request) {
						started <- struct{}{}
						defer func() { ended <- struct{}{} }()
						test.step(s, w, r)
					}))
				c := client(t, trusting(server))
				run := func(ctx context.Context) <-chan error {
					result := make(chan error, 1)
					go func() {
						request, err := http.NewRequestWithContext(ctx, "GET", server.URL()+"/instance", nil)
						if err != nil {
							result <- err
							return
						}
						response, err := c.Do(request)
						if err == nil {
							_, err = io.Copy(io.Discard, response.Body)
							_ = response.Body.Close()
						}
						result <- err
					}()
					return result
				}

				ctx, leave := context.WithCancel(t.Context())
				result := run(ctx)
				<-started
				leave()
				if err := <-result; !errors.Is(err, context.Canceled) {
					t.Errorf("error of the client that left is %v", err)
				}
				<-ended

				result = run(t.Context())
				<-started
				server.Close()
				<-ended
				if err := <-result; err == nil {
					t.Error("an answer came from a server that was closed")
				}
			})
		}
	}
}

func TestDrips(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		step it.Step
		want string
	}{
		"header": {it.DripHeader(), "X-Drip: aaa"},
		"body":   {it.DripBody(), "\r\n\r\n1\r\n \r\n1\r\n \r\n1\r\n "}, // In chunks of one byte.
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, it.WithDefault(test.step))
			nc, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Address())
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			// What drips otherwise than expected would go on for ever.
			if err := nc.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(nc, "GET /instance HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for reader := bufio.NewReader(nc); !strings.HasSuffix(got.String(), test.want); {
				b, err := reader.ReadByte()
				if err != nil {
					t.Fatalf("after %q: %v", got.String(), err)
				}
				got.WriteByte(b)
			}
		})
	}
}

func TestScriptUnderConcurrency(t *testing.T) {
	t.Parallel()
	const requests = 40
	server := it.New(t, it.WithScript(it.Status(503), it.Status(429)), it.WithScript(it.Status(503)))
	c := client(t)
	var mu sync.Mutex
	statuses := map[int]int{}
	var group sync.WaitGroup
	for range requests {
		group.Go(func() {
			got, err := try(t, c, "GET", server.URL()+"/instance")
			if err != nil {
				t.Errorf("request: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			statuses[got.status]++
		})
	}
	group.Wait()
	if want := map[int]int{503: 2, 429: 1, 200: requests - 3}; fmt.Sprint(statuses) != fmt.Sprint(want) {
		t.Errorf("statuses are %v, want %v", statuses, want)
	}
	if got := len(server.Requests()); got != requests {
		t.Errorf("%d requests logged, want %d", got, requests)
	}
}

func TestScriptOrder(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithScript(it.Status(503), it.Status(500), it.Answer()), it.WithDefault(it.Status(418)))
	for i, want := range []int{503, 500, 200, 418, 418} {
		if got := get(t, client(t), server).status; got != want {
			t.Errorf("status of request %d is %d, want %d", i, got, want)
		}
	}
}

func TestRequestLog(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	c := client(t)
	for i, path := range []string{"/instance?a=b", "/other"} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", server.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "name.example"
		request.Header.Set("X-Number", fmt.Sprint(i))
		finish(t, c, request)
	}
	get(t, client(t), server)

	log := server.Requests()
	if len(log) != 3 {
		t.Fatalf("%d requests logged, want 3", len(log))
	}
	first := log[0]
	if first.Method != "GET" || first.Path != "/instance" || first.RawQuery != "a=b" || first.Host != "name.example" ||
		first.Proto != "HTTP/1.1" || first.Header.Get("X-Number") != "0" || first.ClientCertificate {
		t.Errorf("first request is %+v", first)
	}
	if log[1].Path != "/other" || log[1].Header.Get("X-Number") != "1" {
		t.Errorf("second request is %+v", log[1])
	}
	if log[0].Connection != 1 || log[1].Connection != 1 || log[2].Connection != 2 {
		t.Errorf("connections are %d, %d and %d; want 1, 1 and 2", log[0].Connection, log[1].Connection, log[2].Connection)
	}
	if server.Connections() != 2 || server.Handshakes() != 0 {
		t.Errorf("%d connections and %d handshakes, want 2 and 0", server.Connections(), server.Handshakes())
	}
	first.Header.Set("X-Number", "changed")
	if got := server.Requests()[0].Header.Get("X-Number"); got != "0" {
		t.Errorf("the log was changed through a copy: %q", got)
	}
}

func TestPeaks(t *testing.T) {
	t.Parallel()
	const many = 5
	var arrived sync.WaitGroup
	arrived.Add(many)
	server := it.New(t, it.WithDefault(it.Func(func(http.ResponseWriter, *http.Request) {
		arrived.Done()
		arrived.Wait()
	})))
	c := client(t)
	var group sync.WaitGroup
	for range many {
		group.Go(func() {
			if _, err := try(t, c, "GET", server.URL()+"/instance"); err != nil {
				t.Errorf("request: %v", err)
			}
		})
	}
	group.Wait()
	if server.PeakRequests() != many || server.PeakConnections() != many || server.Connections() != many {
		t.Errorf("at most %d requests and %d connections of %d at once, want %d of each",
			server.PeakRequests(), server.PeakConnections(), server.Connections(), many)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options []it.Option
		proto   string
	}{
		"HTTP/2":   {[]it.Option{it.WithTLS()}, "HTTP/2.0"},
		"HTTP/1":   {[]it.Option{it.WithTLSHTTP1()}, "HTTP/1.1"},
		"kind":     {[]it.Option{it.WithCertificate(it.CertificateValid)}, "HTTP/2.0"},
		"combined": {[]it.Option{it.WithCertificate(it.CertificateValid), it.WithTLSHTTP1()}, "HTTP/1.1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, test.options...)
			if !strings.HasPrefix(server.URL(), "https://127.0.0.1:") {
				t.Errorf("URL is %s", server.URL())
			}
			c := client(t, trusting(server))
			for range 3 {
				get(t, c, server).must(t, 200, "application/json; charset=utf-8")
			}
			if server.Connections() != 1 || server.Handshakes() != 1 {
				t.Errorf("%d connections and %d handshakes, want 1 of each", server.Connections(), server.Handshakes())
			}
			for _, request := range server.Requests() {
				if request.Proto != test.proto {
					t.Errorf("protocol is %s, want %s", request.Proto, test.proto)
				}
			}
		})
	}
}

func TestBadCertificates(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		kind  it.Certificate
		trust bool
		is    func(error) bool
	}{
		"expired": {it.CertificateExpired, true, func(err error) bool {
			var e x509.CertificateInvalidError
			return errors.As(err, &e) && e.Reason == x509.Expired
		}},
		"wrong host": {it.CertificateWrongHost, true, func(err error) bool {
			return errors.As(err, new(x509.HostnameError))
		}},
		"self-signed": {it.CertificateSelfSigned, true, func(err error) bool {
			return errors.As(err, new(x509.UnknownAuthorityError))
		}},
		"untrusted": {it.CertificateValid, false, func(err error) bool {
			return errors.As(err, new(x509.UnknownAuthorityError))
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, it.WithCertificate(test.kind))
			c := client(t)
			if test.trust {
				c = client(t, trusting(server))
			}
			if _, err := try(t, c, "GET", server.URL()+"/instance"); err == nil || !test.is(err) {
				t.Errorf("error is %v", err)
			}
			server.Close()
			if server.Handshakes() != 0 || len(server.Requests()) != 0 {
				t.Errorf("%d handshakes and %d requests, want none", server.Handshakes(), len(server.Requests()))
			}
		})
	}
}

func TestClientCertificate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options []it.Option
		show    bool
		works   bool
	}{
		"required and shown":  {[]it.Option{it.WithClientCertificate()}, true, true},
		"required, not shown": {[]it.Option{it.WithClientCertificate(), it.WithTLSHTTP1()}, false, false},
		"shown for nothing":   {[]it.Option{it.WithTLS()}, true, true},
		"none":                {[]it.Option{it.WithTLS()}, false, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, test.options...)
			config := trusting(server)
			if test.show {
				pair, err := tls.X509KeyPair([]byte(server.ClientCertPEM()), []byte(server.ClientKeyPEM()))
				if err != nil {
					t.Fatal(err)
				}
				config.Certificates = []tls.Certificate{pair}
			}
			_, err := try(t, client(t, config), "GET", server.URL()+"/instance")
			if test.works != (err == nil) {
				t.Fatalf("error is %v", err)
			}
			if !test.works {
				if !strings.Contains(err.Error(), "certificate required") {
					t.Errorf("error is %v", err)
				}
				return
			}
			if got := server.Requests()[0].ClientCertificate; got != test.show {
				t.Errorf("the log tells of a certificate: %t, want %t", got, test.show)
			}
		})
	}
}

func TestRequiredHeader(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithRequiredHeader("X-Token", "right"), it.WithScript(it.Status(503)))
	for i, step := range []struct {
		value  string
		status int
	}{{"", 401}, {"wrong", 401}, {"right", 503}, {"right", 200}} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", server.URL()+"/instance", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Token", step.value)
		got := finish(t, client(t), request)
		if got.status != step.status {
			t.Errorf("status of request %d is %d, want %d", i, got.status, step.status)
		}
		if step.status == 401 && !strings.HasPrefix(got.body, `{"statusCode":401,"error":"Unauthorized","message":`) {
			t.Errorf("body is %s", got.body)
		}
	}
}

func TestListenAddress(t *testing.T) {
	t.Parallel()
	address := it.ReserveAddress(t)
	if other := it.ReserveAddress(t); other == address {
		t.Errorf("%s was reserved twice", address)
	}
	if _, err := try(t, client(t), "GET", "http://"+address+"/instance"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("before the start, the error is %v", err)
	}
	server := it.New(t, it.WithListenAddress(address))
	if server.URL() != "http://"+address || server.Address() != address {
		t.Errorf("URL is %s, want http://%s", server.URL(), address)
	}
	get(t, client(t), server).must(t, 200, "application/json; charset=utf-8")
	if second, err := it.Start(it.WithListenAddress(address)); err == nil {
		second.Close()
		t.Error("two instances on one address")
	}
}

func TestNewFailsTheTest(t *testing.T) {
	t.Parallel()
	fake := &fakeTB{}
	// Fatalf ends the goroutine, as that of testing does.
	done := make(chan struct{})
	go func() {
		defer close(done)
		it.New(fake, it.WithListenAddress("not an address"))
	}()
	<-done
	if !strings.Contains(fake.failure, "not an address") {
		t.Errorf("failure is %q", fake.failure)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	// On a port of the system's choice another test's server could answer the last request.
	server, err := it.Start(it.WithTLS(), it.WithListenAddress(it.ReserveAddress(t)))
	if err != nil {
		t.Fatal(err)
	}
	get(t, client(t, trusting(server)), server)
	var group sync.WaitGroup
	for range 3 {
		group.Go(server.Close)
	}
	group.Wait()
	server.Close()
	if _, err := try(t, client(t), "GET", server.URL()+"/instance"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after Close, the error is %v", err)
	}
	if len(server.Requests()) != 1 {
		t.Error("the log was lost with Close")
	}
}

func TestCloseRightAfterStart(t *testing.T) {
	t.Parallel()
	for range 20 {
		server, err := it.Start()
		if err != nil {
			t.Fatal(err)
		}
		server.Close()
	}
}

func TestCloseEndsHijackedConnections(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithDefault(it.Func(func(w http.ResponseWriter, _ *http.Request) {
		if _, _, err := http.NewResponseController(w).Hijack(); err != nil {
			t.Errorf("hijack: %v", err)
		}
	})))
	nc, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if _, err := io.WriteString(nc, "GET /instance HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	server.Close()
	if _, err := nc.Read(make([]byte, 1)); err == nil {
		t.Error("a byte came from a closed server")
	}
}

func TestCloseClientConnections(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	nc, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	reader := bufio.NewReader(nc)
	if _, err := io.WriteString(nc, "GET /instance HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	server.CloseClientConnections()
	if _, err := reader.ReadByte(); err == nil {
		t.Error("a byte came on a closed connection")
	}
	get(t, client(t), server).must(t, 200, "application/json; charset=utf-8")
}

func TestProxy(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options []it.Option
		host    string // Without a host, that of the server.
		method  string
		path    string
	}{
		"absolute form":            {nil, "", "GET", "/instance"},
		"absolute form by name":    {nil, it.ProxiedHost, "GET", "/instance"},
		"tunnel":                   {[]it.Option{it.WithTLS()}, "", "CONNECT", ""},
		"tunnel by name":           {[]it.Option{it.WithTLS()}, it.ProxiedHost, "CONNECT", ""},
		"tunnel by name to HTTP/1": {[]it.Option{it.WithTLSHTTP1()}, it.ProxiedHost, "CONNECT", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, test.options...)
			base, err := url.Parse(server.URL())
			if err != nil {
				t.Fatal(err)
			}
			var options []it.ProxyOption
			if test.host != "" {
				base.Host = test.host
				options = append(options, it.WithProxyTarget(server))
			}
			proxy := it.NewProxy(t, options...)
			got, err := try(t, through(t, client(t, trusting(server)), proxy), "GET", base.String()+"/instance")
			if err != nil {
				t.Fatal(err)
			}
			got.must(t, 200, "application/json; charset=utf-8")
			log := proxy.Requests()
			if len(log) != 1 || log[0].Method != test.method || log[0].Path != test.path {
				t.Fatalf("the proxy's log is %+v", log)
			}
			if !strings.HasPrefix(log[0].Host, base.Hostname()) {
				t.Errorf("the proxy was asked for %s, want %s", log[0].Host, base.Hostname())
			}
			if seen := server.Requests(); len(seen) != 1 || seen[0].Host != base.Host {
				t.Errorf("the server's log is %+v", seen)
			}
		})
	}
}

func TestProxyFailures(t *testing.T) {
	t.Parallel()
	nowhere := it.ReserveAddress(t)
	tests := map[string]struct {
		options []it.ProxyOption
		url     string
		status  int    // For plain HTTP.
		words   string // For a tunnel.
	}{
		"plain refused":      {[]it.ProxyOption{it.WithProxyRefusal(407)}, "http://" + nowhere, 407, ""},
		"tunnel refused":     {[]it.ProxyOption{it.WithProxyRefusal(407)}, "https://" + nowhere, 0, "Proxy Authentication Required"},
		"plain unreachable":  {nil, "http://" + nowhere, 502, ""},
		"tunnel unreachable": {nil, "https://" + nowhere, 0, "Bad Gateway"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := it.NewProxy(t, test.options...)
			got, err := try(t, through(t, client(t), proxy), "GET", test.url)
			if test.words != "" {
				if err == nil || !strings.Contains(err.Error(), test.words) {
					t.Errorf("error is %v, want %q", err, test.words)
				}
			} else if err != nil || got.status != test.status {
				t.Errorf("status is %d (%v), want %d", got.status, err, test.status)
			}
			if len(proxy.Requests()) != 1 {
				t.Errorf("%d requests logged, want 1", len(proxy.Requests()))
			}
		})
	}
}

func TestProxyIsNoServer(t *testing.T) {
	t.Parallel()
	got := send(t, client(t), "GET", it.NewProxy(t).URL()+"/instance")
	if got.status != 400 {
		t.Errorf("status is %d, want 400", got.status)
	}
}

func TestProxyCloseEndsTunnels(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithTLS(), it.WithDefault(it.Silent()))
	proxy := it.NewProxy(t)
	c := through(t, client(t, trusting(server)), proxy)
	result := make(chan error, 1)
	server.SetScript(func(s *it.Server, w http.ResponseWriter, r *http.Request) {
		go proxy.Close()
		it.Silent()(s, w, r)
	})
	go func() {
		_, err := try(t, c, "GET", server.URL()+"/instance")
		result <- err
	}()
	if err := <-result; err == nil {
		t.Error("an answer came through a closed proxy")
	}
}

// protocols are the ways an instance is served. HTTP2 as a name has no slash, which would split a subtest's name.
var protocols = map[string]it.Option{
	"plain": func(*it.Server) {},
	"HTTP1": it.WithTLSHTTP1(),
	"HTTP2": it.WithTLS(),
}

// answer is a response that was read.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) must(t *testing.T, status int, contentType string) {
	t.Helper()
	if a.status != status || a.header.Get("Content-Type") != contentType {
		t.Errorf("got %d %q, want %d %q", a.status, a.header.Get("Content-Type"), status, contentType)
	}
}

// client returns a client of its own, with its own connections, that follows no redirects.
func client(t *testing.T, configs ...*tls.Config) *http.Client {
	t.Helper()
	transport := &http.Transport{ForceAttemptHTTP2: true}
	for _, config := range configs {
		transport.TLSClientConfig = config
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func trusting(server *it.Server) *tls.Config {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(server.CACertPEM())) {
		panic("no certificate in CACertPEM")
	}
	return &tls.Config{RootCAs: pool}
}

func through(t *testing.T, c *http.Client, proxy *it.Proxy) *http.Client {
	t.Helper()
	address, err := url.Parse(proxy.URL())
	if err != nil {
		t.Fatal(err)
	}
	c.Transport.(*http.Transport).Proxy = http.ProxyURL(address)
	return c
}

func get(t *testing.T, c *http.Client, server *it.Server) answer {
	t.Helper()
	return send(t, c, "GET", server.URL()+"/instance")
}

func send(t *testing.T, c *http.Client, method, address string) answer {
	t.Helper()
	got, err := try(t, c, method, address)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func finish(t *testing.T, c *http.Client, request *http.Request) answer {
	t.Helper()
	got, err := do(c, request)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// try returns what came before the error too.
func try(t *testing.T, c *http.Client, method, address string) (answer, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		return answer{}, err
	}
	return do(c, request)
}

func do(c *http.Client, request *http.Request) (answer, error) {
	response, err := c.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(body)}, err
}

// fakeTB stands for a test that may fail.
type fakeTB struct {
	failure string
}

func (*fakeTB) Helper()        {}
func (*fakeTB) Cleanup(func()) {}

func (f *fakeTB) Fatalf(format string, args ...any) {
	f.failure = fmt.Sprintf(format, args...)
	runtime.Goexit()
}
