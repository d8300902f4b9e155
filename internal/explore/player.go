package explore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/sim"
)

// World is a simulated world that can be walked.
type World interface {
	run.World
	// Watch has f told of every moment that a client reaches, before a fault acts on it.
	Watch(f func(m faults.Moment, at history.Instant))
	// SetTiming is for the runs from now on.
	SetTiming(sim.Timing)
	// Alone reports, to who is told of a moment, whether since the moment before nothing but code of clients has run,
	// so that a fault of servers or of the network comes to the same at both; false if that is not known. The answer is
	// no if this code has set a timer that fires in a time of which coincides is true.
	Alone(coincides func(d time.Duration) bool) bool
	// Felt reports whether a partition or a lag would have been felt in the last run between two instants; true if that is
	// not known.
	Felt(f *faults.Fault, from, to history.Instant) bool
	// FeltSince reports, to who is told of a moment, whether a partition or a lag would have been felt since the moment
	// before; if not, it comes to the same at both until it ends. True if that is not known.
	FeltSince(f *faults.Fault) bool
	// Serves reports whether the store could serve at the end of the last run.
	Serves() bool
}

// What a run may take. A schedule whose run takes more is cut short, counted, and counts for nothing.
const (
	// MostEvents is how many events its history has.
	MostEvents = 30_000
	// MostRestless is how many requests a client sends in a row, each at the instant of the reply before: one
	// that spins on an answer which does not change would fill any history. Of all locks only
	// redisson-fair has a schedule that does.
	MostRestless = 1_000
)

// ground is a lock in a base world, ready to be walked.
type ground struct {
	v       locks.Variant
	base    *base
	index   int // of the base world
	world   string
	fence   bool // the resource looks at tokens
	plan    *plan.Plan
	timing  sim.Timing
	letters []letter
}

// newGround reads the base world for a lock.
func (o *Options) newGround(v locks.Variant, index int, fence bool) (*ground, error) {
	all := bases()
	g := &ground{v: v, base: &all[index], index: index, fence: fence}
	g.world = g.base.text(&v, o.Clients, o.Rounds, fence)
	p, err := (&story{lock: v.ID, world: g.world}).plan()
	if err != nil {
		return nil, err
	}
	g.plan = p
	if g.base.unserved {
		g.timing = shortProbe
	}
	g.letters, err = newAlphabet(p, g.world, v, o.Only)
	g.letters = slices.DeleteFunc(g.letters, func(l letter) bool {
		one := *p
		one.Faults = []faults.Fault{l.fault}
		return o.refuses(&one, v.ID)
	})
	if o.keep != nil {
		g.letters = slices.DeleteFunc(g.letters, func(l letter) bool { return !o.keep(&l) })
	}
	return g, err
}

// shortProbe has the probe give up early: where it is known that nobody gets the lock, most events would be
// the probe's.
var shortProbe = sim.Timing{ProbeWait: shortWait}

// player plays schedules on one ground, one after the other.
type player struct {
	w     World
	g     *ground
	plan  plan.Plan
	moves *recorder
}

// on makes the player ready for a ground.
func (p *player) on(g *ground) {
	if p.g == g {
		return
	}
	p.g, p.plan, p.moves = g, *g.plan, newRecorder(g.plan.Clients, g.letters)
}

// play plays a schedule and judges it. If watched, the moments of the run are in p.moves.
func (p *player) play(ctx context.Context, s schedule, watched bool) (verdict, *history.History, error) {
	p.plan.Faults = p.plan.Faults[:0]
	for i := range s {
		f := p.g.letters[s[i].Letter].fault
		f.Number, f.Trigger = i+1, s[i].When.fault(p.g.plan.Clients)
		f.Trigger.After = s[i].After
		p.plan.Faults = append(p.plan.Faults, f)
	}
	p.w.Watch(nil)
	p.w.SetTiming(p.g.timing)
	if watched {
		p.moves.reset()
		p.w.Watch(func(m faults.Moment, at history.Instant) { p.moves.observe(m, at, p.w.Alone(coincides), p.w.FeltSince) })
	}
	h, err := p.w.Play(ctx, &p.plan, p.g.v.ID, 1)
	if err != nil {
		return verdict{}, nil, fmt.Errorf("%s in the world %s with %s: %w", p.g.v.ID, p.g.base.Name, p.g.told(s).English(), err)
	}
	return judge(h, p.w.Serves()), h, nil
}

