package main

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-version"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// acceptance skips a test that needs a CLI, and returns a folder for temporary files.
func acceptance(t *testing.T) string {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	return t.TempDir()
}

// checkNothingIsLeft fails the test if the demo left something in the folder for temporary files or in the tree.
func checkNothingIsLeft(t *testing.T, temp string) {
	t.Helper()
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("the demo left %v (%v)", left, err)
	}
	err = filepath.WalkDir("../../../examples/demo", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(path) != ".tf" {
			t.Errorf("the demo left %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAccDemo_TableErrorAndOutage(t *testing.T) {
	t.Parallel()
	temp := acceptance(t)
	var out strings.Builder
	if err := demo(t.Context(), "../../..", temp, "", &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`(?m)^==> .* Sizes are in bytes, durations in seconds:$`,
		`(?m)^ATTRIBUTE +OLDER +NEWER\nbase_url +http://\S+ +http://\S+$`,
		`(?m)^file_max_age +2592000 +2592000$`,
		`(?m)^max_transfers_in_merge +10 +50$`,
		`(?m)^recommended_expire_times +30 minutes = 1800 s +30 minutes = 1800 s$`,
		`(?m)^ +1 month = 2592000 s +1 month = 2592000 s$`,
		`(?m)^    Error: Response is not an instance document$`,
		`(?m)^ +- fileMaxSize: expected an integer .*, found null$`,
		`(?m)^    No changes\.`,
		`(?m)^    Warning: Instance not read, last known details kept: http://\S+$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("output does not match %s:\n%s", want, &out)
		}
	}
	checkNothingIsLeft(t, temp)
}

func TestAccDemo_OneInstance(t *testing.T) {
	t.Parallel()
	temp := acceptance(t)
	server := instancetest.New(t, instancetest.WithDocument(instancetest.Older().With("apiVersion", "1.9.7")))
	var out strings.Builder
	if err := demo(t.Context(), "../../..", temp, server.URL(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^ATTRIBUTE +INSTANCE$`, `(?m)^api_version +1\.9\.7$`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("output does not match %s:\n%s", want, &out)
		}
	}
	checkNothingIsLeft(t, temp)
}

func TestAccDemo_FailureShowsWhatTheCLISaid(t *testing.T) {
	t.Parallel()
	temp := acceptance(t)
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Status(403)))
	var out strings.Builder
	err := demo(t.Context(), "../../..", temp, server.URL(), &out)
	if err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("error is %v, want the status the provider reported", err)
	}
	checkNothingIsLeft(t, temp)
}

func TestAccDemo_InterruptCleansUp(t *testing.T) {
	t.Parallel()
	temp := acceptance(t)
	cli, err := tfcli.Find(t.Context(), "../../..", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if cli.Product == tfcli.Terraform && version.Must(version.NewVersion(cli.Version)).LessThan(version.Must(version.NewVersion("1.5"))) {
		t.Skipf("an interrupt reaches a provider from Terraform 1.5 on; this is %s", cli.Name())
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	server := instancetest.New(t, instancetest.WithDefault(instancetest.Silent()))
	done := make(chan error, 1)
	go func() { done <- demo(ctx, "../../..", temp, server.URL(), new(strings.Builder)) }()

	// The interrupt comes while the provider waits for an answer.
	for len(server.Requests()) == 0 {
		select {
		case err := <-done:
			t.Fatalf("the demo ended before it read the instance: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	interrupted := time.Now()
	interrupt()
	if err := <-done; err == nil {
		t.Error("an interrupted demo reports no error")
	}
	// Half of one attempt's timeout: it did not wait for the instance.
	if took := time.Since(interrupted); took > 5*time.Second {
		t.Errorf("the demo ended %s after the interrupt", took)
	}
	checkNothingIsLeft(t, temp)
}
