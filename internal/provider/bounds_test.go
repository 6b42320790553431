package provider

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// A server can ask for a delay, and no more: it stays within the retry rules.
// The delays are those that the provider logs, not what a clock measures.
func TestFaultsRetryAfter(t *testing.T) {
	t.Parallel()
	const shortest, longest = 2 * time.Millisecond, 40 * time.Millisecond
	type bounds struct{ least, most time.Duration }
	honoured := bounds{longest, longest}            // all of these ask for more
	soon := bounds{shortest, shortest}              // all of these ask for less
	ours := bounds{shortest, 2 * shortest}          // the first delay of our own
	far := time.Now().AddDate(1, 0, 0).In(time.UTC) // a date that HTTP can write
	tests := map[string]struct {
		status int
		value  string
		want   bounds
	}{
		"seconds":                        {503, "120", honoured},
		"seconds with a 429":             {429, "120", honoured},
		"seconds with leading zeros":     {503, "000120", honoured},
		"no seconds":                     {503, "0", soon},
		"date":                           {503, far.Format(http.TimeFormat), honoured},
		"date of RFC 850":                {503, far.Format("Monday, 02-Jan-06 15:04:05 GMT"), honoured},
		"date of ANSI C":                 {503, far.Format(time.ANSIC), honoured},
		"date with a 429":                {429, far.Format(http.TimeFormat), honoured},
		"date in the past":               {503, "Sun, 06 Nov 1994 08:49:37 GMT", soon},
		"date before all":                {503, "Mon, 01 Jan 0001 00:00:00 GMT", soon},
		"date after all":                 {503, "Fri, 31 Dec 9999 23:59:59 GMT", honoured},
		"more seconds than 32 bits":      {503, "99999999999", honoured},
		"more seconds than 64 bits":      {503, "99999999999999999999999999", honoured},
		"seconds that overflow a delay":  {503, "9223372037", honoured},
		"hundreds of digits":             {503, strings.Repeat("9", 500), honoured},
		"negative seconds":               {503, "-5", ours},
		"fraction":                       {503, "1.5", ours},
		"exponent":                       {503, "1e9", ours},
		"digits of another script":       {503, "١٢٠", ours},
		"unit":                           {503, "120s", ours},
		"words":                          {503, "soon", ours},
		"empty":                          {503, "", ours},
		"date without a zone":            {503, "2199-01-01", ours},
		"with a 500, where it is unsaid": {500, "120", ours},
		"with a 408, where it is unsaid": {408, "120", ours},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := instancetest.New(t, instancetest.WithScript(instancetest.RetryAfter(test.status, test.value)))
			ctx, log := traced(t.Context())
			provider, _ := configure(ctx, t, args{"retry": args{"min_delay": shortest.String(), "max_delay": longest.String()}})

			got := readWithin(ctx, t, provider, instanceName, args{"base_url": server.URL()})

			if len(got.told) > 0 {
				t.Fatalf("want the instance, got:\n%s", got.told)
			}
			got.state.mustMatch(t, wholeInstance)
			if n := len(server.Requests()); n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
			entries, err := tflogtest.MultilineJSONDecode(strings.NewReader(log.String()))
			if err != nil {
				t.Fatal(err)
			}
			var delays []time.Duration
			for _, entry := range entries {
				if entry["@message"] == "Trying again" {
					delay, err := time.ParseDuration(fmt.Sprint(entry["delay"]))
					if err != nil {
						t.Fatal(err)
					}
					delays = append(delays, delay)
				}
			}
			if len(delays) != 1 || delays[0] < test.want.least || delays[0] > test.want.most {
				t.Errorf("delays %v, want one from %s to %s", delays, test.want.least, test.want.most)
			}
		})
	}
}

