// Package sweep plays a plan at every point of a grid of settings, and counts how
// often a property breaks there: the map of the safe region.
//
// Every point meets the same seeds. As the seed is split into streams by name, two
// points differ in their settings and not in their luck.
package sweep

import (
	"context"

	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/run"
)

// Options say what to measure.
type Options struct {
	Plan     *plan.Plan // with one or two axes
	Property string
	First    uint64 // seed
	Seeds    int    // for each point
	Jobs     int
	Worlds   run.Factory
	// Progress, if not nil, is told of each run, from one goroutine at a time.
	Progress func()
}

// Map is what became of one lock.
type Map struct {
	Lock     string
	Property string
	X        plan.Axis
	Y        *plan.Axis // nil when there is one axis only
	Cells    []Cell     // row by row, from the first value of Y on
}

// Cell is one point of the grid.
type Cell struct {
	X, Y       int64 // its settings; Y is 0 when there is one axis only
	Broken     int   // runs in which the property broke
	Kept       int
	Untested   int    // runs in which the property was not put to the test
	FirstBroke uint64 // the lowest seed that breaks it; 0 when none does
}

// Tested is how many runs put the property to the test.
func (c *Cell) Tested() int { return c.Broken + c.Kept }

// Rate is the share of the tested runs that broke, with its 95 % interval, all in
// millionths.
func (c *Cell) Rate() (share, low, high int64) {
	low, high = rate.Wilson(c.Broken, c.Tested())
	return rate.Of(c.Broken, c.Tested()), low, high
}

// At returns a cell by its column and row.
func (m *Map) At(x, y int) *Cell { return &m.Cells[y*len(m.X.Values)+x] }

// Rows is how many values the second axis has, 1 without one.
func (m *Map) Rows() int {
	if m.Y == nil {
		return 1
	}
	return len(m.Y.Values)
}

// Play measures all locks of the plan. The result does not depend on the number of
// workers. When ctx ends, what was played until then is in the maps, and the error is
// ctx's; on any other error there are none.
func Play(ctx context.Context, o Options) ([]Map, error) {
	var out []Map
	for _, lock := range o.Plan.Locks {
		m := Map{Lock: lock, Property: o.Property, X: o.Plan.Vary[0]}
		if len(o.Plan.Vary) > 1 {
			m.Y = &o.Plan.Vary[1]
		}
		for row := range m.Rows() {
			for _, x := range m.X.Values {
				c, err := o.point(ctx, lock, m.Y, x, row)
				if err != nil && ctx.Err() == nil {
					return nil, err
				}
				m.Cells = append(m.Cells, c)
			}
		}
		out = append(out, m)
	}
	return out, ctx.Err()
}

// point plays one point with all seeds.
func (o *Options) point(ctx context.Context, lock string, y *plan.Axis, x int64, row int) (Cell, error) {
	c := Cell{X: x}
	values := []int64{x}
	if y != nil {
		c.Y = y.Values[row]
		values = append(values, c.Y)
	}
	p := o.Plan.Point(values...)
	err := run.Seeds(ctx, o.Worlds, p, lock, o.First, o.Seeds, o.Jobs, func(out *run.Outcome) {
		switch out.Judgement.Finding(o.Property).Verdict {
		case checker.Broken:
			c.Broken++
			if c.FirstBroke == 0 || out.Seed < c.FirstBroke {
				c.FirstBroke = out.Seed
			}
		case checker.Kept:
			c.Kept++
		default:
			c.Untested++
		}
		if o.Progress != nil {
			o.Progress()
		}
	})
	return c, err
}
