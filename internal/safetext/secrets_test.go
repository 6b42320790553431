package safetext_test

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// A secret is what a text repeats in any spelling of its letters and digits.
func TestAreIn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		secret, text string
		want         bool
	}{
		"verbatim":                    {"s3cret+<&>88", "no s3cret+<&>88!", true},
		"another text":                {"s3cret-8", "s3cret-9", false},
		"a part":                      {"s3cret-8-T0ken", "s3cret-8", false},
		"too short":                   {"staging", "staging", false},
		"in lower case":               {"S3cret-T0ken", "ftp://s3cret-t0ken/", true},
		"of a query":                  {"s3/cre t-88", "?s3%2fcre+t-88", true},
		"its own escapes":             {"sid=s%3Aabc.def%2Bx", "Cookie: sid=s%3Aabc.def%2Bx", true},
		"its own escapes, taken away": {"sid=s%3Aabc.def%2Bx", "sid=s:abc.def+x", true},
		"its own escapes, escaped":    {"sid=s%3Aabc.def%2Bx", "sid=s%253Aabc.def%252Bx", true},
		"escaped twice":               {"s3/cre/t-88", "s3%252Fcre%252Ft-88", true},
		"behind a percent sign":       {"abc3456789", "%25%61bc3456789", true},
		"JSON of PHP":                 {`s3cret/"T0ken`, `s3cret\/\"T0ken`, true},
		"JSON of .NET":                {"s3crét+T0ken", `s3cr\u00E9t\u002BT0ken`, true},
		"JSON with a tab":             {"s3cret\tT0ken", `s3cret\tT0ken`, true},
		"quotes of Go":                {"s3cret-T0ken", `s3\x00cret\u200b-T0ken`, true},
		"entities":                    {`s3"c<re't-88`, "s3&quot;c&lt;re&#039;t-88", true},
		"its escapes of two kinds":    {"a\\u0022bc&#105;d%41e", "a\\u0022bc&amp;#105;d%41e", true},
		"an entity of its beginning":  {"lt12345678", "%26%6ct12345678", true},
		"invisible characters":        {"s3cret-88", "s3\u200bcret\u00ad-88", true},
		"invalid UTF-8":               {"s3cret-88", "s3\xffcret-88", true},
		"between tags":                {"s3cret-88", "s3<b>cret</b>-8&lt;i&gt;8", true},
		"in a tag, escaped twice":     {"s3cret-88", "<a href=%2573%2533cret-88>", true},
		"it looks like a tag":         {"s3cret<x>88", "s3cret<x>88", true},
		"many layers":                 {"s3cret-88", "%" + strings.Repeat("25", 40), true},
		"seven layers":                {"s3cret-88", "%25252525252525", false},
		"no secrets, many layers":     {"", "%" + strings.Repeat("25", 40), false},
	} {
		secrets := safetext.HeaderSecrets(http.Header{"X-Token": {test.secret}})
		if got := secrets.AreIn(test.text); got != test.want {
			t.Errorf("%s: %q is in %q: %t, want %t", name, test.secret, test.text, got, test.want)
		}
	}
}

func TestHeaderSecrets(t *testing.T) {
	t.Parallel()
	basic := base64.StdEncoding.EncodeToString([]byte("deployer:s3cr3t"))
	for header, texts := range map[[2]string]map[string]bool{
		{"Authorization", " Bearer  s3cret-88\t"}: {"Bearer s3cret-88": true, "s3cret-88": true, "Bearer": false},
		{"Authorization", "Token s3cret7"}:        {"token s3cret7": true, "s3cret7": false},
		{"Authorization", "basic  " + basic}: {
			basic: true, "deployer:s3cr3t": true, "deployer": true, "s3cr3t": true, "s3cr3": false,
		},
		{"Authorization", "Bearer " + basic}:       {basic: true, "s3cr3t": false},
		{"Authorization", "Basic\t" + basic}:       {"deployer:s3cr3t": true},
		{"Cookie", "sid=s3cret-88; a=b"}:           {"s3cret-88 is gone": true, "sid": false},
		{"X-Info", "sid=s3cret-88; a=b"}:           {"s3cret-88 is gone": false},
		{"Accept", "application/json"}:             {"application/json": false},
		{"Accept-Language", "fr-FR, fr;q=0.9"}:     {"fr-FR, fr;q=0.9": false},
		{"X-Forwarded-Host", "files.example.org"}:  {"files.example.org": false},
		{"X-Forwarded-Access-Token", "s3cret-888"}: {"s3cret-888": true},
	} {
		secrets := safetext.HeaderSecrets(http.Header{header[0]: {header[1]}})
		for text, want := range texts {
			if got := secrets.AreIn(text); got != want {
				t.Errorf("%s: %q is secret: %t, want %t", header, text, got, want)
			}
		}
	}
}

func TestUserSecrets(t *testing.T) {
	t.Parallel()
	for pair, want := range map[[2]string]safetext.Secrets{
		{"s", "p"}:            nil, // s:p is a part of words
		{"me", "p4ss"}:        {"mep4ss", "bwu6cdrzcw"},
		{"user", "p4s5w0"}:    {"p4s5w0", "userp4s5w0", "dxnlcjpwnhm1dza"},
		{"t0k3nn", ""}:        {"t0k3nn", "ddbrm25uog"}, // a token
		{"deployer", "p4"}:    {"deployerp4", "zgvwbg95zxi6cdq", "deployer"},
		{"corp%5Cjoe", "p%4"}: {"corp5cjoep4", "corpjoep4", "y29yccu1q2pvztpwjtq", "corp5cjoe"},
	} {
		if got := safetext.UserSecrets(pair[0], pair[1]); !slices.Equal(got, want) {
			t.Errorf("UserSecrets(%q) = %q, want %q", pair, got, want)
		}
	}
}

// What everybody can see in a URL hides no evidence.
func TestExcept(t *testing.T) {
	t.Parallel()
	secrets := safetext.HeaderSecrets(http.Header{"X-Tenant": {"customer-one"}, "X-Token": {"s3cret-88"}}).
		Except("https://Customer-One.example/api")
	if secrets.AreIn("no tenant customer-one") || !secrets.AreIn("s3cret-88") {
		t.Errorf("the secrets are %q", secrets)
	}
}
