// Command benchplan compares how long plans take: two at a time, by turns, so that whatever else the machine does slows
// down both. It prints the median of their ratios. scripts/with-cli runs it, and removes its files:
//
//	make bench-plan
//	make bench-plan BENCHARGS="-http=DIR -baseline=DIR"
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

var (
	dataHTTP = flag.String("http", "", "compare with the terraform-provider-http in this folder")
	baseline = flag.String("baseline", "", "compare with another build of this provider, in this folder")
	run      = flag.String("run", "", "only comparisons with this in their names, such as no-op")
	rounds   = flag.Int("rounds", 9, "rounds, besides one to warm up")
)

// plan is what is measured: a configuration with so many instances, and the provider in a folder.
type plan struct {
	instances     int
	configuration string
	providers     string
}

// The configurations that are planned, with the provider that they use.
const (
	each = `
provider "filetransfer" { ca_cert_pem = var.ca_cert_pem }
data "filetransfer_instance" "this" {
  for_each = var.base_urls
  base_url = each.value
}
`
	fleet = `
provider "filetransfer" { ca_cert_pem = var.ca_cert_pem }
data "filetransfer_instances" "this" { base_urls = var.base_urls }
`
	records = `
provider "filetransfer" { ca_cert_pem = var.ca_cert_pem }
resource "filetransfer_instance_record" "this" {
  for_each = var.base_urls
  base_url = each.value
}
`
	eachHTTP = `
data "http" "this" {
  for_each    = var.base_urls
  url         = "${each.value}/instance"
  ca_cert_pem = var.ca_cert_pem
}
output "sizes" { value = [for response in data.http.this : jsondecode(response.response_body).fileMaxSize] }
`
	variables = `
variable "base_urls" { type = map(string) }
variable "ca_cert_pem" {}
`
	// A provider without a source address is HashiCorp's.
	overrides = `
provider_installation {
  dev_overrides {
    "%[1]s/hashicorp/filetransfer" = %[2]q
    "%[1]s/hashicorp/http"         = %[2]q
  }
}
`
)

func main() {
	flag.Parse()
	ours, noOp := build("."), build("./internal/dev/benchplan/noop")
	compare(`500 filetransfer_instance / 500 data "http"`, plan{500, each, ours}, plan{500, eachHTTP, *dataHTTP})
	compare(`500 filetransfer_instance / 500 data "http", TLS`, plan{500, each, ours}, plan{500, eachHTTP, *dataHTTP})
	compare("500 filetransfer_instance / 500 of the baseline", plan{500, each, ours}, plan{500, each, *baseline})
	compare("500 filetransfer_instance / 500 of the baseline, TLS", plan{500, each, ours}, plan{500, each, *baseline})
	compare("500 filetransfer_instance / 500 no-op", plan{500, each, ours}, plan{500, each, noOp})
	compare("500 in filetransfer_instances / 500 filetransfer_instance", plan{500, fleet, ours}, plan{500, each, ours})
	compare("500 in filetransfer_instances / 500 of the baseline", plan{500, fleet, ours}, plan{500, fleet, *baseline})
	compare("2000 in filetransfer_instances / 2000 no-op", plan{2000, fleet, ours}, plan{2000, each, noOp})
	compare("10000 in filetransfer_instances / 1000", plan{10000, fleet, ours}, plan{1000, fleet, ours})
	compare("500 filetransfer_instance_record / 500 of the baseline", plan{500, records, ours}, plan{500, records, *baseline})
	compare("500 filetransfer_instance_record / 500 no-op", plan{500, records, ours}, plan{500, records, noOp})
}

// build builds a provider, and returns its folder.
func build(source string) string {
	dir, err := os.MkdirTemp("", "provider")
	check(err)
	execute("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, "terraform-provider-filetransfer"), source)
	return dir
}

// compare makes both plans by turns, and prints the medians of their ratios and seconds.
func compare(name string, a, b plan) {
	if b.providers == "" || !strings.Contains(name, *run) {
		return
	}
	options := []instancetest.Option{instancetest.WithDefault(instancetest.Body(http.StatusOK, "application/json", instancetest.Newer().JSON()))}
	if strings.HasSuffix(name, "TLS") {
		options = append(options, instancetest.WithTLS())
	}
	server, err := instancetest.Start(options...)
	check(err)
	planA, planB := a.prepare(server), b.prepare(server)
	var ratios, secondsA, secondsB []float64
	for range *rounds {
		x, y := planA(), planB()
		ratios, secondsA, secondsB = append(ratios, x/y), append(secondsA, x), append(secondsB, y)
	}
	fmt.Printf("%5.2f  %s (%.2f s / %.2f s)\n", median(ratios), name, median(secondsA), median(secondsB))
	server.Close()
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// prepare makes a workspace in which each instance has a URL of its own, and applies it once, which warms up and records
// instances. It returns a function that plans, and says how many seconds that took.
func (p plan) prepare(server *instancetest.Server) func() float64 {
	dir, err := os.MkdirTemp("", "workspace")
	check(err)
	baseURLs := map[string]string{}
	for i := range p.instances {
		baseURLs[fmt.Sprintf("instance%05d", i)] = fmt.Sprintf("%s/%d", server.URL(), i)
	}
	values, err := json.Marshal(map[string]any{"base_urls": baseURLs, "ca_cert_pem": server.CACertPEM()})
	check(err)
	providers, err := filepath.Abs(p.providers)
	check(err)
	rc := fmt.Sprintf(overrides, os.Getenv("TF_ACC_PROVIDER_HOST"), filepath.ToSlash(providers))
	for name, content := range map[string]string{"main.tf": variables + p.configuration, "terraform.tfvars.json": string(values), "cli.tfrc": rc} {
		check(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	cli := func(command ...string) {
		check(os.Setenv("TF_CLI_CONFIG_FILE", filepath.Join(dir, "cli.tfrc")))
		execute(os.Getenv("TF_ACC_TERRAFORM_PATH"), append([]string{"-chdir=" + dir}, command...)...)
	}
	cli("apply", "-auto-approve")
	return func() float64 {
		start := time.Now()
		cli("plan")
		return time.Since(start).Seconds()
	}
}

func execute(program string, args ...string) {
	if output, err := exec.CommandContext(context.Background(), program, args...).CombinedOutput(); err != nil {
		check(fmt.Errorf("%s %q: %w\n%s", program, args, err, output))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
