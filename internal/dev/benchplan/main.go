// Command benchplan measures whole plans through the CLI: this provider, a data source of the same schema that does
// nothing, and hashicorp/http, on an instance on this machine. It is run from the root of the repository:
//
//	go run ./internal/dev/benchplan
//	go run ./internal/dev/benchplan -reads=1000 -runs=3 -http=/path/to/terraform-provider-http
//
// Every ratio is the median over the rounds of one run, in which all candidates plan by turns: whatever else the machine
// does slows them down alike. Nothing is written into the tree, and nothing stays behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// The candidates.
const (
	oursEach   = "filetransfer_instance"
	oursPlural = "filetransfer_instances"
	// floor is the least that Terraform's graph and plugin protocol allow for our schema. Without TF_LOG, Terraform throws
	// the log of a provider away, which a provider writes all the same unless it is told not to: writing and reading it
	// takes as long as all the rest.
	floor = "same schema, no I/O, no log"
	// canned is what a data source takes that does nothing and is served like any other.
	canned = "same schema, no I/O"
	// floorPlural is what Terraform and the framework take for the values of the plural data source.
	floorPlural = "plural schema, no I/O, no log"
	httpEach    = `data "http", jsondecode`
)

// noLog silences the canned provider.
var noLog = []string{"TF_LOG_SDK=OFF", "TF_LOG_PROVIDER_CANNED=OFF"}

func main() {
	reads := flag.Int("reads", 500, "instances that the large plans read")
	runs := flag.Int("runs", 7, "rounds, not counting one to warm up")
	httpPath := flag.String("http", "", "terraform-provider-http to compare with, instead of the one that the CLI installs")
	flag.Parse()

	ctx, stop := proc.NotifyContext(context.Background())
	err := errors.New("-reads and -runs are at least 1")
	if *reads >= 1 && *runs >= 1 {
		err = benchmark(ctx, *reads, *runs, *httpPath)
	}
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "benchplan: interrupted; everything is cleaned up")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "benchplan:", err)
		os.Exit(1)
	}
}

func benchmark(ctx context.Context, reads, runs int, httpPath string) (err error) {
	cli, err := tfcli.Find(ctx, ".", os.Stdout)
	if err != nil {
		return err
	}
	fmt.Println("Using", cli.Name())
	work, err := os.MkdirTemp("", "filetransfer-benchplan-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	env, withHTTP, err := prepare(ctx, cli, work, httpPath)
	if err != nil {
		return err
	}

	plain, secure, err := startInstances() //nolint:contextcheck // they serve until they are closed
	if err != nil {
		return err
	}
	defer plain.Close()
	defer secure.Close()

	candidates := []candidate{
		{name: oursEach, configuration: fmt.Sprintf(singular, "filetransfer")},
		{name: oursPlural, configuration: fmt.Sprintf(plural, "filetransfer")},
		{name: floor, configuration: fmt.Sprintf(singular, "canned"), env: noLog},
		{name: floorPlural, configuration: fmt.Sprintf(plural, "canned"), env: noLog},
		{name: canned, configuration: fmt.Sprintf(singular, "canned")},
	}
	if withHTTP {
		candidates = append(candidates, candidate{name: httpEach, configuration: dataHTTP})
	}
	for i, setup := range []struct {
		title  string
		server *instancetest.Server
		reads  int
	}{
		{"%d reads, plain HTTP", plain, reads},
		{"%d reads, TLS", secure, reads},
		{"%d read, plain HTTP", plain, 1},
		{"%d read, TLS", secure, 1},
	} {
		b := &bench{cli: cli, env: env, server: setup.server, reads: setup.reads}
		caCertPEM := ""
		if setup.server == secure {
			caCertPEM = secure.CACertPEM()
		}
		for j, c := range candidates {
			c.dir = filepath.Join(work, fmt.Sprintf("plan-%d-%d", i, j))
			if err := writeConfiguration(c.dir, c.configuration, setup.server.URL(), caCertPEM, setup.reads); err != nil {
				return err
			}
			b.candidates = append(b.candidates, &c)
		}
		measured, err := b.run(ctx, fmt.Sprintf(setup.title, setup.reads), runs)
		if err != nil {
			return err
		}
		if err := measured.print(os.Stdout); err != nil {
			return err
		}
	}
	return nil
}

// startInstances starts the instances that are read, which answer at every path.
func startInstances() (plain, secure *instancetest.Server, err error) {
	answer := instancetest.WithDefault(instancetest.Body(http.StatusOK, "application/json; charset=utf-8", instancetest.Newer().JSON()))
	if plain, err = instancetest.Start(answer); err != nil {
		return nil, nil, err
	}
	if secure, err = instancetest.Start(answer, instancetest.WithTLS()); err != nil {
		plain.Close()
		return nil, nil, err
	}
	return plain, secure, nil
}
