package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// Of several warnings with one summary, Terraform shows only the first.
func TestAccEachWarningIsOnTheScreen(t *testing.T) {
	t.Parallel()
	document := instancetest.Newer().With("recommendedExpireTimes", []instancetest.Document{instancetest.OlderEntry("30 minutes", 30)})
	var configuration strings.Builder
	var names []string
	for i := range 3 {
		short := instancetest.New(t, instancetest.WithDocument(document))
		failing := instancetest.New(t, instancetest.WithDefault(instancetest.Status(403)))
		fmt.Fprintf(&configuration, "data \"filetransfer_instance\" \"a%d\" {\n  base_url = %q\n}\n", i, short.URL())
		fmt.Fprintf(&configuration, "data \"filetransfer_instances\" \"a%d\" {\n  base_urls = { here = %q }\n  allow_failures = true\n}\n", i, failing.URL())
		names = append(names, short.URL(), fmt.Sprintf("\"here\" (%s)", failing.URL()))
	}
	w := newWorkspace(t, acceptance(t), configuration.String())
	done := w.plan()
	said := strings.Join(done.warnings(), "\n")
	for _, name := range names {
		if !strings.Contains(said, name) {
			t.Errorf("no warning names %s: %s", name, done)
		}
	}
}
