package client_test

import (
	"testing"

	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func BenchmarkRead(b *testing.B) {
	for name, option := range map[string]it.Option{"HTTP": it.WithPath(""), "HTTPS": it.WithTLS()} {
		b.Run(name, func(b *testing.B) {
			server := it.New(b, option)
			c, request := prepare(b, server.URL(), trusting(server), withHeaders(b, map[string]string{"Authorization": secret}))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Read(b.Context(), request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
