// Package claims measures what documents about locks claim: "the watchdog solves the overrun". Each
// testable claim is an entry of the files in data: the sentence and its source, stories or commands
// (play), questions to each run (measures.go), and the rule and the figure made of the answers
// (expression.go, figure.go). No entry says what its verdict should be.
package claims

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"sync"

	"github.com/goccy/go-yaml"

	"lockstep/internal/campaign"
	"lockstep/internal/each"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// The verdicts. Depends: it holds under one tested condition and fails under another.
const (
	True    = "true"
	False   = "false"
	Depends = "depends"
)

// Claim is one sentence of the documents and the experiment that tests it, an entry in a file of
// data.
type Claim struct {
	N       int               // the number in the catalogue of claims
	English string            `yaml:"claim"` // the claim in our own words, one sentence
	Chinese string            `yaml:"zh"`
	Source  string            // the documents and their lines: "S0:28, S4:134"
	Scripts map[string]string // of Lua, by their names
	Plays   []yaml.MapSlice   // each a play, with {names} for what Each sets
	// Requires are conditions without which the experiment did not test what it should: an error.
	Requires   []condition
	Must       []condition // the claim is false when one does not hold
	Cases      []condition // see verdict
	Template   string      `yaml:"figure"` // of the figure, with expressions in braces
	TemplateZh string      `yaml:"figure zh"`
}

// Text is the claim.
func (c *Claim) Text() say.Both { return say.Both{English: c.English, Chinese: c.Chinese} }

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
		err, all = errors.Join(err, errRead, errParse), append(all, some...)
	}
	if err != nil {
		panic(err) // a test reads them
	}
	slices.SortFunc(all, func(a, b Claim) int { return cmp.Compare(a.N, b.N) })
	return all
})

// parse reads a file of claims.
func parse(text []byte) (some []Claim, err error) {
	err = yaml.UnmarshalWithOptions(text, &some, yaml.Strict(), yaml.UseOrderedMap())
	return some, err
}

// Lookup returns the claim with that number.
func Lookup(n int) (Claim, bool) {
	c := each.Find(all(), func(c *Claim) bool { return c.N == n })
	if c == nil {
		return Claim{}, false
	}
	return *c, true
}

// Options say what to measure.
type Options struct {
	Claims []Claim
	Jobs   int               // workers; 0: one for each core
	Shard  campaign.Shard    // which of the claims
	Kept   *campaign.Results // has results that are not measured again, and takes new ones; nil: none
	// Progress, if not nil, is called with the number of measured claims; one call at a time.
	Progress func(done, all int)
}

// Measure measures the claims of the shard, in their order. When ctx ends, the finished ones are
// returned with ctx's error; on any other error there are none.
func Measure(ctx context.Context, o Options) ([]Measured, error) {
	out := make([]Measured, o.Shard.Count(len(o.Claims)))
	err := run.Share(ctx, o.Jobs, len(out), o.Progress, func(ctx context.Context, _ []run.World, i int) (err error) {
		c := o.Claims[o.Shard.Piece(i)]
		key := strconv.Itoa(c.N)
		if known := o.Kept.Get(key); known != nil {
			out[i].Claim = c
			return known.Decode(&out[i].Result)
		}
		if out[i], err = measure(ctx, &Lab{}, c); err == nil {
			err = o.Kept.Keep(key, out[i].Result)
		}
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

// measure runs one experiment.
func measure(ctx context.Context, lab *Lab, c Claim) (m Measured, err error) {
	defer func() {
		if f, ok := recover().(failure); ok {
			err = fmt.Errorf("claim %d: %w", c.N, f.err)
		}
	}()
	lab.ctx = ctx
	return Measured{Claim: c, Result: c.result(lab)}, nil
}

//go:embed data/*.yaml
var data embed.FS

// condition is an expression over what was found. A figure may list the conditions that have names.
type condition struct {
	If, Name, Zh string
}

// UnmarshalYAML also reads a condition without a name, which is a text.
func (c *condition) UnmarshalYAML(unmarshal func(any) error) error {
	if unmarshal(&c.If) == nil {
		return nil
	}
	type named condition
	return unmarshal((*named)(c))
}

// play is one story, or variations of one, with the questions to its runs; or a session with a bare
// model of a store (Bare), or an experiment in Go (Lab).
type play struct {
	scenario.Sketch `yaml:",inline"`

	Seeds   int           // 0: 20
	MayMiss bool          `yaml:"may miss"` // faults need not fire in every run
	Each    yaml.MapSlice // what varies, and its values: all combinations are played
	Find    yaml.MapSlice // names, and the question of each
	Alone   bool          // three clients, one after the other, without random draws: what a lock costs
	Crowd   int           // number of clients; 0: those of the story
	Load    *load         // what the servers need for their work; nil: no time
	Apart   bool          // each client has a lock of its own
	Variant string        // a lock made for claims, see variant; "": Lock is the lock
	Acquire string        // of the variant "scripts": with which script it acquires
	Release string        // and releases

	Bare string
	Do   []any // commands: texts, or a name for the reply and the text
	Lab  string
}

// holds says which of the conditions hold, and how many.
func (x *experiment) holds(conditions []condition) (held []bool, n int) {
	for _, c := range conditions {
		is := x.number(c.If) != 0
		held = append(held, is)
		if is {
			n++
		}
	}
	return held, n
}

// verdict applies the rule of the claim: false when a condition of Must does not hold; otherwise
// true when all of Must and Cases do, false when none does, and depends when some do.
func (x *experiment) verdict() string {
	for _, c := range x.Requires {
		if x.number(c.If) == 0 {
			x.lab.Fail("it has to be so that %s", c.If)
		}
	}
	must, n := x.holds(x.Must)
	cases, k := x.holds(x.Cases)
	x.held, x.conditions = append(must, cases...), append(append([]condition{}, x.Must...), x.Cases...)
	switch {
	case n < len(must) || n+k == 0:
		return False
	case k == len(cases):
		return True
	}
	return Depends
}
