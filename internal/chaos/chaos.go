// Package chaos draws the faults of a run: a plan with a list of faults, which can be printed,
// replayed and shrunk. Each fault has its own stream of random numbers, so that leaving one out
// changes no other.
package chaos

import (
	"fmt"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/rng"
)

// MostFaults is how many faults one run can draw.
const MostFaults = 100

// MostDrift is how much a storm changes the rate of a clock at most, in millionths.
const MostDrift = 500_000

// LeastClients is how many clients always survive: fewer than two never contend, and such a run
// tests nothing.
const LeastClients = 2

// holderAfter times the latency is the earliest time for a fault to aim at the holder: before that,
// no client holds the lock.
const holderAfter = 20

// Draw returns the plan with all that its chaos or its listed faults leave open drawn from a seed,
// the same for each of its locks.
func Draw(p *plan.Plan, seed uint64) *plan.Plan {
	switch {
	case !p.IsOpen():
		return p
	case p.Chaos == nil:
		return drawListed(p, seed)
	}
	d := &drawing{plan: p, seed: seed, clients: slices.Clone(p.Clients)}
	d.kinds = d.subset()
	end := p.WorkEnd() - p.Chaos.Heal
	var list []faults.Fault
	at := time.Duration(0)
	for len(list) < MostFaults {
		l := d.stream(fmt.Sprintf("fault %d", len(list)+1))
		at += l.within(p.Chaos.Every)
		spec, ok := d.kind(l)
		if at >= end || !ok {
			break
		}
		list = append(list, d.fault(l, spec, at, end))
		if left := time.Duration(len(d.clients)); spec.Lasting { // the ended client's work is left undone
			end = at + (end-at)/(left+1)*left
		}
	}
	out := p.WithFaults(list)
	out.Chaos, out.Drawn = nil, true
	return out
}

// drawing is the state of one Draw.
type drawing struct {
	plan    *plan.Plan
	seed    uint64
	kinds   []faults.Spec // still to be picked from
	clients []string      // not ended yet
}

// stream returns the stream of random numbers for one purpose.
func (d *drawing) stream(purpose string) *random {
	return &random{rng.New(d.seed, rng.ID("chaos "+purpose))}
}

// subset draws the kinds of faults of this run: each one with even chances, and at least one.
func (d *drawing) subset() []faults.Spec {
	l := d.stream("kinds")
	var all, some []faults.Spec
	for _, name := range d.plan.Chaos.From {
		spec, ok := faults.Lookup(name)
		if !ok {
			panic("chaos: the verb " + name + " is not registered: the scenario's check should have refused it")
		}
		all = append(all, spec)
		if l.one(2) {
			some = append(some, spec)
		}
	}
	if len(some) == 0 {
		some = append(some, all[l.below(int64(len(all)))])
	}
	return some
}

// kind draws the verb of a fault, false when none is left. Faults that cannot be undone are drawn
// only while enough of the world remains.
func (d *drawing) kind(l *random) (faults.Spec, bool) {
	if len(d.kinds) == 0 {
		return faults.Spec{}, false
	}
	spec := d.kinds[l.below(int64(len(d.kinds)))]
	last := len(d.clients) <= LeastClients+1
	d.kinds = slices.DeleteFunc(d.kinds, func(other faults.Spec) bool {
		return TakesOver(spec) && TakesOver(other) || last && spec.Lasting && other.Lasting
	})
	return spec, true
}

// TakesOver reports whether a verb makes a replica the primary. A run has one such fault at most,
// as the dead primary stays dead.
func TakesOver(spec faults.Spec) bool { return spec.Replica && !spec.Ends }

// fault draws everything about a fault but its verb.
func (d *drawing) fault(l *random, spec faults.Spec, at, end time.Duration) faults.Fault {
	t := faults.Trigger{At: at}
	if spec.OnWire {
		t = d.command(at)
	}
	return faults.Make(1, spec, d.args(l, spec, at), t, d.end(l, spec, end-at))
}

