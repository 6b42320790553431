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

// TestAccNginx: nginx with the server block that the example makes of an instance's limits passes on a chunk, and refuses
// one byte more than a chunk and its overhead.
func TestAccNginx(t *testing.T) {
	t.Parallel()
	cli := acceptance(t)
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skipf("nginx is not on PATH: %v", err)
	}

	const chunkSize, overhead = 2_500_000, 1 << 20
	received := make(chan int64, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /instance", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, instancetest.Newer().With("chunkSize", chunkSize).JSON())
	})
	mux.HandleFunc("PUT /files/uploadChunk", func(_ http.ResponseWriter, r *http.Request) {
		length, _ := io.Copy(io.Discard, r.Body)
		received <- length
	})
	upstream := httptest.NewServer(mux)
	t.Cleanup(upstream.Close)

	address := instancetest.ReserveAddress(t)
	outputs := apply(t, cli, copyOf(t, "guides/operate-reverse-proxy"), map[string]any{"base_url": upstream.URL, "listen": address})
	startNginx(t, nginx, address, fmt.Sprintf(nginxFrame, outputs["nginx_conf"]))

	upload := func(contentType string, body []byte) int {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://"+address+"/files/uploadChunk?chunk=0", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", contentType)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode
	}
	accepted := func(contentType string, body []byte) {
		t.Helper()
		if status := upload(contentType, body); status != http.StatusOK {
			t.Fatalf("a body of %d bytes got status %d", len(body), status)
		}
		if length := <-received; length != int64(len(body)) {
			t.Errorf("%d of %d bytes arrived", length, len(body))
		}
	}

	accepted(chunk(t, chunkSize))
	accepted("application/octet-stream", make([]byte, chunkSize+overhead))
	if status := upload("application/octet-stream", make([]byte, chunkSize+overhead+1)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("one byte more got status %d, want %d", status, http.StatusRequestEntityTooLarge)
	}
	select {
	case length := <-received:
		t.Errorf("the refused body arrived, %d bytes of it", length)
	default:
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
