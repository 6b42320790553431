package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

const runMain = "FILETRANSFER_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) != "" {
		go reportLogs(os.Stderr)
		main()
		return
	}
	os.Exit(m.Run())
}

// reportLogs waits for the end of stdin. It then writes the levels of the plugin libraries' logs to stderr, and ends the program.
func reportLogs(stderr io.Writer) {
	_, _ = io.Copy(io.Discard, os.Stdin)
	_, _ = fmt.Fprintf(stderr, "SDK %s, framework %s, protocol %s, provider %s\n", os.Getenv("TF_LOG_SDK"),
		os.Getenv("TF_LOG_SDK_FRAMEWORK"), os.Getenv("TF_LOG_SDK_PROTO"), os.Getenv("TF_LOG_PROVIDER_FILETRANSFER"))
	os.Exit(0)
}

// program returns the provider as a program: this test's own binary, which runs main. No log is asked for.
func program(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], arguments...)
	command.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "TF_LOG") })
	command.Env = append(command.Env, runMain+"=1",
		// Terraform sets these. Without them, a provider does not serve.
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2", "PLUGIN_PROTOCOL_VERSIONS=6")
	return command
}

// serve runs a program until it serves, and returns what it printed, and wrote to stderr.
func serve(t *testing.T, command *exec.Cmd) (printed, stderr string) {
	t.Helper()
	var written strings.Builder
	command.Stderr = &written
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for !strings.Contains(printed, "|grpc|") && !strings.Contains(printed, "TF_REATTACH_PROVIDERS=") && lines.Scan() {
		printed += lines.Text() + "\n"
	}
	_ = stdin.Close()
	if err := command.Wait(); err != nil {
		t.Fatalf("the provider ended with %v: %s", err, &written)
	}
	return printed, written.String()
}

// With -debug, the provider tells Terraform its address.
func TestAddressIsThatOfTheRegistry(t *testing.T) {
	t.Parallel()
	printed, _ := serve(t, program(t, "-debug"))
	if want := `{"registry.terraform.io/filetransfer/filetransfer":{`; !strings.Contains(printed, want) {
		t.Errorf("-debug printed %q, want %s in it", printed, want)
	}
}

// A provider that cannot serve ends with an exit code that scripts notice, and says why.
func TestExitCode(t *testing.T) {
	t.Parallel()
	command := program(t, "-debug")
	command.Env = append(command.Env, "TMPDIR="+os.DevNull, "PLUGIN_MIN_PORT=none") // nowhere to listen, on Windows neither
	if _, err := command.StdinPipe(); err != nil {                                  // which stays open, so that nothing else ends the program
		t.Fatal(err)
	}
	output, err := command.CombinedOutput()
	if code := command.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(output), "timeout waiting on reattach configuration") {
		t.Errorf("the exit code is %d (%v), and the output %q", code, err, output)
	}
}

// What is built as a release says its version in every request. The CLI runs the program itself, as users do.
func TestAccVersion(t *testing.T) {
	t.Parallel()
	cli := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if os.Getenv("TF_ACC") == "" || cli == "" {
		t.Skip("scripts/with-cli has the CLI")
	}
	release, err := os.ReadFile(".goreleaser.yml")
	if err != nil {
		t.Fatal(err)
	}
	flags := regexp.MustCompile(`ldflags: \["(.*)"\]`).FindSubmatch(release)
	if flags == nil {
		t.Fatal(".goreleaser.yml has no ldflags")
	}
	folder, server := t.TempDir(), instancetest.New(t)
	run := func(name string, arguments ...string) {
		command := exec.CommandContext(t.Context(), name, arguments...)
		command.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(folder, "cli.tfrc"))
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, output)
		}
	}
	for name, text := range map[string]string{
		"main.tf":  acctest.RequiredProviders + fmt.Sprintf("data \"filetransfer_instance\" \"files\" {\n  base_url = %q\n}\n", server.URL()),
		"cli.tfrc": fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"filetransfer/filetransfer\" = %q\n  }\n}\n", folder),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// With .exe, Windows finds it, and the others do not mind.
	ldflags := strings.ReplaceAll(string(flags[1]), "{{ .Version }}", "98.7.6")
	run("go", "build", "-o", filepath.Join(folder, "terraform-provider-filetransfer.exe"), "-ldflags", ldflags, ".")
	run(cli, "-chdir="+folder, "plan")
	if got := server.Requests()[0].Header.Get("User-Agent"); !strings.HasPrefix(got, "terraform-provider-filetransfer/98.7.6 Terraform/") {
		t.Errorf("the User-Agent is %q", got)
	}
}

// The plugin libraries do not prepare a log that nobody reads.
func TestLogs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arguments []string
		asked     string
		want      string
	}{
		"nobody asked":    {want: "SDK OFF, framework OFF, protocol OFF, provider OFF\n"},
		"for a debugger":  {arguments: []string{"-debug"}, want: "SDK , framework , protocol , provider \n"},
		"TF_LOG":          {asked: "TF_LOG=TRACE", want: "SDK , framework , protocol , provider \n"},
		"TF_LOG_PROVIDER": {asked: "TF_LOG_PROVIDER=TRACE", want: "SDK , framework , protocol , provider \n"},
		"the protocol's":  {asked: "TF_LOG_SDK_PROTO=TRACE", want: "SDK , framework , protocol TRACE, provider \n"},
		"the framework's": {asked: "TF_LOG_SDK_FRAMEWORK=TRACE", want: "SDK , framework TRACE, protocol , provider \n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := program(t, test.arguments...)
			command.Env = append(command.Env, test.asked)
			_, stderr := serve(t, command)
			if !strings.HasSuffix(stderr, test.want) {
				t.Errorf("the provider's logs are %q, want %q", stderr, test.want)
			}
		})
	}
}
