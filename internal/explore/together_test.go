package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// Schedules that come together have one run: from the instant on at which the moments differ, the events are the same
// in the same order; at that instant only their order may differ.
func TestWhatComesTogetherHasOneRun(t *testing.T) {
	for _, lock := range []string{
		"set-nx-lua", "redisson-lease", "redisson-fair", "redlock", "set-nx-lua-cluster",
		"zk-sequential", "curator-mutex", "etcd-mutex", "etcd-txn", "consul-session", "pg-advisory", "mysql-for-update",
	} {
		pairs := 0
		for _, g := range groundsOf(t, lock) {
			p := &player{w: world()}
			p.on(g)
			together := compared(t, p, []branch{{}}, 1, max(1, len(g.letters)/20))
			if together == 0 {
				t.Errorf("%s in the world %s: nothing comes together", lock, g.base.Name)
			}
			if g.base.Name == plainBase {
				first := alike(t, p, []branch{{}}, 2)
				for _, same := range slices.Concat(every(first, len(first)/6), every(withOthers(first), len(first)/6)) {
					pairs += compared(t, p, same, 2, 150)
				}
			}
			p.w.Close()
		}
		if pairs == 0 {
			t.Errorf("%s: no pairs come together", lock)
		}
	}
}

// What is felt by nobody between two moments comes to the same at both, though it ends later: pairs of some kinds.
func TestWhatNobodyFeelsComesTogether(t *testing.T) {
	for _, tt := range []struct {
		lock string
		only []string
		step int // of the pairs
	}{
		{"setnx-expire", []string{"restart", "cut"}, 1},
		{"set-nx-minreplicas", []string{"promote", "cut"}, 1},
		{"set-wait", []string{"split-short", "lag"}, 2},
		{"setnx-expire", []string{"split-short", "evict"}, 1},
		{"redisson-lease", []string{"split", "pause-short"}, 10},
		{"redisson-lease", []string{"lag", "crash"}, 20},
		{"mysql-for-update", []string{"split-short", "cut-short"}, 1},
	} {
		g := groundsOf(t, tt.lock, tt.only...)[0]
		p := &player{w: world()}
		p.on(g)
		singles, pairs := compared(t, p, []branch{{}}, 1, 1), 0
		for _, same := range withOthers(alike(t, p, []branch{{}}, 2)) {
			_, h, err := p.play(t.Context(), same[0].s, false)
			if err != nil {
				t.Fatal(err)
			}
			same, _ = p.together(h, same)
			pairs += compared(t, p, same, 2, tt.step)
			vain(t, p, same, 2, tt.step)
		}
		if singles == 0 || pairs < singles {
			t.Errorf("%s: %d of %v and %d pairs come together", tt.lock, singles, tt.only, pairs)
		}
		p.w.Close()
	}
}

// Moments after schedules that come together are those of each of them alone, in the same order. The store of
// consul-session answers who has waited for an entry in the moment in which that is dropped.
func TestWhatComesTogetherGoesOnTogether(t *testing.T) {
	apart, kept := 0, 0
	for _, lock := range []string{"consul-session", "pg-advisory", "redisson-lease"} {
		g := groundsOf(t, lock)[0]
		p := &player{w: world()}
		p.on(g)
		for _, same := range withOthers(alike(t, p, []branch{{}}, 2)) {
			_, h, err := p.play(t.Context(), same[0].s, true)
			if err != nil {
				t.Fatal(err)
			}
			same, _ = p.together(h, same)
			one, other := p.inOrder(same)
			kept, apart = kept+len(one), apart+len(other)
			var want [][]place
			for _, b := range one {
				want = append(want, p.next(h, b.s))
			}
			for i, b := range one {
				_, h, err := p.play(t.Context(), b.s, true)
				if err != nil {
					t.Fatal(err)
				}
				if got := p.next(h, b.s); !slices.EqualFunc(got, want[i], func(a, b place) bool {
					return a.Letter == b.Letter && a.When == b.When && a.After == b.After
				}) {
					t.Errorf("%s: %d places after %s, and %d after it together with %s", lock, len(got), g.told(b.s).English(),
						len(want[i]), g.told(same[0].s).English())
				}
			}
		}
		p.w.Close()
	}
	if apart == 0 || kept < 20*apart {
		t.Errorf("%d schedules come together, %d have other moments", kept, apart)
	}
}

// What follows from a fault follows at times that a timer is compared with.
func TestWhatFollowsCoincides(t *testing.T) {
	lasting := 0
	for _, v := range locks.Simulated() {
		o := options(t, v.ID, 2)
		for index, b := range bases() {
			if b.fits != nil && !b.fits(&v) {
				continue
			}
			g, err := o.newGround(v, index, false)
			if err != nil {
				t.Fatal(err)
			}
			if !coincides(g.plan.Network.Latency.Max) {
				t.Errorf("%s in the world %s: messages take %v", v.ID, g.base.Name, g.plan.Network.Latency.Max)
			}
			for i := range g.letters {
				l := &g.letters[i]
				times := slices.Collect(maps.Values(l.fault.Args.Durations))
				for _, d := range append(times, l.fault.End.For) {
					if l.outside && d != 0 {
						lasting++
						if !coincides(d.Abs()) {
							t.Errorf("%s in the world %s: %s takes %v", v.ID, g.base.Name, l.text, d)
						}
					}
				}
			}
		}
	}
	if lasting < 1000 {
		t.Errorf("only %d times", lasting)
	}
}

// groundsOf are the base worlds of a lock.
func groundsOf(t *testing.T, lock string, only ...string) []*ground {
	t.Helper()
	o := options(t, lock, 2, only...)
	w := &walk{o: &o, state: NewState(&o)}
	all := w.grounds(t.Context(), o.Locks[0])
	if all.err != nil {
		t.Fatal(all.err)
	}
	for _, p := range w.all {
		p.w.Close()
	}
	return all.grounds
}

