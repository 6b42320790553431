package e2e_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// nginxFrame is what the server block of the example is put into: one process that runs as this user, keeps its files in
// its own folder, and says on its standard error what it does.
const nginxFrame = `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
%s}
`

// fakeService is what uploads arrive at: an instance that says what it was sent.
type fakeService struct {
	*httptest.Server
	begun    chan *http.Request
	received chan int64
	// busy holds up the service before it reads an upload.
	busy *sync.Mutex
}

// chunkSize is more than the buffers of a connection have room for.
const chunkSize, overhead = 20_000_000, 1 << 20

func newFakeService(t *testing.T) fakeService {
	t.Helper()
	const more = 10
	service := fakeService{begun: make(chan *http.Request, more), received: make(chan int64, more), busy: new(sync.Mutex)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /instance", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, instancetest.Newer().With("chunkSize", chunkSize).JSON())
	})
	mux.HandleFunc("PUT "+uploadPath, func(_ http.ResponseWriter, r *http.Request) {
		service.begun <- r
		service.busy.Lock()
		defer service.busy.Unlock()
		length, _ := io.Copy(io.Discard, r.Body)
		service.received <- length
	})
	service.Server = httptest.NewServer(mux)
	t.Cleanup(service.Close)
	return service
}

const uploadPath = "/files/uploadChunk"

// proxied is nginx with the server block that the example makes of an instance's limits.
type proxied struct {
	t       *testing.T
	address string
	client  *http.Client // trusts its certificate
}

// startProxied runs nginx in front of an instance. The edits are made to the server block.
func startProxied(t *testing.T, cli cli, baseURL string, edits ...string) proxied {
	t.Helper()
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skipf("nginx is not on PATH: %v", err)
	}
	e := newExample(t, cli, "guides/operate-reverse-proxy")
	address := instancetest.ReserveAddress(t)
	certificate, key, client := newCertificate(t)
	e.variables = map[string]any{"base_url": baseURL}
	e.setVariables()
	e.apply()
	configuration := e.state().Outputs["nginx_conf"].Value.(string)
	edits = append(edits, " 443 ", " "+address+" ", "/etc/ssl/files.example.org.pem", certificate, "/etc/ssl/files.example.org.key", key)
	for edit := range slices.Chunk(edits, 2) {
		if !strings.Contains(configuration, edit[0]) {
			t.Fatalf("the configuration has no %q:\n%s", edit[0], configuration)
		}
	}
	startNginx(t, nginx, address, fmt.Sprintf(nginxFrame, strings.NewReplacer(edits...).Replace(configuration)))
	return proxied{t, address, client}
}

// newCertificate returns the paths of a certificate for 127.0.0.1 and of its key, and a client that trusts it.
func newCertificate(t *testing.T) (file, keyFile string, client *http.Client) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	must(t, err)
	dir := t.TempDir()
	file, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	write(t, keyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	return file, keyFile, server.Client()
}

// upload sends a body, and returns the status and the header fields of the response.
func (p proxied) upload(contentType string, body []byte) (status int, header http.Header) {
	p.t.Helper()
	url := "https://" + p.address + uploadPath + "?transferkey=a&chunk=0"
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodPut, url, bytes.NewReader(body))
	must(p.t, err)
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("X-Forwarded-For", "192.0.2.1")
	request.Header.Set("CF-Connecting-IP", "192.0.2.1")
	response, err := p.client.Do(request)
	must(p.t, err)
	response.Body.Close()
	return response.StatusCode, response.Header
}

