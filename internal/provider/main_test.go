package provider_test

import (
	"flag"
	"os"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

func TestMain(m *testing.M) {
	acctest.CleanEnvironment()
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set("16") // most tests wait
	}
	os.Exit(m.Run())
}
