package search

import (
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// Passes make a story smaller and report whether they did. Every step decreases one order: faults,
// clients, rounds, simpler settings, moments and names, durations. So they end.

// fewer are the passes that make a story shorter, the cheapest first.
var fewer = []func(*shrinker) bool{
	(*shrinker).fewerFaults,
	(*shrinker).fewerByMoving,
	(*shrinker).fewerClients,
	(*shrinker).fewerRounds,
	(*shrinker).otherSeeds,
}

// plainer are the passes that make it easier to read.
var plainer = []func(*shrinker) bool{
	(*shrinker).plainSettings,
	(*shrinker).constants,
	func(s *shrinker) bool { return s.otherTriggers(s.plainer) },
	(*shrinker).plainTargets,
	func(s *shrinker) bool { return s.otherTriggers(s.named) },
	(*shrinker).plainNames,
	(*shrinker).shorter,
	(*shrinker).firstSeed,
}

// shrink repeats the passes until none succeeds. As long as the story can become shorter nothing
// else is changed: the randomness of a storm offers more ways to shorten it.
func (s *shrinker) shrink() {
	for changed := true; changed && s.left(); {
		for slices.ContainsFunc(fewer, func(pass func(*shrinker) bool) bool { return pass(s) }) {
		}
		changed = false
		for _, pass := range plainer {
			changed = pass(s) || changed
		}
	}
}

// first tries versions of the story in turn, until one is accepted.
func first[T any](s *shrinker, versions []T, change func(p *plan.Plan, to T)) bool {
	return slices.ContainsFunc(versions, func(to T) bool {
		return s.try(func(p *plan.Plan) { change(p, to) })
	})
}

// fewerFaults is delta debugging over the list of faults.
func (s *shrinker) fewerFaults() (changed bool) {
	for size := len(s.best.Faults); size > 0; {
		found := false
		for from := 0; from < len(s.best.Faults); {
			to := min(from+size, len(s.best.Faults))
			if s.try(func(p *plan.Plan) { p.Faults = slices.Delete(p.Faults, from, to) }) {
				found, changed = true, true
				continue // the faults after these have moved here
			}
			from = to
		}
		if size = size / 2; found {
			size = min(max(size, 1), len(s.best.Faults))
		}
	}
	return changed
}

// fewerClients removes clients one by one, with the faults that name them.
func (s *shrinker) fewerClients() (changed bool) {
	for i := len(s.best.Clients) - 1; i >= 0; i-- {
		if len(s.best.Clients) == 1 || i >= len(s.best.Clients) {
			continue
		}
		changed = s.tryMoving(withoutClient(s.best.Clients[i])) || changed
	}
	return changed
}

// withoutClient removes a client, and the faults that name it.
func withoutClient(name string) func(p *plan.Plan) {
	return func(p *plan.Plan) {
		p.Clients = slices.DeleteFunc(p.Clients, func(c string) bool { return c == name })
		p.Clocks = slices.DeleteFunc(p.Clocks, func(c plan.Clock) bool { return c.Node == name })
		p.Faults = slices.DeleteFunc(p.Faults, func(f faults.Fault) bool { return slices.Contains(f.Names(), name) })
	}
}

// fewerRounds plays fewer rounds, moving a fault into them if necessary.
func (s *shrinker) fewerRounds() bool {
	return slices.ContainsFunc(below(s.best.Workload.Repeat), func(n int) bool { return s.tryMoving(rounds(n)) })
}

func rounds(n int) func(p *plan.Plan) {
	return func(p *plan.Plan) { p.Workload.Repeat = n }
}

// below returns the numbers below n to try, from 1 on: all small ones, then fewer and fewer.
func below(n int) (out []int) {
	for i := 1; i < n; i += max(i/4, 1) {
		out = append(out, i)
	}
	return out
}

// mostSeeds is how many seeds otherSeeds plays of each version.
const mostSeeds = 20

// otherSeeds makes the story smaller and plays it with other seeds: what took many rounds with one
// seed may happen at once with another.
func (s *shrinker) otherSeeds() bool {
	for _, smaller := range s.smaller() {
		for seed := uint64(1); seed <= mostSeeds; seed++ {
			if s.try(func(p *plan.Plan) { p.Seed = seed; smaller(p) }) {
				return true
			}
		}
	}
	return false
}

// smaller returns the single steps that make a story smaller. The smallest story, two clients and a
// fault in the first round, has none.
func (s *shrinker) smaller() (out []func(p *plan.Plan)) {
	if len(s.best.Faults) > 1 {
		for i := range s.best.Faults {
			out = append(out, func(p *plan.Plan) { p.Faults = slices.Delete(p.Faults, i, i+1) })
		}
	}
	if len(s.best.Clients) > 2 {
		for _, name := range s.best.Clients {
			out = append(out, withoutClient(name))
		}
	}
	for _, n := range below(s.best.Workload.Repeat) {
		out = append(out, rounds(n))
		if n <= 2 {
			out = append(out, s.moving(rounds(n))...)
		}
	}
	return out
}

// plainSettings resets settings that the story does not need.
func (s *shrinker) plainSettings() (changed bool) {
	for _, set := range settings {
		changed = s.try(func(p *plan.Plan) { set(p, plan.Default()) }) || changed
	}
	for i := len(s.best.Clocks) - 1; i >= 0; i-- {
		changed = s.try(func(p *plan.Plan) { p.Clocks = slices.Delete(p.Clocks, i, i+1) }) || changed
	}
	return changed
}

// settings are in order of importance.
var settings = []func(p *plan.Plan, plain plan.Plan){
	func(p *plan.Plan, plain plan.Plan) { p.Redis = plain.Redis },
	func(p *plan.Plan, plain plan.Plan) {
		p.Redis.Replicas, p.Redis.Lag = plain.Redis.Replicas, plain.Redis.Lag
	},
	func(p *plan.Plan, plain plan.Plan) { p.Redis.Lag = plain.Redis.Lag },
	func(p *plan.Plan, plain plan.Plan) {
		p.Redis.MinReplicas, p.Redis.MinReplicasMaxLag = plain.Redis.MinReplicas, plain.Redis.MinReplicasMaxLag
	},
	func(p *plan.Plan, plain plan.Plan) { p.Redis.Persistence = plain.Redis.Persistence },
	func(p *plan.Plan, plain plan.Plan) { p.Redis.Failover = plain.Redis.Failover },
	func(p *plan.Plan, plain plan.Plan) { p.Redlock = plain.Redlock },
	func(p *plan.Plan, plain plan.Plan) { p.Redlock.Persistence = plain.Redlock.Persistence },
	func(p *plan.Plan, plain plan.Plan) { p.Clusters = plain.Clusters },
	func(p *plan.Plan, plain plan.Plan) { p.Databases = plain.Databases },
	func(p *plan.Plan, plain plan.Plan) {
		for i := range p.Databases {
			p.Databases[i].Lag = plain.Databases[i].Lag
		}
	},
	func(p *plan.Plan, plain plan.Plan) { p.Workload.Nested = plain.Workload.Nested },
	func(p *plan.Plan, plain plan.Plan) { p.Workload.Fence = plain.Workload.Fence },
	func(p *plan.Plan, plain plan.Plan) { p.Workload.ReleaseAgain = plain.Workload.ReleaseAgain },
	func(p *plan.Plan, plain plan.Plan) { p.Workload.Wait = plain.Workload.Wait },
	func(p *plan.Plan, plain plan.Plan) { p.Workload.Retry = plain.Workload.Retry },
	func(p *plan.Plan, plain plan.Plan) { p.Workload.Stagger = plain.Workload.Stagger },
	func(p *plan.Plan, plain plan.Plan) { p.Workload.Rest = plain.Workload.Rest },
	func(p *plan.Plan, plain plan.Plan) { p.Network.LossPPM = plain.Network.LossPPM },
	func(p *plan.Plan, plain plan.Plan) { p.Network.Timeout = plain.Network.Timeout },
}

// constants replaces each range by one duration: a round one, the minimum, the maximum.
func (s *shrinker) constants() (changed bool) {
	ranges := []struct {
		of    func(p *plan.Plan) *plan.Range
		least time.Duration // shorter ones look odd
	}{
		{func(p *plan.Plan) *plan.Range { return &p.Network.Latency }, time.Millisecond},
		{func(p *plan.Plan) *plan.Range { return &p.Workload.Rest }, 0},
		{func(p *plan.Plan) *plan.Range { return &p.Workload.Work }, time.Millisecond},
	}
	for _, x := range ranges {
		r := *x.of(s.best)
		if r.IsFixed() {
			continue
		}
		round := slices.DeleteFunc(append(neat(r.Max), r.Min, r.Max), func(d time.Duration) bool { return d < x.least })
		changed = first(s, round, func(p *plan.Plan, d time.Duration) { *x.of(p) = plan.Range{Min: d, Max: d} }) || changed
	}
	return changed
}

// plainNames renames the clients to A, B, C, ...
func (s *shrinker) plainNames() bool {
	names := map[string]string{}
	for i, old := range s.best.Clients {
		if i >= 26 {
			return false
		}
		names[old] = string(rune('A' + i))
	}
	return s.try(func(p *plan.Plan) {
		for i := range p.Clients {
			rename(&p.Clients[i], names)
		}
		for i := range p.Clocks {
			rename(&p.Clocks[i].Node, names)
		}
		own := map[string]plan.Workload{}
		for name, w := range p.Own { // order: each client on its own
			rename(&name, names)
			own[name] = w
		}
		p.Own = own
		for i := range p.Faults {
			renameFault(&p.Faults[i], names)
		}
	})
}

func rename(name *string, names map[string]string) {
	if to, ok := names[*name]; ok {
		*name = to
	}
}

func renameFault(f *faults.Fault, names map[string]string) {
	rename(&f.Trigger.Subject, names)
	if f.Spec().Value.NamesNode() {
		rename(&f.Args.Value, names)
	}
	if f.End.Until != nil {
		until := *f.End.Until
		rename(&until.Subject, names)
		f.End.Until = &until
	}
	f.Args.Sides = slices.Clone(f.Args.Sides)
	for i := range f.Args.Sides {
		f.Args.Sides[i] = slices.Clone(f.Args.Sides[i])
		for k := range f.Args.Sides[i] {
			rename(&f.Args.Sides[i][k], names)
		}
	}
}

// firstSeed tries seed 1, in case the seed no longer matters.
func (s *shrinker) firstSeed() bool {
	return s.try(func(p *plan.Plan) { p.Seed = 1 })
}

// digits start round durations, in tenths: denser where a step of one would nearly double them.
var digits = []time.Duration{10, 11, 12, 13, 14, 15, 16, 18, 20, 25, 30, 40, 50, 60, 70, 80, 90}

// neat returns round durations below d, from 0 on, and then d with lower digits dropped. No part of
// a millisecond is simpler.
func neat(d time.Duration) []time.Duration {
	out := []time.Duration{0}
	for unit := time.Millisecond; unit < d; unit *= 10 {
		for _, n := range digits {
			if v := n * unit / 10; v < d && v%time.Millisecond == 0 {
				out = append(out, v)
			}
		}
	}
	for unit := 10 * time.Second; unit >= time.Millisecond; unit /= 10 {
		if t := d.Truncate(unit); t > 0 && t < d && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
