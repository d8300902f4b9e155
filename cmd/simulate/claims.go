package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/claims"
	"lockstep/internal/campaign/results"
	"lockstep/internal/each"
	"lockstep/internal/say"
)

type claimsFlags struct {
	*globals
	claimsOptions
	shards shardFlags
	jobs   int
}

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
	cmd.Flags().IntSliceVar(&f.Claims, "claim", nil, "only these claims, by their numbers")
	cmd.Flags().IntVar(&f.jobs, "jobs", 0, "workers (default: one for each core)")
	f.shards.add(cmd)
	return speaks(cmd, g)
}

func (f *claimsFlags) measure(ctx context.Context) error {
	if err := f.shards.parse(); err != nil {
		return err
	}
	chosen, err := chosenClaims(f.Claims)
	if err != nil {
		return err
	}
	started := time.Now()
	measured, err := f.results(ctx, chosen)
	interrupted := ctx.Err()
	switch {
	case err != nil && interrupted == nil:
		return err
	case interrupted != nil && len(measured) == 0:
		return interrupted
	}
	if f.json {
		err = f.printJSON(&results.Claims{Schema: results.Schema, Claims: each.Map(measured, func(m claims.Measured) results.Claim {
			return results.Claim{
				N: m.N, Text: m.English, Source: m.Source, Verdict: m.Verdict, Figure: m.Figure.English,
				Command: "simulate dev claims --claim " + strconv.Itoa(m.N),
			}
		})})
	} else {
		err = nil
		f.print(measured)
		if !f.quiet {
			took := say.Verbatim(fmt.Sprintf("%.1f", time.Since(started).Seconds()))
			fmt.Fprintf(f.stdout, "\n%s\n", f.said(say.MeasuredIn.With(verdictCounts(measured), took)))
		}
	}
	if err == nil && interrupted != nil {
		return fmt.Errorf("interrupted after %d of %d claims, which are shown above", len(measured), len(chosen))
	}
	return err
}

// results are the measurements of this process, or of merged parts. After an interruption they are
// returned as far as they were complete.
func (f *claimsFlags) results(ctx context.Context, chosen []claims.Claim) ([]claims.Measured, error) {
	o := claims.Options{Claims: chosen, Jobs: f.jobs}
	if f.shards.elsewhere() {
		o.Kept = campaign.NewResults(&campaign.Work{}, 0)
		if err := f.shards.gather(ctx, f.globals, "claims", f.claimsOptions, o.Kept, func(s campaign.Shard) error {
			mine := o
			mine.Shard = s
			_, err := f.measured(ctx, mine)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return f.measured(ctx, o)
}

func (f *claimsFlags) measured(ctx context.Context, o claims.Options) ([]claims.Measured, error) {
	bar := f.bar("claims", o.Shard.Count(len(o.Claims)))
	o.Progress = func(done, _ int) { _ = bar.Set(done) }
	results, err := claims.Measure(ctx, o)
	_ = bar.Finish()
	if err != nil && ctx.Err() == nil {
		err = bug(err)
	}
	return results, err
}

func chosenClaims(numbers []int) ([]claims.Claim, error) {
	all := claims.All()
	if len(numbers) == 0 {
		return all, nil
	}
	return onceEach("claim", numbers, func(n int) (claims.Claim, error) {
		c, ok := claims.Lookup(n)
		if !ok {
			return c, fmt.Errorf("there is no claim %d: they are numbered from %d to %d", n, all[0].N, all[len(all)-1].N)
		}
		return c, nil
	})
}

var claimColours = map[string]string{claims.True: "32", claims.False: "31", claims.Depends: "33"}

func (f *claimsFlags) print(measured []claims.Measured) {
	margin := strings.Repeat(" ", 13) // as wide as " 3  depends  "
	for _, m := range measured {
		verdict := say.RulerFor(f.language).Pad(say.Text(m.Verdict).In(f.language), 7)
		f.wrapped(fmt.Sprintf("%2d  %s  ", m.N, f.paint(claimColours[m.Verdict], verdict)), margin, "", f.said(m.Text()))
		f.wrapped(margin[3:]+"-> ", margin, "", f.said(m.Figure))
		if len(f.Claims) > 0 {
			fmt.Fprintln(f.stdout, margin+say.Text("source").In(f.language)+" "+m.Source)
		}
	}
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
