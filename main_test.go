package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// With this variable, the binary of this test is the provider, which the test starts as Terraform does. When its stdin
// ends, it prints the levels of libraries' logs.
const runMain = "FILETRANSFER_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) == "" {
		os.Exit(m.Run())
	}
	go func(stdin, stderr *os.File) { // which a provider that serves replaces
		_, _ = io.Copy(io.Discard, stdin)
		fmt.Fprintf(stderr, "SDK %s, framework %s, protocol %s, provider %s\n", os.Getenv("TF_LOG_SDK"),
			os.Getenv("TF_LOG_SDK_FRAMEWORK"), os.Getenv("TF_LOG_SDK_PROTO"), os.Getenv("TF_LOG_PROVIDER_FILETRANSFER"))
		if log.Writer() != io.Discard { // to which net/http writes
			fmt.Fprintln(stderr, "the log is not discarded")
		}
		os.Exit(0)
	}(os.Stdin, os.Stderr)
	main()
}

// Plugin libraries do not prepare a log that nobody reads. A provider that cannot serve ends with an exit code.
func TestProgram(t *testing.T) {
	t.Parallel()
	const address, nowhere = `"registry.terraform.io/filetransfer/filetransfer":`, "TMPDIR=/dev/null PLUGIN_MIN_PORT=none"
	tests := map[string]struct{ argument, variables, stdout, stderr, ending string }{
		"nobody asked":   {"", "", "|grpc|", "SDK OFF, framework OFF, protocol OFF, provider OFF\n", "<nil>"},
		"TF_LOG":         {"", "TF_LOG=TRACE", "|grpc|", "SDK , framework , protocol , provider \n", "<nil>"},
		"the protocol's": {"", "TF_LOG_SDK_PROTO=TRACE", "|grpc|", "SDK , framework , protocol TRACE, provider \n", "<nil>"},
		"a debugger":     {"-debug", "", address, "SDK , framework , protocol , provider \n", "<nil>"},
		"nowhere":        {"-debug", nowhere, "", "waiting on reattach configuration\n", "exit status 1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			command := exec.CommandContext(ctx, os.Args[0], strings.Fields(test.argument)...)
			log := func(variable string) bool { return strings.HasPrefix(variable, "TF_LOG") }
			command.Env = append(slices.DeleteFunc(os.Environ(), log), runMain+"=1", "PLUGIN_PROTOCOL_VERSIONS=6",
				"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
			command.Env = append(command.Env, strings.Fields(test.variables)...)
			stderr := new(strings.Builder)
			command.Stderr = stderr
			stdin, _ := command.StdinPipe()
			stdout, _ := command.StdoutPipe()
			_ = command.Start()
			lines, served := bufio.NewScanner(stdout), false
			for !served && lines.Scan() {
				served = test.stdout != "" && strings.Contains(lines.Text(), test.stdout)
			}
			_ = stdin.Close()
			err := command.Wait()
			told := strings.HasSuffix(stderr.String(), test.stderr)
			if served != (test.stdout != "") || fmt.Sprint(err) != test.ending || !told {
				t.Errorf("it serves: %t, ended with %v, and printed %q, want %q", served, err, stderr, test)
			}
		})
	}
}
