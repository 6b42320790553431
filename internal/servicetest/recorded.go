package servicetest

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

//go:embed testdata/releases
var recorded embed.FS

// Documents is what a release answered, byte for byte, by setting: "default", or one such as "FILE_MAX_SIZE=abc".
type Documents map[string]json.RawMessage

// Recorded returns what each release answered, such as "2.2.3".
func Recorded() (map[string]Documents, error) {
	const dir = "testdata/releases"
	files, err := recorded.ReadDir(dir)
	all := map[string]Documents{}
	for _, file := range files {
		content, _ := recorded.ReadFile(path.Join(dir, file.Name())) // it is in the program
		var answered Documents
		if err := json.Unmarshal(content, &answered); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		all[strings.TrimSuffix(file.Name(), ".json")] = answered
	}
	return all, err
}
