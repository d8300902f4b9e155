// Package claims measures what documents about locks claim: "the watchdog solves the overrun". Each
// testable claim is an entry of the files in data: the sentence and its source, stories or commands
// (play), questions to each run (measures.go), and the rule and the figure made of the answers
// (expression.go, figure.go). No entry says what its verdict should be.
package claims

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/goccy/go-yaml"

	"lockstep/internal/campaign"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// The verdicts. Depends: it holds under one tested condition and fails under another.
const (
	True    = "true"
	False   = "false"
	Depends = "depends"
)

// Claim is one sentence of the documents and the experiment that tests it.
type Claim struct {
	N      int      `json:"n"` // the number in the catalogue of claims
	Text   say.Both `json:"-"` // the claim in our own words, one sentence
	Source string   `json:"-"` // the documents and their lines: "S0:28, S4:134"

	entry *entry
}

// Result is what an experiment found.
type Result struct {
	Verdict string   `json:"verdict"` // True, False or Depends
	Figure  say.Both `json:"figure"`  // what was measured, with units, one sentence
}

// Measured is a claim with its result.
type Measured struct {
	Claim
	Result
}

// All returns all claims by their numbers.
func All() []Claim { return slices.Clone(all()) }

var all = sync.OnceValue(func() (all []Claim) {
	files, err := fs.Glob(data, "data/*.yaml")
	for _, name := range files {
		text, errRead := data.ReadFile(name)
		some, errParse := parse(text)
		err = errors.Join(err, errRead, errParse)
		all = append(all, some...)
	}
	if err != nil {
		panic(err) // a test reads them
	}
	slices.SortFunc(all, func(a, b Claim) int { return cmp.Compare(a.N, b.N) })
	return all
})

// parse reads a file of claims.
func parse(text []byte) (some []Claim, err error) {
	var all []*entry
	err = yaml.UnmarshalWithOptions(text, &all, yaml.Strict(), yaml.UseOrderedMap())
	for _, e := range all {
		some = append(some, Claim{e.N, say.Both{English: e.Claim, Chinese: e.Zh}, e.Source, e})
	}
	return some, err
}

// Lookup returns the claim with that number.
func Lookup(n int) (Claim, bool) {
	for _, c := range All() {
		if c.N == n {
			return c, true
		}
	}
	return Claim{}, false
}

// Options say what to measure.
type Options struct {
	Claims []Claim
	Jobs   int            // workers; 0: one for each core
	Shard  campaign.Shard // which of the claims
	// NewLab makes the lab of each claim; nil: an ordinary one.
	NewLab func() *Lab
	// Progress, if not nil, is called with the number of measured claims; one call at a time.
	Progress func(done, all int)
}

// Measure measures the claims of the shard, in their order. When ctx ends, the finished ones are
// returned with ctx's error; on any other error there are none.
func Measure(ctx context.Context, o Options) ([]Measured, error) {
	out := make([]Measured, o.Shard.Count(len(o.Claims)))
	newLab := o.NewLab
	if newLab == nil {
		newLab = func() *Lab { return &Lab{} }
	}
	err := run.Share(ctx, o.Jobs, len(out), o.Progress, func(ctx context.Context, _ []run.World, i int) (err error) {
		out[i], err = measure(ctx, newLab(), o.Claims[o.Shard.Piece(i)])
		return err
	})
	switch {
	case ctx.Err() != nil:
		return slices.DeleteFunc(out, func(m Measured) bool { return m.Verdict == "" }), ctx.Err()
	case err != nil:
		return nil, err
	}
	return out, nil
}

// Join combines the results of all shards, in the order of the claims.
func Join(of []Claim, shards [][]Measured) ([]Measured, error) {
	var out []Measured
	all := slices.Concat(shards...)
	for _, c := range of {
		at := slices.IndexFunc(all, func(m Measured) bool { return m.N == c.N })
		if at < 0 {
			return nil, fmt.Errorf("no shard has measured claim %d", c.N)
		}
		out = append(out, Measured{Claim: c, Result: all[at].Result})
	}
	return out, nil
}

// measure runs one experiment.
func measure(ctx context.Context, lab *Lab, c Claim) (m Measured, err error) {
	defer func() {
		if f, ok := recover().(failure); ok {
			err = fmt.Errorf("claim %d: %w", c.N, f.err)
		}
	}()
	lab.ctx = ctx
	return Measured{Claim: c, Result: c.entry.result(lab)}, nil
}
