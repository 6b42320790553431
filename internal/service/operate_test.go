//go:build unix

package service_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// These tests run the configurations of the guide "Operate an instance".

// chunkSize is more than the buffers of a connection have room for, so that nginx holds a part of a chunk while it passes it on.
const chunkSize = 20_000_000

// begun is how much of an upload the relay passes on before it holds the rest.
const begun = 50_000

func randomBytes(size int) []byte {
	content := make([]byte, size)
	rand.Read(content)
	return content
}

func TestOperate_BodyLimit(t *testing.T) {
	t.Parallel()
	i := newInstance(t, fmt.Sprintf("CHUNK_SIZE=%d", chunkSize))
	p := newProxied(t, i.url)
	file, limit := randomBytes(chunkSize), chunkSize+1<<20
	created := p.create(len(file))
	path := created.Chunks[0].UploadPath
	if status, _ := p.put(path, file, limit+1); status != 413 {
		t.Errorf("a body of %d bytes gets status %d", limit+1, status)
	}
	if status, answer := p.put(path, file, limit); status != 200 || !strings.Contains(answer, `"uploaded":true`) {
		t.Errorf("a body of %d bytes gets status %d, %s", limit, status, answer)
	}
	if !bytes.Equal(i.stored(created.TransferKey), file) {
		t.Error("the file is corrupt")
	}
}

// A client that leaves, and then sends the chunk again, harms neither the file nor the process.
func TestOperate_ClientLeaves(t *testing.T) {
	t.Parallel()
	i := newInstance(t, fmt.Sprintf("CHUNK_SIZE=%d", chunkSize))
	r := newRelay(i)
	p := newProxied(t, r.url)
	file := randomBytes(chunkSize + 1)
	first := file[:chunkSize]
	for when, leave := range map[string]func(path string){
		"while nginx reads": func(path string) {
			before := r.uploads.Load()
			p.begin(path, first, 0.5).Close()
			for status := 503; status != 200; { // nginx still reads
				if status, _ = p.put(path, first, 0); status != 200 && status != 503 {
					t.Fatalf("status %d", status)
				}
			}
			if got := r.uploads.Load() - before; got != 1 {
				t.Errorf("%d uploads reached the service", got)
			}
		},
		"while nginx passes it on": func(path string) {
			h := r.holdNext(begun)
			client := p.begin(path, first, 1)
			<-h.reached
			client.Close()
			close(h.goOn)
			<-h.ended
		},
		"before the answer": func(path string) {
			h := r.holdNext(0)
			client := p.begin(path, first, 1)
			<-h.reached
			client.Close()
			if status, _ := p.put(path, first, 0); status != 503 {
				t.Errorf("a chunk that is on its way already gets status %d", status)
			}
			close(h.goOn)
			<-h.ended
		},
	} {
		created := p.create(len(file))
		leave(created.Chunks[0].UploadPath)
		p.again(created.Chunks[0].UploadPath, first)
		if status, answer := p.put(created.Chunks[1].UploadPath, file[chunkSize:], 0); status != 200 || !strings.Contains(answer, `"uploaded":true`) {
			t.Errorf("%s: the last chunk gets status %d, %s", when, status, answer)
		}
		if !bytes.Equal(i.stored(created.TransferKey), file) {
			t.Errorf("%s: the file is corrupt", when)
		}
	}
	select {
	case <-i.ended:
		t.Errorf("the service ended: %s", i.log.String())
	default:
	}
}

// A chunk that is sent again while nginx passes on the attempt before is stored once, and twice without limit_conn.
func TestOperate_ChunkSentTwice(t *testing.T) {
	t.Parallel()
	const files, size = 9, 200_000
	for name, test := range map[string]struct {
		edits   []string
		corrupt int
	}{
		"as in the guide":    {nil, 0},
		"without limit_conn": {[]string{"limit_conn                transfers 1;", ""}, files},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInstance(t, fmt.Sprintf("CHUNK_SIZE=%d", size))
			r := newRelay(i)
			p := newProxied(t, r.url, test.edits...)
			corrupt := 0
			for range files {
				file, created := randomBytes(size), p.create(size)
				path := created.Chunks[0].UploadPath
				h := r.holdNext(begun)
				client := p.begin(path, file, 1)
				<-h.reached
				client.Close() // its time is out
				status, _ := p.put(path, file, 0)
				close(h.goOn)
				<-h.ended
				if status == 503 {
					p.again(path, file)
				}
				if !bytes.Equal(i.stored(created.TransferKey), file) {
					corrupt++
				}
			}
			found, err := exec.Command("sh", "../../examples/guides/operate-volume/corrupt.sh", i.storage).CombinedOutput()
			if got := bytes.Count(found, []byte("\n")); err != nil || corrupt != test.corrupt || got != corrupt {
				t.Errorf("%d of %d files are corrupt, want %d; found are %s, %v", corrupt, files, test.corrupt, found, err)
			}
		})
	}
}

