package explore

import (
	"context"
	"fmt"
	"slices"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// World is a simulated world that can be walked.
type World interface {
	run.World
	// Watch calls f at every moment that a client reaches, before a fault acts on it.
	Watch(f func(m faults.Moment, at history.Instant))
	// SetTiming applies to later runs.
	SetTiming(sim.Timing)
	// Serves reports whether the store could serve at the end of the last run.
	Serves() bool
}

// Limits of a run. A schedule whose run exceeds them is cut short and counted, and shows nothing.
const (
	// MostEvents limits the events of its history.
	MostEvents = 30_000
	// MaxBackToBackRequests limits the requests that a client sends in a row, each at the instant
	// of the reply before: a client that spins on an unchanging answer would fill any history. Of
	// all locks only redisson-fair has such a schedule.
	MaxBackToBackRequests = 1_000
)

// target is a lock in a usage profile, ready to be walked.
type target struct {
	v         locks.Variant
	profile   *profile
	index     int // of the usage profile
	sketch    scenario.Sketch
	fence     bool // the resource checks tokens
	plan      *plan.Plan
	timing    sim.Timing
	templates []faultTemplate
}

// newTarget reads the usage profile for a lock.
func (o *Options) newTarget(v locks.Variant, index int, fence bool) (*target, error) {
	g := &target{v: v, profile: &profiles[index], index: index, fence: fence}
	g.sketch = g.profile.sketch(&v, o.Clients, o.Rounds, fence)
	_, p, err := g.sketch.Plan()
	if err != nil {
		return nil, err
	}
	g.plan = p
	if g.profile.unserved {
		g.timing = shortProbe
	}
	g.templates, err = newTemplates(p, g.sketch, v, o.Only)
	g.templates = slices.DeleteFunc(g.templates, func(l faultTemplate) bool {
		one := *p
		one.Faults = []faults.Fault{l.fault}
		return o.refuses(&one, v.ID)
	})
	if o.keep != nil {
		g.templates = slices.DeleteFunc(g.templates, func(l faultTemplate) bool { return !o.keep(&l) })
	}
	return g, err
}

// shortProbe has the probe give up early where it is known that no client gets the lock.
var shortProbe = sim.Timing{ProbeWait: shortWait}

// player plays schedules on one target, one after the other.
type player struct {
	World
	g     *target
	plan  plan.Plan
	moves *recorder
}

// on makes the player ready for a target.
func (p *player) on(g *target) {
	if p.g == g {
		return
	}
	p.g, p.plan, p.moves = g, *g.plan, newRecorder(g.plan.Clients)
}

// play plays a schedule and judges it. If watched, the moments of the run are in p.moves.
func (p *player) play(ctx context.Context, s schedule, watched bool) (verdict, *history.History, error) {
	p.plan.Faults = p.plan.Faults[:0]
	for i := range s {
		f := p.g.templates[s[i].Template].fault
		f.Number, f.Trigger = i+1, s[i].When.fault(p.g.plan.Clients)
		f.Trigger.After = s[i].After
		p.plan.Faults = append(p.plan.Faults, f)
	}
	p.Watch(nil)
	p.SetTiming(p.g.timing)
	if watched {
		p.moves.reset()
		p.Watch(p.moves.observe)
	}
	h, err := p.Play(ctx, &p.plan, p.g.v.ID, 1)
	if err != nil {
		return verdict{}, nil, fmt.Errorf("%s in the profile %s with %s: %w", p.g.v.ID, p.g.profile.Name, p.g.sentence(s).English(), err)
	}
	return judge(h, p.Serves()), h, nil
}

// next are the places at which a schedule can be extended by one fault, after its run
// was watched: all moments from that of its last fault on, and the end of that
// fault. Right after a fault any client may be hit; else each at its own moments.
func (p *player) next(h *history.History, s schedule) []place {
	var out []place
	from, g := 0, p.g
	var last *place
	if len(s) > 0 {
		last = &s[len(s)-1]
		from = p.position(h, s)
		if from < 0 {
			return nil
		}
		if long := g.templates[last.Template].fault.End.For; long > 0 {
			for i := range g.templates {
				if g.templates[i].on != onTheWay {
					out = append(out, place{Template: i, When: last.When, After: last.After + long, moment: endOfLast})
				}
			}
		}
	}
	for i := from; i < len(p.moves.all); i++ {
		m := &p.moves.all[i]
		for k := range g.templates {
			with := last != nil && last.After == 0 && last.When == m.trigger
			if with && last.Template == k || !g.templates[k].fits(m) && !(with && g.templates[k].on != onTheWay) {
				continue
			}
			next := place{Template: k, When: m.trigger, moment: i}
			if last == nil && g.templates[k].who != anyClient {
				next.during = m.during
			}
			out = append(out, next)
		}
	}
	return out
}

// longer are all schedules that extend one by a fault, after its run was watched.
func (p *player) longer(h *history.History, b *branch, faults int) []branch {
	all := p.next(h, b.s)
	if faults > 1 {
		all = p.thinned(all)
	}
	out := make([]branch, len(all))
	for i, next := range all {
		out[i] = branch{append(slices.Clip(b.s), next), append(slices.Clip(b.order), i)}
	}
	return out
}

// thinned leaves out the templates for one fault only, and in a sparse profile repeated moments.
func (p *player) thinned(all []place) []place {
	var between []bool
	if p.g.profile.sparse {
		between = p.moves.between()
	}
	return slices.DeleteFunc(all, func(x place) bool {
		return !p.g.templates[x.Template].pairs || between != nil && x.moment != endOfLast && between[x.moment]
	})
}

// fits reports whether the template can be put at a moment.
func (l *faultTemplate) fits(m *reached) bool {
	if !l.on.has(m.Moment) || l.who != anyClient && l.who != m.Who {
		return false
	}
	switch l.part {
	case butRelease:
		return m.part != faults.Release
	case onlyRelease:
		return m.part == faults.Release
	}
	return true
}

// position is the index of the first moment at or after the last fault; -1 when that never began.
func (p *player) position(h *history.History, s schedule) int {
	last := &s[len(s)-1]
	if last.After == 0 {
		if at := slices.IndexFunc(p.moves.all, func(m reached) bool { return m.trigger == last.When }); at >= 0 {
			return at
		}
	}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind != history.FaultBegan || e.Value != int64(len(s)) {
			continue
		}
		if at := slices.IndexFunc(p.moves.all, func(m reached) bool { return m.at >= e.At }); at >= 0 {
			return at
		}
		return len(p.moves.all)
	}
	return -1
}
