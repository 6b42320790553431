package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func TestWarningDiagnostics(t *testing.T) {
	t.Parallel()
	contradiction := func(label string, seconds int64) instancetest.Document {
		return instancetest.NewerEntry(label, seconds).With("value", seconds)
	}
	var many []instancetest.Document
	for i := range 25 {
		many = append(many, contradiction(fmt.Sprintf("option %d", i), 3600))
	}
	const (
		contradictory = "Warning: Expiry options contradict themselves: files\n"
		short         = "Warning: Expiry options shorter than a minute: files\n"
		mixed         = "Warning: Expiry options without inSeconds beside others with it: files\n"
	)
	tests := map[string]struct {
		entries []instancetest.Document
		want    [][]string // of each warning
	}{
		"seconds in the newer shape": {entries: []instancetest.Document{instancetest.NewerEntry("5 s", 5)}},
		"a minute":                   {entries: []instancetest.Document{instancetest.OlderEntry("1 min", 60)}},
		"some without inSeconds": {
			entries: []instancetest.Document{
				instancetest.OlderEntry("1 min", 60), instancetest.NewerEntry("1 day", 86400), instancetest.OlderEntry("1 month", 43200),
			},
			want: [][]string{{
				mixed, "\n\nGET files\n  - recommendedExpireTimes[0] (\"1 min\"): 60\n  - recommendedExpireTimes[2] (\"1 month\"): 43200\n\nCompare", "may be minutes",
			}},
		},
		"all kinds": {
			entries: []instancetest.Document{
				contradiction("1 heure", 3600), instancetest.OlderEntry("30 min", 30),
				contradiction("1 día", 86400), instancetest.OlderEntry("never", 0),
			},
			want: [][]string{
				{
					contradictory, "They were read by inSeconds:\n\nGET files\n" +
						"  - recommendedExpireTimes[0] (\"1 heure\"): inSeconds is 3600, in whole minutes 60, but value is 3600\n" +
						"  - recommendedExpireTimes[2] (\"1 día\"): inSeconds is 86400, in whole minutes 1440, but value is 86400\n\n" +
						"Ask the operator of the instance to fix its expiry options.",
				},
				{
					short, "1.1.0, 1.1.1 or 1.2.0", "60 times", "\n  - recommendedExpireTimes[1] (\"30 min\"): 30\n  - recommendedExpireTimes[3] (\"never\"): 0\n\n",
				},
				{mixed, "\n  - recommendedExpireTimes[1] (\"30 min\"): 30\n  - recommendedExpireTimes[3] (\"never\"): 0\n\n"},
			},
		},
		"more than are listed": {
			entries: many, want: [][]string{{contradictory, "recommendedExpireTimes[19] (\"option 19\"): inSeconds is 3600, in whole minutes 60, but value is 3600\n  - and 5 more\n\n"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			details := parse(t, instancetest.Newer().With("recommendedExpireTimes", test.entries))
			got := warningDiagnostics(instanceWarnings{"good", "GET good", nil}, instanceWarnings{"files", "GET files", details.Warnings})
			if len(got) != len(test.want) {
				t.Fatalf("%d warnings, want %d:\n%s", len(got), len(test.want), textOf(got))
			}
			for i, parts := range test.want {
				requireTexts(t, textOf(got[i:i+1]), parts...)
			}
			if strings.Contains(textOf(got), "GET good") {
				t.Errorf("an instance without a warning is listed:\n%s", textOf(got))
			}
		})
	}
}
