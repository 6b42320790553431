package main

import (
	"strings"
	"testing"
)

func TestPrintTable(t *testing.T) {
	t.Parallel()
	read, err := parseOutputs([]byte(`{"instances": {"sensitive": false, "type": ["map", "string"], "value": {
		"older": {
			"api_version": "1.3.2", "base_url": "http://a", "file_max_size": 1099511627776, "max_downloads": null, "recommended_expire_times": [
				{"label": "1 hour", "in_seconds": 3600}, {"label": "2 Stunden\u001b[2J", "in_seconds": 7200}
			]
		},
		"newer": {"api_version": "2.1.5", "base_url": "http://bb", "file_max_size": 0, "require_password": true, "recommended_expire_times": []}
	}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := printTable(&out, []target{{"older", ""}, {"newer", ""}}, read); err != nil {
		t.Fatal(err)
	}
	want := `
ATTRIBUTE                  OLDER                   NEWER
base_url                   http://a                http://bb
api_version                1.3.2                   2.1.5
file_max_size              1099511627776           0
max_downloads              null                    null
recommended_expire_times   1 hour = 3600 s
                           2 Stunden[2J = 7200 s
require_password           null                    true
`
	var got strings.Builder
	for line := range strings.Lines(out.String()) {
		got.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	if got.String() != strings.TrimPrefix(want, "\n") {
		t.Errorf("table is\n%swant\n%s", &got, want)
	}
}
