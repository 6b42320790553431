// Command instances starts instances on this machine, prints their URLs as the variable of examples/demo, and serves them
// until it is told to stop. Its arguments name them; without any, there is one of each response format:
//
//	go run ./internal/dev/instances > instances.auto.tfvars.json
//	go run ./internal/dev/instances broken
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

var documents = map[string]instancetest.Document{
	"older":  instancetest.Older(),
	"newer":  instancetest.Newer(),
	"broken": instancetest.Newer().With("fileMaxSize", nil),
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	names := os.Args[1:]
	if len(names) == 0 {
		names = []string{"older", "newer"}
	}
	err := serve(ctx, names, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "instances:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, names []string, out io.Writer) error {
	baseURLs := map[string]string{}
	for _, name := range names {
		instance, err := instancetest.Start(instancetest.WithDocument(documents[name])) //nolint:contextcheck // serves until it is closed
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
