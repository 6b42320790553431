package provider_test

import (
	"os"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
)

func TestMain(m *testing.M) {
	acctest.CleanEnvironment()
	os.Exit(m.Run())
}
