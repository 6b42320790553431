package client_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/client"
	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const mebibyte = 1 << 20

// padded returns an instance document of that many bytes.
func padded(size int) string {
	document := it.Newer().JSON()
	return document + strings.Repeat(" ", size-len(document))
}

// gzipped answers a body with gzip, whatever the request accepts.
func gzipped(body string) it.Step {
	var compressed bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&compressed, gzip.BestSpeed)
	_, _ = writer.Write([]byte(body))
	_ = writer.Close()
	return it.Func(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(compressed.Bytes())
	})
}

func TestRead(t *testing.T) {
	t.Parallel()
	document := it.Newer().JSON()
	verbatim := func(text string) it.Option { return it.WithDefault(it.Verbatim(text, it.CloseConnection())) }
	tests := map[string]struct {
		instance []it.Option
		proto    string
		document string
		options  func(*it.Server) []option
	}{
		"HTTP/1":              {nil, "HTTP/1.1", document, nil},
		"under a path":        {[]it.Option{it.WithPath("/files/api")}, "HTTP/1.1", document, nil},
		"older shape":         {[]it.Option{it.WithDocument(it.Older())}, "HTTP/1.1", it.Older().JSON(), nil},
		"HTTPS":               {[]it.Option{it.WithTLSHTTP1()}, "HTTP/1.1", document, nil},
		"HTTP/2":              {[]it.Option{it.WithTLS()}, "HTTP/2.0", document, nil},
		"gzip":                {[]it.Option{it.WithDefault(gzipped(document))}, "HTTP/1.1", document, nil},
		"gzip over HTTP/2":    {[]it.Option{it.WithTLS(), it.WithDefault(gzipped(document))}, "HTTP/2.0", document, nil},
		"byte order mark":     {[]it.Option{it.WithDocument("\ufeff" + document)}, "HTTP/1.1", document, nil},
		"other content type":  {[]it.Option{it.WithDefault(it.Body(200, "text/html", document))}, "HTTP/1.1", document, nil},
		"no content type":     {[]it.Option{it.WithDefault(it.Body(200, "", document))}, "HTTP/1.1", document, nil},
		"exactly 1 MiB":       {[]it.Option{it.WithDocument(padded(mebibyte))}, "HTTP/1.1", padded(mebibyte), nil},
		"exactly 1 MiB, gzip": {[]it.Option{it.WithDefault(gzipped(padded(mebibyte)))}, "HTTP/1.1", padded(mebibyte), nil},
		"exactly 1 MiB, no length": {
			[]it.Option{verbatim("HTTP/1.1 200 OK\r\n\r\n" + padded(mebibyte))}, "HTTP/1.1", padded(mebibyte), nil,
		},
		"HTTP/1.0":   {[]it.Option{verbatim("HTTP/1.0 200 OK\r\n\r\n" + document)}, "HTTP/1.1", document, nil},
		"1xx before": {[]it.Option{verbatim("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + document)}, "HTTP/1.1", document, nil},
		"chunked by the byte": {
			[]it.Option{verbatim("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks(document))}, "HTTP/1.1", document, nil,
		},
		"optional client certificate sent": {
			[]it.Option{it.WithTLS()}, "HTTP/2.0", document,
			func(server *it.Server) []option { return []option{withClientCert(server)} },
		},
		"mutual TLS over HTTP/1": {
			[]it.Option{it.WithTLSHTTP1(), it.WithClientCertificate()}, "HTTP/1.1", document,
			func(server *it.Server) []option { return []option{withClientCert(server)} },
		},
		"mutual TLS over HTTP/2": {
			[]it.Option{it.WithClientCertificate()}, "HTTP/2.0", document,
			func(server *it.Server) []option { return []option{withClientCert(server)} },
		},
		"expired, insecure": {
			[]it.Option{it.WithCertificate(it.CertificateExpired)}, "HTTP/2.0", document,
			func(*it.Server) []option { return []option{func(s *setup) { s.TLS = client.TLS{Insecure: true} }} },
		},
		"self-signed, insecure": {
			[]it.Option{it.WithCertificate(it.CertificateSelfSigned)}, "HTTP/2.0", document,
			func(*it.Server) []option { return []option{func(s *setup) { s.TLS.Insecure = true }} },
		},
		"required header": {
			[]it.Option{it.WithRequiredHeader("X-Api-Key", "k3y")}, "HTTP/1.1", document,
			func(*it.Server) []option {
				return []option{func(s *setup) { s.Headers = http.Header{"X-Api-Key": {"k3y"}} }}
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := it.New(t, test.instance...)
			options := []option{trusting(server)}
			if test.options != nil {
				options = append(options, test.options(server)...)
			}
			for _, url := range []string{server.URL(), server.URL() + "/"} {
				result := read(t, url, options...)
				if string(result.Document) != test.document {
					t.Errorf("the document is %.200q, want %.200q", result.Document, test.document)
				}
				if result.Details == nil || result.Details.FileMaxSizeBytes == 0 {
					t.Errorf("no details: %+v", result.Details)
				}
			}
			requests := server.Requests()
			if len(requests) != 2 {
				t.Fatalf("%d requests for two reads", len(requests))
			}
			for _, request := range requests {
				if request.Method != http.MethodGet || server.Origin()+request.Path != server.URL()+"/instance" || request.RawQuery != "" || request.Proto != test.proto {
					t.Errorf("the request was %s %s?%s %s", request.Method, request.Path, request.RawQuery, request.Proto)
				}
			}
		})
	}
}

// chunks encodes a body in chunks of one byte.
func chunks(body string) string {
	var b strings.Builder
	for i := range len(body) {
		fmt.Fprintf(&b, "1\r\n%c\r\n", body[i])
	}
	b.WriteString("0\r\n\r\n")
	return b.String()
}

func TestReadSlowButInTime(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithDefault(it.Delay(50*time.Millisecond, it.Answer())))
	read(t, server.URL(), attempts(1), timeout(30*time.Second))
}

func TestLocalhostName(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithTLS())
	read(t, strings.Replace(server.URL(), "127.0.0.1", "LOCALHOST", 1), trusting(server))
}

func TestNewRefusesTLSMaterial(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	cert, key := server.ClientCertPEM(), server.ClientKeyPEM()
	tests := map[string]struct {
		tls   client.TLS
		words []string
	}{
		"CA not PEM":          {client.TLS{CACertPEM: "/etc/ssl/ca.pem"}, []string{"CA certificates", "BEGIN CERTIFICATE"}},
		"CA is a key":         {client.TLS{CACertPEM: key}, []string{"CA certificates", "BEGIN CERTIFICATE"}},
		"CA cut short":        {client.TLS{CACertPEM: cert[:len(cert)/2]}, []string{"CA certificates", "BEGIN CERTIFICATE"}},
		"certificate only":    {client.TLS{ClientCertPEM: cert}, []string{"client certificate and key do not make a pair"}},
		"key only":            {client.TLS{ClientKeyPEM: key}, []string{"client certificate and key do not make a pair"}},
		"swapped":             {client.TLS{ClientCertPEM: key, ClientKeyPEM: cert}, []string{"do not make a pair"}},
		"key of another":      {client.TLS{ClientCertPEM: server.CACertPEM(), ClientKeyPEM: key}, []string{"do not make a pair", "does not match"}},
		"key that is no PEM":  {client.TLS{ClientCertPEM: cert, ClientKeyPEM: "s3cret"}, []string{"do not make a pair"}},
		"key that is garbage": {client.TLS{ClientCertPEM: cert, ClientKeyPEM: "-----BEGIN PRIVATE KEY-----\nczNjcmV0\n-----END PRIVATE KEY-----\n"}, []string{"do not make a pair"}},
	}
	keyLine := strings.Split(key, "\n")[1]
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := client.New(client.Config{TLS: test.tls})
			if err == nil {
				t.Fatalf("got the client %v", c)
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the error %q does not say %q", err, word)
				}
			}
			for _, private := range []string{keyLine, "s3cret", "czNjcmV0"} {
				if strings.Contains(err.Error(), private) {
					t.Errorf("the error %q repeats the key", err)
				}
			}
			mustBePrintable(t, err.Error())
		})
	}
}

