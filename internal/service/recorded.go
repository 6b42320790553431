package service

import (
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed testdata/releases/*.json
var recorded embed.FS

// Recorded returns the document that a release answered, such as "2.2.3", with a setting, such as "FILE_MAX_SIZE=abc", or "default".
func Recorded(release, setting string) (string, error) {
	content, err := recorded.ReadFile("testdata/releases/" + release + ".json")
	if err != nil {
		return "", err
	}
	var documents map[string]json.RawMessage
	if err := json.Unmarshal(content, &documents); err != nil {
		return "", fmt.Errorf("the answers of %s: %w", release, err)
	}
	document, ok := documents[setting]
	if !ok {
		return "", fmt.Errorf("no answer of %s with %s", release, setting)
	}
	return string(document), nil
}
