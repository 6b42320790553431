package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/acctest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/servicetest"
)

// exampleURL is what pages and examples call their instance.
const exampleURL = "https://files.example.org/api"

// standIns replace what tests cannot install, and a time that no test waits.
var standIns = strings.NewReplacer(
	`resource "local_file"`, `resource "terraform_data"`,
	"  filename = \"${path.module}/upload-limit.conf\"\n  content  =", "  input =",
	`resource "aws_s3_bucket_lifecycle_configuration"`, `resource "terraform_data"`,
	"  bucket = \"example-upload-copies\"\n\n  rule {", "  input = {",
	"    filter {}\n", "", "    expiration {", "    expiration = {",
	`stable_for = "30s"`, `stable_for = "1s"`,
)

var releases, _ = servicetest.Recorded()

// newest answers what release 2.2.3 answers with a setting.
func newest(setting string) instancetest.Step {
	return instancetest.AnswerDocument(string(releases["2.2.3"][setting]))
}

// startInstance starts an instance that requires what a configuration has for it.
func startInstance(t *testing.T, configuration string) *instancetest.Server {
	t.Helper()
	options := []instancetest.Option{instancetest.WithDefault(newest("default"))}
	if strings.Contains(configuration, "ca_cert_pem") {
		token := instancetest.WithRequiredHeader("X-Gateway-Token", "an-opaque-token")
		options = append(options, instancetest.WithTLS(), token)
	}
	if strings.Contains(configuration, "client_cert_pem") {
		options = append(options, instancetest.WithClientCertificate())
	}
	return instancetest.New(t, options...)
}

// localized returns a configuration that needs no other provider, in which an instance takes the place of exampleURL.
func localized(configuration string, server *instancetest.Server) string {
	return strings.ReplaceAll(standIns.Replace(configuration), exampleURL, server.URL())
}

// copyExample makes a workspace of an example, and starts the instance that it reads.
func copyExample(t *testing.T, name string, needed ...acctest.Feature) (*workspace, *instancetest.Server) {
	t.Helper()
	w := newWorkspace(t, "", needed...)
	if err := os.CopyFS(w.dir, os.DirFS(filepath.Join(root, "examples", name))); err != nil {
		t.Fatal(err)
	}
	configuration, parts := "", map[string]string{}
	found, _ := filepath.Glob(filepath.Join(w.dir, "*.tf"))
	for _, file := range found {
		parts[filepath.Base(file)] = read(t, file)
		configuration += read(t, file)
	}
	server := startInstance(t, configuration)
	for file, part := range parts {
		w.write(file, localized(part, server))
	}
	w.write("ca.pem", server.CACertPEM())
	w.write("client.pem", server.ClientCertPEM())
	w.env = append(w.env, "TF_VAR_base_url="+server.URL(), "TF_VAR_gateway_token=an-opaque-token",
		"TF_VAR_client_key_pem="+server.ClientKeyPEM())
	if strings.Contains(configuration, "module \"") {
		w.run("get").expect(0)
	}
	return w, server
}

// Each example can be applied, and prints what the pages say.
func TestAccExamples(t *testing.T) {
	t.Parallel()
	needed := map[string][]acctest.Feature{"resources/filetransfer_instance_record": {acctest.ImportBlocks}}
	const pages = "templates/"
	examples := map[string][]string{
		"provider":                               {blockWith(t, pages+"index.md.tmpl", "file_max_size")},
		"data-sources/filetransfer_instance":     {blockWith(t, pages+"data-sources/instance.md.tmpl", "tolist")},
		"data-sources/filetransfer_instances":    {"upload_limit = 21474836480"},
		"resources/filetransfer_instance_record": {"1 imported", "chunk_size = 10000000"},
		"guides/connect":                         {blockWith(t, pages+"guides/connect.md.tmpl", "api_version")},
		"guides/migrate-from-data-http":          {"max_age_days = 30", "expire_seconds = [ 1800,"},
		"guides/tolerate-failures":               {blockWith(t, pages+"data-sources/instances.md.tmpl", "tomap")},
	}
	const elsewhere = " demo demo/release guides/deploy-a-server guides/preconditions guides/test-a-module " +
		"guides/use-the-limits "
	for _, file := range glob(t, "examples/*/*.tf", "examples/*/*/*.tf") {
		name := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(file)), root+"/examples/")
		if !strings.Contains(elsewhere, " "+name+" ") && examples[name] == nil {
			t.Errorf("no test applies %s", file)
		}
	}
	for name, texts := range examples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := copyExample(t, name, needed[name]...)
			lyon := instancetest.New(t, instancetest.WithDocument(instancetest.Older().With("apiVersion", "1.1.0")))
			paris := instancetest.New(t, instancetest.WithDocument(instancetest.Newer().With("apiVersion", "2.2.3")))
			baseURLs := map[string]string{"lyon": lyon.URL(), "paris": paris.URL()}
			if name == "guides/tolerate-failures" {
				baseURLs["nice"] = "http://" + instancetest.ReserveAddress(t)
				w.write("impatient.tf", acctest.ImpatientProvider)
			}
			values, _ := json.Marshal(baseURLs)
			w.env = append(w.env, "TF_VAR_base_urls="+string(values))
			w.apply().expect(0, texts...)
		})
	}
}
