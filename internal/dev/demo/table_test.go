package main

import (
	"strings"
	"testing"
)

func TestPrintTable(t *testing.T) {
	t.Parallel()
	read := map[string]details{
		"older": {BaseURL: "http://a", APIVersion: "1.0.0", FileMaxSize: 1 << 40, RecommendedExpireTimes: []expireTime{
			{Label: "1 hour", InSeconds: 3600}, {Label: "2 Stunden\x1b[2J", InSeconds: 7200},
		}},
		"newer": {BaseURL: "http://bb", RequirePassword: true},
	}
	var out strings.Builder
	if err := printTable(&out, []target{{"older", ""}, {"newer", ""}}, read); err != nil {
		t.Fatal(err)
	}
	want := `
ATTRIBUTE                  OLDER                   NEWER
base_url                   http://a                http://bb
api_version                1.0.0
api_version_major          0                       0
api_version_minor          0                       0
api_version_patch          0                       0
require_password           false                   true
file_max_size (bytes)      1099511627776           0
chunk_size (bytes)         0                       0
file_max_age (seconds)     0                       0
max_transfers_in_merge     0                       0
recommended_expire_times   1 hour = 3600 s
                           2 Stunden[2J = 7200 s
`
	var got strings.Builder
	for line := range strings.Lines(out.String()) {
		got.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	if got.String() != strings.TrimPrefix(want, "\n") {
		t.Errorf("table is\n%swant\n%s", &got, want)
	}
}

func TestParseOutputs(t *testing.T) {
	t.Parallel()
	read, err := parseOutputs([]byte(`{"instances": {"sensitive": false, "type": ["map", "string"], "value": {"a": {"api_version_patch": 7}}}}`))
	if err != nil || read["a"].APIVersionPatch != 7 {
		t.Errorf("read %+v (%v)", read, err)
	}
	_, err = parseOutputs([]byte(`{"instances": {"value": {"a": {"brand_new": 7}}}}`))
	if err == nil || !strings.Contains(err.Error(), "brand_new") {
		t.Errorf("error is %v, want one that names the attribute the table lacks", err)
	}
}
