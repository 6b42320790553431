package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"go.uber.org/goleak"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// fault is something that a network or an instance does, and what a user is
// told about it.
type fault struct {
	// start starts what misbehaves.
	start func(t *testing.T) target
	// provider and arguments are set in addition to what every case has.
	provider, arguments args
	// certified is a provider with the client certificate that instances want,
	// stranger one with another.
	certified, stranger bool
	// attempts is how many requests, or connections to what is not HTTP, the
	// read makes; uncounted where that is not ours to say.
	attempts  int
	uncounted bool

	// summary is all of the error's summary; empty where the instance is read.
	summary string
	// came is what came back, all of it. {origin} stands for the target's,
	// {other} for where it leads to. orElse is told instead where it is a race
	// that decides.
	came, orElse string
	// faults are the lines about a document, instead of came.
	faults []string
	// next are words of what to do next.
	next string

	// state are attributes of an instance that is read.
	state args
	// warnings are the summaries of what is told about such an instance.
	warnings []string
}

// target is what a case reads.
type target struct {
	baseURL string
	caPEM   string
	count   func() int // the attempts that arrived
	// other is an origin to which it leads.
	other string
	// secrets must not show, beyond those of every case.
	secrets []string
	// verify checks what arrived.
	verify func(t *testing.T)
}

// The headers that every case sends. What is secret of them has no piece in
// common with any other text.
var (
	faultHeaders = args{
		"Authorization": "Bearer eyJqSW9XcVoiOiJ2TmtQeFlHd1RyIn0.kQ7ZbXv3LmW9cRt5HyJ2nPd8FsGg4KuEaVoTiMx6BwUqCzDh1jSl0eNfAyrIpO-Q_8vHkZtWmX",
		"X-Api-Key":     `wK9/Zq+4"Tj\8<Vx&2=Pn~Rm`,
		"Cookie":        "sid=Gh5uYr2oLp7eWq9i; csrf=Nb3vCx8zMk1jHf6d",
	}
	faultProviderHeaders = args{"X-Provider": "Dq6wZs3xTe9cRf5v"}
	faultSecrets         = []string{
		"eyJqSW9XcVoiOiJ2TmtQeFlHd1RyIn0.kQ7ZbXv3LmW9cRt5HyJ2nPd8FsGg4KuEaVoTiMx6BwUqCzDh1jSl0eNfAyrIpO-Q_8vHkZtWmX",
		`wK9/Zq+4"Tj\8<Vx&2=Pn~Rm`, "Gh5uYr2oLp7eWq9i", "Nb3vCx8zMk1jHf6d", "Dq6wZs3xTe9cRf5v",
	}
)

// secretPiece is the length of the shortest piece of a secret that counts.
const secretPiece = 8

const (
	// impatience is the request timeout where it is what ends an attempt.
	impatience = "300ms"
	// diagnosticLimit bounds a diagnostic: 20 faults of a document are a long one.
	diagnosticLimit = 6000
	// watchLimit is when a read counts as one that hangs. Every read of the
	// suite has a timeouts.read far below.
	watchLimit = 60 * time.Second
)

var (
	inTime    = args{"request_timeout": "20s"}
	timingOut = args{"request_timeout": impatience}
)

