// Package crosscheck tests the simulator: it plays the scripts of the matrix, or the stories of the
// search, in the simulator and on real servers, the same plan with the same lock and seed, and
// compares the outcomes. Where they differ, the model or the script is wrong. See DESIGN.md.
package crosscheck

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// Options say what to compare.
type Options struct {
	Locks   []locks.Variant // rows
	Columns []matrix.Column
	Stories []Story     // in place of Columns: in the order of Locks
	Sim     run.Factory // of worlds that have a SetTiming
	Real    run.Factory
	Backend string // the name of the real world
	// ScalePPM multiplies every duration of the scripts, in millionths, in both worlds. Scripts
	// with sentinels have a least scale, see Cell.
	ScalePPM int64
	Times    int // how often each cell is played in each world, with the seeds from 1 on
	Jobs     int // real runs at once; 0: one for each core
	// Letters, if any, are the simulated letters with which a cell is played on real servers.
	Letters []checker.Letter
	// Kept has real runs that need not be played again, and keeps new ones; nil: none.
	Kept *Kept
	// Refuse says why the real world cannot play a plan with a lock; nil when it can.
	Refuse func(p *plan.Plan, lock string) error
	// RefuseSim says why the simulated world cannot play a plan, whose script is then left out; nil
	// when it plays all.
	RefuseSim func(p *plan.Plan, lock string) error
	// Progress, if not nil, is called with the progress of each step: cells with a chosen script,
	// then finished runs, with the kept ones. One call at a time.
	Progress func(step string, done, all int)
}

// OfLetters compares the letters of two runs of one seed. Where one tested nothing, nothing is
// compared, nor where the real V may be a VF: it is unknown whether a release was foreign.
func OfLetters(simulated, real checker.Letter, unsure bool) (r results.WorldRun) {
	r.Simulated, r.Real, r.Agreement = string(simulated), string(real), results.Differs
	switch {
	case unsure && simulated == checker.LetterVF && real == checker.LetterV:
		r.Real, r.Agreement = r.Real+string(checker.LetterUnknown), results.Untested
	case simulated == checker.LetterUnknown || real == checker.LetterUnknown:
		r.Agreement = results.Untested
	case simulated == real || simulated.Held() && real.Held():
		r.Agreement = results.Agrees
	}
	return r
}

// compared is the outcome of one seed. A story is compared by the ways in which it breaks the lock:
// letters ignore damage, and hide one way behind another.
func (c *Cell) compared(simulated *run.Outcome, real *keptRun) results.WorldRun {
	r := OfLetters(simulated.Judgement.Letter, real.Letter, real.Unsure)
	if c.Story != "" {
		r.Simulated, r.Real = breaks(simulated), real.Breaks
		r.Agreement = agreementOf(r.Simulated, r.Real)
	}
	r.Seed, r.History = real.Seed, real.History
	return r
}

// Cell is one lock under one kind of fault, or in one story, in both worlds.
type Cell struct {
	Lock, Fault string             // of a story the kinds of its faults, joined by a plus
	Story       string             // the file; "" for a cell of the matrix
	Script      say.Phrase         // the name of what was played; "" when there is nothing to play
	Plan        *plan.Plan         // scaled; nil when there is nothing to play
	ScalePPM    int64              // of the plan: greater than that of the comparison when its servers need more time
	Simulated   checker.Letter     // of that plan with any of the seeds, the mildest
	Pairs       []results.WorldRun // one for each seed; none when it was not played
	Agreement   results.Agreement  // of the pairs: the worst of them
	Why         say.Phrase         // why it was not played, tested nothing, or a milder script was taken
}

// Agreeing returns how many of the pairs agree.
func (c *Cell) Agreeing() int {
	return each.Count(c.Pairs, func(p *results.WorldRun) bool { return p.Agreement == results.Agrees })
}

