package tfcli_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
)

// fakeVariable makes this test binary play the program whose name it is called by. A shell script would need a shell.
const fakeVariable = "TFCLI_TEST_FAKE"

func TestMain(m *testing.M) {
	if os.Getenv(fakeVariable) == "" {
		os.Exit(m.Run())
	}
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if err := fake(name, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fake is what each fake program does.
func fake(name string, args []string) error {
	for _, variable := range []string{"TF_CLI_ARGS", "TF_WORKSPACE", "FILETRANSFER_BASE_URL"} {
		if _, set := os.LookupEnv(variable); set && name != "go" {
			return fmt.Errorf("%s reached the CLI", variable)
		}
	}
	switch name {
	case "terraform":
		fmt.Printf("Terraform v1.11.4\non %s_%s\n", runtime.GOOS, runtime.GOARCH)
	case "tofu", "pinned":
		fmt.Print("A notice comes first.\n\nOpenTofu v1.12.6-dev\non somewhere\n")
	case "imposter":
		fmt.Println("Packer v1.2.3")
	case "broken":
		return fmt.Errorf("no version is selected")
	case "go":
		want := []string{"-C", filepath.Join("root", "tools", "tofu"), "tool", "-n", "tofu"}
		if !slices.Equal(args, want) || os.Getenv("CGO_ENABLED") != "0" {
			return fmt.Errorf("go was called with %q", args)
		}
		if os.Getenv("FAKE_GO_FAILS") != "" {
			return fmt.Errorf("verifying module: checksum mismatch")
		}
		fmt.Fprintln(os.Stderr, "go: downloading")
		fmt.Println(filepath.Join(os.Getenv("PATH"), exe("pinned")))
	}
	return nil
}

// playable makes a program at path that [TestMain] plays: a hard link, as Windows may forbid symbolic ones, or a copy
// where the link would cross file systems.
func playable(path string) error {
	self, err := os.Executable()
	if err != nil || os.Link(self, path) == nil {
		return err
	}
	content, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o700)
}

func exe(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// machine makes the fake programs all there is on PATH, and returns their folder.
func machine(t *testing.T, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, program := range programs {
		if err := playable(filepath.Join(dir, exe(program))); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv(fakeVariable, "1")
	t.Setenv("GORACE", "atexit_sleep_ms=0") // or each fake takes a second to end under the race detector
	t.Setenv("TF_ACC_TERRAFORM_PATH", "")
	t.Setenv("TF_CLI_ARGS", "-no-color")
	t.Setenv("TF_WORKSPACE", "production")
	t.Setenv("FILETRANSFER_BASE_URL", "https://example.com")
	return dir
}

func TestFind_Order(t *testing.T) {
	tests := map[string]struct {
		programs []string
		named    string
		want     string // program
		product  string
		version  string
		log      string
	}{
		"named by the environment": {
			programs: []string{"terraform", "tofu"}, named: "tofu",
			want: "tofu", product: tfcli.OpenTofu, version: "1.12.6-dev",
		},
		"terraform before tofu": {
			programs: []string{"tofu", "terraform"},
			want:     "terraform", product: tfcli.Terraform, version: "1.11.4",
		},
		"tofu alone": {
			programs: []string{"tofu"},
			want:     "tofu", product: tfcli.OpenTofu, version: "1.12.6-dev",
		},
		"neither": {
			programs: []string{"go", "pinned"},
			want:     "pinned", product: tfcli.OpenTofu, version: "1.12.6-dev",
			log: "takes minutes the first time.\ngo: downloading\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := machine(t, test.programs...)
			if test.named != "" {
				t.Setenv("TF_ACC_TERRAFORM_PATH", filepath.Join(dir, exe(test.named)))
			}
			var log strings.Builder
			got, err := tfcli.Find(t.Context(), "root", &log)
			if err != nil {
				t.Fatal(err)
			}
			want := tfcli.CLI{Path: filepath.Join(dir, exe(test.want)), Product: test.product, Version: test.version}
			if got != want {
				t.Errorf("found %+v, want %+v", got, want)
			}
			if !strings.HasSuffix(log.String(), test.log) || test.log == "" && log.Len() > 0 {
				t.Errorf("log is %q, want it to end in %q", log.String(), test.log)
			}
		})
	}
}

func TestFind_Errors(t *testing.T) {
	tests := map[string]struct {
		programs []string
		named    string
		want     []string
	}{
		"named one is missing, another is on PATH": {
			programs: []string{"terraform"}, named: "nowhere",
			want: []string{"nowhere"},
		},
		"one on PATH does not run, another would": {
			programs: []string{"broken", "tofu"}, named: "broken",
			want: []string{"broken version", "no version is selected"},
		},
		"something else": {
			programs: []string{"imposter"}, named: "imposter",
			want: []string{"neither Terraform nor OpenTofu", "Packer v1.2.3"},
		},
		"build fails": {
			programs: []string{"go"},
			want:     []string{"no terraform or tofu on PATH", "could not be built"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := machine(t, test.programs...)
			t.Setenv("FAKE_GO_FAILS", "1")
			if test.named != "" {
				t.Setenv("TF_ACC_TERRAFORM_PATH", filepath.Join(dir, exe(test.named)))
			}
			got, err := tfcli.Find(t.Context(), "root", io.Discard)
			if err == nil {
				t.Fatalf("found %+v, want an error", got)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
}

func TestFindAll(t *testing.T) {
	dir := machine(t, "terraform", "tofu")
	t.Setenv("TF_ACC_TERRAFORM_PATH", filepath.Join(dir, exe("tofu")))
	found, err := tfcli.FindAll(t.Context(), "root", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, cli := range found {
		got = append(got, cli.Name())
	}
	want := []string{"OpenTofu 1.12.6-dev", "Terraform 1.11.4"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want each once and in order: %q", got, want)
	}
}

func TestAccEnv_HostFollowsProduct(t *testing.T) {
	t.Parallel()
	for product, host := range map[string]string{
		tfcli.Terraform: "registry.terraform.io",
		tfcli.OpenTofu:  "registry.opentofu.org",
	} {
		env := tfcli.CLI{Path: "/bin/cli", Product: product}.AccEnv()
		for _, want := range []string{
			"TF_ACC=1", "TF_ACC_TERRAFORM_PATH=/bin/cli", "TF_ACC_PROVIDER_HOST=" + host, "TF_ACC_PROVIDER_NAMESPACE=filetransfer",
		} {
			if !slices.Contains(env, want) {
				t.Errorf("%s: %q is not in %q", product, want, env)
			}
		}
	}
}

func TestEnviron(t *testing.T) {
	for _, variable := range []string{"TF_VAR_x", "TF_CLI_ARGS_plan", "TF_CLI_CONFIG_FILE", "TF_REATTACH_PROVIDERS", "FILETRANSFER_BASE_URL"} {
		t.Setenv(variable, "from outside")
	}
	t.Setenv("TF_LOG_PROVIDER", "kept")
	t.Setenv("TF_ACC_PERSIST_WORKING_DIR", "kept")
	t.Setenv("HTTPS_PROXY", "kept")
	env := tfcli.Environ()
	kept := 0
	for _, variable := range env {
		if strings.HasSuffix(variable, "=from outside") {
			t.Errorf("%q is still there", variable)
		}
		if strings.HasSuffix(variable, "=kept") {
			kept++
		}
	}
	if kept != 3 {
		t.Errorf("%d of 3 variables were kept in %q", kept, env)
	}
	if !slices.Contains(env, "TF_CLI_CONFIG_FILE="+os.DevNull) {
		t.Errorf("the user's CLI configuration is not switched off in %q", env)
	}
}