// job is the guide's upload job for an instance behind nginx.
type job struct {
	*testing.T
	env []string
}

func newJob(t *testing.T, i *instance, p *proxied) job {
	t.Helper()
	for _, name := range []string{"curl", "jq"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	w := newExample(t, "operate-upload-job")
	var minor int
	stdout, _ := w.run("version")
	fmt.Sscanf(string(stdout[bytes.IndexByte(stdout, 'v'):]), "v1.%d", &minor)
	if minor < 8 {
		t.Skip("the example needs Terraform 1.8, or an OpenTofu as new")
	}
	w.set(map[string]any{"base_url": i.url}) // the test's certificate is not for Terraform
	environment := w.apply()["job_environment"].(map[string]any)
	return job{t, []string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "CURL_CA_BUNDLE=" + p.certificate,
		"BASE_URL=" + p.url, fmt.Sprint("EXPIRE_SECONDS=", environment["EXPIRE_SECONDS"]),
	}}
}

// upload uploads a file, and returns its share key, or why it failed.
func (j job) upload(file []byte, env ...string) (key, failure string) {
	script, err := filepath.Abs("../../examples/guides/operate-upload-job/upload.sh")
	if err != nil {
		j.Error(err)
	}
	dir := j.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), file, 0o600); err != nil {
		j.Error(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := command(dir, "sh", script, "file")
	cmd.Env, cmd.Stdout, cmd.Stderr = slices.Concat(j.env, env), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Sprintf("%v: %s", err, stderr.String())
	}
	return strings.TrimSpace(stdout.String()), ""
}

// A process that ends while it writes db.json leaves it empty, and the next one knows no transfer.
func TestOperate_EmptyDatabase(t *testing.T) {
	t.Parallel()
	i := newInstance(t)
	file := randomBytes(1000)
	key, failure := newJob(t, i, newProxied(t, i.url)).upload(file)
	if failure != "" {
		t.Fatal(failure)
	}
	i.end(syscall.SIGKILL)
	if err := os.Truncate(filepath.Join(i.storage, "db.json"), 0); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("sh", "../../examples/guides/operate-volume/restore.sh", i.storage).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	i.start()
	response, err := http.Get(i.url + "/files/info?sharekey=" + key)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var info struct{ Uploaded bool }
	if err := json.NewDecoder(response.Body).Decode(&info); err != nil || !info.Uploaded || !bytes.Equal(i.shared(key), file) {
		t.Errorf("the transfer is not there: %s, %+v, %v", response.Status, info, err)
	}
}

// The job cuts a file as the service says, also after the chunk size has changed. What Terraform last read cuts it wrong, and
// the service takes that for a complete file.
func TestOperate_StaleChunkSize(t *testing.T) {
	t.Parallel()
	const before, now = 100_000, 200_000
	i := newInstance(t, fmt.Sprintf("CHUNK_SIZE=%d", before))
	p := newProxied(t, i.url)
	j := newJob(t, i, p)
	i.restart(fmt.Sprintf("CHUNK_SIZE=%d", now))
	file := randomBytes(3 * before)
	key, failure := j.upload(file)
	if failure != "" || !bytes.Equal(i.shared(key), file) {
		t.Errorf("the file is corrupt, or %s", failure)
	}

	created := p.create(len(file))
	for n, chunk := range created.Chunks {
		status, answer := p.put(chunk.UploadPath, file[n*before:(n+1)*before], 0)
		if complete := strings.Contains(answer, `"uploaded":true`); status != 200 || complete != (n == 1) {
			t.Errorf("chunk %d gets status %d, %s", n, status, answer)
		}
	}
	if got := len(i.stored(created.TransferKey)); got != 2*before {
		t.Errorf("%d of %d bytes are stored", got, len(file))
	}
}

// A job that sends a chunk again after a time-out gets 503 and then the answer that the service has it, and succeeds.
func TestOperate_JobAfterATimeout(t *testing.T) {
	t.Parallel()
	const size = 200_000
	i := newInstance(t, fmt.Sprintf("CHUNK_SIZE=%d", size))
	r := newRelay(i)
	p := newProxied(t, r.url)
	j := newJob(t, i, p)
	h := r.holdNext(begun)
	go func() {
		for p.log.Scan() && p.log.Text() != "PUT 503" {
		}
		close(h.goOn)
		for p.log.Scan() {
		}
	}()
	file := randomBytes(2*size + 1)
	key, failure := j.upload(file, "CHUNK_SECONDS=1")
	if failure != "" || !bytes.Equal(i.shared(key), file) {
		t.Errorf("the file is corrupt, or %s", failure)
	}
}