// Whatever happens, a read ends with its time.
func TestFaultsEndInTime(t *testing.T) {
	t.Parallel()
	const (
		limit = 500 * time.Millisecond
		grace = 15 * time.Second // for a machine that is busy; what would be waited for is hours away
	)
	var (
		never     = args{"request_timeout": "3h"}
		patient   = args{"retry": args{"max_attempts": 1_000_000_000, "min_delay": "1ms", "max_delay": "24h"}}
		persevere = args{"wait_until_ready": true}
	)
	nowhere := func(t *testing.T) target {
		t.Helper()
		return target{baseURL: "http://" + instancetest.ReserveAddress(t)}
	}
	tests := map[string]struct {
		start               func(t *testing.T) target
		provider, arguments args
		summary             string
	}{
		"silent server":          {answering(instancetest.Silent()), never, nil, tooSlow},
		"silent TLS":             {raw(instancetest.Await, "https"), never, nil, tooSlow},
		"silent server, waiting": {answering(instancetest.Silent()), never, persevere, tooSlow},
		"dripping headers":       {answering(instancetest.DripHeader()), never, nil, tooSlow},
		"dripping body":          {answering(instancetest.DripBody()), never, nil, tooSlow},
		"dripping body, HTTP/2":  {answering(instancetest.DripBody(), instancetest.WithTLS()), never, nil, tooSlow},
		"dripping body, waiting": {answering(instancetest.DripBody()), timingOut, persevere, tooSlow},
		"Retry-After of years":   {answering(instancetest.RetryAfter(503, "999999999")), patient, nil, withStatus + "503"},
		"Retry-After in a century": {
			answering(instancetest.RetryAfter(429, "Fri, 31 Dec 2199 23:59:59 GMT")), patient, persevere, withStatus + "429",
		},
		"attempts without an end": {
			answering(instancetest.Status(503)), args{"retry": args{"max_attempts": 1_000_000_000, "min_delay": "1ms", "max_delay": "1ms"}}, nil, withStatus + "503",
		},
		"slow redirects": {
			answering(instancetest.Delay(200*time.Millisecond, instancetest.Redirect(302, "/instance"))), never, nil, tooSlow,
		},
		"nobody there, waiting": {nowhere, patient, persevere, notReachable},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := test.start(t)
			provider := args{}.with(test.provider)
			if target.caPEM != "" {
				provider["ca_cert_pem"] = target.caPEM
			}
			server, _ := configure(t.Context(), t, provider)
			arguments := args{"base_url": target.baseURL, "timeouts": args{"read": limit.String()}}.with(test.arguments)

			started := time.Now()
			got := readWithin(t.Context(), t, server, instanceName, arguments)

			if took := time.Since(started); took > limit+grace {
				t.Errorf("the read took %s, its limit is %s", took, limit)
			}
			got.told.must(t, expected{at: "base_url", summary: test.summary, says: []string{
				"GET " + target.baseURL + "/instance: ", "The time for the whole read, timeouts.read (500ms), ran out.",
			}})
		})
	}
}

// A fleet's time is one for all, however many wait for a place.
func TestFaultsEndInTimeForAFleet(t *testing.T) {
	t.Parallel()
	silent := instancetest.New(t, instancetest.WithDefault(instancetest.Silent()))
	baseURLs := make(args)
	for i := range 200 {
		baseURLs[fmt.Sprint(i)] = fmt.Sprintf("%s/%d", silent.URL(), i)
	}
	server, _ := configure(t.Context(), t, args{"request_timeout": "3h"})

	started := time.Now()
	got := readWithin(t.Context(), t, server, instancesName, args{
		"base_urls": baseURLs, "max_concurrency": 2, "allow_failures": true, "timeouts": args{"read": "500ms"},
	})

	if took := time.Since(started); took > 15*time.Second {
		t.Errorf("the read took %s, its limit is 500ms", took)
	}
	if failures := got.errors(); len(failures) != len(baseURLs) {
		t.Errorf("%d failures, want %d:\n%s", len(failures), len(baseURLs), got.told)
	}
	if peak := silent.PeakRequests(); peak > 2 {
		t.Errorf("%d requests at once, want at most 2", peak)
	}
}

const mebibyte = 1 << 20

// sent counts the bytes that a server got rid of, and how often it got rid of
// all of them.
type sent struct{ bytes, whole atomic.Int64 }

// flood sends 64 MiB after a head, and no more memory is allocated for it.
func (s *sent) flood(head string) func(net.Conn) {
	chunk := []byte(strings.Repeat(" ", 64<<10))
	return func(c net.Conn) {
		for instancetest.ReadRequest(c) == nil {
			if _, err := io.WriteString(c, head); err != nil {
				return
			}
			for range 64 * mebibyte / len(chunk) {
				n, err := c.Write(chunk)
				s.bytes.Add(int64(n))
				if err != nil {
					return
				}
			}
			s.whole.Add(1)
		}
	}
}

