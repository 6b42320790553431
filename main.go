// Command terraform-provider-filetransfer is the Terraform provider for the instances of a file transfer service.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debugMode := flag.Bool("debug", false, "serve for a debugger such as delve")
	flag.Parse()
	if !*debugMode {
		silenceUnreadLog()
	}
	log.SetOutput(io.Discard) // net/http logs what a server says before it is asked, which may repeat a secret
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/filetransfer/filetransfer", // the source in required_providers
		Debug:   *debugMode,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// silenceUnreadLog switches the log off if nobody asked for one. Otherwise, each plugin library logs everything at
// TRACE unless a variable of its own says something else, and Terraform throws it away. That takes up to half of the
// time of a plan.
func silenceUnreadLog() {
	asked := func(variable string) bool { return strings.HasPrefix(variable, "TF_LOG") }
	if slices.ContainsFunc(os.Environ(), asked) {
		return
	}
	for _, variable := range []string{
		"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO", "TF_LOG_PROVIDER_FILETRANSFER",
	} {
		_ = os.Setenv(variable, "OFF") // a log that stays on is only slow
	}
}
