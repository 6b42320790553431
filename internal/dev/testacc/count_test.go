package main

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		events string
		want   counts
		log    string // what the log must have, and all of it
	}{
		"leaves only": {
			events: `
				{"Action":"run","Package":"p","Test":"TestA"}
				{"Action":"run","Package":"p","Test":"TestA/one/with slash"}
				{"Action":"run","Package":"p","Test":"TestA/two"}
				{"Action":"pass","Package":"p","Test":"TestA/one/with slash"}
				{"Action":"skip","Package":"p","Test":"TestA/two"}
				{"Action":"pass","Package":"p","Test":"TestA"}
				{"Action":"pass","Package":"p"}`,
			want: counts{passed: 1, skipped: 1},
		},
		"same test name in two packages": {
			events: `
				{"Action":"pass","Package":"p","Test":"TestA"}
				{"Action":"pass","Package":"q","Test":"TestA"}`,
			want: counts{passed: 2},
		},
		"failure counts once, and its output is shown": {
			events: `
				{"Action":"run","Package":"p","Test":"TestA"}
				{"Action":"run","Package":"p","Test":"TestA/one"}
				{"Action":"output","Package":"p","Test":"TestA/one","Output":"wrong\n"}
				{"Action":"output","Package":"p","Test":"TestB","Output":"right\n"}
				{"Action":"fail","Package":"p","Test":"TestA/one"}
				{"Action":"fail","Package":"p","Test":"TestA"}
				{"Action":"pass","Package":"p","Test":"TestB"}
				{"Action":"fail","Package":"p"}`,
			want: counts{passed: 1, failed: 1},
			log:  "wrong\n",
		},
		"parent fails by itself": {
			events: `
				{"Action":"pass","Package":"p","Test":"TestA/one"}
				{"Action":"fail","Package":"p","Test":"TestA"}
				{"Action":"fail","Package":"p"}`,
			want: counts{passed: 1, failed: 1},
		},
		"package does not build": {
			events: `
				{"ImportPath":"p","Action":"build-output","Output":"p.go:1: undefined: x\n"}
				{"ImportPath":"p","Action":"build-fail"}
				{"Action":"fail","Package":"p","FailedBuild":"p"}`,
			want: counts{failed: 1},
			log:  "p.go:1: undefined: x\n",
		},
		"binary dies in a test": {
			events: `
				{"Action":"run","Package":"p","Test":"TestA"}
				{"Action":"output","Package":"p","Output":"panic\n"}
				{"Action":"fail","Package":"p"}`,
			want: counts{failed: 1},
			log:  "panic\n",
		},
		"package without tests": {
			events: `{"Action":"skip","Package":"p"}`,
		},
		"not an event": {
			events: "go: cannot find main module\n",
			log:    "go: cannot find main module\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			got, err := count(strings.NewReader(strings.TrimPrefix(test.events, "\n")), &log)
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("counts are %+v, want %+v", got, test.want)
			}
			if log.String() != test.log {
				t.Errorf("log is %q, want %q", log.String(), test.log)
			}
		})
	}
}
