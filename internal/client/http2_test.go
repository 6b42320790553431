package client_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// rawHTTP2 starts a server that speaks HTTP/2 frame by frame. A negative stream
// means that the connection has just begun; serve closes it by an error.
func rawHTTP2(t *testing.T, serve func(framer *http2.Framer, stream int) error) (url string, requests *atomic.Int64) {
	t.Helper()
	certPEM, keyPEM := selfMadeCertificate(t)
	certificate, err := tls.X509KeyPair([]byte(certPEM), []byte(keyPEM))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	requests = new(atomic.Int64)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				_ = speakHTTP2(c, requests, serve)
			})
		}
	})
	// The client, made later, is closed before.
	t.Cleanup(func() {
		_ = listener.Close()
		running.Wait()
	})
	return "https://" + listener.Addr().String(), requests
}

func speakHTTP2(c net.Conn, requests *atomic.Int64, serve func(framer *http2.Framer, stream int) error) error {
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return err
	}
	framer := http2.NewFramer(c, c)
	if err := errors.Join(framer.WriteSettings(), serve(framer, -1)); err != nil {
		return err
	}
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return err
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				err = framer.WriteSettingsAck()
			}
		case *http2.PingFrame:
			if !frame.IsAck() {
				err = framer.WritePing(true, frame.Data)
			}
		case *http2.HeadersFrame:
			requests.Add(1)
			err = serve(framer, int(frame.StreamID))
		}
		if err != nil {
			return err
		}
	}
}

// answer is a head in HTTP/2: names and values in turn.
func answer(framer *http2.Framer, stream int, end bool, fields ...string) error {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for i := 0; i < len(fields); i += 2 {
		_ = encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	const most = 16 << 10
	first := block.Next(most)
	err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(stream), BlockFragment: first, EndStream: end, EndHeaders: block.Len() == 0})
	for block.Len() > 0 && err == nil {
		next := block.Next(most)
		err = framer.WriteContinuation(uint32(stream), block.Len() == 0, next)
	}
	return err
}

var errHangUp = errors.New("close the connection")

func insecure(s *setup) { s.TLS.Insecure = true }

func TestHTTP2Faults(t *testing.T) {
	t.Parallel()
	const before, during = "before it had answered", "before the whole response had arrived"
	document := []byte(it.Newer().JSON())
	onRequest := func(f func(framer *http2.Framer, stream int) error) func(*http2.Framer, int) error {
		return func(framer *http2.Framer, stream int) error {
			if stream < 0 {
				return nil
			}
			return f(framer, stream)
		}
	}
	reset := func(code http2.ErrCode) func(*http2.Framer, int) error {
		return onRequest(func(framer *http2.Framer, stream int) error { return framer.WriteRSTStream(uint32(stream), code) })
	}
	goAway := func(last uint32, code http2.ErrCode) func(*http2.Framer, int) error {
		return onRequest(func(framer *http2.Framer, _ int) error {
			return errors.Join(framer.WriteGoAway(last, code, []byte("s3cret debug data")), errHangUp)
		})
	}
	tests := map[string]struct {
		serve    func(framer *http2.Framer, stream int) error
		kind     client.Kind
		attempts int
		words    []string
	}{
		"reset, INTERNAL_ERROR":    {reset(http2.ErrCodeInternal), client.KindBroken, 3, []string{"the server reset the HTTP/2 stream (INTERNAL_ERROR)"}},
		"reset, CANCEL":            {reset(http2.ErrCodeCancel), client.KindBroken, 3, []string{"the server reset the HTTP/2 stream (CANCEL)"}},
		"reset, ENHANCE_YOUR_CALM": {reset(http2.ErrCodeEnhanceYourCalm), client.KindBroken, 3, []string{"the server reset the HTTP/2 stream (ENHANCE_YOUR_CALM)"}},
		"reset, unknown code":      {reset(0xfefe), client.KindBroken, 3, []string{"the server reset the HTTP/2 stream (unknown error code 0xfefe)"}},
		"reset in the body": {onRequest(func(framer *http2.Framer, stream int) error {
			return errors.Join(answer(framer, stream, false, ":status", "200"), framer.WriteData(uint32(stream), false, document[:50]),
				framer.WriteRSTStream(uint32(stream), http2.ErrCodeInternal))
		}), client.KindBroken, 3, []string{"the server reset the HTTP/2 stream (INTERNAL_ERROR)"}},
		"going away, first stream":    {goAway(0, http2.ErrCodeEnhanceYourCalm), client.KindBroken, 3, []string{before}},
		"going away, stream accepted": {goAway(1, http2.ErrCodeInternal), client.KindBroken, 3, []string{before}},
		"going away, gracefully":      {goAway(1, http2.ErrCodeNo), client.KindBroken, 3, []string{before}},
		"going away in the body": {onRequest(func(framer *http2.Framer, stream int) error {
			return errors.Join(answer(framer, stream, false, ":status", "200"), framer.WriteData(uint32(stream), false, document[:50]),
				framer.WriteGoAway(uint32(stream), http2.ErrCodeNo, nil), errHangUp)
		}), client.KindBroken, 3, []string{during}},
		"closed":         {onRequest(func(*http2.Framer, int) error { return errHangUp }), client.KindBroken, 3, []string{before}},
		"closed at once": {func(*http2.Framer, int) error { return errHangUp }, client.KindBroken, 3, []string{before}},
		"closed in the body": {onRequest(func(framer *http2.Framer, stream int) error {
			return errors.Join(answer(framer, stream, false, ":status", "200", "content-length", "99"), framer.WriteData(uint32(stream), false, document[:50]), errHangUp)
		}), client.KindBroken, 3, []string{during}},
		"shorter than said": {onRequest(func(framer *http2.Framer, stream int) error {
			return errors.Join(answer(framer, stream, false, ":status", "200", "content-length", "99"), framer.WriteData(uint32(stream), true, document[:50]))
		}), client.KindBroken, 3, []string{during}},
		"no status": {onRequest(func(framer *http2.Framer, stream int) error {
			return answer(framer, stream, true, "content-type", "text/plain")
		}), client.KindProtocol, 1, []string{"not valid HTTP", "missing status"}},
		"bad status": {onRequest(func(framer *http2.Framer, stream int) error {
			return answer(framer, stream, true, ":status", "fine")
		}), client.KindProtocol, 1, []string{"not valid HTTP", "status"}},
		"bad header": {onRequest(func(framer *http2.Framer, stream int) error {
			return answer(framer, stream, true, ":status", "200", "UPPER", "x")
		}), client.KindProtocol, 1, []string{"not valid HTTP", "invalid header field name"}},
		"head too large": {onRequest(func(framer *http2.Framer, stream int) error {
			fields := []string{":status", "200"}
			for range 19 {
				fields = append(fields, "x-big", strings.Repeat("x", 13_800)) // 256 KiB and a bit
			}
			return answer(framer, stream, true, fields...)
		}), client.KindProtocol, 1, []string{"not valid HTTP", "header list larger"}},
		"garbage frame": {onRequest(func(framer *http2.Framer, _ int) error {
			return framer.WriteRawFrame(http2.FrameData, 0, 0, []byte("x"))
		}), client.KindProtocol, 1, []string{"not valid HTTP", "PROTOCOL_ERROR"}},
		"not an instance": {onRequest(func(framer *http2.Framer, stream int) error {
			return errors.Join(answer(framer, stream, false, ":status", "404"), framer.WriteData(uint32(stream), true, []byte("Nothing here")))
		}), client.KindStatus, 1, []string{"status 404 Not Found: Nothing here"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, requests := rawHTTP2(t, test.serve)
			failure := failing(t, url, insecure, attempts(3))
			must(t, failure, test.kind, test.attempts, test.words...)
			if strings.Contains(failure.Error(), "s3cret") {
				t.Errorf("the failure %q repeats debug data", failure)
			}
			if n := int(requests.Load()); name != "closed at once" && n != 2*test.attempts {
				t.Errorf("%d requests in two reads, want %d", n, 2*test.attempts)
			}
		})
	}
}

