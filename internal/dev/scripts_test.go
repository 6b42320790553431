//go:build unix

// Package dev_test tests what is behind the Make targets.
package dev_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
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
// to fail or not, and to say what is wanted, whatever the caller has set for Go. The file "secret" is the private key, and "-> path" is a link.
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
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			folder[path] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
		}
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
	cmd.Env = append(os.Environ(), machine(t, programs)[0]+":"+os.Getenv("PATH"), "GPG_PRIVATE_KEY="+files["secret"], "GPG_PASSPHRASE=",
		"GOFLAGS=-tags=x", "GOAMD64=v3")
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
		"no tag":              {"", good, "usage: scripts/release-check TAG", true},
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

// TestReleaseCompare: the zips are what the source builds, byte for byte, and alone in the folder. A fake Go builds a word.
func TestReleaseCompare(t *testing.T) {
	t.Parallel()
	const (
		notices = "This program contains the following software.\n\n" +
			"================================================================\nGo go1.26.8\n\nthe license"
		folder = "dist/release/terraform-provider-filetransfer_0.2.0_"
		linux  = folder + "linux_arm.zip"
		file   = "terraform-provider-filetransfer_v0.2.0"
		built  = "linux arm 6 v1 -mod=readonly off"
		differ = "release-compare: not what go1.26.8 builds from the source, which is in dist/compare: terraform-provider-filetransfer_0.2.0_linux_arm.zip\n"
	)
	releasezip := filepath.Join(t.TempDir(), "releasezip")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", releasezip, "./releasezip").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	// archive returns a zip of these names and contents, with this before it, and says that it begins at an offset. Then it says where its
	// directory begins, and without what ends it, a zip is 22 bytes shorter.
	archive := func(before string, offset int, contents ...string) (data string, directory int) {
		var buffer bytes.Buffer
		buffer.WriteString(before)
		w := zip.NewWriter(&buffer)
		w.SetOffset(int64(offset))
		w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
		for pair := range slices.Chunk(contents, 2) {
			header := &zip.FileHeader{Name: pair[0], Method: zip.Deflate, Modified: time.Unix(1767225600, 0).UTC()}
			header.SetMode(0o644)
			if strings.HasPrefix(header.Name, "terraform-provider-") {
				header.SetMode(0o755)
			}
			f, err := w.CreateHeader(header)
			must(t, err)
			_, err = f.Write([]byte(pair[1]))
			must(t, err)
		}
		must(t, w.Close())
		return buffer.String(), int(binary.LittleEndian.Uint32(buffer.Bytes()[buffer.Len()-6:]))
	}
	license := []string{"LICENSE", "the license", "THIRD_PARTY_NOTICES", notices}
	good, directory := archive("", 0, append(license, file, built)...)
	windows, _ := archive("", 0, append(license, file+".exe", strings.Replace(built, "linux arm", "windows 386", 1))...)
	added, _ := archive("", 0, append(license, file, built, "install.sh", "#!/bin/sh")...)
	otherOrder, _ := archive("", 0, append([]string{file, built}, license...)...)
	later, _ := archive("bytes", 5, append(license, file, built)...)
	// Some readers take the directory that is where the end says, which is the good one, and others the one just before the end.
	other := slices.Concat(license, []string{file, "a tool's"})
	_, size := archive("", 0, other...)
	two, _ := archive(good[:len(good)-22], directory-size, other...)

	tests := map[string]struct{ path, content, want string }{
		"all of it":                    {"", "", ""},
		"published":                    {folder + "SHA256SUMS.sig", "a signature", ""},
		"two directories":              {linux, two, differ},
		"a comment":                    {linux, good[:len(good)-2] + "\x02\x00hi", differ},
		"bytes in between":             {linux, good[:directory] + "bytes" + good[directory:], differ},
		"bytes before":                 {linux, later, differ},
		"bytes after":                  {linux, good + "bytes", differ},
		"another order":                {linux, otherOrder, differ},
		"a file more":                  {linux, added, differ},
		"cut off":                      {linux, good[:len(good)-22], differ},
		"a zip is missing":             {linux, "", linux + ": No such file or directory"},
		"a zip of another target":      {folder + "plan9_arm.zip", good, "plan9_arm.zip is not part of the release"},
		"a file beside the zips":       {"dist/release/install.sh", "#!/bin/sh", "install.sh is not part of the release"},
		"a hidden file beside the zip": {"dist/release/.install.sh", "#!/bin/sh", ".install.sh is not part of the release"},
		"what the zips are made of":    {"dist/release/THIRD_PARTY_NOTICES", notices, "THIRD_PARTY_NOTICES is not part of the release"},
		"manifest is a folder":         {folder + "manifest.json/file", "{}", folder + "manifest.json is a folder, a link or a device"},
		"checksums are a link":         {folder + "SHA256SUMS", "-> ../../README.md", folder + "SHA256SUMS is a folder, a link or a device"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{
				".goreleaser.yml":          "    targets:\n      - linux_arm\n      - windows_386\n",
				"LICENSE":                  "the license",
				linux:                      good,
				folder + "windows_386.zip": windows,
			}
			files[test.path] = test.content
			maps.DeleteFunc(files, func(_, content string) bool { return content == "" })
			programs := map[string]string{
				"git": "echo 1767225600",
				"go": `case "$*" in
					"env GOVERSION") echo go1.26.8 ;;
					"env GOROOT") echo . ;;
					"env GOPROXY") echo off ;;
					list*) ;;
					build*main.version=0.2.0*main.commit=1767225600*) printf '%s' "$GOOS $GOARCH $GOARM $GOAMD64 $GOFLAGS $GOWORK" >"$5" ;;
					run*) shift 2; exec ` + releasezip + ` "$@" ;;
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
		"no key":      {"", "there is no key in GPG_PRIVATE_KEY"},
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
