package provider

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// soakSeed decides what goes wrong in the soak. Another one is another soak.
const soakSeed = 20260120

// fate is what an instance does with one request of the soak.
type fate struct {
	name string
	// odds are how often it is drawn, against the others'.
	odds int
	step func(s *soak, id int) instancetest.Step
	// summary is what a read says that ends with it; empty where it is read.
	summary string
	// transient is worth another attempt.
	transient bool
	// depends is what gets another attempt, of ours or of net/http's own, where
	// the connection was used before.
	depends bool
}

// soak is an instance under every path /0, /1, ..., each of which draws its
// fates at random, but always the same ones from one seed.
type soak struct {
	*instancetest.Server

	mutex  sync.Mutex
	random map[int]*rand.Rand
	served map[int][]*fate // by path, in order
}

var fates = func() []*fate {
	status := func(code int) func(*soak, int) instancetest.Step {
		return func(*soak, int) instancetest.Step { return instancetest.Status(code) }
	}
	body := func(body string) func(*soak, int) instancetest.Step {
		return func(*soak, int) instancetest.Step { return instancetest.Body(200, "application/json", body) }
	}
	step := func(step instancetest.Step) func(*soak, int) instancetest.Step {
		return func(*soak, int) instancetest.Step { return step }
	}
	redirect := func(to string) func(*soak, int) instancetest.Step {
		return func(s *soak, id int) instancetest.Step {
			return instancetest.Redirect(307, strings.NewReplacer("{id}", strconv.Itoa(id), "{origin}", s.Origin()).Replace(to))
		}
	}
	return []*fate{
		{"good", 60, (*soak).document, "", false, false},
		{"slow", 4, func(s *soak, id int) instancetest.Step {
			return instancetest.Delay(time.Duration(id%7)*time.Millisecond, s.document(id))
		}, "", false, false},
		{"redirect", 6, redirect("/good/{id}"), "", false, false},
		{"absolute redirect", 3, redirect("{origin}/good/{id}"), "", false, false},
		{"503", 8, status(503), withStatus + "503", true, false},
		{"500", 4, status(500), withStatus + "500", true, false},
		{"429", 4, func(*soak, int) instancetest.Step { return instancetest.RetryAfter(429, "3600") }, withStatus + "429", true, false},
		{"404", 4, status(404), withStatus + "404", false, false},
		{"403", 2, status(403), withStatus + "403", false, false},
		{"204", 1, status(204), withStatus + "204", false, false},
		{"reset", 4, step(instancetest.Reset()), broken, true, true},
		{"closed", 4, step(instancetest.CloseConnection()), broken, true, true},
		{"reset in the body", 4, step(instancetest.ResetInBody()), broken, true, false},
		{"short body", 4, step(instancetest.ShortBody()), broken, true, false},
		{"not HTTP", 2, step(instancetest.Verbatim("SSH-2.0-OpenSSH_9.9\r\n", instancetest.CloseConnection())), notHTTP, false, true},
		{"not JSON", 3, step(instancetest.Body(200, "text/html", "<h1>Welcome</h1>")), notJSON, false, false},
		{"half a document", 2, body(instancetest.Newer().JSON()[:100]), notJSON, false, false},
		{"null field", 2, body(instancetest.Newer().With("fileMaxSize", nil).JSON()), notADocument, false, false},
		{"not a document", 2, body(`{"statusCode":200}`), notADocument, false, false},
		{"too large", 1, body(strings.Repeat(" ", 1<<20+1)), tooLarge, false, false},
		{"redirect to a file", 2, redirect("file:///etc/passwd"), notFollowed, false, false},
	}
}()

func newSoak(t *testing.T, seed uint64) *soak {
	t.Helper()
	s := &soak{random: make(map[int]*rand.Rand), served: make(map[int][]*fate)}
	s.Server = instancetest.New(t, instancetest.WithDefault(func(server *instancetest.Server, w http.ResponseWriter, r *http.Request) {
		path := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
		id, err := strconv.Atoi(path[len(path)-1])
		switch {
		case path[0] == "good" && err == nil: // where redirects lead
			s.document(id)(server, w, r)
		case len(path) == 2 && path[1] == "instance":
			id, _ = strconv.Atoi(path[0])
			s.draw(seed, id).step(s, id)(server, w, r)
		default:
			instancetest.Status(http.StatusNotFound)(server, w, r)
		}
	}))
	return s
}

// document is the one of this path and of no other: answers that got mixed up
// would show.
func (*soak) document(id int) instancetest.Step {
	return instancetest.Body(200, "application/json", instancetest.Newer().
		With("fileMaxSize", soakSize(id)).
		With("recommendedExpireTimes", []instancetest.Document{instancetest.NewerEntry(fmt.Sprint("label ", id), int64(id)*60)}).JSON())
}

func soakSize(id int) int64 { return 1_000_000_000 + int64(id) }

// draw decides the fate of a request.
func (s *soak) draw(seed uint64, id int) *fate {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	random, ok := s.random[id]
	if !ok {
		random = rand.New(rand.NewPCG(seed, uint64(id)))
		s.random[id] = random
	}
	total := 0
	for _, fate := range fates {
		total += fate.odds
	}
	n := random.IntN(total)
	for _, fate := range fates {
		if n -= fate.odds; n < 0 {
			s.served[id] = append(s.served[id], fate)
			return fate
		}
	}
	panic("the odds do not add up")
}

