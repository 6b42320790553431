//go:build unix

// Package dev_test tests what is behind the Make targets.
package dev_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// machine returns an environment in which these fake programs, as shell scripts, are all there is besides a POSIX system.
func machine(t *testing.T, programs map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"awk", "cat", "dirname", "env", "mkdir", "mktemp", "ps", "rm", "sh", "sleep", "tail", "touch"} {
		path, err := exec.LookPath(name)
		must(t, err)
		must(t, os.Symlink(path, filepath.Join(dir, name)))
	}
	// A program that another test starts meanwhile would hold the scripts open, and they could not be run.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for name, script := range programs {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	}
	return []string{"PATH=" + dir, "TMPDIR=" + t.TempDir(), "TF_WORKSPACE=production", "TF_LOG=TRACE", "FILETRANSFER_BASE_URL=https://example.com"}
}

const (
	terraform = `[ -z "${TF_WORKSPACE:-}" ] && echo Terraform v1.11.4`
	tofu      = "echo A notice comes first.; echo; echo OpenTofu v1.12.6-dev; echo on somewhere"
	goTool    = `[ "$CGO_ENABLED $1 $3 $4 $5" = "0 -C tool -n tofu" ] && echo "$PATH/pinned"`
)

func TestWithCLI(t *testing.T) {
	t.Parallel()
	const show = `echo $TF_ACC $TF_ACC_TERRAFORM_PATH $TF_ACC_PROVIDER_HOST/$TF_ACC_PROVIDER_NAMESPACE/filetransfer $TF_LOG$TF_WORKSPACE$FILETRANSFER_BASE_URL`
	const foundTofu = "1 PATH/tofu registry.opentofu.org/filetransfer/filetransfer TRACE\n"
	type programs = map[string]string
	both := programs{"terraform": terraform, "tofu": tofu}
	tests := map[string]struct {
		programs programs
		variable string
		args     []string
		want     string // of stdout, or of stderr if it fails
		fails    bool
	}{
		"terraform before tofu": {programs: both, want: "1 PATH/terraform registry.terraform.io/filetransfer/filetransfer TRACE\n"},
		"neither":               {programs: programs{"go": goTool, "pinned": tofu}, want: strings.Replace(foundTofu, "tofu", "pinned", 1)},
		"named":                 {programs: both, variable: "TF_ACC_TERRAFORM_PATH=tofu", want: foundTofu},
		"something else":        {programs: programs{"terraform": "echo Packer v1.2.3"}, want: "neither Terraform nor OpenTofu", fails: true},
		"command fails":         {programs: both, args: []string{"sh", "-c", "echo why >&2; exit 7"}, want: "why\n", fails: true},
		"each": {
			programs: both, args: []string{"-each", "sh", "-c", "echo many lines; echo DONE"},
			want: "DONE with Terraform 1.11.4 (PATH/terraform)\nDONE with OpenTofu 1.12.6-dev (PATH/tofu)\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := machine(t, test.programs)
			args := test.args
			if args == nil {
				args = []string{"sh", "-c", show}
			}
			var stdout, stderr strings.Builder
			cmd := exec.CommandContext(t.Context(), "../../scripts/with-cli", args...)
			cmd.Env, cmd.Stdout, cmd.Stderr = slices.Concat(env, []string{test.variable}), &stdout, &stderr
			err := cmd.Run()
			got := strings.ReplaceAll(stdout.String(), strings.TrimPrefix(env[0], "PATH="), "PATH")
			if test.fails && (err == nil || !strings.Contains(stderr.String(), test.want)) {
				t.Errorf("it ended with %v and said %q, want a failure and %q", err, &stderr, test.want)
			}
			if !test.fails && (err != nil || got != test.want) {
				t.Errorf("it ended with %v and printed %q, want %q\n%s", err, got, test.want, &stderr)
			}
		})
	}
}

// release runs a script in a tree that can be released but for these files, with these fake programs before all others. It has
// to fail or not, and to say what is wanted. The file "secret" is the private key.
func release(t *testing.T, files, programs map[string]string, fails bool, want, script string, args ...string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("releases are made on Linux")
	}
	tree := map[string]string{
		"CHANGELOG.md": "# Changelog\n\n## 1.0.0 (May 1, 2027)\n\n* stable\n\n## 0.3.0 (Unreleased)\n\n* something new\n\n" +
			"## 0.2.0 (March 1, 2027)\n\nNOTES:\n\n* one item\n  in two lines\n\n## 0.1.0 (January 2, 2027)\n",
		"README.md": "~> 0.2.0 ~> 0.1.0", "templates/index.md.tmpl": "~> 0.2.0 ~> 0.1.0", "release-key.asc": "",
	}
	maps.Copy(tree, files)
	folder := make(fstest.MapFS)
	for path, content := range tree {
		folder[path] = &fstest.MapFile{Data: []byte(content)}
	}
	dir := t.TempDir()
	must(t, os.CopyFS(dir, folder))
	for _, name := range []string{"scripts", "terraform-registry-manifest.json"} {
		path, err := filepath.Abs("../../" + name)
		must(t, err)
		must(t, os.Symlink(path, filepath.Join(dir, name)))
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "scripts", script), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), machine(t, programs)[0]+":"+os.Getenv("PATH"), "GPG_PRIVATE_KEY="+files["secret"], "GPG_PASSPHRASE=")
	said, err := cmd.CombinedOutput()
	if (err != nil) != fails || !strings.Contains(string(said), want) {
		t.Errorf("it ended with %v and said %q, want %q", err, said, want)
	}
}

