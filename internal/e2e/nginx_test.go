package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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

// newFakeService starts the service with TLS or without.
func newFakeService(t *testing.T, start func(http.Handler) *httptest.Server) fakeService {
	t.Helper()
	const more = 10
	service := fakeService{begun: make(chan *http.Request, more), received: make(chan int64, more), busy: new(sync.Mutex)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /instance", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, instancetest.Newer().With("chunkSize", chunkSize).JSON())
	})
	mux.HandleFunc("PUT /files/uploadChunk", func(_ http.ResponseWriter, r *http.Request) {
		service.begun <- r
		service.busy.Lock()
		defer service.busy.Unlock()
		length, _ := io.Copy(io.Discard, r.Body)
		service.received <- length
	})
	service.Server = start(mux)
	t.Cleanup(service.Close)
	return service
}

// proxied is nginx with the server block that the example makes of an instance's limits.
type proxied struct {
	t       *testing.T
	address string
}

// startProxied runs nginx in front of an instance. The edits are made to the server block.
func startProxied(t *testing.T, cli cli, baseURL string, edits ...string) proxied {
	t.Helper()
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skipf("nginx is not on PATH: %v", err)
	}
	e := newExample(t, cli, "guides/operate-reverse-proxy")
	write(t, filepath.Join(e.dir, "insecure.tf"), "provider \"filetransfer\" {\n  insecure = true\n}\n") // the certificate is the test's own
	address := instancetest.ReserveAddress(t)
	e.variables = map[string]any{"base_url": baseURL, "listen": address}
	e.setVariables()
	e.apply()
	rendered := e.state().Outputs["nginx_conf"].Value.(string)
	startNginx(t, nginx, address, fmt.Sprintf(nginxFrame, strings.NewReplacer(edits...).Replace(rendered)))
	return proxied{t, address}
}

// upload sends a body, and returns the status of the response.
func (p proxied) upload(contentType string, body []byte) int {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodPut, "http://"+p.address+"/files/uploadChunk?chunk=0", bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// begin sends the first bytes of an upload.
func (p proxied) begin(contentType string, body []byte, sent int) *net.TCPConn {
	p.t.Helper()
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // or nginx may never notice that this client leaves
	fmt.Fprintf(conn, "PUT /files/uploadChunk?chunk=0 HTTP/1.1\r\nHost: files\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", contentType, len(body))
	if _, err := conn.Write(body[:sent]); err != nil {
		p.t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// leave ends the client's side of the connection, and returns when nginx has ended the other.
func leave(client *net.TCPConn) {
	_ = client.CloseWrite()
	_, _ = io.Copy(io.Discard, client)
}

// TestAccNginx: nginx passes on a chunk, and refuses one byte more than a chunk and its overhead. An instance behind it never
// sees a part of an upload, whenever its client leaves.
func TestAccNginx(t *testing.T) {
	t.Parallel()
	service := newFakeService(t, httptest.NewServer)
	nginx := startProxied(t, acceptance(t), service.URL)
	accepted := func(contentType string, body []byte) {
		t.Helper()
		if status := nginx.upload(contentType, body); status != http.StatusOK {
			t.Fatalf("a body of %d bytes got status %d", len(body), status)
		}
		if length := <-service.received; length != int64(len(body)) {
			t.Errorf("%d of %d bytes arrived", length, len(body))
		}
	}
	accepted(chunk(t, chunkSize))
	accepted("application/octet-stream", make([]byte, chunkSize+overhead))
	if status := nginx.upload("application/octet-stream", make([]byte, chunkSize+overhead+1)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("one byte more got status %d, want %d", status, http.StatusRequestEntityTooLarge)
	}
	contentType, body := chunk(t, chunkSize)
	leave(nginx.begin(contentType, body, len(body)/2))
	accepted(contentType, body)
	if got := len(service.begun); got != 3 {
		t.Fatalf("%d uploads began, want 3", got)
	}
	for range 3 {
		<-service.begun
	}
	service.busy.Lock()
	client := nginx.begin(contentType, body, len(body))
	<-service.begun
	_ = client.Close()
	service.busy.Unlock()
	if length := <-service.received; length != int64(len(body)) {
		t.Errorf("%d of %d bytes arrived after the client had left", length, len(body))
	}
}

// TestAccNginx_PartOfAnUpload: without one of two settings, the instance does see a part of an upload, which ends the
// reference implementation.
func TestAccNginx_PartOfAnUpload(t *testing.T) {
	t.Parallel()
	contentType, body := chunk(t, chunkSize)
	part := func(service fakeService) {
		t.Helper()
		if length := <-service.received; length == 0 || length >= chunkSize {
			t.Errorf("%d bytes arrived, want a part of %d", length, chunkSize)
		}
	}
	service := newFakeService(t, httptest.NewServer)
	nginx := startProxied(t, acceptance(t), service.URL, "proxy_http_version", "proxy_request_buffering off; proxy_http_version")
	leave(nginx.begin(contentType, body, len(body)/2))
	part(service)

	service = newFakeService(t, httptest.NewServer)
	nginx = startProxied(t, acceptance(t), service.URL, "proxy_ignore_client_abort on", "proxy_ignore_client_abort off")
	service.busy.Lock()
	client := nginx.begin(contentType, body, len(body))
	<-service.begun
	leave(client)
	service.busy.Unlock()
	part(service)
}

// TestAccNginx_HTTPS: nginx asks for an instance with TLS by the name in base_url.
func TestAccNginx_HTTPS(t *testing.T) {
	t.Parallel()
	service := newFakeService(t, httptest.NewTLSServer)
	baseURL := strings.Replace(service.URL, "127.0.0.1", "localhost", 1)
	nginx := startProxied(t, acceptance(t), baseURL)
	if status := nginx.upload(chunk(t, chunkSize)); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	request := <-service.begun
	if request.TLS.ServerName != "localhost" || "https://"+request.Host != baseURL {
		t.Errorf("nginx asked %q for %q", request.TLS.ServerName, request.Host)
	}
	if got := request.Header.Get("X-Forwarded-For"); got != "127.0.0.1" {
		t.Errorf("X-Forwarded-For is %q", got)
	}
}

// chunk returns the body of an upload of one chunk, as browsers send it, and its content type.
func chunk(t *testing.T, size int) (contentType string, body []byte) {
	t.Helper()
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	part, err := form.CreateFormFile("file", "a file with a long name.bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return form.FormDataContentType(), buffer.Bytes()
}

// startNginx runs nginx in a folder of its own until the test ends, and returns when it listens.
func startNginx(t *testing.T, nginx, address, configuration string) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "nginx.conf"), configuration)
	var log bytes.Buffer
	cmd := exec.Command(nginx, "-p", dir, "-c", "nginx.conf")
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	const attempts, pause = 100, 100 * time.Millisecond
	for range attempts {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("nginx ended: %v\n%s", err, &log)
		case <-time.After(pause):
		}
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return
		}
	}
	t.Fatal("nginx does not listen")
}
