package provider_test

import (
	"fmt"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestDoubtfulExpiryOptionsGiveOneWarningOfEachKind(t *testing.T) {
	t.Parallel()
	contradiction := func(label string, seconds int64) instancetest.Document {
		return instancetest.NewerEntry(label, seconds).With("value", seconds)
	}
	var many []instancetest.Document
	for i := range 25 {
		many = append(many, contradiction(fmt.Sprintf("option %d", i), 3600))
	}
	type wanted struct {
		summary string
		details []string
	}
	tests := map[string]struct {
		entries []instancetest.Document
		want    []wanted
		lacks   string
	}{
		"seconds in the newer shape": {entries: []instancetest.Document{instancetest.NewerEntry("5 s", 5)}},
		"a minute":                   {entries: []instancetest.Document{instancetest.OlderEntry("1 min", 60)}},
		"some without inSeconds": {
			entries: []instancetest.Document{
				instancetest.OlderEntry("1 min", 60), instancetest.NewerEntry("1 day", 86400), instancetest.OlderEntry("1 month", 43200),
			},
			want: []wanted{{"Expiry options without inSeconds beside others with it", []string{
				"/instance\n  - recommendedExpireTimes[0] (\"1 min\"): 60\n  - recommendedExpireTimes[2] (\"1 month\"): 43200\n\n", "may be minutes",
			}}},
		},
		"all kinds": {
			entries: []instancetest.Document{
				contradiction("1 heure", 3600), instancetest.OlderEntry("30 min", 30),
				contradiction("1 día", 86400), instancetest.OlderEntry("never", 0),
			},
			want: []wanted{
				{"Expiry options contradict themselves", []string{
					`- recommendedExpireTimes[0] ("1 heure"): inSeconds is 3600, in whole minutes 60, but value is 3600`,
					`- recommendedExpireTimes[2] ("1 día")`, "read by inSeconds", "operator",
				}},
				{"Expiry options shorter than a minute", []string{
					`- recommendedExpireTimes[1] ("30 min"): 30`, `- recommendedExpireTimes[3] ("never"): 0`, "1.1.0, 1.1.1 or 1.2.0", "60 times",
				}},
				{"Expiry options without inSeconds beside others with it", []string{
					`- recommendedExpireTimes[1] ("30 min"): 30`, `- recommendedExpireTimes[3] ("never"): 0`,
				}},
			},
		},
		"more than are listed": {
			entries: many,
			want:    []wanted{{"Expiry options contradict themselves", []string{"recommendedExpireTimes[19]", "\n  - and 5 more\n"}}},
			lacks:   "recommendedExpireTimes[20]",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			baseURL := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("recommendedExpireTimes", test.entries))).URL()
			got := read(t, nil, instanceName, object{"base_url": baseURL}).diagnostics
			var want []diagnostic
			for _, one := range test.want {
				want = append(want, warningAt("", one.summary+": "+baseURL, append(one.details, baseURL+"/instance\n")...))
			}
			got.require(t, want...)
			if test.lacks != "" {
				assertNotContains(t, got.String(), test.lacks)
			}
		})
	}
}