// begin sends the first bytes of an upload.
func (p proxied) begin(contentType string, body []byte, sent int) *net.TCPConn {
	p.t.Helper()
	conn, err := tls.Dial("tcp", p.address, p.client.Transport.(*http.Transport).TLSClientConfig)
	must(p.t, err)
	p.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // or nginx may never notice that this client leaves
	fmt.Fprintf(conn, "PUT %s?transferkey=a&chunk=0 HTTP/1.1\r\nHost: files\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		uploadPath, contentType, len(body))
	_, err = conn.Write(body[:sent])
	must(p.t, err)
	return conn.NetConn().(*net.TCPConn)
}

// leave ends the client's side of the connection, and returns when nginx has ended the other.
func leave(client *net.TCPConn) {
	_ = client.CloseWrite()
	_, _ = io.Copy(io.Discard, client)
}

// TestAccNginx: nginx passes on a chunk, and refuses one byte more than a chunk and its overhead. An instance behind it never
// sees a part of an upload, whenever its client leaves, and no chunk while it has not answered the same.
func TestAccNginx(t *testing.T) {
	t.Parallel()
	service := newFakeService(t)
	nginx := startProxied(t, acceptance(t), service.URL)
	status := func(want int, contentType string, body []byte) {
		t.Helper()
		if got, _ := nginx.upload(contentType, body); got != want {
			t.Fatalf("a body of %d bytes got status %d, want %d", len(body), got, want)
		}
	}
	arrives := func(want int) {
		t.Helper()
		if got := <-service.received; got != int64(want) {
			t.Errorf("%d of %d bytes arrived", got, want)
		}
	}
	begins := func() {
		t.Helper()
		if got := len(service.begun); got != 1 {
			t.Fatalf("%d uploads began, want 1", got)
		}
		<-service.begun
	}
	const binary = "application/octet-stream"
	status(http.StatusOK, binary, make([]byte, chunkSize+overhead))
	arrives(chunkSize + overhead)
	begins()
	status(http.StatusRequestEntityTooLarge, binary, make([]byte, chunkSize+overhead+1))

	contentType, body := chunk(t, chunkSize)
	leave(nginx.begin(contentType, body, len(body)/2)) // while nginx reads
	status(http.StatusOK, contentType, body)
	arrives(len(body))
	begins()

	service.busy.Lock()
	client := nginx.begin(contentType, body, len(body))
	<-service.begun
	_ = client.Close() // while nginx passes it on
	status(http.StatusServiceUnavailable, contentType, body)
	service.busy.Unlock()
	arrives(len(body))
	if len(service.begun) > 0 {
		t.Error("the chunk arrived twice")
	}
}

// TestAccNginx_Without: without each of three settings, the instance sees a part of an upload, which ends the reference
// implementation, or a chunk twice, which it then stores twice.
func TestAccNginx_Without(t *testing.T) {
	t.Parallel()
	contentType, body := chunk(t, chunkSize)
	part := func(service fakeService) {
		t.Helper()
		if length := <-service.received; length == 0 || length >= chunkSize {
			t.Errorf("%d bytes arrived, want a part of %d", length, chunkSize)
		}
	}
	service := newFakeService(t)
	nginx := startProxied(t, acceptance(t), service.URL, "proxy_request_buffering   on", "proxy_request_buffering off")
	leave(nginx.begin(contentType, body, len(body)/2))
	part(service)

	service = newFakeService(t)
	nginx = startProxied(t, acceptance(t), service.URL, "proxy_ignore_client_abort on", "proxy_ignore_client_abort off")
	service.busy.Lock()
	client := nginx.begin(contentType, body, len(body))
	<-service.begun
	leave(client)
	service.busy.Unlock()
	part(service)

	service = newFakeService(t)
	nginx = startProxied(t, acceptance(t), service.URL, "limit_conn                transfers 1;", "")
	service.busy.Lock()
	for range 2 {
		client := nginx.begin(contentType, body, len(body))
		<-service.begun
		_ = client.Close()
	}
	service.busy.Unlock()
	for range 2 {
		if length := <-service.received; length != int64(len(body)) {
			t.Errorf("%d of %d bytes arrived", length, len(body))
		}
	}
}

// TestAccNginx_Once: nginx does not send a chunk again by itself, which it otherwise does if the instance has two addresses.
func TestAccNginx_Once(t *testing.T) {
	t.Parallel()
	const setting = "proxy_next_upstream       off;"
	for replacement, want := range map[string]int32{setting: 1, "": 2} {
		var begun atomic.Int32
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				begun.Add(1)
				panic(http.ErrAbortHandler) // ends the connection
			}
			_, _ = io.WriteString(w, instancetest.Newer().JSON())
		}))
		t.Cleanup(service.Close)
		address := strings.TrimPrefix(service.URL, "http://")
		nginx := startProxied(t, acceptance(t), service.URL, setting, replacement, "proxy_pass "+service.URL, "proxy_pass http://twice",
			"limit_conn_zone", fmt.Sprintf("upstream twice {\n  server %s;\n  server %[1]s;\n}\nlimit_conn_zone", address))
		nginx.upload(chunk(t, 1))
		if got := begun.Load(); got != want {
			t.Errorf("%q: the chunk was sent %d times, want %d", replacement, got, want)
		}
	}
}

// TestAccNginx_Headers: an instance learns a client's address from nginx alone, and no cache keeps what it answers.
func TestAccNginx_Headers(t *testing.T) {
	t.Parallel()
	service := newFakeService(t)
	nginx := startProxied(t, acceptance(t), service.URL)
	_, header := nginx.upload(chunk(t, 1))
	if got := header["Cache-Control"]; len(got) != 1 || got[0] != "no-store" {
		t.Errorf("Cache-Control is %q", got)
	}
	request := <-service.begun
	if got := request.Header.Get("X-Forwarded-For"); got != "127.0.0.1" {
		t.Errorf("X-Forwarded-For is %q", got)
	}
	if got := request.Header["Cf-Connecting-Ip"]; got != nil {
		t.Errorf("CF-Connecting-IP is %q", got)
	}
}

// chunk returns the body of an upload of one chunk, as browsers send it, and its content type.
func chunk(t *testing.T, size int) (contentType string, body []byte) {
	t.Helper()
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	part, err := form.CreateFormFile("file", "a file with a long name.bin")
	must(t, err)
	_, err = part.Write(make([]byte, size))
	must(t, err)
	must(t, form.Close())
	return form.FormDataContentType(), buffer.Bytes()
}

// startNginx runs nginx in a folder of its own until the test ends, and returns when it listens.
func startNginx(t *testing.T, nginx, address, configuration string) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "nginx.conf"), configuration)
	var log bytes.Buffer
	cmd := exec.CommandContext(t.Context(), nginx, "-p", dir, "-c", "nginx.conf")
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 10*time.Second
	cmd.Stdout, cmd.Stderr = &log, &log
	must(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() { <-ended })
	const attempts, pause = 100, 100 * time.Millisecond
	for range attempts {
		select {
		case <-ended:
			t.Fatalf("nginx ended: %v\n%s", cmd.ProcessState, &log)
		case <-time.After(pause):
		}
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return
		}
	}
	t.Fatal("nginx does not listen")
}