// Every certificate of the text counts, wherever it stands.
func TestCACertsAreAdded(t *testing.T) {
	t.Parallel()
	server := it.New(t, it.WithTLS())
	for name, text := range map[string]string{
		"last":  server.ClientCertPEM() + "\n" + server.CACertPEM(),
		"first": server.CACertPEM() + "\n" + server.ClientCertPEM(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := read(t, server.URL(), func(s *setup) { s.TLS.CACertPEM = text })
			if result.Details == nil {
				t.Error("no details")
			}
		})
	}
}

func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	plain := http.Header{"Accept": {"application/json"}, "User-Agent": {userAgent}, "Accept-Encoding": {"gzip"}}
	with := func(name, value string) http.Header {
		header := plain.Clone()
		header.Set(name, value)
		return header
	}
	tests := map[string]struct {
		headers map[string]string
		want    http.Header
		host    string
	}{
		"none":       {nil, plain, ""},
		"extra":      {map[string]string{"x-api-key": "k"}, with("X-Api-Key", "k"), ""},
		"accept":     {map[string]string{"accept": "text/plain"}, with("Accept", "text/plain"), ""},
		"user agent": {map[string]string{"user-agent": "mine"}, with("User-Agent", "mine"), ""},
		"host":       {map[string]string{"host": "files.example.org"}, plain, "files.example.org"},
	}
	for name, test := range tests {
		for proto, option := range map[string]it.Option{"HTTP/1.1": it.WithTLSHTTP1(), "HTTP/2.0": it.WithTLS()} {
			t.Run(name+" over "+proto, func(t *testing.T) {
				t.Parallel()
				server := it.New(t, option)
				read(t, server.URL(), trusting(server), withHeaders(t, test.headers))
				request := server.Requests()[0]
				for name := range request.Header {
					if request.Header.Get(name) != test.want.Get(name) {
						t.Errorf("%s is %q, want %q", name, request.Header.Get(name), test.want.Get(name))
					}
				}
				if len(request.Header) != len(test.want) {
					t.Errorf("the headers are %v, want %v", request.Header, test.want)
				}
				host := test.host
				if host == "" {
					host = server.Address()
				}
				if request.Host != host || request.Proto != proto {
					t.Errorf("host %q by %s, want %q by %s", request.Host, request.Proto, host, proto)
				}
			})
		}
	}
}

// A read must not change the header that it is given: reads share it.
func TestReadKeepsHeaders(t *testing.T) {
	t.Parallel()
	server := it.New(t)
	headers := http.Header{"Host": {"files.example.org"}, "Accept": {"text/plain"}}
	read(t, server.URL(), func(s *setup) { s.Headers = headers })
	if len(headers) != 2 || headers.Get("Host") != "files.example.org" || headers.Get("Accept") != "text/plain" {
		t.Errorf("after the read the headers are %v", headers)
	}
}
