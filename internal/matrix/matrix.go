// Package matrix finds out, for every lock variant and every kind of fault, what
// becomes of the lock: safe, broken, stuck or merely delayed.
//
// Nothing in here knows what to expect. A cell is measured: the fault is brought
// about by scripts, short scenarios that are made to fit the commands which the
// lock really sends, and then by many random variations of them. The letter of a
// cell is the worst that was seen.
package matrix

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/run"
)

// Options say what to measure.
type Options struct {
	Locks   []locks.Variant // rows
	Columns []Column
	Seeds   int // random variations for each cell, besides the scripts
	Jobs    int // workers; 0: one for each core
	Worlds  run.Factory
	Backend string
	// Progress, if not nil, is told how many cells are done; one call at a time.
	Progress func(done, all int)
}

// Matrix is the result.
type Matrix struct {
	Backend string
	Seeds   int
	Locks   []locks.Variant
	Columns []Column
	Cells   []Cell // row by row
}

// Cell returns the cell of a lock and a column, by their indices.
func (m *Matrix) Cell(lock, column int) *Cell { return &m.Cells[lock*len(m.Columns)+column] }

// Measure fills the matrix. Cells are independent of each other and of the
// number of workers. On an error, ctx's included, there is no matrix.
func Measure(ctx context.Context, o Options) (*Matrix, error) {
	m := &Matrix{Backend: o.Backend, Seeds: o.Seeds, Locks: o.Locks, Columns: o.Columns}
	m.Cells = make([]Cell, len(o.Locks)*len(o.Columns))
	jobs := o.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	var (
		next   atomic.Int64
		mu     sync.Mutex
		done   int
		failed error
		wg     sync.WaitGroup
	)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for range jobs {
		wg.Go(func() {
			w := o.Worlds()
			defer w.Close()
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= len(m.Cells) {
					return
				}
				err := m.measure(ctx, w, i)
				mu.Lock()
				done++
				if err != nil && failed == nil {
					failed = err
					stop()
				}
				if o.Progress != nil && err == nil {
					o.Progress(done, len(m.Cells))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if failed != nil {
		return nil, failed
	}
	return m, ctx.Err()
}

// measure fills one cell.
func (m *Matrix) measure(ctx context.Context, w run.World, i int) error {
	c := &m.Cells[i]
	v, column := m.Locks[i/len(m.Columns)], m.Columns[i%len(m.Columns)]
	c.Lock, c.Fault = v.ID, column.Code
	p, err := profileOf(ctx, w, v)
	if err != nil {
		return fmt.Errorf("%s without a fault: %w", v.ID, err)
	}
	if !p.Works && column.Code != noFaultCode {
		c.Letter, c.Note = NotApplicable, "nobody gets this lock even without a fault: see "+noFaultCode
		return nil
	}
	scripts, err := column.Scripts(v, p)
	if err != nil {
		return err
	}
	for k := range scripts {
		s := &scripts[k]
		c.Scripts = append(c.Scripts, s.Name)
		if err := c.play(ctx, w, s, Variation{Script: k}); err != nil {
			return err
		}
	}
	for seed := uint64(1); seed <= uint64(m.Seeds) && len(scripts) > 0; seed++ {
		k := int(seed % uint64(len(scripts)))
		if err := c.play(ctx, w, &scripts[k], Variation{Script: k, Seed: seed}); err != nil {
			return err
		}
	}
	c.conclude(len(scripts))
	return nil
}

// play plays one variation of a script and adds what was seen.
func (c *Cell) play(ctx context.Context, w run.World, s *Script, v Variation) error {
	p := s.vary(v.Seed)
	out := run.One(ctx, w, p, c.Lock, max(v.Seed, 1))
	if out.Err != nil {
		return fmt.Errorf("%s under %s, %s: %w", c.Lock, c.Fault, s.Name, out.Err)
	}
	c.add(s, v, &out.Judgement)
	return nil
}

// Replay plays again what a sighting was seen in, in a world of its own. The
// history of the judgement stays valid.
func Replay(ctx context.Context, worlds run.Factory, s *Sighting, lock string) (checker.Judgement, error) {
	w := worlds()
	defer w.Close()
	out := run.One(ctx, w, s.script.vary(s.Seed), lock, max(s.Seed, 1))
	return out.Judgement, out.Err
}
