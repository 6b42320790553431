package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// details is one element of the output "instances" of examples/demo.
type details struct {
	BaseURL                string       `json:"base_url"`
	APIVersion             string       `json:"api_version"`
	APIVersionMajor        int64        `json:"api_version_major"`
	APIVersionMinor        int64        `json:"api_version_minor"`
	APIVersionPatch        int64        `json:"api_version_patch"`
	RequirePassword        bool         `json:"require_password"`
	FileMaxSize            int64        `json:"file_max_size"`
	ChunkSize              int64        `json:"chunk_size"`
	FileMaxAge             int64        `json:"file_max_age"`
	MaxTransfersInMerge    int64        `json:"max_transfers_in_merge"`
	RecommendedExpireTimes []expireTime `json:"recommended_expire_times"`
}

type expireTime struct {
	Label     string `json:"label"`
	InSeconds int64  `json:"in_seconds"`
	InMinutes int64  `json:"in_minutes"`
}

// parseOutputs reads the answer to `output -json`. An attribute that is not known here is an error: the table would
// silently lack it.
func parseOutputs(document []byte) (map[string]details, error) {
	var outputs struct {
		Instances struct {
			Sensitive bool               `json:"sensitive"`
			Type      json.RawMessage    `json:"type"`
			Value     map[string]details `json:"value"`
		} `json:"instances"`
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&outputs); err != nil {
		return nil, fmt.Errorf("reading the outputs of examples/demo: %w", err)
	}
	return outputs.Instances.Value, nil
}

// cellLimit is the widest text that the table takes over from an instance.
const cellLimit = 48

// printTable prints one column per target and one line per attribute; lists take a line per element.
func printTable(out io.Writer, targets []target, read map[string]details) error {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	line := func(attribute string, cell func(target) string) {
		cells := []string{attribute}
		for _, t := range targets {
			cells = append(cells, safetext.Clean(cell(t), cellLimit))
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	row := func(attribute string, value func(details) any) {
		line(attribute, func(t target) string { return fmt.Sprint(value(read[t.name])) })
	}

	line("ATTRIBUTE", func(t target) string { return strings.ToUpper(t.name) })
	row("base_url", func(d details) any { return d.BaseURL })
	row("api_version", func(d details) any { return d.APIVersion })
	row("api_version_major", func(d details) any { return d.APIVersionMajor })
	row("api_version_minor", func(d details) any { return d.APIVersionMinor })
	row("api_version_patch", func(d details) any { return d.APIVersionPatch })
	row("require_password", func(d details) any { return d.RequirePassword })
	row("file_max_size (bytes)", func(d details) any { return d.FileMaxSize })
	row("chunk_size (bytes)", func(d details) any { return d.ChunkSize })
	row("file_max_age (seconds)", func(d details) any { return d.FileMaxAge })
	row("max_transfers_in_merge", func(d details) any { return d.MaxTransfersInMerge })

	options := 0
	for _, t := range targets {
		options = max(options, len(read[t.name].RecommendedExpireTimes))
	}
	attribute := "recommended_expire_times"
	for i := range max(options, 1) {
		line(attribute, func(t target) string {
			if i >= len(read[t.name].RecommendedExpireTimes) {
				return ""
			}
			option := read[t.name].RecommendedExpireTimes[i]
			return option.Label + " = " + strconv.FormatInt(option.InSeconds, 10) + " s"
		})
		attribute = ""
	}
	return table.Flush()
}
