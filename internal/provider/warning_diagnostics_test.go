package provider

import (
	"fmt"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instance"
)

// There is one warning of each kind, with all of its options. The parser's tests show which option has which.
func TestWarningDiagnostics(t *testing.T) {
	t.Parallel()
	warning := func(kind instance.WarningKind, entry string) instance.Warning {
		return instance.Warning{Kind: kind, Entry: entry}
	}
	none := instanceWarnings{"none (https://none)", "GET https://none", nil}
	a := instanceWarnings{"a (https://a)", "GET https://a", []instance.Warning{
		warning(instance.ContradictoryUnits, "option 0"), warning(instance.SuspiciouslyShort, "option 1"),
		warning(instance.MixedUnits, "option 1"), warning(instance.ContradictoryUnits, "option 2"),
	}}
	b := instanceWarnings{"b (https://b)", "GET https://b", []instance.Warning{warning(instance.ContradictoryUnits, "option 3")}}
	got := warningDiagnostics(none, a, b)
	if len(got) != 3 {
		t.Fatalf("%d warnings, want one of each kind:\n%s", len(got), textOf(got))
	}
	requireDiagnostic(t, got[:1], "Warning: Expiry options contradict themselves: a (https://a)",
		"They were read by inSeconds:\n\nGET https://a\n  - option 0\n  - option 2\n\nGET https://b\n  - option 3\n\nAsk the operator of the instance")
	requireDiagnostic(t, got[1:2], "Warning: Expiry options shorter than a minute: a (https://a)",
		"1.1.0, 1.1.1 or 1.2.0", "may really be 60 times as long:\n\nGET https://a\n  - option 1\n\nCompare all options")
	requireDiagnostic(t, got[2:], "Warning: Expiry options without inSeconds beside others with it: a (https://a)",
		"may be minutes, as it is in the others:\n\nGET https://a\n  - option 1\n\nCompare them")

	var many []instance.Warning
	for i := range 25 {
		many = append(many, warning(instance.SuspiciouslyShort, fmt.Sprintf("option %d", i)))
	}
	list := warningDiagnostics(instanceWarnings{"a", "GET https://a", many})
	requireDiagnostic(t, list, "Warning: Expiry options shorter than a minute: a", "\n  - option 19\n  - and 5 more\n\n")
	if got := warningDiagnostics(none); len(got) > 0 {
		t.Errorf("warnings about an instance without one:\n%s", textOf(got))
	}
}
