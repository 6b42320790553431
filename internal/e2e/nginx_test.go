package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// nginxConfiguration has nginx run as this user, and keep its files in its own folder.
const nginxConfiguration = `
daemon off;
user root; # which only root can become
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
  server {
    listen %s;
    %s
    location / { proxy_pass %s; }
  }
}
`

// startNginx runs nginx in front of a server until the test ends, with a directive from a page, and returns its URL.
func startNginx(t *testing.T, directive, server string) string {
	t.Helper()
	nginx, err := exec.LookPath("nginx")
	switch {
	case runtime.GOOS != "linux":
		t.Skip("nginx is only run on Linux")
	case err != nil && os.Getenv("CI") != "":
		t.Fatal("nginx is not on PATH, and must be where CI is set: scripts/install-nginx installs it")
	case err != nil:
		t.Skip("nginx is not on PATH: scripts/install-nginx installs it")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	socket, err := listener.(*net.TCPListener).File()
	must(t, err)
	defer socket.Close()
	dir, address := t.TempDir(), listener.Addr().String()
	write(t, filepath.Join(dir, "nginx.conf"), fmt.Sprintf(nginxConfiguration, address, directive, server))
	var log bytes.Buffer
	cmd := exec.CommandContext(t.Context(), nginx, "-p", dir, "-c", "nginx.conf")
	// nginx gets the socket as it would from an nginx that it replaces: requests wait there until it is ready.
	cmd.ExtraFiles, cmd.Env = []*os.File{socket}, append(os.Environ(), "NGINX=3;")
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // which ends its worker too
	must(t, cmd.Start())
	t.Cleanup(func() {
		if _ = cmd.Wait(); t.Failed() {
			t.Logf("nginx says:\n%s", &log)
		}
	})
	return "http://" + address
}

// nginx passes on a body of a chunk and 1 MiB, and refuses one byte more.
func TestAccNginx_BodyLimit(t *testing.T) {
	t.Parallel()
	server := instancetest.New(t)
	e := newExample(t, acceptance(t), "data-sources/filetransfer_instance")
	e.variables["base_url"] = server.URL()
	e.setVariables()
	e.apply()
	arrived := make(chan int64, 1)
	server.SetDefault(instancetest.Func(func(_ http.ResponseWriter, r *http.Request) {
		length, _ := io.Copy(io.Discard, r.Body)
		arrived <- length
	}))
	nginx := startNginx(t, e.follower("terraform_data.nginx").(string), server.URL())
	transport := &http.Transport{ExpectContinueTimeout: time.Minute}
	t.Cleanup(transport.CloseIdleConnections)
	const limit = 20_000_000 + 1<<20
	for size, status := range map[int]int{limit: http.StatusOK, limit + 1: http.StatusRequestEntityTooLarge} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, nginx, bytes.NewReader(make([]byte, size)))
		must(t, err)
		request.Header.Set("Expect", "100-continue") // so that nginx can refuse a body that is not sent yet
		response, err := transport.RoundTrip(request)
		must(t, err)
		response.Body.Close()
		if response.StatusCode != status {
			t.Errorf("%d bytes get status %d, want %d", size, response.StatusCode, status)
		}
	}
	if got := <-arrived; got != limit || len(arrived) > 0 {
		t.Errorf("%d of %d bytes arrived", got, limit)
	}
}
