// Command instances starts instances on this machine, prints their URLs as the variable of examples/demo, and serves
// them until it is told to stop. They answer what releases of the service answered. Its arguments name them; without
// any, there is one of each response shape:
//
//	go run ./internal/dev/instances > instances.auto.tfvars.json
//	go run ./internal/dev/instances broken
//
// release=FILE is a server whose release and chunk size are in a file, such as "2.2.0 30000000".
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/servicetest"
)

var recorded = map[string]struct{ release, setting string }{
	"older":  {"1.1.0", "default"},
	"newer":  {"2.2.3", "default"},
	"broken": {"2.2.3", "FILE_MAX_SIZE=abc"},
}

func main() {
	names := os.Args[1:]
	if len(names) == 0 {
		names = []string{"older", "newer"}
	}
	documents, err := servicetest.Recorded()
	if err != nil {
		log.Fatal(err)
	}
	baseURLs := map[string]string{}
	for _, name := range names {
		name, file, released := strings.Cut(name, "=")
		shape := name
		if released {
			shape = "newer"
		}
		answered, known := recorded[shape]
		if !known {
			log.Fatal("the arguments are older, newer, broken and release=FILE")
		}
		document := string(documents[answered.release][answered.setting])
		option := instancetest.WithDocument(document)
		if released {
			option = instancetest.WithDefault(release(file, document))
		}
		instance, err := instancetest.Start(option)
		if err != nil {
			log.Fatal(err)
		}
		baseURLs[name] = instance.URL()
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"base_urls": baseURLs}); err != nil {
		log.Fatal(err)
	}
	select {} // until a signal ends it
}

// release answers with a document, and with the release and the chunk size that a file says. After each change of the
// file, the old process answers once more, and the next request comes while the server restarts.
func release(file, document string) instancetest.Step {
	var (
		mutex   sync.Mutex
		running string // the settings of the process that answers
		asked   int    // how often since they changed
	)
	return func(s *instancetest.Server, w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		content, _ := os.ReadFile(file) // no file is no server yet
		settings := strings.Trim(string(content), "\" \r\n")
		if settings != running {
			asked++
		}
		if asked == 3 {
			running, asked = settings, 0
		}
		version, size, _ := strings.Cut(running, " ")
		var chunkSize int // the digits that the setting begins with, as the service reads it
		_, _ = fmt.Sscanf(size, "%d", &chunkSize)
		if running == "" || asked == 2 {
			instancetest.Status(http.StatusServiceUnavailable)(s, w, r)
			return
		}
		answer := regexp.MustCompile(`"apiVersion":".*?"`).ReplaceAllString(document, fmt.Sprintf(`"apiVersion":%q`, version))
		answer = regexp.MustCompile(`"chunkSize":\d+`).ReplaceAllString(answer, fmt.Sprintf(`"chunkSize":%d`, chunkSize))
		instancetest.AnswerDocument(answer)(s, w, r)
	}
}
