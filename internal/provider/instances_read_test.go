package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// good answers with a document, whatever the path.
var good = instancetest.Body(200, "application/json", instancetest.Newer().JSON())

// baseURLsUnder returns base URLs under one origin, with the keys key000, key001, ...
func baseURLsUnder(origin string, count int) texts {
	baseURLs := make(texts)
	for i := range count {
		key := fmt.Sprintf("key%03d", i)
		baseURLs[key] = origin + "/" + key
	}
	return baseURLs
}

// Each key is one read, also if two name the same URL. Nothing is read if a URL is invalid, which is no failure that is allowed.
func TestInstances_EachKeyIsRead(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	s := configured(t, nil)
	state := requireRead(t, s, arguments{"base_urls": texts{"a": server.URL(), "b": server.URL(), "c": server.URL() + "//"}})
	var instances, c map[string]tftypes.Value
	must(t, state["instances"].As(&instances))
	must(t, instances["c"].As(&c))
	if got := textAt(t, c, "base_url"); len(instances) != 3 || got != server.URL()+"//" {
		t.Errorf("there are %d instances, and the URL of c is %q", len(instances), got)
	}
	if got := len(server.Requests()); got != 3 {
		t.Errorf("%d requests, want one for each of the 3 keys", got)
	}
	_, text := s.read(t.Context(), t, arguments{"base_urls": texts{"good": server.URL(), "bad": "nope"}, "allow_failures": true})
	if got := len(server.Requests()); got != 3 || !strings.HasPrefix(text, `Error at base_urls["bad"]: Invalid base URL`) {
		t.Errorf("with an invalid URL, there are %d more requests, and the diagnostics are:\n%s", got-3, text)
	}
}

// No answer comes until as many requests are under way as may be.
func TestInstances_Concurrency(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		maxConcurrency any
		want           int64
	}{"3": {3, 3}, "default": {nil, 32}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var running atomic.Int64
			all := make(chan struct{})
			release := sync.OnceFunc(func() { close(all) })
			tooFew := time.AfterFunc(10*time.Second, func() {
				t.Errorf("only %d requests are under way after 10 s, want %d", running.Load(), test.want)
				release()
			})
			defer tooFew.Stop()
			server := instancetest.New(t, instancetest.WithDefault(func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
				if running.Add(1) == test.want {
					time.AfterFunc(50*time.Millisecond, release) // one too many would come meanwhile
				}
				<-all
				running.Add(-1)
				good(s, w, r)
			}))
			s := configured(t, arguments{"request_timeout": "1m"})
			requireRead(t, s, arguments{"base_urls": baseURLsUnder(server.URL(), 50), "max_concurrency": test.maxConcurrency})
			if got := server.PeakRequests(); got > int(test.want) {
				t.Errorf("%d requests at once, want %d", got, test.want)
			}
		})
	}
}

// Three hundred instances that are down are no reason for three hundred errors.
func TestInstances_ManyErrors(t *testing.T) {
	t.Parallel()
	s := configured(t, arguments{"retry": arguments{"max_attempts": 1}})
	_, text := s.read(t.Context(), t, arguments{"base_urls": baseURLsUnder("http://"+instancetest.ReserveAddress(t), 300)})
	if got := strings.Count(text, `Error at base_urls["key0`); got != 20 || !strings.Contains(text, `Error at base_urls["key019"]`) {
		t.Errorf("%d errors of instances, want those of the first 20:\n%s", got, text)
	}
	const last = "Error at base_urls: More instances could not be read\n\n300 instances could not be read, and 280 of them have no error of their own."
	if strings.Count(text, "Error ") != 21 || !strings.Contains(text, last) {
		t.Errorf("no error counts the others:\n%s", text)
	}
}

// One silent instance keeps the one place: the others were never asked, and are not blamed.
func TestInstances_NotAskedInTime(t *testing.T) {
	t.Parallel()
	silent := instancetest.New(t, instancetest.WithDefault(instancetest.Silent())).URL()
	state, text := configured(t, nil).read(t.Context(), t, arguments{
		"base_urls": texts{"a": silent, "b": silent, "c": silent}, "max_concurrency": 1, "allow_failures": true,
		"timeouts": arguments{"read": "300ms"},
	})
	errors := state["errors"].String()
	if strings.Count(errors, `"no response in time"`) != 1 || strings.Count(errors, `"not asked in time"`) != 2 {
		t.Errorf("errors is %s", errors)
	}
	if strings.Count(text, ": no response in time (1 attempt)\n") != 1 ||
		strings.Count(text, ": no request was sent before the time ran out (0 attempts)\n") != 2 {
		t.Errorf("the diagnostics are:\n%s", text)
	}
}