// noticesEverything reads the target of a case as one instance and as a fleet,
// and checks all that is said.
func (f fault) noticesEverything(t *testing.T) {
	t.Helper()
	target := f.start(t)
	secrets := slices.Concat(faultSecrets, target.secrets)
	ctx, log := traced(t.Context())

	provider := impatient(2).with(inTime).with(args{"base_url": target.baseURL, "request_headers": faultProviderHeaders})
	if target.caPEM != "" {
		provider["ca_cert_pem"] = target.caPEM
	}
	if cert, key := f.clientCertificate(t); key != "" {
		provider["client_cert_pem"], provider["client_key_pem"] = cert, key
		secrets = append(secrets, strings.Split(key, "\n")[1:3]...)
	}
	server, _ := configure(ctx, t, provider.with(f.provider))
	common := args{"request_headers": faultHeaders, "timeouts": args{"read": "40s"}}.with(f.arguments)

	one := readWithin(ctx, t, server, instanceName, common.with(args{"base_url": target.baseURL}))
	attempts := 0
	if target.count != nil {
		attempts = target.count()
	}
	fleet := readWithin(ctx, t, server, instancesName, common.with(args{
		"base_urls": args{"it": target.baseURL}, "allow_failures": true,
	}))

	f.checkOne(t, target, one)
	f.checkFleet(t, target, fleet)
	if attempts != f.attempts && !f.uncounted {
		t.Errorf("%d attempts arrived, want %d", attempts, f.attempts)
	}
	if target.verify != nil {
		target.verify(t)
	}
	mustBeSafe(t, one.told, secrets)
	mustBeSafe(t, fleet.told, secrets)
	mustLogNoSecret(t, log.String(), secrets)
	for _, message := range fleet.errors() {
		mustBePrintable(t, message, diagnosticLimit)
		mustHoldNoPiece(t, message, secrets)
	}
}

// clientCertificate is the certificate that the provider has, if any.
func (f fault) clientCertificate(t *testing.T) (certPEM, keyPEM string) {
	t.Helper()
	switch {
	case f.certified:
		authority := instancetest.New(t)
		return authority.ClientCertPEM(), authority.ClientKeyPEM()
	case f.stranger:
		return keyPair(t)
	default:
		return "", ""
	}
}

func (f fault) checkOne(t *testing.T, target target, got outcome) {
	t.Helper()
	if f.summary == "" {
		got.state.mustMatch(t, f.state)
		summaries := make([]string, 0, len(got.told))
		for _, one := range got.told {
			summaries = append(summaries, one.Summary)
		}
		if got.state == nil || !slices.Equal(summaries, f.warnings) {
			t.Errorf("state %v, want one, with the warnings %q, and nothing else said:\n%s", got.state, f.warnings, got.told)
		}
		return
	}
	if got.state["file_max_size"] != nil || got.state["response_body"] != nil {
		t.Errorf("there is a state although the read failed: %v", got.state)
	}
	if len(got.told) != 1 {
		t.Fatalf("%d diagnostics, want one error:\n%s", len(got.told), got.told)
	}
	one := got.told[0]
	if one.Severity != tfprotov6.DiagnosticSeverityError || one.Summary != f.summary || placeOf(one) != "base_url" {
		t.Errorf("want the error %q on base_url, got %s", f.summary, got.told)
	}
	paragraphs := strings.Split(one.Detail, "\n\n")
	if want := f.firstParagraphs(target); !slices.Contains(want, paragraphs[0]) {
		t.Errorf("what came back is told as\n\t%s\nwant\n\t%s", paragraphs[0], want[0])
	}
	if next := paragraphs[len(paragraphs)-1]; len(paragraphs) == 1 || f.next == "" || !strings.Contains(next, f.next) {
		t.Errorf("what to do next is told as\n\t%s\nwant\n\t%s", next, f.next)
	}
}

// firstParagraphs are what can have come back, in the words of a diagnostic.
func (f fault) firstParagraphs(target target) []string {
	get := "GET " + target.baseURL + "/instance"
	if f.faults != nil {
		return []string{get + " answered JSON that the provider cannot read as an instance document:\n  - " + strings.Join(f.faults, "\n  - ")}
	}
	paragraphs := f.reasons(target)
	for i, reason := range paragraphs {
		paragraphs[i] = get + ": " + reason + "."
	}
	return paragraphs
}

func (f fault) reasons(target target) []string {
	if f.faults != nil {
		return []string{"not an instance document: " + strings.Join(f.faults, "; ")}
	}
	origins := strings.NewReplacer("{origin}", target.baseURL, "{other}", target.other)
	reasons := []string{origins.Replace(f.came)}
	if f.orElse != "" {
		reasons = append(reasons, origins.Replace(f.orElse))
	}
	return reasons
}