// alike are the schedules that are longer than some by one fault.
func alike(t *testing.T, p *player, same []branch, faults int) [][]branch {
	t.Helper()
	v, h, err := p.play(t.Context(), same[0].s, true)
	if err != nil {
		t.Fatal(err)
	}
	return p.longer(h, &v, same, faults)
}

// withOthers are those that come together with others.
func withOthers(all [][]branch) [][]branch {
	return slices.DeleteFunc(slices.Clone(all), func(same []branch) bool { return len(same) == 1 })
}

// every is each so many-th of a list.
func every[T any](all []T, step int) (out []T) {
	for i := 0; i < len(all); i += max(step, 1) {
		out = append(out, all[i])
	}
	return out
}

// compared plays a sample of the schedules that are longer than some by one fault, and returns how many have come
// together with others.
func compared(t *testing.T, p *player, from []branch, faults, step int) (together int) {
	t.Helper()
	all := withOthers(alike(t, p, from, faults))
	for _, same := range every(all, step) {
		want, h, err := p.play(t.Context(), same[0].s, false)
		if err != nil {
			t.Fatal(err)
		}
		one, _ := p.together(h, same)
		together += len(one)
		first := slices.Clone(h.Events)
		for _, b := range one[1:] {
			v, h, err := p.play(t.Context(), b.s, false)
			if err != nil {
				t.Fatal(err)
			}
			got, events := h.Events, first
			if !slices.EqualFunc(b.s, same[0].s, func(x, y place) bool { return x.at == y.at }) {
				got, events = withoutFaults(got), withoutFaults(events)
			}
			got, events = inAnyOrder(got, b.s, same[0].s), inAnyOrder(events, b.s, same[0].s)
			if v != want || !slices.Equal(got, events) {
				t.Errorf("%s in the world %s: %s is another run than %s:\n%s", p.g.v.ID, p.g.base.Name,
					p.g.told(b.s).English(), p.g.told(same[0].s).English(), firstDifference(h, got, events))
			}
		}
	}
	return together
}

// inAnyOrder are the events of a run without what depends on their order, at the instants at which faults of some
// schedules begin.
func inAnyOrder(events []history.Event, schedules ...schedule) []history.Event {
	out := slices.Clone(events)
	for i := range out {
		out[i].Cause = 0
	}
	for _, x := range slices.Concat(schedules...) {
		from, _ := slices.BinarySearchFunc(out, x.at, func(e history.Event, at history.Instant) int { return cmp.Compare(e.At, at) })
		to := from
		for to < len(out) && out[to].At == x.at {
			to++
		}
		slices.SortStableFunc(out[from:to], func(a, b history.Event) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Value, b.Value))
		})
	}
	return out
}

func firstDifference(h *history.History, a, b []history.Event) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("event %d: %v %s %s %+v\nand        %v %s %s %+v", i,
				a[i].At, a[i].Kind, h.Name(a[i].Node), a[i], b[i].At, b[i].Kind, h.Name(b[i].Node), b[i])
		}
	}
	return fmt.Sprintf("%d and %d events", len(a), len(b))
}

// What is known to change nothing changes nothing when it is played: the run is that without it.
func TestWhatIsKnownToChangeNothing(t *testing.T) {
	for _, lock := range []string{"set-nx-lua", "redlock", "redisson", "set-nx-lua-cluster", "zk-sequential", "etcd-mutex", "consul-session", "mysql-for-update"} {
		single, pairs := 0, 0
		for _, g := range groundsOf(t, lock) {
			p := &player{w: world()}
			p.on(g)
			single += vain(t, p, []branch{{}}, 1, 5)
			if g.base.Name == plainBase {
				for _, same := range every(alike(t, p, []branch{{}}, 2), 40) {
					pairs += vain(t, p, same[:1], 2, 10)
				}
			}
			p.w.Close()
		}
		if single == 0 || pairs == 0 {
			t.Errorf("%s: of %d single faults and %d pairs it is known that they change nothing", lock, single, pairs)
		}
	}
}

// vain plays a sample of the schedules that are longer by one fault than some, which have one run, and are known to change
// nothing, and returns how many these are.
func vain(t *testing.T, p *player, from []branch, faults, step int) int {
	t.Helper()
	before, h, err := p.play(t.Context(), from[0].s, false)
	if err != nil {
		t.Fatal(err)
	}
	first := slices.Clone(h.Events)
	known := slices.Concat(alike(t, p, from, faults)...)
	known = slices.DeleteFunc(known, func(b branch) bool { return !b.vain })
	for _, b := range every(known, step) {
		v, h, err := p.play(t.Context(), b.s, false)
		if err != nil {
			t.Fatal(err)
		}
		// Where a fault before it is the one that changes nothing, the run is another one.
		last := before.acted == 1<<len(from[0].s)-1
		got, events := inAnyOrder(withoutFaults(h.Events), b.s, from[0].s), inAnyOrder(withoutFaults(first), b.s, from[0].s)
		if v.acted == 1<<len(b.s)-1 || !v.whole || last && !slices.Equal(got, events) {
			t.Errorf("%s in the world %s: %s changes something:\n%s", p.g.v.ID, p.g.base.Name, p.g.told(b.s).English(),
				firstDifference(h, got, events))
		}
	}
	return len(known)
}

// withoutFaults are the events of a run but for the faults'.
func withoutFaults(events []history.Event) (out []history.Event) {
	for _, e := range events {
		if e.Kind != history.FaultBegan && e.Kind != history.FaultEnded && e.Kind != history.WithoutEffect {
			e.Cause = 0
			out = append(out, e)
		}
	}
	return out
}
