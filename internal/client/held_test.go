package client

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
)

// What a server sends before it is asked is read after the request, and a connection that is closed holds nobody.
func TestHeldConn(t *testing.T) {
	t.Parallel()
	for name, release := range map[string]func(*heldConn){
		"written": func(c *heldConn) { _, _ = c.Write([]byte("?")) },
		"closed":  func(c *heldConn) { _ = c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				defer theirs.Close()
				go func() { _, _ = io.WriteString(theirs, "unasked") }()
				go func() { _, _ = io.Copy(io.Discard, theirs) }()
				c := &heldConn{ours, make(chan struct{}, 1)}
				_, _ = c.Write([]byte("handshake"))
				c.hold()
				read := false
				go func() {
					_, _ = c.Read(make([]byte, 16))
					read = true
				}()
				synctest.Wait()
				if read {
					t.Error("it was read before the request")
				}
				release(c)
				synctest.Wait()
				if !read {
					t.Error("it was not read after the request")
				}
				_ = c.Close()
			})
		})
	}
}