// last is what became of a path in the end, which decides what a read of it
// must say. All before it must have been worth another attempt.
//
// It is what was served that counts and not what could be foretold: net/http
// repeats a request of its own accord when a connection that was used before
// breaks before the first byte.
func (s *soak) last(t *testing.T, id, attempts int) *fate {
	t.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	served := s.served[id]
	if len(served) == 0 {
		t.Fatalf("nothing was asked for %d", id)
	}
	last := served[len(served)-1]
	for _, fate := range served[:len(served)-1] {
		if !fate.transient && !fate.depends {
			t.Errorf("%d: another attempt after %q", id, fate.name)
		}
	}
	if last.transient && len(served) < attempts {
		t.Errorf("%d: given up after %d attempts that end with %q", id, len(served), last.name)
	}
	return last
}

// mustBeRead checks that an instance is the one of this path, whole.
func (s *soak) mustBeRead(t *testing.T, id int, got args) {
	t.Helper()
	got.mustMatch(t, args{
		"file_max_size":          soakSize(id),
		"chunk_size":             int64(20000000),
		"require_password":       true,
		"api_version":            "2.1.5",
		"file_max_age":           int64(2592000),
		"max_transfers_in_merge": int64(50),
		"recommended_expire_times": []any{args{
			"label": fmt.Sprint("label ", id), "in_seconds": int64(id) * 60, "in_minutes": int64(id),
		}},
		"base_url": fmt.Sprintf("%s/%d", s.Origin(), id),
	})
}

// TestSoak reads thousands of times what fails at random. Every result is
// either right in every value, or a clear error, and never both.
func TestSoak(t *testing.T) { //nolint:tparallel // the readers are, and what follows them waits for them
	t.Parallel()
	const (
		attempts = 2
		readers  = 8
		fleet    = 25
	)
	singles, fleets := 1600, 40
	if testing.Short() {
		singles, fleets = 200, 4
	}
	s := newSoak(t, soakSeed)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the seed is %d", soakSeed)
		}
	})
	server, _ := configure(t.Context(), t, impatient(attempts).with(inTime))

	seen := make(map[*fate]int) // by how a read ended
	var seenMutex sync.Mutex
	see := func(fate *fate) {
		seenMutex.Lock()
		defer seenMutex.Unlock()
		seen[fate]++
	}
	single := func(t *testing.T, id int) {
		t.Helper()
		got := readWithin(t.Context(), t, server, instanceName, args{"base_url": fmt.Sprintf("%s/%d", s.Origin(), id)})
		last := s.last(t, id, attempts)
		see(last)
		s.checkOne(t, id, last, got)
	}
	several := func(t *testing.T, first int, allowed bool) {
		t.Helper()
		baseURLs := make(args)
		for id := first; id < first+fleet; id++ {
			baseURLs[fmt.Sprint(id)] = fmt.Sprintf("%s/%d", s.Origin(), id)
		}
		got := readWithin(t.Context(), t, server, instancesName, args{"base_urls": baseURLs, "allow_failures": allowed})
		failed := make(map[int]*fate)
		for id := first; id < first+fleet; id++ {
			last := s.last(t, id, attempts)
			see(last)
			if last.summary != "" {
				failed[id] = last
			}
		}
		s.checkFleet(t, first, fleet, allowed, failed, got)
	}
	t.Run("readers", func(t *testing.T) {
		for reader := range readers {
			t.Run(fmt.Sprint(reader), func(t *testing.T) {
				t.Parallel()
				for id := reader; id < singles; id += readers {
					single(t, id)
				}
				for n := reader; n < fleets; n += readers {
					several(t, singles+n*fleet, n/readers%2 == 0)
				}
			})
		}
	})

	for _, fate := range fates {
		if seen[fate] == 0 && !fate.depends && !testing.Short() {
			t.Errorf("no read ended with %q", fate.name)
		}
	}
}

func (s *soak) checkOne(t *testing.T, id int, last *fate, got outcome) {
	t.Helper()
	if last.summary == "" {
		if len(got.told) > 0 {
			t.Errorf("%d ended with %q, and yet this is said:\n%s", id, last.name, got.told)
		}
		s.mustBeRead(t, id, got.state)
		return
	}
	if got.state["file_max_size"] != nil {
		t.Errorf("%d ended with %q, and yet there is a state: %v", id, last.name, got.state)
	}
	got.told.must(t, expected{at: "base_url", summary: last.summary, says: []string{fmt.Sprintf("GET %s/%d/instance", s.Origin(), id)}})
}

func (s *soak) checkFleet(t *testing.T, first, size int, allowed bool, failed map[int]*fate, got outcome) {
	t.Helper()
	if !allowed && len(failed) > 0 {
		want := make([]expected, 0, len(failed))
		for id, fate := range failed {
			want = append(want, expected{at: keyPath(fmt.Sprint(id)), summary: fate.summary, says: []string{
				fmt.Sprintf("Instance %q: GET %s/%d/instance", fmt.Sprint(id), s.Origin(), id),
			}})
		}
		got.told.must(t, want...)
		if got.state["instances"] != nil {
			t.Errorf("there are instances although the read failed: %v", got.state["instances"])
		}
		return
	}
	if len(got.told.errors()) > 0 {
		t.Errorf("errors, although failures are allowed or there were none:\n%s", got.told)
	}
	instances, _ := got.state["instances"].(args)
	failures := got.errors()
	if len(instances)+len(failures) != size || len(failures) != len(failed) {
		t.Errorf("%d instances and %d errors, want %d and %d", len(instances), len(failures), size-len(failed), len(failed))
	}
	for id := first; id < first+size; id++ {
		key := fmt.Sprint(id)
		instance, _ := instances[key].(args)
		fate := failed[id]
		switch {
		case fate == nil:
			s.mustBeRead(t, id, instance)
		case instance != nil || !strings.HasPrefix(failures[key], fmt.Sprintf("GET %s/%d/instance: ", s.Origin(), id)):
			t.Errorf("%d ended with %q, and yet there is the instance %v and the error %q", id, fate.name, instance, failures[key])
		}
	}
}
