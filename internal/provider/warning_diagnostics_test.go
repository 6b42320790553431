package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestDoubtfulExpiryOptionsGiveOneWarningOfEachKind(t *testing.T) {
	t.Parallel()
	contradiction := func(label string, seconds int64) instancetest.Document {
		return instancetest.NewerEntry(label, seconds).With("value", seconds)
	}
	const contradict, short = "Expiry options contradict themselves", "Expiry options shorter than a minute"
	const mixed = "Expiry options without inSeconds beside others with it"
	var many []instancetest.Document
	for i := range 25 {
		many = append(many, contradiction(fmt.Sprintf("option %d", i), 3600))
	}
	tests := map[string]struct {
		entries []instancetest.Document
		want    []expected
		unsaid  []string
	}{
		"none":        {[]instancetest.Document{instancetest.NewerEntry("5 s", 5)}, nil, nil},
		"none, older": {[]instancetest.Document{instancetest.OlderEntry("1 min", 60)}, nil, nil},
		"some without inSeconds": {
			[]instancetest.Document{
				instancetest.OlderEntry("1 min", 60), instancetest.NewerEntry("1 day", 86400), instancetest.OlderEntry("1 month", 43200),
			},
			[]expected{{warning: true, summary: mixed, says: []string{
				"{url}\n  - recommendedExpireTimes[0] (\"1 min\"): 60\n  - recommendedExpireTimes[2] (\"1 month\"): 43200\n\n", "may be minutes",
			}}}, nil,
		},
		"one of each": {
			[]instancetest.Document{
				contradiction("1 heure", 3600), instancetest.OlderEntry("30 min", 30),
				contradiction("1 día", 86400), instancetest.OlderEntry("never", 0),
			},
			[]expected{
				{warning: true, summary: contradict, says: []string{
					"{url}\n", `- recommendedExpireTimes[0] ("1 heure"): inSeconds is 3600, in whole minutes 60, but value is 3600`,
					`- recommendedExpireTimes[2] ("1 día")`, "read by inSeconds", "operator",
				}},
				{warning: true, summary: short, says: []string{
					"{url}\n", `- recommendedExpireTimes[1] ("30 min"): 30`, `- recommendedExpireTimes[3] ("never"): 0`,
					"1.1.0, 1.1.1 or 1.2.0", "60 times",
				}},
				{warning: true, summary: mixed, says: []string{
					"{url}\n", `- recommendedExpireTimes[1] ("30 min"): 30`, `- recommendedExpireTimes[3] ("never"): 0`,
				}},
			},
			nil,
		},
		"many": {
			many, []expected{{warning: true, summary: contradict, says: []string{"recommendedExpireTimes[19]", "\n  - and 5 more\n"}}},
			[]string{"recommendedExpireTimes[20]"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := instancetest.Newer().With("recommendedExpireTimes", test.entries)
			instance := instancetest.New(t, instancetest.WithDocument(document))
			got := read(t, nil, instanceName, args{"base_url": instance.URL()})
			for i, one := range test.want {
				test.want[i].summary += ": " + instance.URL()
				for i := range one.says {
					one.says[i] = strings.ReplaceAll(one.says[i], "{url}", instance.URL()+"/instance")
				}
			}
			got.told.must(t, test.want...)
			mustNotSay(t, got.told.String(), test.unsaid...)
		})
	}
}