func (f fault) checkFleet(t *testing.T, target target, got outcome) {
	t.Helper()
	if len(got.told.errors()) > 0 || got.state == nil {
		t.Fatalf("the fleet, whose failures are allowed, was not read:\n%s", got.told)
	}
	instances, _ := got.state["instances"].(args)
	failures := got.errors()
	if f.summary == "" {
		if len(instances) != 1 || len(failures) != 0 {
			t.Errorf("instances %v, errors %v, want the instance and no error", instances, failures)
		}
		return
	}
	reason, ok := strings.CutPrefix(failures["it"], "GET "+target.baseURL+"/instance: ")
	want := f.reasons(target)
	if f.summary == tooSlow {
		want = []string{"no response in time"} // which of the limits it was depends on the rest of the fleet
	}
	if len(instances) != 0 || len(failures) != 1 || !ok || !slices.Contains(want, reason) {
		t.Errorf("instances %v, errors\n\t%v\nwant none, and\n\t%s", instances, failures, want[0])
	}
}

// outcome is what reading a data source gave.
type outcome struct {
	state args // nil where there is none
	told  diagnostics
}

// errors is the attribute of a fleet.
func (o outcome) errors() map[string]string {
	failures := make(map[string]string)
	errors, _ := o.state["errors"].(args)
	for key, message := range errors {
		failures[key], _ = message.(string)
	}
	return failures
}

// readWithin reads a data source, and fails the test when that hangs.
func readWithin(ctx context.Context, t *testing.T, server tfprotov6.ProviderServer, typeName string, arguments args) outcome {
	t.Helper()
	objectType := instanceType()
	if typeName == instancesName {
		objectType = instancesType()
	}
	config := dynamicValue(t, valueOf(t, objectType, arguments))
	type answer struct {
		resp *tfprotov6.ReadDataSourceResponse
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		resp, err := server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: typeName, Config: &config})
		answers <- answer{resp, err}
	}()
	watch := time.NewTimer(watchLimit)
	defer watch.Stop()
	select {
	case got := <-answers:
		if got.err != nil {
			t.Fatal(got.err)
		}
		outcome := outcome{told: got.resp.Diagnostics}
		if got.resp.State != nil {
			state, err := got.resp.State.Unmarshal(objectType)
			if err != nil {
				t.Fatal(err)
			}
			outcome.state, _ = plain(t, state).(args)
		}
		return outcome
	case <-watch.C:
		t.Fatalf("reading %s hangs", typeName)
		return outcome{}
	}
}

// mustBeSafe checks that diagnostics can be printed anywhere.
func mustBeSafe(t *testing.T, told diagnostics, secrets []string) {
	t.Helper()
	for _, one := range told {
		mustBePrintable(t, one.Summary, 100)
		mustBePrintable(t, one.Detail, diagnosticLimit)
	}
	mustHoldNoPiece(t, told.String(), secrets)
}

func mustBePrintable(t *testing.T, text string, limit int) {
	t.Helper()
	if n := utf8.RuneCountInString(text); n > limit {
		t.Errorf("a text of %d characters, want at most %d: %.200s", n, limit, text)
	}
	for _, r := range text {
		if r == utf8.RuneError || r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U in %q", r, text)
			return
		}
	}
}

// mustHoldNoPiece checks that no piece of a secret shows.
func mustHoldNoPiece(t *testing.T, text string, secrets []string) {
	t.Helper()
	for _, secret := range secrets {
		for start := range len(secret) - secretPiece + 1 {
			if piece := secret[start : start+secretPiece]; strings.Contains(text, piece) {
				t.Errorf("%q, a piece of a secret, shows in:\n%s", piece, text)
				return
			}
		}
	}
}