// command draws a command to tamper with. Each round of a client sends at least two, to acquire and
// to release.
func (d *drawing) command(at time.Duration) faults.Trigger {
	all := int64(2 * len(d.plan.Clients) * d.plan.Workload.Repeat)
	nth := 1 + int64(at/time.Microsecond)*(all-1)/max(int64(d.plan.WorkEnd()/time.Microsecond), 1)
	return faults.Trigger{
		Moment: faults.AboutToSend, Subject: faults.AnyClient, Command: faults.AnyCommand, Nth: int(min(nth, all)),
	}
}

// end draws how long a fault lasts, up to the heal.
func (d *drawing) end(l *random, spec faults.Spec, left time.Duration) faults.End {
	if !spec.Ends {
		return faults.End{}
	}
	return faults.End{For: max(min(l.within(d.plan.Chaos.For), left), 1)}
}

// args draws the verb's own value and its parameters.
func (d *drawing) args(l *random, spec faults.Spec, at time.Duration) faults.Args {
	args := faults.Args{
		Durations: map[string]time.Duration{}, Rates: map[string]int64{}, Choices: map[string]string{},
	}
	d.arg(l, spec, spec.Value, at, &args)
	for _, p := range spec.Params {
		if p.Required || p.Default > 0 {
			d.arg(l, spec, p, at, &args)
		}
	}
	return args
}

func (d *drawing) arg(l *random, spec faults.Spec, p faults.Param, at time.Duration, args *faults.Args) {
	text := ""
	switch p.Kind {
	case faults.ParamNode, faults.ParamClient:
		text = d.target(l, spec, p.Kind == faults.ParamNode, at)
	case faults.ParamServer:
		text = d.plan.Chaos.Servers[l.below(int64(len(d.plan.Chaos.Servers)))]
	case faults.ParamChoice:
		text = p.Choices[l.below(int64(len(p.Choices)))]
		if spec.Promoter {
			text = d.plan.Redis.Failover.By
		}
	case faults.ParamDuration:
		args.Durations[p.Name] = max(l.within(d.plan.Chaos.For), 1)
	case faults.ParamOffset:
		args.Durations[p.Name] = l.sign() * max(l.within(d.plan.Chaos.For), 1)
	case faults.ParamRate:
		args.Rates[p.Name] = int64(l.sign()) * (1 + l.below(MostDrift/10_000)) * 10_000
	case faults.ParamSides:
		args.Sides = d.sides(l, at)
	}
	if p.Name == "" {
		args.Value = text
	} else if text != "" {
		args.Choices[p.Name] = text
	}
}

// target draws a node: half the time the holder, which is where locks break.
func (d *drawing) target(l *random, spec faults.Spec, servers bool, at time.Duration) string {
	if spec.Lasting {
		i := int(l.below(int64(len(d.clients))))
		name := d.clients[i]
		d.clients = slices.Delete(d.clients, i, i+1)
		return name
	}
	if l.one(2) && at >= holderAfter*d.plan.Network.Latency.Max {
		return faults.TheHolder
	}
	nodes := d.plan.Clients
	if servers {
		nodes = slices.Concat(nodes, d.plan.Chaos.Servers)
	}
	return nodes[l.below(int64(len(nodes)))]
}

// sides draws a client and the servers to separate it from, in either order.
func (d *drawing) sides(l *random, at time.Duration) [][]string {
	client := d.target(l, faults.Spec{}, false, at)
	others := faults.TheStore
	if l.one(3) {
		others = d.plan.Chaos.Servers[l.below(int64(len(d.plan.Chaos.Servers)))]
	}
	if l.one(2) {
		return [][]string{{others}, {client}}
	}
	return [][]string{{client}, {others}}
}

// random draws integers only, so that every build draws the same.
type random struct{ rand rng.Rand }

func (l *random) below(n int64) int64 { return l.rand.Int64N(n) }

// one is true once in n times.
func (l *random) one(n int64) bool { return l.below(n) == 0 }

func (l *random) sign() time.Duration { return time.Duration(1 - 2*l.below(2)) }

// within draws from a range, in whole milliseconds if its minimum allows it, for readability.
func (l *random) within(r plan.Range) time.Duration {
	drawn := r.Min
	if r.Percentiles != nil {
		drawn = r.Draw(&l.rand)
	} else {
		drawn += time.Duration(l.below(int64(r.Max-r.Min) + 1))
	}
	if whole := drawn.Truncate(time.Millisecond); whole >= r.Min && whole > 0 {
		return whole
	}
	return drawn
}