// A stop of the service under five uploads: after nginx has quit, all jobs succeed. While a chunk is half stored, its job fails,
// and no job that succeeds left a corrupt file.
func TestOperate_Stop(t *testing.T) {
	t.Parallel()
	const jobs, chunks, size = 5, 10, 500_000
	setting := fmt.Sprintf("CHUNK_SIZE=%d", size)
	for name, inOrder := range map[string]bool{"after nginx": true, "under nginx": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInstance(t, setting)
			r := newRelay(i)
			p := newProxied(t, r.url)
			j := newJob(t, i, p)
			type result struct {
				file         []byte
				key, failure string
			}
			results := make(chan result, jobs)
			upload := func() {
				file := randomBytes(chunks * size)
				key, failure := j.upload(file)
				results <- result{file, key, failure}
			}
			half := r.holdNext(size / 2)
			go upload()
			<-half.reached
			torn := regexp.MustCompile(`transferkey=(\w+)`).FindStringSubmatch(half.line)[1]
			for range jobs - 1 {
				go upload()
			}
			for timeout := time.After(time.Minute); len(i.stored(torn)) == 0 || r.uploads.Load() < 2*jobs; {
				select {
				case <-timeout:
					t.Fatal("the uploads do not begin")
				case <-time.After(time.Millisecond):
				}
			}
			if inOrder {
				close(half.goOn)
				p.quit()
				i.restart(setting)
				p.start()
			} else {
				i.end(syscall.SIGTERM)
				close(half.goOn)
				i.start(setting)
			}
			failed := 0
			for range jobs {
				got := <-results
				switch {
				case got.failure != "":
					t.Log(got.failure)
					failed++
				case !bytes.Equal(i.shared(got.key), got.file):
					t.Error("a job succeeded, and its file is corrupt")
				}
			}
			if inOrder != (failed == 0) || inOrder != (len(i.stored(torn)) == chunks*size) {
				t.Errorf("%d jobs failed; of the first, %d bytes are stored", failed, len(i.stored(torn)))
			}
		})
	}
}

// What the service makes of a wrong setting fails the apply.
func TestOperate_Settings(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"FILE_MAX_SIZE=5 GB":   "FILE_MAX_SIZE is 64424509440, but the instance reports 5 bytes.",
		"FILE_MAX_SIZE=abc":    "fileMaxSize",
		"CHUNK_SIZE=20 MB":     "CHUNK_SIZE is 20000000, but the instance reports 20 bytes.",
		"FILE_MAX_AGE=30d":     "FILE_MAX_AGE is 2592000, but the instance reports 30 seconds.",
		"FILE_MAX_AGE=0":       "FILE_MAX_AGE is 2592000, but the instance reports 15770000000 seconds.",
		"FILE_MAX_AGE=month":   "", // the default
		"API_PASSWORD=":        "API_PASSWORD is empty",
		"FILE_MAX_AGE=2592000": "",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			i := newInstance(t, "FILE_MAX_SIZE=64424509440", "CHUNK_SIZE=20000000", "API_PASSWORD=secret", setting)
			w := newExample(t, "operate-settings")
			w.set(map[string]any{"base_url": i.url})
			diagnostics, ok := w.do("apply", "-auto-approve")
			if ok != (want == "") || !ok && !strings.Contains(fmt.Sprint(diagnostics), want) {
				t.Errorf("want %q: %t, %+v", want, ok, diagnostics)
			}
		})
	}
}

// Whatever the instance reports and whatever its settings become, no plan makes the volume smaller.
func TestOperate_Volume(t *testing.T) {
	t.Parallel()
	i := newInstance(t)
	w := newExample(t, "operate-volume")
	w.set(map[string]any{"base_url": i.url})
	size := w.apply()["volume_gib"]
	i.restart("FILE_MAX_AGE=30d")
	for _, age := range []int{2592000, 30} {
		limits := map[string]any{"file_max_size": 64424509440, "file_max_age": age, "disk_space_margin": 100000000}
		w.set(map[string]any{"base_url": i.url, "settings": limits})
		if got := w.apply()["volume_gib"]; got != size {
			t.Errorf("the volume was made for %v GiB, and has %v", size, got)
		}
	}
}

// The rules are valid, and fire as the guide says.
func TestOperate_Rules(t *testing.T) {
	t.Parallel()
	i := newInstance(t)
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip(err)
	}
	w := newExample(t, "operate-volume")
	w.set(map[string]any{"base_url": i.url})
	w.write("rules.yml", []byte(w.apply()["rules"].(string)))
	content, err := os.ReadFile("testdata/rules_test.yml")
	if err != nil {
		t.Fatal(err)
	}
	w.write("rules_test.yml", content)
	for _, args := range [][]string{{"check", "rules", "rules.yml"}, {"test", "rules", "rules_test.yml"}} {
		if output, err := command(w.dir, "promtool", args...).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, output)
		}
	}
}