// A stream that a server refused was not processed (RFC 9113, section 8.7):
// net/http repeats the request at once, within the attempt.
func TestHTTP2RefusedStream(t *testing.T) {
	t.Parallel()
	var refused atomic.Bool
	url, requests := rawHTTP2(t, func(framer *http2.Framer, stream int) error {
		switch {
		case stream < 0:
			return nil
		case refused.CompareAndSwap(false, true):
			return framer.WriteRSTStream(uint32(stream), http2.ErrCodeRefusedStream)
		default:
			return errors.Join(answer(framer, stream, false, ":status", "200"), framer.WriteData(uint32(stream), true, []byte(it.Newer().JSON())))
		}
	})
	read(t, url, insecure, attempts(1))
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// HTTP/2 has no such header, and net/http repeats its value in the error. No
// attempt can do better.
func TestHTTP2RefusesUpgrade(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]option{"usual": nil, "until ready": {untilReady}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, it.WithTLS())
			// In both headers, as the texts are searched for what Authorization has.
			options := append(options, trusting(server), withHeaders(t, map[string]string{"Authorization": secret, "Upgrade": secret}))
			failure := failing(t, server.URL(), options...)
			must(t, failure, client.KindRequest, 1)
			if want := "HTTP/2 does not allow the request header Upgrade"; failure.Reason != want {
				t.Errorf("the reason is %q, want %q", failure.Reason, want)
			}
			if n := len(server.Requests()); n != 0 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// Whether the alert of a server that wants a client certificate arrives over
// HTTP/2 is a race; what the failure says is not.
func TestHTTP2MissingClientCertificate(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithClientCertificate())
	c, request := prepare(t, server.URL(), trusting(server))
	var running sync.WaitGroup
	for range 30 { // they may get each other's connections
		running.Go(func() {
			_, err := c.Read(t.Context(), request)
			failure, ok := client.AsFailure(err)
			if !ok {
				t.Errorf("error %v", err)
				return
			}
			must(t, failure, client.KindTLS, 1, "asked for a client certificate")
		})
	}
	running.Wait()

	var want string
	for range 30 {
		failure := failOnce(t, server.URL(), trusting(server))
		must(t, failure, client.KindTLS, 1, "asked for a client certificate")
		if want == "" {
			want = failure.Error()
		}
		if failure.Error() != want {
			t.Fatalf("two runs differ:\n%s\n%s", want, failure)
		}
	}
}
