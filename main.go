// Command terraform-provider-filetransfer is the Terraform provider for the
// instances of a file transfer service.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/provider"
)

// address is what required_providers names as the source.
const address = "registry.terraform.io/filetransfer/filetransfer"

// Set by the release build.
var (
	version = "dev"
	commit  = "none"
)

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger such as delve")
	showVersion := flag.Bool("version", false, "print version and commit, and exit")
	flag.Parse()

	if *showVersion {
		fmt.Printf("terraform-provider-filetransfer %s (commit %s)\n", version, commit)
		return
	}
	// net/http logs what a server sends unasked, as it came. Our own log goes
	// through tflog.
	log.SetOutput(io.Discard)
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: address,
		Debug:   *debug,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