// What is allocated for 64 MiB that a server sends has one digit of MiB, and
// nothing of it stays.
func TestBoundsOfMemory(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	const (
		length     = "Content-Length: 67108864\r\n\r\n"
		repeats    = 5
		mostGrowth = 2 * mebibyte

		singleDigit = 10*mebibyte - 1
	)
	var plain sent
	spaces := []byte(strings.Repeat(" ", 64<<10))
	flood := instancetest.Func(func(w http.ResponseWriter, _ *http.Request) {
		for range 64 * mebibyte / len(spaces) {
			if _, err := w.Write(spaces); err != nil {
				return
			}
		}
	})
	type test struct {
		start   func(t *testing.T) target
		summary string
		most    uint64
	}
	tests := map[string]test{
		"64 MiB":                     {raw(plain.flood(okHead + length)), tooLarge, singleDigit},
		"64 MiB without length":      {raw(plain.flood(okHead + "\r\n")), tooLarge, singleDigit},
		"64 MiB over HTTP/2":         {answering(flood, instancetest.WithTLS()), tooLarge, 16 * mebibyte}, // half of it is the server's
		"64 MiB of gzip":             {compressed(200, bomb()), tooLarge, singleDigit},
		"64 MiB of an error":         {raw(plain.flood("HTTP/1.1 404 Not Found\r\n" + length)), withStatus + "404", singleDigit},
		"64 MiB of gzip of an error": {compressed(404, bomb()), withStatus + "404", singleDigit},
		"64 MiB of a redirect":       {raw(plain.flood("HTTP/1.1 302 Found\r\nLocation: ftp://files.example\r\n" + length)), notFollowed, singleDigit},
		"endless headers":            {raw(endless(okHead, "X: x\r\n")), notHTTP, singleDigit},
		"endless header":             {raw(endless(okHead+"X: ", "x")), notHTTP, singleDigit},
		"endless 1xx":                {raw(endless("", "HTTP/1.1 103 Early Hints\r\n\r\n")), notHTTP, singleDigit},
		"endless line":               {raw(endless("", "x")), notHTTP, singleDigit},
	}
	// What fits into 1 MiB is read, and must not explode either.
	for name, fault := range documentFaults() {
		if strings.HasPrefix(name, "large: ") {
			tests[name] = test{fault.start, fault.summary, 16 * mebibyte}
		}
	}
	for name, test := range tests { //nolint:paralleltest // as above
		t.Run(name, func(t *testing.T) {
			target := test.start(t)
			provider := oneAttempt()
			if target.caPEM != "" {
				provider["ca_cert_pem"] = target.caPEM
			}
			server, _ := configure(t.Context(), t, provider)
			config := dynamicValue(t, valueOf(t, instanceType(), args{"base_url": target.baseURL}))
			read := func() (allocated uint64) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				resp, err := server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: instanceName, Config: &config})
				runtime.ReadMemStats(&after)
				if err != nil {
					t.Fatal(err)
				}
				summary := ""
				for _, one := range resp.Diagnostics {
					summary = one.Summary
				}
				if summary != test.summary {
					t.Fatalf("want %q, got:\n%s", test.summary, diagnostics(resp.Diagnostics))
				}
				return after.TotalAlloc - before.TotalAlloc
			}
			read() // what is made once is made now
			heap := heapInUse()
			for range repeats {
				if allocated := read(); allocated > test.most {
					t.Errorf("%.1f MiB were allocated, want at most %.1f", float64(allocated)/mebibyte, float64(test.most)/mebibyte)
				}
			}
			if now := heapInUse(); now > heap+mostGrowth {
				t.Errorf("%.1f MiB more are in use than before", float64(now-heap)/mebibyte)
			}
		})
	}
	if bytes, whole := plain.bytes.Load(), plain.whole.Load(); bytes == 0 || whole > 0 {
		t.Errorf("%d bytes were sent, and all of it %d times, want some of it each time", bytes, whole)
	}
}

// heapInUse is what is left after a collection.
func heapInUse() uint64 {
	runtime.GC()
	runtime.GC() // for what finalizers held
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
