package safetext_test

import (
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// What a browser does not show is no text, also in a page that is made to confuse whoever reads it. The client's tests have the bodies that
// servers really send.
func TestOfBody(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"<p>Down</p><style>p {} <b>":              "Down",
		"<p>Down</p><script>'</p>'<!--":           "Down",
		"<p>Down<!-- <title>no</title>":           "Down",
		"<title> </title><h1>Down</h1>":           "Down",
		"<title>a &amp; b":                        "a & b",
		"<br/>Down<hr>":                           "Down",
		"<style/>p {}</style><p>Down":             "Down",
		"<SCRIPT>x</SCRIPT><TITLE>Down</TITLE>no": "Down",
		"<": "<",
	} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			if got := safetext.Line(safetext.OfBody([]byte(page))); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// A page takes milliseconds, whatever is in it. With regular expressions, 64 KiB of "<style>" took three seconds.
func BenchmarkOfBody(b *testing.B) {
	const size = 64 << 10
	for _, repeated := range []string{"<style>", "<script>", "<title>", "<!--", "&#", "<", "</", "<a b=", "<p>x</p>"} {
		page := []byte("<html>" + strings.Repeat(repeated, size/len(repeated)))
		b.Run(repeated, func(b *testing.B) {
			for b.Loop() {
				safetext.OfBody(page)
			}
		})
	}
}
