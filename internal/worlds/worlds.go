// Package worlds puts the simulator to the test: it plays the scripts of the matrix in
// the simulator and on real servers, the same plan with the same lock, and puts the
// outcomes side by side.
//
// The comparison is of letters, not of histories: the operating system decides what
// comes first on real servers, and the outcome must not depend on it. Where the two
// worlds differ, either the model or the script is wrong, and that is what somebody
// wants to know. Both worlds play with the same seeds, and each real run is compared
// with the simulated run of its own seed: other seeds may well have other letters.
package worlds

import (
	"context"
	"fmt"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/matrix"
	"lockstep/internal/plan"
	"lockstep/internal/run"
)

// Options say what to compare.
type Options struct {
	Locks   []locks.Variant // rows
	Columns []matrix.Column
	Sim     run.Factory
	Real    run.Factory
	Backend string // the name of the real world
	// ScalePPM multiplies every duration of the scripts, in millionths, in both worlds.
	ScalePPM int64
	Times    int // how often each cell is played in each world, with the seeds from 1 on
	Jobs     int // cells at once; 0: one for each core
	// Refuse says why the real world cannot play a plan with a lock; nil when it can.
	Refuse func(p *plan.Plan, lock string) error
	// Progress, if not nil, is told how many cells are done; one call at a time.
	Progress func(done, all int)
}

// Agreement is what a cell says of the two worlds.
type Agreement string

// The agreements. Delay and safe are told apart by what is normal waiting; a machine
// that is busy with something else makes one of the other, so both count as held.
const (
	Agrees    Agreement = "agrees"
	Differs   Agreement = "differs"
	Untested  Agreement = "untested"   // a run put nothing to the test
	NotPlayed Agreement = "not played" // Why says why
)

// Pair is what one seed came to in the two worlds.
type Pair struct {
	Seed            uint64
	Simulated, Real checker.Letter // LetterUnknown also when the run was not played to its end
}

// Agreement compares the two letters. Where one run tested nothing, nothing is compared.
func (p *Pair) Agreement() Agreement {
	switch {
	case p.Simulated == checker.LetterUnknown || p.Real == checker.LetterUnknown:
		return Untested
	case p.Simulated == p.Real || held(p.Simulated) && held(p.Real):
		return Agrees
	}
	return Differs
}

func held(l checker.Letter) bool { return l == checker.LetterSafe || l == checker.LetterDelay }

// Cell is one lock under one kind of fault, in both worlds.
type Cell struct {
	Lock, Fault string
	Script      string         // the name of what was played; "" when there is nothing to play
	Plan        *plan.Plan     // scaled; nil when there is nothing to play
	Simulated   checker.Letter // of that plan with the first seed
	Pairs       []Pair         // one for each seed; none when it was not played
	Agreement   Agreement      // of the pairs: the worst of them
	Why         string         // why it was not played, tested nothing, or a milder script was taken
}

// Agreeing is how many of the pairs agree.
func (c *Cell) Agreeing() (n int) {
	for i := range c.Pairs {
		if c.Pairs[i].Agreement() == Agrees {
			n++
		}
	}
	return n
}

// Shown is the pair that a table has room for: the first one that differs, else one
// that tested nothing, else the first. It is nil when the cell was not played.
func (c *Cell) Shown() *Pair {
	for _, a := range []Agreement{Differs, Untested, Agrees} {
		for i := range c.Pairs {
			if c.Pairs[i].Agreement() == a {
				return &c.Pairs[i]
			}
		}
	}
	return nil
}

// Comparison is the result.
type Comparison struct {
	Backend  string
	ScalePPM int64
	Times    int
	Locks    []locks.Variant
	Columns  []matrix.Column
	Cells    []Cell // row by row
	Samples  []Sample
}

// Cell returns the cell of a lock and a column, by their indices.
func (c *Comparison) Cell(lock, column int) *Cell { return &c.Cells[lock*len(c.Columns)+column] }

// Count returns how many cells have an agreement.
func (c *Comparison) Count(a Agreement) (n int) {
	for i := range c.Cells {
		if c.Cells[i].Agreement == a {
			n++
		}
	}
	return n
}

