package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// print prints a line for each candidate.
func (r *result) print(out io.Writer) error {
	fmt.Fprintf(out, "\nA plan of %s (medians of %d rounds)\n", r.title, len(r.candidates[0].rounds))
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  \ttime\tprocessor time\tto no I/O, no log\tto no I/O\tto data \"http\"\trequests\tconnections\tTLS handshakes")
	for _, c := range r.candidates {
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\n", c.name,
			milliseconds(medianOf(c.rounds, func(r round) time.Duration { return r.elapsed })),
			milliseconds(medianOf(c.rounds, func(r round) time.Duration { return r.cpu })),
			ratioText(r.ratio(c.name, floor)),
			ratioText(r.ratio(c.name, canned)),
			ratioText(r.ratio(c.name, httpEach)),
			medianOf(c.rounds, func(r round) int { return r.requests }),
			medianOf(c.rounds, func(r round) int { return r.connections }),
			medianOf(c.rounds, func(r round) int { return r.handshakes }))
	}
	return table.Flush()
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

func ratioText(ratio float64, ok bool) string {
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.2f", ratio)
}

// sizeAtMost is how many times as large as hashicorp/http the binary may be.
const sizeAtMost = 1.05

// target is how many times as long one candidate may take as another.
type target struct {
	name, reference string
	atMost          float64
}

// printTargets compares the ratios with what the provider aims at. A missed one is no failure: a busy machine misses too.
func printTargets(out io.Writer, results []*result, built *binaries) error {
	fmt.Fprintln(out, "\nRatios and what they are to be at most (medians of each round's ratio)")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(what string, atMost, ratio float64, ok bool) {
		verdict := "met"
		switch {
		case !ok:
			verdict = "not measured"
		case ratio > atMost:
			verdict = "MISSED"
		}
		fmt.Fprintf(table, "  %s\t%s\tat most %.2f\t%s\n", what, ratioText(ratio, ok), atMost, verdict)
	}
	for _, r := range results {
		targets := []target{
			{oursEach, floor, 1.15},
			{oursEach, canned, 1.15},
			{oursEach, httpEach, 0.6},
			{oursPlural, oursEach, 0.2},
			{floorPlural, oursEach, 0.2}, // whether that can be met at all
		}
		if r.reads == 1 {
			targets = []target{{oursEach, httpEach, 1}}
		}
		for _, t := range targets {
			ratio, ok := r.ratio(t.name, t.reference)
			line(fmt.Sprintf("%s: %s / %s", r.title, t.name, t.reference), t.atMost, ratio, ok)
		}
	}

	if err := table.Flush(); err != nil {
		return err
	}
	return printSizes(out, built)
}

// printSizes compares the sizes of the binaries.
func printSizes(out io.Writer, built *binaries) error {
	ours, oursWith, err := binarySize(built.ours)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nStripped binary: %.1f MB (%s)\n", ours, oursWith)
	if built.http == "" {
		return nil
	}
	theirs, theirsWith, err := binarySize(built.http)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "hashicorp/http:  %.1f MB (%s)\nRatio: %.2f", theirs, theirsWith, ours/theirs)
	if oursWith == theirsWith {
		fmt.Fprintf(out, ", to be at most %.2f\n", sizeAtMost)
	} else {
		fmt.Fprintf(out, "; the target, at most %.2f, is for the same versions\n", sizeAtMost)
	}
	return nil
}
