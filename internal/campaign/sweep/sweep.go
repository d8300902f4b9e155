// Package sweep plays a plan at every point of a grid of settings, with the same seeds, and counts
// how often a property breaks there: the map of the safe region.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"lockstep/internal/campaign"
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
	Jobs     int    // 0: one for each core
	Worlds   run.Factory
	Shard    campaign.Shard // which of the runs
	// Progress, if not nil, is called with the number of finished runs; one call at a time.
	Progress func(done, all int)
}

// Map is the result for one lock.
type Map struct {
	Lock     string     `json:"lock"`
	Property string     `json:"-"`
	X        plan.Axis  `json:"-"`
	Y        *plan.Axis `json:"-"`     // nil when there is one axis only
	Cells    []Cell     `json:"cells"` // row by row, from the first value of Y on
}

// Cell is one point of the grid.
type Cell struct {
	X          int64  `json:"x"` // its settings; Y is 0 when there is one axis only
	Y          int64  `json:"y"`
	Broken     int    `json:"broken"` // runs in which the property broke
	Kept       int    `json:"kept"`
	Untested   int    `json:"untested"`          // runs in which the property was not tested
	FirstBroke uint64 `json:"first_broke"`       // the lowest seed that breaks it; 0 when none does
	Noticed    []int  `json:"noticed,omitempty"` // in a shard: the faults of the list that had an effect with some seed; see run.Idle
}

// Tested counts the runs that tested the property.
func (c *Cell) Tested() int { return c.Broken + c.Kept }

// Rate is the share of the tested runs that broke, with its 95 % interval, all in millionths.
func (c *Cell) Rate() (share, low, high int64) {
	low, high = rate.Wilson(c.Broken, c.Tested())
	return rate.Of(c.Broken, c.Tested()), low, high
}

// Rows is the number of values of the second axis, 1 without one.
func (m *Map) Rows() int {
	if m.Y == nil {
		return 1
	}
	return len(m.Y.Values)
}

// Play measures all locks of the plan. When ctx ends, the maps have what was played until then.
func Play(ctx context.Context, o Options) ([]Map, error) {
	maps, points := o.blank()
	var mu sync.Mutex // guards the cells
	runs := o.Shard.Count(len(maps) * len(points) * o.Seeds)
	err := run.Share(ctx, o.Jobs, runs, o.Progress, func(ctx context.Context, w []run.World, i int) error {
		i = o.Shard.Piece(i)
		m, k, seed := &maps[i/o.Seeds/len(points)], i/o.Seeds%len(points), o.First+uint64(i%o.Seeds)
		out := run.One(ctx, w[0], points[k], m.Lock, seed)
		if out.Err != nil {
			return out.Err
		}
		mu.Lock()
		defer mu.Unlock()
		m.Cells[k].count(seed, out.Judgement.Finding(o.Property).Verdict)
		m.Cells[k].Noticed = run.Noticed(m.Cells[k].Noticed, &out)
		return nil
	}, o.Worlds)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	if o.Shard == (campaign.Shard{}) {
		settle(maps, points)
	}
	return maps, ctx.Err()
}

// settle counts kept runs as untested in cells in which a fault of the list never had an effect.
func settle(maps []Map, points []*plan.Plan) {
	for i := range maps {
		for k := range maps[i].Cells {
			c := &maps[i].Cells[k]
			if c.Broken == 0 && len(run.Idle(points[k], c.Noticed)) > 0 {
				c.Untested, c.Kept = c.Untested+c.Kept, 0
			}
			c.Noticed = nil
		}
	}
}

// blank returns the maps without counts, and the plan of each of their cells.
func (o *Options) blank() (maps []Map, points []*plan.Plan) {
	m := Map{Property: o.Property, X: o.Plan.Vary[0]}
	if len(o.Plan.Vary) > 1 {
		m.Y = &o.Plan.Vary[1]
	}
	for row := range m.Rows() {
		for _, x := range m.X.Values {
			c, values := Cell{X: x}, []int64{x}
			if m.Y != nil {
				c.Y = m.Y.Values[row]
				values = append(values, c.Y)
			}
			m.Cells, points = append(m.Cells, c), append(points, o.Plan.Point(values...))
		}
	}
	for _, lock := range o.Plan.Locks {
		one := m
		one.Lock, one.Cells = lock, slices.Clone(m.Cells)
		maps = append(maps, one)
	}
	return maps, points
}

// Join adds up the counts of all shards of a sweep.
func Join(o Options, shards [][]Map) ([]Map, error) {
	maps, points := o.blank()
	for _, s := range shards {
		if len(s) != len(maps) {
			return nil, fmt.Errorf("a shard of %d locks, and the sweep has %d", len(s), len(maps))
		}
		for i := range s {
			if err := maps[i].add(&s[i]); err != nil {
				return nil, err
			}
		}
	}
	settle(maps, points)
	return maps, nil
}

// add adds the counts of another shard.
func (m *Map) add(o *Map) error {
	if o.Lock != m.Lock || len(o.Cells) != len(m.Cells) {
		return fmt.Errorf("a shard has a map of %q with %d points, and the sweep has one of %s with %d", o.Lock, len(o.Cells), m.Lock, len(m.Cells))
	}
	for i := range m.Cells {
		c, x := &m.Cells[i], &o.Cells[i]
		if c.X != x.X || c.Y != x.Y {
			return errors.New("a shard has other points than the sweep")
		}
		c.Broken, c.Kept, c.Untested = c.Broken+x.Broken, c.Kept+x.Kept, c.Untested+x.Untested
		c.Noticed = append(c.Noticed, x.Noticed...)
		if c.FirstBroke == 0 || x.FirstBroke != 0 && x.FirstBroke < c.FirstBroke {
			c.FirstBroke = x.FirstBroke
		}
	}
	return nil
}

// count adds a run. Runs come in no particular order.
func (c *Cell) count(seed uint64, v checker.Verdict) {
	switch v {
	case checker.Broken:
		c.Broken++
		if c.FirstBroke == 0 || seed < c.FirstBroke {
			c.FirstBroke = seed
		}
	case checker.Kept:
		c.Kept++
	default:
		c.Untested++
	}
}