func TestReleaseCheck(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	// key is what gpg --with-colons prints for a key that expires then.
	key := func(validity string, algorithm int, left time.Duration) string {
		return fmt.Sprintf("pub:%s:4096:%d:0123456789ABCDEF:1700000000:%d::-:::scSC::::::23::0:", validity, algorithm, time.Now().Add(left).Unix())
	}
	good := key("-", 1, 61*day)
	tests := map[string]struct {
		tag, key, want string
		fails          bool
	}{
		"release":             {"v0.2.0", good, "NOTES:\n\n* one item in two lines\n\n---", false},
		"pre-release":         {"v0.3.0-rc.1", good, "* something new\n", false},
		"key does not expire": {"v0.2.0", "pub:-:4096:1:0123456789ABCDEF:1700000000:::-:::scSC::::::23::0:", "NOTES:", false},
		"expires in 59 days":  {"v0.2.0", key("-", 1, 59*day), "::warning::The key in release-key.asc expires in less than 60 days", false},
		"not a version":       {"0.2.0", good, "0.2.0 is not a version", true},
		"in no changelog":     {"v0.2.1", good, "CHANGELOG.md has no section \"## 0.2.1", true},
		"not dated":           {"v0.3.0", good, "has no date", true},
		"dated too early":     {"v0.2.0-rc.1", good, "is not (Unreleased)", true},
		"nothing to say":      {"v0.1.0", good, "the section of 0.1.0 in CHANGELOG.md is empty", true},
		"constraint of users": {"v1.0.0", good, "README.md does not tell users to require \"~> 1.0.0\"", true},
		"no key":              {"v0.2.0", "", "release-key.asc holds no key", true},
		"more than one key":   {"v0.2.0", good + "\n" + good, "more than one key", true},
		"not RSA":             {"v0.2.0", key("-", 22, 61*day), "not an RSA key", true},
		"revoked":             {"v0.2.0", key("r", 1, 61*day), "is revoked", true},
		"expired":             {"v0.2.0", key("e", 1, -day), "is expired", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			release(t, nil, map[string]string{"gpg": "echo '" + test.key + "'"}, test.fails, test.want, "release-check", test.tag)
		})
	}
	tagged := map[string]string{"git": "echo v0.3.0-rc.1; echo v0.3.0-rc.2"}
	release(t, nil, tagged, true, "v0.3.0-rc.1 is on this commit", "release-check", "v0.3.0-rc.2")
	unpublished := map[string]string{"README.md": "~> 0.2.0 is not published yet"}
	release(t, unpublished, nil, true, "README.md says that nothing is published yet", "release-check", "v0.2.0")
}

