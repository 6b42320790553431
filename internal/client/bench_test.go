package client_test

import (
	"context"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func BenchmarkRead(b *testing.B) {
	for name, option := range map[string]instancetest.Option{"HTTP": instancetest.WithPlainHTTP(), "HTTPS": instancetest.WithTLS()} {
		b.Run(name, func(b *testing.B) {
			server := instancetest.New(b, option)
			config := newConfig()
			config.Log = func(context.Context, string, ...map[string]any) {}
			c, request := newClient(b, config), newRequest(b, server.URL())
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Read(b.Context(), request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
