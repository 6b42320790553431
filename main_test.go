package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
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

// The plugin libraries do not prepare a log that nobody reads.
func TestLogs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arguments []string
		asked     string
		want      string
	}{
		"nobody asked":           {want: "SDK OFF, framework OFF, protocol OFF, provider OFF\n"},
		"for a debugger":         {arguments: []string{"-debug"}, want: "SDK , framework , protocol , provider \n"},
		"TF_LOG":                 {asked: "TF_LOG=TRACE", want: "SDK , framework , protocol , provider \n"},
		"TF_LOG_PROVIDER":        {asked: "TF_LOG_PROVIDER=TRACE", want: "SDK , framework , protocol , provider \n"},
		"the log of one library": {asked: "TF_LOG_SDK_PROTO=TRACE", want: "SDK , framework , protocol TRACE, provider \n"},
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
