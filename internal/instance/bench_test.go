package instance_test

import (
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func BenchmarkParse(b *testing.B) {
	document := []byte(instancetest.Newer().JSON())
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := instance.Parse(document); err != nil {
			b.Fatal(err)
		}
	}
}