// Shown is the pair to show in a table; nil when the cell was not played.
func (c *Cell) Shown() *results.WorldRun {
	for _, a := range []results.Agreement{results.Differs, results.Untested, results.Agrees} {
		if p := each.Find(c.Pairs, func(p *results.WorldRun) bool { return p.Agreement == a }); p != nil {
			return p
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

// Row returns the cells of a lock, by its index.
func (c *Comparison) Row(lock int) []Cell {
	return slices.DeleteFunc(slices.Clone(c.Cells), func(x Cell) bool { return x.Lock != c.Locks[lock].ID })
}

// PairsOfCells returns the smallest and the largest number of seeds of a cell that was played.
func (c *Comparison) PairsOfCells() (least, most int) {
	for i := range c.Cells {
		if n := len(c.Cells[i].Pairs); n > 0 {
			least, most = min(cmp.Or(least, n), n), max(most, n)
		}
	}
	return least, most
}

// Count returns how many cells have an agreement.
func (c *Comparison) Count(a results.Agreement) int {
	return each.Count(c.Cells, func(cell *Cell) bool { return cell.Agreement == a })
}

// Compare plays all cells in both worlds. Only an error of the simulator, or the end of ctx, ends
// it: what the real world could not finish makes a cell untested.
func Compare(ctx context.Context, o Options) (*Comparison, error) {
	c := &Comparison{Backend: o.Backend, ScalePPM: o.ScalePPM, Times: o.Times, Locks: o.Locks, Columns: o.Columns}
	c.Cells = make([]Cell, len(o.Locks)*len(o.Columns)+len(o.Stories))
	if err := o.choose(ctx, c.Cells); err != nil {
		return nil, err
	}
	contests := o.contests(c.Cells)
	if err := o.play(ctx, contests); err != nil {
		return nil, err
	}
	c.Samples = each.Map(o.Locks, func(v locks.Variant) Sample { return Sample{Lock: v.ID} })
	for i := range contests {
		one := &contests[i]
		one.cell.add(one, each.Find(c.Samples, func(s *Sample) bool { return s.Lock == one.cell.Lock }))
	}
	for i := range c.Samples {
		c.Samples[i].Simulated.sort()
		c.Samples[i].Real.sort()
	}
	return c, nil
}

func (o *Options) progress(step string) func(done, all int) {
	if o.Progress == nil {
		return nil
	}
	return func(done, all int) { o.Progress(step, done, all) }
}

// contest is one seed of a cell.
type contest struct {
	cell     *Cell
	real     keptRun // without a letter until it is played
	pair     results.WorldRun
	simTimes Times
	why      say.Phrase // the simulated run tested nothing
}

// contests lists the runs to compare: first one seed of every cell, then another, so that an
// interrupted comparison has some runs of all cells.
func (o *Options) contests(cells []Cell) (all []contest) {
	for i := range cells {
		c := &cells[i]
		if c.Agreement != "" { // it is not played
			continue
		}
		for _, one := range o.seeds(c) {
			all = append(all, contest{cell: c, real: one})
		}
	}
	slices.SortStableFunc(all, func(a, b contest) int { return cmp.Compare(a.real.Seed, b.real.Seed) })
	return all
}

// seeds returns the real runs of a cell; missing ones have no letter.
func (o *Options) seeds(c *Cell) []keptRun {
	mark := o.Kept.fingerprint(c.Plan, c.Lock)
	out := o.Kept.of(c.Lock, mark)
	for seed := uint64(1); seed <= uint64(o.Times); seed++ {
		if !slices.ContainsFunc(out, func(r keptRun) bool { return r.Seed == seed }) {
			out = append(out, keptRun{Lock: c.Lock, Plan: mark, Seed: seed})
		}
	}
	return out
}

// play plays all contests.
func (o *Options) play(ctx context.Context, contests []contest) error {
	return run.Share(ctx, o.Jobs, len(contests), o.progress("playing both worlds"), func(ctx context.Context, w []run.World, i int) error {
		return o.playSeed(ctx, w[0], w[1], &contests[i])
	}, o.Sim, o.Real)
}

// playSeed plays one seed of a cell in both worlds.
func (o *Options) playSeed(ctx context.Context, sim, real run.World, one *contest) error {
	c := one.cell
	simulated := run.One(ctx, sim, c.Plan, c.Lock, one.real.Seed)
	if simulated.Err != nil {
		return fmt.Errorf("%s under %s, %s: %w", c.Lock, c.Fault, c.Script.English(), simulated.Err)
	}
	if one.real.Letter == "" {
		if err := o.playReal(ctx, real, c, &one.real, &simulated); err != nil {
			return err
		}
	}
	one.pair = c.compared(&simulated, &one.real)
	if simulated.Judgement.Letter == checker.LetterUnknown {
		one.why = untested("simulated", &simulated)
	}
	one.simTimes.add(simulated.Judgement.History)
	return nil
}

// playReal plays a real run and keeps it even if it tested nothing: to repeat it until it does
// would select results. If it differs from the simulated run, its history is kept too.
func (o *Options) playReal(ctx context.Context, real run.World, c *Cell, r *keptRun, simulated *run.Outcome) error {
	out := run.One(ctx, real, c.Plan, c.Lock, r.Seed)
	if err := ctx.Err(); err != nil {
		return err
	}
	r.Letter = out.Judgement.Letter
	if c.Story != "" {
		r.Breaks = breaks(&out)
	}
	switch {
	case out.Err != nil:
		r.Letter = checker.LetterUnknown
		r.say(say.RunCutShort.With(say.Seed(r.Seed), say.Verbatim(out.Err.Error())))
	case r.Breaks == string(checker.LetterUnknown):
		r.say(say.RunUntested.With(say.Text("real"), say.Seed(out.Seed), out.Untested()))
	case r.Letter == checker.LetterUnknown:
		r.say(untested("real", &out))
	default:
		r.Times.add(out.Judgement.History)
	}
	foreign := out.Judgement.Finding(checker.OwnerOnlyReleaseID)
	r.Unsure = r.Letter == checker.LetterV && foreign.Verdict == checker.Unknown && !foreign.NoOccasion
	switch c.compared(simulated, r).Agreement {
	case results.Untested:
		if r.Unsure {
			r.say(say.RunUntested.With(say.Text("real"), say.Seed(out.Seed), foreign.Reason))
		}
	case results.Differs:
		var err error
		if r.History, err = o.Kept.keepHistory(c.Fault, r, out.Judgement.History); err != nil {
			return fmt.Errorf("the history of a run that differs cannot be kept: %w", err)
		}
	}
	return o.Kept.add(r)
}

// add adds a seed to its cell. Its times count only if both runs were a test: a run that was cut
// short would distort them.
func (c *Cell) add(one *contest, s *Sample) {
	c.Pairs = append(c.Pairs, one.pair)
	c.Agreement = c.Shown().Agreement
	switch {
	case one.real.Why != "":
		c.Why = one.real.said()
	case !one.why.Empty():
		c.Why = one.why
	case one.pair.Agreement == results.Untested: // a kept run may lack the reason
	default:
		s.Simulated.join(&one.simTimes)
		s.Real.join(&one.real.Times)
	}
}

// untested says why a run of one of the worlds tested nothing.
func untested(world string, out *run.Outcome) say.Phrase {
	return say.RunUntested.With(say.Text(world), say.Seed(out.Seed), out.Judgement.WhyUnknown())
}
