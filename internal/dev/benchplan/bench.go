package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/proc"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/dev/tfcli"
	"github.com/filetransfer/terraform-provider-filetransfer/internal/instancetest"
)

// candidate is a configuration that is planned again and again.
type candidate struct {
	name          string
	configuration string
	env           []string // besides that of all
	dir           string
	rounds        []round
}

// round is what one plan took.
type round struct {
	elapsed time.Duration
	// cpu is what the CLI and its providers have used of the processors, which other programs falsify less.
	cpu                               time.Duration
	requests, connections, handshakes int
}

// bench plans its candidates by turns.
type bench struct {
	cli        tfcli.CLI
	env        []string
	server     *instancetest.Server
	reads      int
	candidates []*candidate
}

// run plans every candidate in every round.
func (b *bench) run(ctx context.Context, title string, rounds int) (*result, error) {
	for i := range 1 + rounds {
		// Who comes after whom differs from round to round: each has the machine that the one before has left.
		for _, turn := range rand.Perm(len(b.candidates)) { //nolint:gosec // no secret
			candidate := b.candidates[turn]
			measured, err := b.plan(ctx, candidate)
			if err != nil {
				return nil, err
			}
			if i > 0 { // the first one warms up
				candidate.rounds = append(candidate.rounds, measured)
			}
		}
	}
	return &result{title: title, reads: b.reads, candidates: b.candidates}, nil
}

// plan makes one plan.
func (b *bench) plan(ctx context.Context, c *candidate) (round, error) {
	requests, connections, handshakes := len(b.server.Requests()), b.server.Connections(), b.server.Handshakes()
	var output bytes.Buffer
	cmd := proc.Command(ctx, b.cli.Path, "plan", "-input=false", "-no-color", "-lock=false")
	cmd.Dir, cmd.Env = c.dir, slices.Concat(b.env, c.env)
	cmd.Stdout, cmd.Stderr = &output, &output
	start := time.Now()
	err := cmd.Run()
	elapsed := time.Since(start)
	if err != nil {
		return round{}, fmt.Errorf("planning %s: %w\n%s", c.name, err, output.Bytes())
	}
	measured := round{
		elapsed:     elapsed,
		cpu:         cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		requests:    len(b.server.Requests()) - requests,
		connections: b.server.Connections() - connections,
		handshakes:  b.server.Handshakes() - handshakes,
	}
	// A plan that reads something else is no comparison.
	want := b.reads
	if slices.Contains([]string{canned, floor, floorPlural}, c.name) {
		want = 0
	}
	if measured.requests != want {
		return round{}, fmt.Errorf("planning %s made %d requests, want %d\n%s", c.name, measured.requests, want, output.Bytes())
	}
	return measured, nil
}

// result is what the candidates took.
type result struct {
	title      string
	reads      int
	candidates []*candidate
}

func (r *result) candidate(name string) *candidate {
	for _, c := range r.candidates {
		if c.name == name {
			return c
		}
	}
	return nil
}

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

// ratio is the median, over the rounds, of how many times as long one candidate took as another. It is false where one
// of them did not run.
func (r *result) ratio(name, reference string) (float64, bool) {
	c, other := r.candidate(name), r.candidate(reference)
	if c == nil || other == nil {
		return 0, false
	}
	ratios := make([]float64, len(c.rounds))
	for i := range ratios {
		ratios[i] = float64(c.rounds[i].elapsed) / float64(other.rounds[i].elapsed)
	}
	return median(ratios), true
}

// median returns the middle one of values; of two in the middle, the mean.
func median[T int | float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// medianOf returns the median of one thing that was measured.
func medianOf[T int | time.Duration](rounds []round, get func(round) T) T {
	values := make([]T, len(rounds))
	for i, r := range rounds {
		values[i] = get(r)
	}
	return median(values)
}
