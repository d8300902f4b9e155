package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/claims"
	"lockstep/internal/measured"
	"lockstep/internal/say"
	"lockstep/internal/shard"
)

// claimsFlags are the flags of the command claims.
type claimsFlags struct {
	*globals
	shards  shardFlags
	numbers []int
	jobs    int
}

// claimsOptions are those of a work of claims.
type claimsOptions struct {
	Claims []int `json:"claims,omitempty"`
}

func claimsCommand(g *globals) *cobra.Command {
	f := &claimsFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "claims",
		Short: "Measure what the documents claim about locks",
		Long: `Measure what the documents claim about locks. Each claim has an experiment in the
simulator; its verdict is computed from what was counted there:

  true     the claim holds in the experiment
  false    it does not
  depends  it holds under one of the conditions tried and fails under another

No verdict is set in advance. The exit code is 0 whatever the verdicts are.`,
		Example: `  simulate dev claims                       # all of them
  simulate dev claims --claim 5,18          # two of them
  simulate dev claims --json > claims.json  # to keep`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.measure(cmd.Context()) },
	}
	cmd.Flags().IntSliceVar(&f.numbers, "claim", nil, "only these claims, by their numbers")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "workers (default: one for each core)")
	f.shards.add(cmd)
	return speaks(cmd, g)
}

// merge shows what merged parts have measured.
func (f *claimsFlags) merge(ctx context.Context) error {
	var o claimsOptions
	err := f.shards.options(&o)
	if err != nil {
		return err
	}
	f.numbers = o.Claims
	return f.measure(ctx)
}

func (f *claimsFlags) measure(ctx context.Context) error {
	if err := f.shards.parse(); err != nil {
		return err
	}
	chosen, err := chosenClaims(f.numbers)
	if err != nil {
		return err
	}
	started := time.Now()
	results, err := f.results(ctx, chosen)
	interrupted := ctx.Err()
	switch {
	case err != nil && interrupted == nil:
		return err
	case interrupted != nil && len(results) == 0:
		return interrupted
	}
	if f.json {
		err = printJSON(f.stdout, measuredClaims(results))
	} else {
		err = nil
		f.print(f.stdout, results)
		if !f.quiet {
			took := say.Verbatim(fmt.Sprintf("%.1f", time.Since(started).Seconds()))
			fmt.Fprintf(f.stdout, "\n%s\n", f.said(say.MeasuredIn.With(verdictCounts(results), took)))
		}
	}
	if err == nil && interrupted != nil {
		return fmt.Errorf("interrupted after %d of %d claims, which are shown above", len(results), len(chosen))
	}
	return err
}

// results are what was measured here, or by the shards of merged parts; beside an interruption what
// was over.
func (f *claimsFlags) results(ctx context.Context, chosen []claims.Claim) ([]claims.Measured, error) {
	shards, err := divided(ctx, &f.shards, f.globals, "claims", claimsOptions{f.numbers}, func(s shard.Shard) ([]claims.Measured, error) {
		bar := f.bar("claims", s.Count(len(chosen)))
		results, err := claims.Measure(ctx, claims.Options{
			Claims: chosen, Jobs: f.jobs, Shard: s,
			Progress: func(done, _ int) { _ = bar.Set(done) },
		})
		_ = bar.Finish()
		if err != nil && ctx.Err() == nil {
			err = &bugError{err}
		}
		return results, err
	})
	if err != nil {
		return slices.Concat(shards...), err
	}
	return claims.Join(chosen, shards)
}

// chosenClaims are the claims with these numbers, all of them when none are given.
func chosenClaims(numbers []int) ([]claims.Claim, error) {
	all := claims.All()
	if len(numbers) == 0 {
		return all, nil
	}
	var out []claims.Claim
	for _, n := range numbers {
		c, ok := claims.Lookup(n)
		if !ok {
			return nil, fmt.Errorf("there is no claim %d: they are numbered from %d to %d", n, all[0].N, all[len(all)-1].N)
		}
		out = append(out, c)
	}
	return out, nil
}

// print shows each claim with its figure below it.
func (f *claimsFlags) print(w io.Writer, measured []claims.Measured) {
	const indent = 13 // of the texts: " 3  depends  "
	ruler, margin := say.RulerFor(f.language), strings.Repeat(" ", indent)
	below := func(first string, text say.Part) {
		for i, line := range ruler.Wrap(f.said(text), max(f.width()-indent, 30)) {
			fmt.Fprintln(w, []string{first, margin}[min(i, 1)]+line)
		}
	}
	for _, m := range measured {
		verdict := ruler.Pad(say.Text(m.Verdict).In(f.language), 7)
		below(fmt.Sprintf("%2d  %s  ", m.N, f.paint(m.Verdict, verdict)), m.Text)
		below(margin[:indent-3]+"-> ", m.Figure)
		if len(f.numbers) > 0 {
			fmt.Fprintln(w, margin+say.Text("source").In(f.language)+" "+m.Source)
		}
	}
}

// paint colours a verdict.
func (f *claimsFlags) paint(verdict, padded string) string {
	if !f.color() {
		return padded
	}
	colour := map[string]string{claims.True: "32", claims.False: "31", claims.Depends: "33"}[verdict]
	return "\x1b[" + colour + "m" + padded + "\x1b[0m"
}

// verdictCounts counts the verdicts: "51 claims: 30 true, 12 false, 9 depends".
func verdictCounts(measured []claims.Measured) say.Phrase {
	count := map[string]int{}
	for _, m := range measured {
		count[m.Verdict]++
	}
	var parts say.List
	for _, v := range []string{claims.True, claims.False, claims.Depends} {
		if count[v] > 0 {
			parts = append(parts, say.SoManyVerdict.With(say.Number(count[v]), say.Text(v)))
		}
	}
	return say.ClaimsWith.With(say.Number(len(measured)), parts)
}

func measuredClaims(all []claims.Measured) *measured.Claims {
	out := make([]measured.Claim, len(all))
	for i, m := range all {
		out[i] = measured.Claim{
			N: m.N, Text: m.Text.English, Source: m.Source, Verdict: m.Verdict, Figure: m.Figure.English,
			Command: "simulate dev claims --claim " + strconv.Itoa(m.N),
		}
	}
	return measured.NewClaims(out)
}
