// Command instances starts two instances on this machine, one for each response format, prints their URLs as the variables
// of examples/demo, and serves them until it is told to stop. It is run from the root of the repository:
//
//	go run ./internal/dev/instances > instances.auto.tfvars.json
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := serve(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "instances:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, out io.Writer) error {
	baseURLs := map[string]string{}
	for name, document := range map[string]instancetest.Document{
		"older": instancetest.Older(),
		"newer": instancetest.Newer(),
	} {
		instance, err := instancetest.Start(instancetest.WithDocument(document)) //nolint:contextcheck // serves until it is closed
		if err != nil {
			return err
		}
		defer instance.Close()
		baseURLs[name] = instance.URL()
	}
	if err := json.NewEncoder(out).Encode(map[string]any{"base_urls": baseURLs}); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
