package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/safetext"
)

// details are the attributes of one element of the output "instances" of examples/demo.
type details map[string]any

// parseOutputs reads what `output -json` printed.
func parseOutputs(document []byte) (map[string]details, error) {
	var outputs struct {
		Instances struct {
			Value map[string]details `json:"value"`
		} `json:"instances"`
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber() // a float would print large sizes as 1.099511627776e+12
	if err := decoder.Decode(&outputs); err != nil {
		return nil, fmt.Errorf("reading the outputs of examples/demo: %w", err)
	}
	return outputs.Instances.Value, nil
}

// cellLimit is the widest text of an instance that the table shows.
const cellLimit = 48

// printTable prints a column for each target and a row for each attribute: base_url, which says what the column is about,
// and then the others by name. A list has a line for each element.
func printTable(out io.Writer, targets []target, read map[string]details) error {
	others := map[string]bool{}
	for _, d := range read {
		for attribute := range d {
			others[attribute] = true
		}
	}
	delete(others, "base_url")
	attributes := append([]string{"base_url"}, slices.Sorted(maps.Keys(others))...)

	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprint(table, "ATTRIBUTE")
	for _, t := range targets {
		fmt.Fprint(table, "\t", strings.ToUpper(t.name))
	}
	fmt.Fprintln(table)
	for _, attribute := range attributes {
		cells := make([][]string, len(targets))
		height := 1
		for i, t := range targets {
			cells[i] = lines(read[t.name][attribute])
			height = max(height, len(cells[i]))
		}
		for line := range height {
			if line == 0 {
				fmt.Fprint(table, attribute)
			}
			for _, cell := range cells {
				fmt.Fprint(table, "\t")
				if line < len(cell) {
					fmt.Fprint(table, safetext.Clean(cell[line], cellLimit))
				}
			}
			fmt.Fprintln(table)
		}
	}
	return table.Flush()
}

// lines returns a value as text, with a line for each element of a list.
func lines(value any) []string {
	switch value := value.(type) {
	case nil:
		return []string{"null"}
	case []any:
		var all []string
		for _, element := range value {
			all = append(all, lines(element)...)
		}
		return all
	case map[string]any: // the objects are expire times
		return []string{fmt.Sprintf("%v = %v s", value["label"], value["in_seconds"])}
	default:
		return []string{fmt.Sprint(value)}
	}
}
