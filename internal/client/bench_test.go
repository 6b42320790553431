package client_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"testing"
	"time"

	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// BenchmarkRead reads an instance over and over, and compares that with as many plain GETs of the same URL through a
// pool of net/http's own.
func BenchmarkRead(b *testing.B) {
	for name, option := range map[string]it.Option{"HTTP": it.WithPath(""), "HTTPS": it.WithTLS()} {
		b.Run(name, func(b *testing.B) {
			server := it.New(b, option)
			c, request := prepare(b, server.URL(), trusting(server), withHeaders(b, map[string]string{"Authorization": secret}))
			pool := x509.NewCertPool()
			pool.AppendCertsFromPEM([]byte(server.CACertPEM()))
			transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
			defer transport.CloseIdleConnections()
			plain := &http.Client{Transport: transport}

			reading := func() {
				if _, err := c.Read(b.Context(), request); err != nil {
					b.Fatal(err)
				}
			}
			getting := func() {
				response, err := plain.Get(request.BaseURL.String())
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
			}
			reading() // opens the connections
			getting()

			b.ReportAllocs()
			for b.Loop() {
				reading()
			}
			perRead := b.Elapsed() / time.Duration(b.N)
			begin := time.Now()
			for range b.N {
				getting()
			}
			perGet := time.Since(begin) / time.Duration(b.N)
			b.ReportMetric(float64(perRead)/float64(perGet), "times-a-GET")
		})
	}
}
