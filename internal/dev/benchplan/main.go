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
	run      = flag.String("run", "", "only comparisons with this in their names, such as fleet/no-op")
	rounds   = flag.Int("rounds", 9, "rounds, besides one to warm up")
)

// The configurations that are planned.
const (
	instanceEach = providerBlock + `
data "filetransfer_instance" "this" {
  for_each = var.base_urls
  base_url = each.value
}
`
	instancesAll = providerBlock + `
data "filetransfer_instances" "this" { base_urls = var.base_urls }
`
	recordEach = providerBlock + `
resource "filetransfer_instance_record" "this" {
  for_each = var.base_urls
  base_url = each.value
}
`
	httpEach = `
data "http" "this" {
  for_each    = var.base_urls
  url         = "${each.value}/instance"
  ca_cert_pem = var.ca_cert_pem
}
output "sizes" { value = [for response in data.http.this : jsondecode(response.response_body).fileMaxSize] }
`
	// head begins each of them.
	head = `
variable "base_urls" { type = map(string) }
variable "ca_cert_pem" {}
`
	providerBlock = `
terraform {
  required_providers {
    filetransfer = { source = "filetransfer/filetransfer" }
  }
}
provider "filetransfer" { ca_cert_pem = var.ca_cert_pem }
`
	overrides = `
provider_installation {
  dev_overrides {
    "%[1]s/filetransfer/filetransfer" = %[2]q
    "%[1]s/hashicorp/http"            = %[2]q
  }
}
`
)

// plan is what is measured: a configuration with so many instances, and the provider in a folder.
type plan struct {
	name, providers, configuration string
	instances                      int
}

func main() {
	flag.Parse()
	if err := benchmark(os.Getenv("TMPDIR")); err != nil {
		fmt.Fprintln(os.Stderr, "benchplan:", err)
		os.Exit(1)
	}
}

func benchmark(work string) error {
	ours, noOp := filepath.Join(work, "ours"), filepath.Join(work, "noop")
	for dir, source := range map[string]string{ours: ".", noOp: "./internal/dev/benchplan/noop"} {
		binary := filepath.Join(dir, "terraform-provider-filetransfer")
		if output, err := exec.CommandContext(context.Background(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, source).CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", source, err, output)
		}
	}
	each := plan{"filetransfer_instance", ours, instanceEach, 500}
	fleet := func(instances int) plan { return plan{"in one filetransfer_instances", ours, instancesAll, instances} }
	records := plan{"filetransfer_instance_record", ours, recordEach, 500}
	for _, comparison := range []struct {
		name string
		a, b plan
	}{
		{"each/http", each, plan{`data "http"`, *dataHTTP, httpEach, 500}},
		{"each/http TLS", each, plan{`data "http"`, *dataHTTP, httpEach, 500}},
		{"each/baseline", each, plan{"of the other build", *baseline, instanceEach, 500}},
		{"each/baseline TLS", each, plan{"of the other build", *baseline, instanceEach, 500}},
		{"each/no-op", each, plan{"no-op data sources", noOp, instanceEach, 500}},
		{"fleet/each", fleet(500), each},
		{"fleet/no-op", fleet(2000), plan{"no-op data sources", noOp, instanceEach, 2000}},
		{"fleet/fleet", fleet(10000), fleet(1000)},
		{"record/baseline", records, plan{"of the other build", *baseline, recordEach, 500}},
		{"record/no-op", records, plan{"no-op resources", noOp, recordEach, 500}},
	} {
		if comparison.b.providers == "" || !strings.Contains(comparison.name, *run) {
			continue
		}
		if err := compare(comparison.name, comparison.a, comparison.b, work); err != nil {
			return err
		}
	}
	return nil
}

// compare makes both plans by turns, and prints the median of their ratios.
func compare(name string, a, b plan, work string) error {
	options := []instancetest.Option{instancetest.WithDefault(instancetest.Body(http.StatusOK, "application/json", instancetest.Newer().JSON()))}
	if strings.HasSuffix(name, "TLS") {
		options = append(options, instancetest.WithTLS())
	}
	server, err := instancetest.Start(options...)
	if err != nil {
		return err
	}
	defer server.Close()
	dirs := []string{filepath.Join(work, name, "a"), filepath.Join(work, name, "b")}
	for i, p := range []plan{a, b} {
		if err := p.prepare(dirs[i], server); err != nil {
			return err
		}
	}
	ratios, seconds := []float64{}, [2][]float64{}
	for range *rounds {
		for i, dir := range dirs {
			start := time.Now()
			if err := terraform(dir, "plan"); err != nil {
				return err
			}
			seconds[i] = append(seconds[i], time.Since(start).Seconds())
		}
		ratios = append(ratios, seconds[0][len(ratios)]/seconds[1][len(ratios)])
	}
	fmt.Printf("%-17s %5.2f  (%d %s: %.2f s; %d %s: %.2f s)\n",
		name, median(ratios), a.instances, a.name, median(seconds[0]), b.instances, b.name, median(seconds[1]))
	return nil
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// prepare makes a workspace, and applies it once, which warms up and records instances. Each instance has a URL of its own.
func (p plan) prepare(dir string, server *instancetest.Server) error {
	baseURLs := map[string]string{}
	for i := range p.instances {
		baseURLs[fmt.Sprintf("instance%05d", i)] = fmt.Sprintf("%s/%d", server.URL(), i)
	}
	variables, err := json.Marshal(map[string]any{"base_urls": baseURLs, "ca_cert_pem": server.CACertPEM()})
	if err != nil {
		return err
	}
	providers, err := filepath.Abs(p.providers)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, content := range map[string]string{
		"main.tf":                  head + p.configuration,
		"terraform.tfvars.json":    string(variables),
		"terraform-overrides.tfrc": fmt.Sprintf(overrides, os.Getenv("TF_ACC_PROVIDER_HOST"), filepath.ToSlash(providers)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return terraform(dir, "apply", "-auto-approve")
}

func terraform(dir string, args ...string) error {
	cmd := exec.CommandContext(context.Background(), os.Getenv("TF_ACC_TERRAFORM_PATH"), append(args, "-input=false", "-no-color")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(dir, "terraform-overrides.tfrc"))
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", args[0], err, output)
	}
	return nil
}