// Compare plays all cells in both worlds. A run that the real world could not play to
// its end makes its cell untested, with the reason; only an error of the simulator, or
// the end of ctx, ends the comparison.
func Compare(ctx context.Context, o Options) (*Comparison, error) {
	c := &Comparison{Backend: o.Backend, ScalePPM: o.ScalePPM, Times: o.Times, Locks: o.Locks, Columns: o.Columns}
	c.Cells = make([]Cell, len(o.Locks)*len(o.Columns))
	samples := make([]Sample, len(c.Cells))
	err := run.Share(ctx, o.Jobs, len(c.Cells), o.Progress, func() (func(context.Context, int) error, func()) {
		w := pair{o: &o, sim: o.Sim(), real: o.Real()}
		work := func(ctx context.Context, i int) error {
			return w.compare(ctx, o.Locks[i/len(o.Columns)], o.Columns[i%len(o.Columns)], &c.Cells[i], &samples[i])
		}
		return work, func() {
			w.sim.Close()
			w.real.Close()
		}
	})
	if err != nil {
		return nil, err
	}
	c.Samples = merge(o.Locks, samples, len(o.Columns))
	return c, nil
}

// pair is the two worlds of a worker.
type pair struct {
	o         *Options
	sim, real run.World
}

// compare fills one cell.
func (w *pair) compare(ctx context.Context, v locks.Variant, column matrix.Column, c *Cell, s *Sample) error {
	c.Lock, c.Fault, c.Agreement = v.ID, column.Code, NotPlayed
	scripts, why, err := matrix.ScriptsOf(ctx, w.sim, v, column)
	if err != nil {
		return err
	}
	if why != "" {
		c.Why = why
		return nil
	}
	if err := w.choose(ctx, c, scripts); err != nil || c.Plan == nil {
		return err
	}
	for n := range w.o.Times {
		if err := w.play(ctx, c, uint64(n+1), s); err != nil {
			return err
		}
	}
	c.Agreement = c.Shown().Agreement()
	return nil
}

// play adds one seed to a cell. Its times count only when both runs were a test: a run
// that was cut short would put the two distributions apart by what it lacks.
func (w *pair) play(ctx context.Context, c *Cell, seed uint64, s *Sample) error {
	simulated := run.One(ctx, w.sim, c.Plan, c.Lock, seed)
	if simulated.Err != nil {
		return fmt.Errorf("%s under %s, %s: %w", c.Lock, c.Fault, c.Script, simulated.Err)
	}
	real := run.One(ctx, w.real, c.Plan, c.Lock, seed)
	if err := ctx.Err(); err != nil {
		return err
	}
	p := Pair{Seed: seed, Simulated: simulated.Judgement.Letter, Real: real.Judgement.Letter}
	if real.Err != nil {
		p.Real = checker.LetterUnknown
	}
	c.Pairs = append(c.Pairs, p)
	switch {
	case real.Err != nil:
		c.Why = fmt.Sprintf("the real run with seed %d was not played to its end: %v", seed, real.Err)
	case p.Agreement() == Untested:
		c.Why = untested(&simulated, &real)
	default:
		s.Simulated.add(simulated.Judgement.History)
		s.Real.add(real.Judgement.History)
	}
	return nil
}

// untested says which of two runs tested nothing, and why.
func untested(simulated, real *run.Outcome) string {
	world, out := "simulated", simulated
	if real.Judgement.Letter == checker.LetterUnknown {
		world, out = "real", real
	}
	return fmt.Sprintf("the %s run with seed %d put nothing to the test: %s", world, out.Seed, out.Judgement.Finding(checker.MutualExclusionID).Reason)
}

// choose takes the script that does most harm in the simulator, among those that the
// real world can play.
func (w *pair) choose(ctx context.Context, c *Cell, scripts []matrix.Script) error {
	refused, worst := "", checker.Letter("")
	for k := range scripts {
		scaled := scripts[k].Plan().Scaled(w.o.ScalePPM)
		out := run.One(ctx, w.sim, &scaled, c.Lock, 1)
		if out.Err != nil {
			return fmt.Errorf("%s under %s, %s: %w", c.Lock, c.Fault, scripts[k].Name, out.Err)
		}
		letter := out.Judgement.Letter
		if err := w.o.Refuse(&scaled, c.Lock); err != nil {
			if matrix.Badness(letter) > matrix.Badness(worst) || refused == "" {
				refused, worst = err.Error(), letter
			}
			continue
		}
		if c.Plan == nil || matrix.Badness(letter) > matrix.Badness(c.Simulated) {
			c.Script, c.Plan, c.Simulated = scripts[k].Name, &scaled, letter
		}
	}
	switch {
	case c.Plan == nil:
		c.Why, c.Simulated = refused, worst
	case refused != "" && matrix.Badness(worst) > matrix.Badness(c.Simulated):
		c.Why = fmt.Sprintf("a script with %s was left out: %s", worst, refused)
	}
	return nil
}
