//go:build unix

package service_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
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
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// instance is the newest release of the service. It keeps its files and its port when it is started again.
type instance struct {
	*testing.T
	*service
	release, storage string
	port             int
}

func newInstance(t *testing.T, settings ...string) *instance {
	t.Helper()
	releases, folders := installed(t)
	i := &instance{T: t, release: folders[releases[len(releases)-1]], storage: t.TempDir(), port: freePort(t)}
	i.start(settings...)
	return i
}

func (i *instance) start(settings ...string) {
	i.Helper()
	i.service = start(i.T, i.release, i.storage, i.port, settings...)
	i.document(i.T)
}

// restart replaces the process.
func (i *instance) restart(settings ...string) {
	i.Helper()
	i.end(syscall.SIGTERM)
	i.start(settings...)
}

// stored is what the service stores of a transfer, by the transfer's key.
func (i *instance) stored(key string) []byte {
	i.Helper()
	content, err := os.ReadFile(filepath.Join(i.storage, key, "file"))
	if err != nil {
		i.Fatal(err)
	}
	return content
}

// shared is what the service stores under a share key.
func (i *instance) shared(key string) []byte {
	i.Helper()
	content, err := os.ReadFile(filepath.Join(i.storage, "db.json"))
	if err != nil {
		i.Fatal(err)
	}
	var transfers map[string]struct{ TransferKey string }
	if err := json.Unmarshal(content, &transfers); err != nil {
		i.Fatal(err)
	}
	return i.stored(transfers[key].TransferKey)
}

// relay passes on connections from nginx to the service. nginx makes one for each request.
type relay struct {
	url     string
	uploads atomic.Int32         // begun
	next    atomic.Pointer[hold] // of the next upload
}

// hold is what the relay does to an upload: it passes on the first bytes, and waits until it may go on. With no bytes it
// passes on all of them, and waits with the answer.
type hold struct {
	bytes                int64
	line                 string // of the request
	reached, goOn, ended chan struct{}
}

// holdNext holds the next upload.
func (r *relay) holdNext(bytes int64) *hold {
	h := &hold{bytes: bytes, reached: make(chan struct{}), goOn: make(chan struct{}), ended: make(chan struct{})}
	r.next.Store(h)
	return h
}

func newRelay(i *instance) *relay {
	i.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		i.Fatal(err)
	}
	i.Cleanup(func() { listener.Close() })
	r := &relay{url: "http://" + listener.Addr().String()}
	target := strings.TrimPrefix(i.url, "http://")
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go r.pass(i.Context(), conn, target)
		}
	}()
	return r
}

func (r *relay) pass(ctx context.Context, conn net.Conn, target string) {
	defer conn.Close()
	from := bufio.NewReaderSize(conn, 4096)
	line, err := from.ReadString('\n')
	if err != nil {
		return
	}
	var h *hold
	if strings.HasPrefix(line, "PUT ") {
		r.uploads.Add(1)
		h = r.next.Swap(nil)
	}
	service, err := net.Dial("tcp", target)
	if err != nil {
		return // nginx answers 502
	}
	defer service.Close()
	wait := func() {
		close(h.reached)
		select {
		case <-h.goOn:
		case <-ctx.Done():
		}
	}
	go func() {
		io.WriteString(service, line)
		if h != nil && h.bytes > 0 {
			h.line = line
			io.CopyN(service, from, h.bytes)
			wait()
		}
		io.Copy(service, from)
		service.(*net.TCPConn).CloseWrite() // nginx has ended the connection
	}()
	answer := bufio.NewReader(service)
	if h != nil {
		defer close(h.ended)
		if _, err := answer.Peek(1); err == nil && h.bytes == 0 {
			wait()
		}
	}
	io.Copy(conn, answer)
}

// proxied is nginx as the guide configures it, in front of a service.
type proxied struct {
	*testing.T
	address, url string
	client       *http.Client // trusts its certificate
	certificate  string       // path
	dir          string
	nginx        *exec.Cmd
	log          *bufio.Scanner
}

const frame = `
daemon off;
user root; # which only root can become
pid nginx.pid;
error_log stderr;
events {}
http {
  log_format statuses "$request_method $status";
  access_log /dev/stdout statuses;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
%s}
`

