// Command instances starts instances on this machine, prints their URLs as the variable of examples/demo, and serves them
// until it is told to stop. Its arguments name them; without any, there is one of each response shape:
//
//	go run ./internal/dev/instances > instances.auto.tfvars.json
//	go run ./internal/dev/instances broken
package main

import (
	"encoding/json"
	"log"
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
	told := make(chan os.Signal, 1)
	signal.Notify(told, os.Interrupt, syscall.SIGTERM)
	names := os.Args[1:]
	if len(names) == 0 {
		names = []string{"older", "newer"}
	}
	baseURLs := map[string]string{}
	for _, name := range names {
		instance, err := instancetest.Start(instancetest.WithDocument(documents[name]))
		if err != nil {
			log.Fatal(err)
		}
		baseURLs[name] = instance.URL()
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"base_urls": baseURLs}); err != nil {
		log.Fatal(err)
	}
	<-told
}