// TestReleaseCompare: nothing but what the source builds is in the zips, and in the folder. A fake Go builds a word.
func TestReleaseCompare(t *testing.T) {
	t.Parallel()
	const (
		notices = "This program contains the following software.\n\n" +
			"================================================================\nGo go1.26.8\n\nthe license"
		folder = "dist/release/terraform-provider-filetransfer_0.2.0_"
		linux  = folder + "linux_arm.zip"
		file   = "terraform-provider-filetransfer_v0.2.0"
	)
	zipsums := filepath.Join(t.TempDir(), "zipsums")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", zipsums, "./zipsums").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	// archive returns a zip of these names and contents, besides the licenses.
	archive := func(contents ...string) string {
		var data bytes.Buffer
		w := zip.NewWriter(&data)
		for pair := range slices.Chunk(append([]string{"LICENSE", "the license", "THIRD_PARTY_NOTICES", notices}, contents...), 2) {
			header := &zip.FileHeader{Name: pair[0]}
			name, hidden := strings.CutPrefix(pair[0], "0600 ")
			switch header.Name = name; {
			case hidden:
				header.SetMode(0o600)
			case strings.HasPrefix(name, "terraform-provider-"):
				header.SetMode(0o755)
			default:
				header.SetMode(0o644)
			}
			f, err := w.CreateHeader(header)
			must(t, err)
			_, err = f.Write([]byte(pair[1]))
			must(t, err)
		}
		must(t, w.Close())
		return data.String()
	}
	tests := map[string]struct{ path, content, want string }{
		"all of it":                    {"", "", ""},
		"published":                    {folder + "SHA256SUMS.sig", "a signature", ""},
		"executable is changed":        {linux, archive(file, "linux arm 6 and a tool's"), linux[13:] + "/" + file},
		"executable is missing":        {linux, archive(), "< "},
		"file is added":                {linux, archive(file, "linux arm 6", "install.sh", "#!/bin/sh"), linux[13:] + "/install.sh"},
		"file is there twice":          {linux, archive(file, "linux arm 6", file, "a tool's"), linux[13:] + "/" + file},
		"file cannot be run":           {linux, archive("0600 "+file, "linux arm 6"), "has mode -rw-------"},
		"name has a line break":        {linux, archive(file, "linux arm 6", "x\ny", ""), "a name that no file of a release has"},
		"not a zip":                    {linux, "nothing", "zip: not a valid zip file"},
		"a zip is missing":             {linux, "", "< "},
		"a zip of another target":      {folder + "plan9_arm.zip", archive(), "plan9_arm.zip is not part of the release"},
		"a file beside the zips":       {"dist/release/install.sh", "#!/bin/sh", "install.sh is not part of the release"},
		"a hidden file beside the zip": {"dist/release/.install.sh", "#!/bin/sh", ".install.sh is not part of the release"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{
				".goreleaser.yml":          "    targets:\n      - linux_arm\n      - windows_386\n",
				"LICENSE":                  "the license",
				linux:                      archive(file, "linux arm 6"),
				folder + "windows_386.zip": archive(file+".exe", "windows 386 6"),
			}
			files[test.path] = test.content
			maps.DeleteFunc(files, func(_, content string) bool { return content == "" })
			programs := map[string]string{
				"git": "echo 1234567",
				"go": `case "$*" in
					"env GOVERSION") echo go1.26.8 ;;
					"env GOROOT") echo . ;;
					list*) ;;
					build*main.version=0.2.0*main.commit=1234567*) printf '%s' "$GOOS $GOARCH $GOARM" >"$5" ;;
					run*) shift 2; exec ` + zipsums + ` "$@" ;;
				esac`,
			}
			release(t, files, programs, test.want != "", test.want, "release-compare", "v0.2.0")
		})
	}
}

// TestReleaseSign: what another key signed could not be installed.
func TestReleaseSign(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gpg-agent"); err != nil || runtime.GOOS != "linux" {
		t.Skip("this needs GnuPG on Linux")
	}
	home := t.TempDir()
	gpg := func(args ...string) string {
		output, err := exec.CommandContext(t.Context(), "gpg", slices.Concat([]string{"--homedir", home, "--batch", "--passphrase="}, args)...).Output()
		must(t, err)
		return string(output)
	}
	t.Cleanup(func() { _ = exec.Command("gpgconf", "--homedir", home, "--kill", "all").Run() })
	for _, name := range []string{"ours", "theirs"} {
		gpg("--quick-generate-key", name, "ed25519", "sign")
	}
	tests := map[string]struct{ secret, want string }{
		"the key":     {gpg("--armor", "--export-secret-keys", "ours"), ""},
		"another key": {gpg("--armor", "--export-secret-keys", "theirs"), "this is not the key in release-key.asc"},
		"no key":      {"", "no valid OpenPGP data found"},
	}
	public := gpg("--armor", "--export", "ours")
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"release-key.asc": public, "secret": test.secret, "dist/release/a.zip": "abc"}
			release(t, files, nil, test.want != "", test.want, "release-sign", "v0.2.0")
		})
	}
}

// TestAccDemo_IsAsInTheREADME: the README has the demo's lines in their order, and "..." where it leaves some out.
func TestAccDemo_IsAsInTheREADME(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set")
	}
	readme, err := os.ReadFile("../../README.md")
	must(t, err)
	shown := regexp.MustCompile("(?s)<!-- demo output -->\n```text\n(.*?)```\n<!-- end").FindSubmatch(readme)
	if shown == nil {
		t.Fatal("the README does not show the demo's output")
	}
	cmd := exec.CommandContext(t.Context(), "../../scripts/with-cli", "../../scripts/demo")
	cmd.Env = append(os.Environ(), "BASE_URL=")
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if bytes.Contains(output, []byte("Terraform 1.4 and later also show a release.")) {
		t.Skip("the README shows a release, which needs Terraform 1.4")
	}
	port := regexp.MustCompile(`127\.0\.0\.1:\d+`)
	words := func(text []byte) string {
		return strings.Join(strings.Fields(port.ReplaceAllString(string(text), "ADDRESS")), " ")
	}
	rest := words(output)
	for part := range strings.SplitSeq(words(shown[1]), "...") {
		_, after, found := strings.Cut(rest, strings.TrimSpace(part))
		if !found {
			t.Fatalf("the README shows\n%s\nand the demo says\n%s", part, output)
		}
		rest = after
	}
}
