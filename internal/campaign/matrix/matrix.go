// Package matrix measures, for every lock variant and every kind of fault, what happens to the
// lock: safe, broken, stuck or merely delayed. Scripts, short scenarios made for the commands that
// the lock really sends, play a cell, and many random variations of them. See DESIGN.md.
package matrix

import (
	"context"
	"fmt"
	"slices"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// Options say what to measure.
type Options struct {
	Locks   []locks.Variant // rows
	Columns []Column
	Seeds   int // random variations for each cell, besides the scripts
	Jobs    int // workers; 0: one for each core
	Worlds  run.Factory
	Backend string

	// For a matrix of real servers. Profiles makes the worlds that show what a lock does without
	// faults; nil for Worlds. ScalePPM multiplies durations, in millionths; 0 means 1000000.
	// Refuse, if not nil, says why Worlds cannot play a plan.
	Profiles run.Factory
	ScalePPM int64
	Refuse   func(p *plan.Plan, lock string) error

	// Shard selects the cells to measure; the others have no letter.
	Shard campaign.Shard

	// Kept has records of cells that were measured before or elsewhere and are not played again,
	// and takes new ones; nil: none.
	Kept *campaign.Results

	// Walk is the result of the walk; nil on real servers and at another scale than its own.
	Walk *results.Explored

	// Progress, if not nil, is called with the number of finished cells; one call at a time.
	Progress func(done, all int)
}

// Matrix is the result.
type Matrix struct {
	Backend string
	Seeds   int
	Locks   []locks.Variant
	Columns []Column
	Cells   []Cell // row by row

	o *Options
}

// Cell returns the cell of a lock and a column, by their indices.
func (m *Matrix) Cell(lock, column int) *Cell { return &m.Cells[lock*len(m.Columns)+column] }

// Measure fills the matrix. When ctx ends, the error is its own, and unfinished cells have no
// letter; on any other error there is no matrix.
func Measure(ctx context.Context, o Options) (*Matrix, error) {
	m := &Matrix{Backend: o.Backend, Seeds: o.Seeds, Locks: o.Locks, Columns: o.Columns, o: &o}
	m.Cells = make([]Cell, len(o.Locks)*len(o.Columns))
	worlds := []run.Factory{o.Worlds}
	if o.Profiles != nil {
		worlds = append(worlds, o.Profiles)
	}
	err := run.Share(ctx, o.Jobs, o.Shard.Count(len(m.Cells)), o.Progress, func(ctx context.Context, w []run.World, i int) error {
		return m.measure(ctx, w[0], w[len(w)-1], o.Shard.Piece(i))
	}, worlds...)
	switch {
	case ctx.Err() != nil:
		return m, ctx.Err()
	case err != nil:
		return nil, err
	}
	return m, nil
}

// measure fills one cell.
func (m *Matrix) measure(ctx context.Context, w, profiles run.World, i int) error {
	c := &m.Cells[i]
	v, column := m.Locks[i/len(m.Columns)], m.Columns[i%len(m.Columns)]
	c.Lock, c.Fault = v.ID, column.Code
	scripts, why, err := ScriptsOf(ctx, profiles, v, column)
	if err != nil {
		return err
	}
	if why.Empty() {
		scripts, why = m.o.fit(scripts, v.ID)
	}
	c.Walked = walkedIn(m.o.Walk, v.ID, &column)
	if !why.Empty() {
		c.Letter, c.Note = checker.LetterNone, why
		c.join()
		return nil
	}
	key := c.key(scripts, m.Seeds)
	if known := m.o.Kept.Get(key); known != nil {
		err = c.recall(known, scripts)
	} else if err = c.playAll(ctx, w, scripts, m.Seeds); err == nil {
		err = m.o.Kept.Keep(key, c.Record)
	}
	if err != nil {
		return err
	}
	c.conclude()
	c.join()
	return nil
}

// playAll plays the scripts unchanged, and then variations of them, one per seed.
func (c *Cell) playAll(ctx context.Context, w run.World, scripts []Script, seeds int) error {
	for k := range scripts {
		if err := c.play(ctx, w, &scripts[k], Variation{Script: k}); err != nil {
			return err
		}
	}
	varied := slices.DeleteFunc(slices.Clone(scripts), func(s Script) bool { return s.bare })
	for seed := uint64(1); seed <= uint64(seeds) && len(varied) > 0; seed++ {
		k := int(seed % uint64(len(varied))) // bare scripts come last
		if err := c.play(ctx, w, &scripts[k], Variation{Script: k, Seed: seed}); err != nil {
			return err
		}
	}
	return nil
}

// fit scales scripts and leaves out those that the worlds cannot play; when none is left, it says
// why.
func (o *Options) fit(scripts []Script, lock string) (playable []Script, why say.Phrase) {
	for _, s := range scripts {
		s.scalePPM = o.ScalePPM
		if o.Refuse != nil {
			if err := o.Refuse(s.played(0), lock); err != nil {
				why = say.Verbatim(err.Error()).Phrase()
				continue
			}
		}
		playable = append(playable, s)
	}
	if len(playable) > 0 {
		return playable, say.Phrase{}
	}
	return nil, why
}

// ScriptsOf returns the scripts of one cell, made for what the lock does in w. If there are none,
// it says why.
func ScriptsOf(ctx context.Context, w run.World, v locks.Variant, c Column) (scripts []Script, why say.Phrase, err error) {
	p, err := profileOf(ctx, w, v)
	if err != nil {
		return nil, why, fmt.Errorf("%s without a fault: %w", v.ID, err)
	}
	if !p.Works && c.Code != noFaultCode {
		return nil, say.NobodyGetsIt.With(noFaultCode), nil
	}
	scripts, err = c.Scripts(v, p)
	if err == nil && len(scripts) == 0 {
		why = say.NoSuchStep.With()
	}
	return scripts, why, err
}

// play plays one variation of a script and adds its outcome.
func (c *Cell) play(ctx context.Context, w run.World, s *Script, v Variation) error {
	out := run.One(ctx, w, s.played(v.Seed), c.Lock, max(v.Seed, 1))
	if out.Err != nil && out.Judgement.History != nil && ctx.Err() == nil {
		c.untested(s, say.Verbatim(out.Err.Error()).Phrase()) // a run of real servers that was cut short
		return nil
	}
	if out.Err != nil {
		return fmt.Errorf("%s under %s, %s: %w", c.Lock, c.Fault, s.Name.English(), out.Err)
	}
	c.add(s, v, &out.Judgement)
	return c.damage(ctx, w, s, v, out.Judgement.History)
}

// damage notes the first run that damaged the resource. For a lock with tokens it counts only if it
// also does damage behind a fence, which scripts lack.
func (c *Cell) damage(ctx context.Context, w run.World, s *Script, v Variation, h *history.History) error {
	if c.Damaged() || !checker.Damaged(h) {
		return nil
	}
	if checker.HandsOutTokens(h) {
		out := run.One(ctx, w, checked(s.played(v.Seed)), c.Lock, max(v.Seed, 1))
		if out.Judgement.History == nil {
			return out.Err
		}
		if !checker.Damaged(out.Judgement.History) {
			return nil
		}
	}
	c.DamagedBy = s.Name.English()
	return nil
}

// Replay plays a sighting again, in its own world; fenced: with a resource that checks tokens.
func Replay(ctx context.Context, worlds run.Factory, s *Sighting, lock string, fenced bool) (checker.Judgement, error) {
	w := worlds()
	defer w.Close()
	p := s.Played()
	if fenced {
		p = checked(p)
	}
	out := run.One(ctx, w, p, lock, max(s.Seed, 1))
	return out.Judgement, out.Err
}

// checked is a plan whose resource checks tokens, in reads and writes.
func checked(p *plan.Plan) *plan.Plan {
	out := *p
	out.Workload.Fence = plan.FenceReadsAndWrites
	return &out
}
