package client_test

import (
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func BenchmarkRead(b *testing.B) {
	for name, option := range map[string]instancetest.Option{"HTTP": instancetest.WithPath(""), "HTTPS": instancetest.WithTLS()} {
		b.Run(name, func(b *testing.B) {
			server := instancetest.New(b, option)
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
