package main

import (
	"bufio"
	"cmp"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const runMain = "FILETRANSFER_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program returns the provider as a program: this test's own binary, which runs main.
func program(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], arguments...)
	command.Env = append(os.Environ(), runMain+"=1")
	return command
}

func TestVersionIsPrinted(t *testing.T) {
	t.Parallel()
	output, err := program(t, "-version").Output()
	if want := "terraform-provider-filetransfer dev (commit none)\n"; err != nil || string(output) != want {
		t.Errorf("-version printed %q (%v), want %q", output, err, want)
	}
}

// With -debug, the provider tells Terraform its address.
func TestAddressIsThatOfTheRegistry(t *testing.T) {
	t.Parallel()
	command := program(t, "-debug")
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}()
	printed, lines := "", bufio.NewScanner(output)
	for !strings.Contains(printed, "TF_REATTACH_PROVIDERS=") && lines.Scan() {
		printed += lines.Text() + "\n"
	}
	if want := `{"registry.terraform.io/filetransfer/filetransfer":{`; !strings.Contains(printed, want) {
		t.Errorf("-debug printed %q, want %s in it", printed, want)
	}
}

func TestLogIsWrittenOnlyIfItWasAskedFor(t *testing.T) {
	ours := []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO", "TF_LOG_PROVIDER_FILETRANSFER"}
	for _, asked := range []string{"", "TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_PROVIDER_FILETRANSFER", "TF_LOG_SDK_PROTO"} {
		t.Run(cmp.Or(asked, "nothing"), func(t *testing.T) {
			for _, variable := range append(os.Environ(), ours...) {
				if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "TF_LOG") {
					t.Setenv(name, "") // which sets it back at the end
					_ = os.Unsetenv(name)
				}
			}
			want := "OFF"
			if asked != "" {
				want = ""
				t.Setenv(asked, "TRACE")
			}
			silenceUnreadLog()
			for _, variable := range ours {
				if got := os.Getenv(variable); variable != asked && got != want {
					t.Errorf("%s is %q, want %q", variable, got, want)
				}
			}
		})
	}
}