// newProxied renders the configuration for an instance, makes the edits, and starts nginx.
func newProxied(t *testing.T, baseURL string, edits ...string) *proxied {
	t.Helper()
	if _, err := exec.LookPath("nginx"); err != nil {
		t.Skipf("nginx is not on PATH: %v", err)
	}
	certificate := httptest.NewTLSServer(nil)
	t.Cleanup(certificate.Close)
	key, err := x509.MarshalPKCS8PrivateKey(certificate.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	w := newExample(t, "operate-reverse-proxy")
	file, keyFile := filepath.Join(w.dir, "cert.pem"), filepath.Join(w.dir, "key.pem")
	w.write("cert.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate().Raw}))
	w.write("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	w.set(map[string]any{"base_url": baseURL})
	configuration, _ := w.apply()["nginx_conf"].(string)
	edits = append(edits, " 443 ", " "+address+" ", "/etc/ssl/files.example.org.pem", file, "/etc/ssl/files.example.org.key", keyFile)
	for edit := range slices.Chunk(edits, 2) {
		if !strings.Contains(configuration, edit[0]) {
			t.Fatalf("the configuration has no %q: %s", edit[0], configuration)
		}
	}
	w.write("nginx.conf", fmt.Appendf(nil, frame, strings.NewReplacer(edits...).Replace(configuration)))

	p := &proxied{T: t, address: address, url: "https://" + address, client: certificate.Client(), certificate: file, dir: w.dir}
	p.start()
	p.Cleanup(func() {
		p.nginx.Cancel()
		p.nginx.Wait()
	})
	return p
}

// start starts nginx, and returns when it listens.
func (p *proxied) start() {
	p.Helper()
	var stderr bytes.Buffer
	p.nginx = command(p.dir, "nginx", "-p", p.dir, "-c", "nginx.conf")
	p.nginx.Stderr = &stderr
	stdout, err := p.nginx.StdoutPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := p.nginx.Start(); err != nil {
		p.Fatal(err)
	}
	p.log = bufio.NewScanner(stdout)
	for timeout := time.After(time.Minute); ; {
		if conn, err := net.Dial("tcp", p.address); err == nil {
			conn.Close()
			return
		}
		select {
		case <-timeout:
			p.Fatalf("nginx does not listen: %s", stderr.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// quit ends nginx after the requests that are under way.
func (p *proxied) quit() {
	p.Helper()
	if err := p.nginx.Process.Signal(syscall.SIGQUIT); err != nil {
		p.Fatal(err)
	}
	if err := p.nginx.Wait(); err != nil {
		p.Fatal(err)
	}
}

// newExample returns a workspace with an example of the guide.
func newExample(t *testing.T, name string) workspace {
	t.Helper()
	w := workspace{t, t.TempDir()}
	content, err := os.ReadFile(filepath.Join("../../examples/guides", name, "main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	w.write("main.tf", content)
	return w
}

// apply applies the configuration, and returns its outputs.
func (w workspace) apply() map[string]any {
	w.Helper()
	if diagnostics, ok := w.do("apply", "-auto-approve"); !ok {
		w.Fatalf("%+v", diagnostics)
	}
	var state struct {
		Values struct {
			Outputs map[string]struct{ Value any }
		}
	}
	w.show(&state)
	outputs := map[string]any{}
	for name, output := range state.Values.Outputs {
		outputs[name] = output.Value
	}
	return outputs
}

// transfer is what the service answers when a transfer is created or complete.
type transfer struct {
	TransferKey string
	Uploaded    bool
	Chunks      []struct {
		Size       int
		UploadPath string
	}
}

// create creates a transfer for a file.
func (p *proxied) create(size int) (created transfer) {
	p.Helper()
	body := strings.NewReader(fmt.Sprintf("filename=f&filesize=%d&expiretime=600", size))
	response, err := p.client.Post(p.url+"/files/create", "application/x-www-form-urlencoded", body)
	if err != nil {
		p.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&created); err != nil || response.StatusCode != http.StatusOK {
		p.Fatalf("status %d, %v", response.StatusCode, err)
	}
	return created
}

// form returns the body of an upload, of at least that length: it begins with as many bytes that mean nothing as are missing.
func form(chunk []byte, length int) (contentType string, body []byte) {
	var buffer bytes.Buffer
	writer := multipart.NewWriter(&buffer)
	part, _ := writer.CreateFormFile("file", "chunk")
	part.Write(chunk)
	writer.Close()
	if missing := length - buffer.Len() - 2; missing > 0 {
		body = append(bytes.Repeat([]byte("-"), missing), "\r\n"...)
	}
	return writer.FormDataContentType(), append(body, buffer.Bytes()...)
}

// put uploads a chunk.
func (p *proxied) put(path string, chunk []byte, length int) (status int, answer string) {
	p.Helper()
	contentType, body := form(chunk, length)
	request, err := http.NewRequestWithContext(p.Context(), http.MethodPut, p.url+path, bytes.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	response, err := p.client.Do(request)
	if err != nil {
		p.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		p.Fatal(err)
	}
	return response.StatusCode, string(content)
}

// again uploads a chunk again until nginx passes it on, and wants the answer that the service has it.
func (p *proxied) again(path string, chunk []byte) {
	p.Helper()
	status, answer := http.StatusServiceUnavailable, ""
	for status == http.StatusServiceUnavailable && p.Context().Err() == nil {
		status, answer = p.put(path, chunk, 0)
	}
	if status != http.StatusBadRequest || !strings.Contains(answer, "déjà uploadé") {
		p.Errorf("a chunk that is there already gets status %d, %s", status, answer)
	}
}

// begin sends the first part of an upload on a connection of its own.
func (p *proxied) begin(path string, chunk []byte, part float64) net.Conn {
	p.Helper()
	conn, err := tls.Dial("tcp", p.address, p.client.Transport.(*http.Transport).TLSClientConfig)
	if err != nil {
		p.Fatal(err)
	}
	contentType, body := form(chunk, 0)
	fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: files\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", path, contentType, len(body))
	if _, err := conn.Write(body[:int(part*float64(len(body)))]); err != nil {
		p.Fatal(err)
	}
	return conn
}
