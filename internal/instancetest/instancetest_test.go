package instancetest_test

import (
	"strings"
	"testing"

	it "github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The client's tests use every step, certificate and proxy, and would not pass if one did otherwise than it says. Here is
// what they would not notice.

func TestShapesFollowTheContract(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		document it.Document
		want     string // without the entries but the first
	}{
		"newer": {it.Newer(), `{"fileMaxSize":64424509440,"chunkSize":20000000,"requirePassword":true,"apiVersion":"2.1.5","fileMaxAge":"2592000",` +
			`"maxTransfersInMerge":50,"recommendedExpireTimes":[{"label":"30 minutes","inSeconds":1800,"value":30},`},
		"older": {it.Older(), `{"fileMaxSize":21474836480,"chunkSize":10000000,"requirePassword":false,"apiVersion":"1.3.2","fileMaxAge":"2592000",` +
			`"recommendedExpireTimes":[{"label":"30 minutes","value":1800},`},
		"mixed": {it.Mixed(), `{"fileMaxSize":64424509440,"chunkSize":20000000,"requirePassword":true,"apiVersion":"1.5.0","fileMaxAge":2592000,` +
			`"recommendedExpireTimes":[{"label":"30 minutes","inSeconds":1800,"value":30},`},
	} {
		if got := test.document.JSON(); !strings.HasPrefix(got, test.want) || strings.Count(got, `"label"`) != 8 {
			t.Errorf("%s is\n%s\nwant 8 entries after\n%s", name, got, test.want)
		}
	}
}