// mustLogNoSecret checks what was logged at TRACE level.
func mustLogNoSecret(t *testing.T, log string, secrets []string) {
	t.Helper()
	if !strings.Contains(log, `"@level":"trace"`) || !strings.Contains(log, `the instance"`) {
		t.Errorf("the log lacks what happened, so it proves nothing:\n%.2000s", log)
	}
	entries, err := tflogtest.MultilineJSONDecode(strings.NewReader(log))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, log)
	}
	for _, entry := range entries {
		for _, name := range slices.Sorted(maps.Keys(entry)) {
			text := fmt.Sprint(entry[name])
			mustBePrintable(t, text, diagnosticLimit)
			mustHoldNoPiece(t, text, secrets)
		}
	}
}

// TestFaults is not parallel to other tests: the leak detector sees the
// goroutines of all of them.
func TestFaults(t *testing.T) {
	// net/http logs what a server sends unasked; the provider's main function
	// does the same as this with it.
	log.SetOutput(io.Discard)
	t.Cleanup(func() { log.SetOutput(os.Stderr) })

	leaks := goleak.IgnoreCurrent()
	t.Run("every", func(t *testing.T) {
		for name, fault := range allFaults(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				fault.noticesEverything(t)
			})
		}
	})
	goleak.VerifyNone(t, leaks)
}

func allFaults(t *testing.T) map[string]fault {
	t.Helper()
	all := make(map[string]fault)
	for _, some := range []map[string]fault{
		slowFaults(), lengthFaults(), documentFaults(), resetFaults(), foreignFaults(), http2Faults(), statusFaults(), redirectFaults(), certificateFaults(), echoFaults(),
	} {
		for name, fault := range some {
			if _, taken := all[name]; taken {
				t.Fatalf("two cases are named %s", name)
			}
			all[name] = fault
		}
	}
	return all
}

// TestFaultsOfProxies: proxies come from the environment, which a process has
// only one of.
func TestFaultsOfProxies(t *testing.T) { //nolint:paralleltest // it sets the environment
	const (
		secure = "https://" + instancetest.ProxiedHost
		plain  = "http://" + instancetest.ProxiedHost
		secret = "Xk3vBn7mQw9z"
	)
	// through sets the proxy, with credentials, and reads an instance behind it.
	through := func(t *testing.T, baseURL, address string, count func() int) target {
		t.Helper()
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY"} {
			t.Setenv(name, "http://me:"+secret+"@"+address)
		}
		t.Setenv("NO_PROXY", "")
		return target{baseURL: baseURL, count: count, secrets: []string{secret}}
	}
	refusing := func(baseURL string, status int) func(t *testing.T) target {
		return func(t *testing.T) target {
			t.Helper()
			proxy := instancetest.NewProxy(t, instancetest.WithProxyRefusal(status))
			return through(t, baseURL, proxy.Address(), func() int { return len(proxy.Requests()) })
		}
	}
	speaking := func(serve func(net.Conn)) func(t *testing.T) target {
		return func(t *testing.T) target {
			t.Helper()
			proxy := instancetest.NewRaw(t, serve)
			return through(t, secure, proxy.Address(), proxy.Connections)
		}
	}
	answer := func(text string) func(net.Conn) {
		return func(c net.Conn) {
			if instancetest.ReadRequest(c) == nil {
				_, _ = io.WriteString(c, text)
			}
		}
	}
	const brokeTunnel = "the proxy broke the connection, or does not speak HTTP"
	const check = "Check the environment variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY"
	refused := "the proxy refused to connect to the instance: status "
	silent := fails(speaking(instancetest.Await), 2, tooSlow, noConnection, "raise the provider's request_timeout")
	silent.provider = timingOut
	tests := map[string]fault{
		"refuses":             fails(refusing(secure, 403), 1, noProxy, refused+"403 Forbidden", check),
		"wants credentials":   fails(refusing(secure, 407), 1, noProxy, refused+"407 Proxy Authentication Required", check),
		"cannot connect":      fails(refusing(secure, 502), 2, noProxy, refused+"502 Bad Gateway", check),
		"is overloaded":       fails(refusing(secure, 503), 2, noProxy, refused+"503 Service Unavailable", check),
		"refuses without TLS": fails(refusing(plain, 403), 1, withStatus+"403", "status 403 Forbidden: Forbidden", "something in front of it does"),
		"wants them, no TLS": fails(
			refusing(plain, 407), 1, withStatus+"407", "status 407 Proxy Authentication Required: Proxy Authentication Required",
			"The proxy wants credentials",
		),
		"is silent":             silent,
		"resets":                fails(speaking(resetAfterReading), 2, noProxy, brokeTunnel, check),
		"closes":                fails(speaking(answer("")), 2, noProxy, brokeTunnel, check),
		"is not HTTP":           fails(speaking(answer("SSH-2.0-OpenSSH_9.9\r\n")), 2, noProxy, brokeTunnel, check),
		"sends endless headers": fails(speaking(endless("HTTP/1.1 200 OK\r\n", "X: x\r\n")), 2, noProxy, brokeTunnel, check),
		"tunnels to nothing":    fails(speaking(answer("HTTP/1.1 200 OK\r\n\r\n")), 2, broken, noAnswer, "why it closed the connection"),
		"is not there": fails(func(t *testing.T) target {
			t.Helper()
			return through(t, secure, instancetest.ReserveAddress(t), nil)
		}, 0, noProxy, "the proxy could not be reached: "+syscall.ECONNREFUSED.Error(), check),
		"is not a URL": fails(func(t *testing.T) target {
			t.Helper()
			return through(t, secure, "%zz", nil)
		}, 0, noProxy, "the proxy URL in the environment variable HTTPS_PROXY is not valid", check),
	}
	leaks := goleak.IgnoreCurrent()
	for name, fault := range tests { //nolint:paralleltest // as above
		t.Run(name, func(t *testing.T) {
			fault.noticesEverything(t)
		})
	}
	goleak.VerifyNone(t, leaks)
}