// next are the places at which a schedule can be made longer by one fault, when its run
// has just been watched: all moments from that of its last fault on, and the end of that
// fault. Right after a fault any client may be hit; else each is at moments of its own.
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
		if long := g.letters[last.Letter].fault.End.For; long > 0 {
			for i := range g.letters {
				if g.letters[i].on != onTheWay {
					out = append(out, place{Letter: i, When: last.When, After: last.After + long, like: endOfLast, moment: endOfLast, at: last.at.Add(long)})
				}
			}
		}
	}
	for i := from; i < len(p.moves.all); i++ {
		m := &p.moves.all[i]
		for k := range g.letters {
			with := last != nil && last.After == 0 && last.When == m.trigger
			if with && last.Letter == k || !g.letters[k].fits(m) && !(with && g.letters[k].on != onTheWay) {
				continue
			}
			next := place{Letter: k, When: m.trigger, like: p.moves.like(k, i), moment: i, at: m.at}
			if last == nil && g.letters[k].who != everybody {
				next.during = m.during
			}
			out = append(out, next)
		}
	}
	return out
}

// inOrder divides schedules whose runs are the same by whether their moments come in the same order, too, when the run of
// the first of them has just been watched. A fault can bring about moments at once: an entry is dropped, and somebody has
// waited for that. What comes after it depends on whether it is before or after the next moment, then.
func (p *player) inOrder(same []branch) (kept, apart []branch) {
	return divided(same, func(b *branch) bool {
		last := &b.s[len(b.s)-1]
		return last.moment == endOfLast || last.moment < len(p.moves.all) && p.moves.all[last.moment].trigger == last.When
	})
}

// together divides schedules of which the first has just been played by whether its run is also theirs. What begins later
// in one of them also ends later, which nobody may feel, and lasts long enough to be noticed.
func (p *player) together(h *history.History, same []branch) (kept, apart []branch) {
	return divided(same, func(b *branch) bool {
		for i := range b.s {
			one, other := &same[0].s[i], &b.s[i]
			if one.at == other.at {
				continue
			}
			from, to, healed := min(p.ends(one), p.ends(other)), max(p.ends(one), p.ends(other)), healedAt(h)
			if p.w.Felt(&p.g.letters[one.Letter].fault, from, min(to, healed)) || healed.Sub(max(one.at, other.at)) < p.plan.Noticeable() {
				return false
			}
		}
		return true
	})
}

// ends is when a fault of a schedule ends, unless all is healed before.
func (p *player) ends(x *place) history.Instant { return x.at.Add(p.g.letters[x.Letter].fault.End.For) }

// divided are the first of some schedules with those of which something is true, and the others.
func divided(same []branch, first func(b *branch) bool) (kept, apart []branch) {
	if len(same) == 1 {
		return same, nil
	}
	for i := range same {
		if i == 0 || first(&same[i]) {
			kept = append(kept, same[i])
		} else {
			apart = append(apart, same[i])
		}
	}
	return kept, apart
}

// longer are all schedules that are longer than some by one fault, when the run that these have in common has just been
// watched, on the way to so many faults. Those whose runs are the same come together.
func (p *player) longer(h *history.History, v *verdict, same []branch, faults int) [][]branch {
	type come struct {
		letter, like int
		at           history.Instant
	}
	var out [][]branch
	at := map[come]int{}
	f := p.foresee(h, v, same[0].s)
	for _, b := range same {
		all := p.next(h, b.s)
		if faults > 1 {
			all = p.thinned(all)
		}
		for i, next := range all {
			long := branch{append(slices.Clip(b.s), next), append(slices.Clip(b.order), i), f.vain(b.s, &next)}
			as := come{next.Letter, next.like, 0}
			if next.like == endOfLast {
				as.at = next.at
			}
			k, known := at[as]
			if !known {
				k = len(out)
				at[as] = k
				out = append(out, nil)
			}
			out[k] = append(out[k], long)
		}
	}
	return out
}

// thinned leaves out the letters that are for schedules of one fault only, and in a sparse world moments of what is
// repeated.
func (p *player) thinned(all []place) []place {
	letters, between, n := p.g.letters, []bool(nil), 0
	if p.g.base.sparse {
		between = p.moves.between()
	}
	for _, x := range all {
		if letters[x.Letter].pairs && (between == nil || x.moment == endOfLast || !between[x.moment]) {
			all[n] = x
			n++
		}
	}
	return all[:n]
}

// fits reports whether the letter can be put at a moment.
func (l *letter) fits(m *reached) bool {
	if !l.on.has(m.Moment) || l.who != everybody && l.who != m.Who {
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

// position is the index of the first moment that comes with or after the last fault of a
// schedule; -1 when that never began.
func (p *player) position(h *history.History, s schedule) int {
	last := &s[len(s)-1]
	if last.After == 0 {
		for i := range p.moves.all {
			if p.moves.all[i].trigger == last.When {
				return i
			}
		}
	}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Kind != history.FaultBegan || e.Value != int64(len(s)) {
			continue
		}
		for k := range p.moves.all {
			if p.moves.all[k].at >= e.At {
				return k
			}
		}
		return len(p.moves.all)
	}
	return -1
}
