package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestParseTargets_ReleaseConfiguration(t *testing.T) {
	t.Parallel()
	configuration, err := os.ReadFile("../../../" + releaseConfiguration)
	if err != nil {
		t.Fatal(err)
	}
	targets, err := parseTargets(string(configuration))
	if err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Fields(strings.ReplaceAll(string(output), "/", "_"))
	for _, target := range targets {
		if !slices.Contains(known, target) {
			t.Errorf("Go cannot compile for %s", target)
		}
	}
	for _, want := range []string{"darwin_arm64", "freebsd_amd64", "linux_amd64", "linux_arm", "linux_386", "windows_amd64"} {
		if !slices.Contains(targets, want) {
			t.Errorf("%s is not in %q", want, targets)
		}
	}
}

func TestParseTargets(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		configuration string
		want          []string
		wantErr       string
	}{
		"among other keys": {
			configuration: "builds:\n  - id: x\n    targets:\n      - linux_amd64\n      - linux_386\n    flags: [y]\nz:\n  - a_b\n",
			want:          []string{"linux_amd64", "linux_386"},
		},
		"flush with its key": {
			configuration: "targets:\n- linux_amd64\n",
			want:          []string{"linux_amd64"},
		},
		"none":            {configuration: "builds:\n  - goos: [linux]\n", wantErr: "0 lists"},
		"on one line":     {configuration: "    targets: [linux_amd64]\n", wantErr: "0 lists"},
		"two builds":      {configuration: "targets:\n- a_b\nx: y\ntargets:\n- c_d\n", wantErr: "2 lists"},
		"another form":    {configuration: "targets:\n- linux_amd64\n- linux_amd64_v1\n", wantErr: "1 of 2 targets"},
		"with a comment":  {configuration: "targets:\n- linux_amd64 # why\n", wantErr: "0 of 1 targets"},
		"empty item left": {configuration: "targets:\n- \n", wantErr: "0 of 1 targets"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parseTargets(test.configuration)
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Errorf("got %q and error %v, want %q", got, err, test.wantErr)
				}
				return
			}
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %q (%v), want %q", got, err, test.want)
			}
		})
	}
}