// TestAccFaults has one of each class of faults go through Terraform itself.
func TestAccFaults(t *testing.T) {
	t.Parallel()
	faults := allFaults(t)
	for _, name := range []string{
		"silent server", "body shorter than announced", "gzip bomb", "large: half a million entries", "control characters in plain text",
		"escaped control character in label", "reset before the headers", "SSH", "HTTP/2 stream reset", "503", "redirect to a file",
		"expired certificate", "echo in a web page",
	} {
		fault, ok := faults[name]
		if !ok {
			t.Fatalf("there is no case %q", name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := fault.start(t)
			config := fmt.Sprintf(`
				provider "filetransfer" {
				  request_timeout = %q
				  retry           = { max_attempts = 2, min_delay = "1ms", max_delay = "2ms" }
				  ca_cert_pem     = %q
				  base_url        = %q
				  request_headers = jsondecode(%q)
				}
				data "filetransfer_instance" "it" {
				  base_url        = %q
				  request_headers = jsondecode(%q)
				}
				`, fault.timeout(), target.caPEM, target.baseURL, asJSON(t, faultProviderHeaders), target.baseURL, asJSON(t, faultHeaders))
			if fault.summary == "" {
				resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories(), Steps: []resource.TestStep{{Config: config}}})
				return
			}
			said := mustFail(t, resource.TestStep{Config: config})
			mustMention(t, said, "Error: "+fault.summary, "with data.filetransfer_instance.it,", fault.next)
			mustMention(t, said, fault.firstParagraphs(target)[0])
			mustHoldNoPiece(t, said, slices.Concat(faultSecrets, target.secrets))
			if unsafe := strings.IndexFunc(said, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }); unsafe >= 0 {
				t.Errorf("%q is printed", said[unsafe:min(unsafe+10, len(said))])
			}
		})
	}
}

// timeout is the provider's request_timeout.
func (f fault) timeout() any { return inTime.with(f.provider)["request_timeout"] }

func asJSON(t *testing.T, value any) string {
	t.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}
