package crosscheck

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/sim"
	"lockstep/internal/store"
)

// sureSeeds is how many simulated runs of a script must agree before its outcome counts as certain.
const sureSeeds = 20

// choose decides what to play in each cell.
func (o *Options) choose(ctx context.Context, cells []Cell) error {
	return run.Share(ctx, 0, len(cells), o.progress("choosing scripts"), func(ctx context.Context, w []run.World, i int) error {
		c := chooser{o, w[0].(simulator)}
		if len(o.Stories) > 0 {
			return c.story(ctx, &o.Stories[i], &cells[i])
		}
		return c.cell(ctx, o.Locks[i/len(o.Columns)], o.Columns[i%len(o.Columns)], &cells[i])
	}, o.Sim)
}

// chooser decides what to play.
type chooser struct {
	o   *Options
	sim simulator
}

// simulator is a world with adjustable timing.
type simulator interface {
	run.World
	SetTiming(sim.Timing)
}

// cell decides what to play in a cell, or says why it is not played.
func (w *chooser) cell(ctx context.Context, v locks.Variant, column matrix.Column, c *Cell) error {
	c.Lock, c.Fault = v.ID, column.Code
	scripts, why, err := matrix.ScriptsOf(ctx, w.sim, v, column)
	if err != nil {
		return err
	}
	if !why.Empty() {
		c.Agreement, c.Why = results.NotPlayed, why
		return nil
	}
	if err := w.choose(ctx, v, c, scripts); err != nil {
		return err
	}
	switch {
	case c.Plan == nil:
		c.Agreement = results.NotPlayed
	case len(w.o.Letters) > 0 && !slices.Contains(w.o.Letters, c.Simulated):
		c.Agreement = results.NotPlayed
		c.Why = say.LettersNotAsked.With(each.Map(w.o.Letters, func(l checker.Letter) string { return string(l) }))
	}
	return nil
}

// choose takes the script that certainly does most harm in the simulator, among those that the real
// world can play. What a script does only with some seeds cannot be repeated on real servers.
func (w *chooser) choose(ctx context.Context, v locks.Variant, c *Cell, scripts []matrix.Script) error {
	var refused, chancy candidate
	for k := range scripts {
		whole := scripts[k].Plan()
		one := candidate{script: scripts[k].Name, scalePPM: w.o.scaleFor(v, whole)}
		scaled := whole.Scaled(one.scalePPM)
		if w.o.Refuse(&scaled, c.Lock) != nil && w.o.Refuse(whole, c.Lock) == nil { // its servers need more time
			one.scalePPM, scaled = 1_000_000, *whole
		}
		one.plan = &scaled
		if w.o.RefuseSim != nil {
			if err := w.o.RefuseSim(&scaled, c.Lock); err != nil {
				c.Why = say.Verbatim(err.Error()).Phrase()
				continue
			}
		}
		if err := w.simulate(ctx, c, &one); err != nil {
			return err
		}
		if err := w.o.Refuse(&scaled, c.Lock); err != nil {
			one.why = say.Verbatim(err.Error()).Phrase()
		} else if rests, err := w.dependsOnCancels(ctx, v, c, &one); err != nil {
			return err
		} else if rests {
			one.why = say.Cancels.With()
		}
		if !one.why.Empty() {
			if refused.plan == nil || one.least.Worse(refused.least) {
				refused = one
			}
			continue
		}
		if c.Plan == nil || one.least.Worse(c.Simulated) {
			c.Script, c.Plan, c.ScalePPM, c.Simulated = one.script, one.plan, one.scalePPM, one.least
		}
		if one.most.Worse(chancy.most) {
			chancy = one
		}
	}
	switch {
	case c.Plan == nil && refused.plan == nil: // the simulated world has refused them all
	case c.Plan == nil:
		c.Why, c.Simulated = refused.why, refused.least
	case refused.least.Worse(c.Simulated):
		c.Why = say.HarsherRefused.With(say.Verbatim(refused.least), refused.why)
	case chancy.most.Worse(c.Simulated) && !chancy.most.Held():
		c.Why = say.HarsherByChance.With(say.Verbatim(chancy.most), chancy.script)
	}
	return nil
}

// dependsOnCancels reports whether the outcome of a script changes when etcd does not execute
// requests that clients have given up on, see cancels.
func (w *chooser) dependsOnCancels(ctx context.Context, v locks.Variant, c *Cell, one *candidate) (bool, error) {
	if !v.Kind().CancelsRequests {
		return false, nil
	}
	other := candidate{script: one.script, plan: one.plan}
	w.sim.SetTiming(sim.Timing{TakenBack: true})
	defer w.sim.SetTiming(sim.Timing{})
	err := w.simulate(ctx, c, &other)
	return other.least != one.least && !(other.least.Held() && one.least.Held()), err
}

// leastDownAfter is the shortest silence by which sentinels may judge that a server is down. With
// less, a busy machine delays a healthy server often enough for an unplanned failover.
const leastDownAfter = 500 * time.Millisecond

// leastNodeWait is how long a client has to wait for a node whose reply is dropped, so that it does
// not give up before.
const leastNodeWait = 10 * time.Millisecond

// storyNodeWait is leastNodeWait for stories in which a client has to get all nodes.
const storyNodeWait = 15 * time.Millisecond

// scaleFor is the scale of a script: that of the comparison, or a larger one that its sentinels, or
// a client that waits for a dropped reply, can keep up with.
func (o *Options) scaleFor(v locks.Variant, p *plan.Plan) int64 {
	scale := o.ScalePPM
	if f := &p.Redis.Failover; f.By == plan.BySentinel && f.DownAfter > 0 {
		scale = max(scale, shrunkTo(leastDownAfter, f.DownAfter))
	}
	if v.Kind().Topology == store.Independent {
		switch wait := locks.NodeTimeout(p.Lease); {
		case o.Stories != nil:
			scale = max(scale, shrunkTo(storyNodeWait, wait))
		case slices.ContainsFunc(p.Faults, dropsReply):
			scale = max(scale, shrunkTo(leastNodeWait, wait))
		}
	}
	return scale
}

func dropsReply(f faults.Fault) bool { return f.Verb.Name() == "drop" && f.Args.Value == "reply" }

// shrunkTo is the scale at which a duration becomes the least allowed, in millionths; at most
// 1000000.
func shrunkTo(least, d time.Duration) int64 {
	return min(1_000_000, int64(least)*1_000_000/int64(d))
}

// candidate is a script of a cell, with the letters of its simulated runs.
type candidate struct {
	script      say.Phrase
	plan        *plan.Plan
	scalePPM    int64
	least, most checker.Letter
	why         say.Phrase // for its refusal
}

// simulate finds out what a script does with at least the seeds that will be played.
func (w *chooser) simulate(ctx context.Context, c *Cell, one *candidate) error {
	for n := range max(w.o.Times, sureSeeds) {
		out := run.One(ctx, w.sim, one.plan, c.Lock, uint64(n+1))
		if out.Err != nil {
			return fmt.Errorf("%s under %s, %s: %w", c.Lock, c.Fault, one.script.English(), out.Err)
		}
		l := out.Judgement.Letter
		if n == 0 || one.least.Worse(l) {
			one.least = l
		}
		if n == 0 || l.Worse(one.most) {
			one.most = l
		}
	}
	return nil
}
