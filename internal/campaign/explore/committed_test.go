package explore

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/campaign/results/resultstest"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// A schedule that is cut short has an unknown outcome, so a lock with such schedules has no good
// letter. Only one lock spins.
func TestOnlyAFairLockOfRedissonSpins(t *testing.T) {
	for _, l := range resultstest.Explored(t).Locks {
		if spins := l.Lock == "redisson-fair"; spins != (l.Cut > 0) {
			t.Errorf("%s has %d schedules without an end", l.Lock, l.Cut)
		}
	}
}

// Only misprints break without a fault: lists have both under one heading.
func TestOnlyMisprintsBreakWithoutAFault(t *testing.T) {
	designs, misprints := resultstest.Explored(t).DesignsAndMisprints()
	for _, l := range misprints.Locks {
		if !locks.Misprint(l.Lock) {
			t.Errorf("%s breaks without a fault: is it a misprint, or does it lack something?", l.Lock)
		}
	}
	if len(misprints.Locks) < 12 || len(designs.Locks) < 40 {
		t.Errorf("%d designs and %d misprints", len(designs.Locks), len(misprints.Locks))
	}
}

// Each story of the stored result breaks its lock as its set says, with as many faults, which all
// take effect; its name finds it.
func TestStoredStoriesBreakTheirLocks(t *testing.T) {
	r := resultstest.Explored(t)
	w := sim.New()
	defer w.Close()
	names := map[string]bool{}
	for i := range r.Locks {
		l := &r.Locks[i]
		for _, s := range l.Stories() {
			playStory(t, w, r, l, s, names)
		}
	}
	if len(names) < 1000 {
		t.Errorf("%d stories", len(names))
	}
}

// playStory plays a story unless it was played before.
func playStory(t *testing.T, w run.World, r *results.Explored, l *results.ExploredLock, s results.Story, names map[string]bool) {
	t.Helper()
	if !slices.ContainsFunc(s.Way.Properties(), func(id string) bool { return slices.Contains(s.Broken, id) }) || len(s.Faults) != len(s.Kinds) {
		t.Errorf("%s, %s: by %v and %d faults, which break %v", s.Name, s.Way, s.Kinds, len(s.Faults), s.Broken)
	}
	if found := l.Story(strings.TrimPrefix(s.Name, l.Lock+"/")); found == nil || !found.Same(s.Shown) {
		t.Errorf("%s is not found by its name", s.Name)
	}
	if names[s.Name] {
		return
	}
	names[s.Name] = true
	data := must.Get(Scenario(&r.Scope, l.Lock, s.Shown))(t)
	p := scenariotest.Parse(t, s.Name, string(data))
	if fenced := p.Workload.Fence != plan.FenceNone; fenced != s.Fence {
		t.Errorf("%s: the resource checks tokens: %t, where it was found %t", s.Name, fenced, s.Fence)
	}
	out := run.One(t.Context(), w, p, l.Lock, 1)
	if !out.Status().Good() {
		t.Errorf("%s: %v %v", s.Name, out.Err, out.Expected)
	}
}

// A kind alone breaks a lock in some way if a set says so.
func TestSetsOfOneKindAreSingles(t *testing.T) {
	r := resultstest.Explored(t)
	for i := range r.Locks {
		l := &r.Locks[i]
		broken := map[string]bool{}
		for k := range l.Singles {
			s := &l.Singles[k]
			for way := range s.Breaks { // order: does not matter
				broken[s.Kind+" "+way] = true
			}
		}
		for _, way := range checker.Outcomes() {
			alone := 0
			for _, set := range l.By(way) {
				if hung := slices.Contains(set.Kinds, "hung"); way >= checker.NoProgress && hung != (way == checker.Hung) {
					t.Errorf("%s: %v is %s", l.Lock, set.Kinds, way)
				}
				if len(set.Kinds) == 1 && set.Within == 0 {
					alone++
					if !broken[set.Kinds[0]+" "+way.String()] {
						t.Errorf("%s: %s alone is a set of %s, and no single fault shows it", l.Lock, set.Kinds[0], way)
					}
				}
			}
			for what := range broken {
				if strings.HasSuffix(what, " "+way.String()) {
					alone--
				}
			}
			if alone != 0 {
				t.Errorf("%s: %d sets of one kind of %s too many", l.Lock, alone, way)
			}
		}
	}
}

// A part of the walk, walked again, is that part of the stored result: sets of these kinds
// alone depend on no others.
func TestStoredResultIsWhatIsWalked(t *testing.T) {
	r := resultstest.Explored(t)
	for _, tt := range []struct {
		lock   string
		faults int
		only   []string
	}{
		{"set-nx-lua", 1, nil},
		{"mysql-unique", 1, []string{"lost-reply", "late-release-short", "split", "fail-over"}},
		{"etcd-mutex", 1, []string{"late-release-short", "evict"}},
		{"redlock", 1, []string{"evict", "clock-rate", "slow"}},
		{"watchdog-lua", 2, []string{"lost-request", "fail-over"}},
		{"set-wait-1of2", 2, []string{"fail-over", "lost-reply"}},
	} {
		again := walkedOnce(t, options(t, tt.lock, tt.faults, tt.only...))
		l := r.Lock(tt.lock)
		for _, way := range checker.Outcomes() {
			want := []results.CutSet{}
			for _, s := range l.By(way) {
				within := !slices.ContainsFunc(s.Kinds, func(k string) bool { return tt.only != nil && !slices.Contains(tt.only, k) })
				if within && len(s.Kinds) <= tt.faults {
					want = append(want, s)
				}
			}
			got := again.Locks[0].By(way)
			if !slices.EqualFunc(got, want, func(a, b results.CutSet) bool {
				return slices.Equal(a.Kinds, b.Kinds) && a.Same(&b.Shown)
			}) {
				t.Errorf("%s of %s by %v:\n%v\nstored:\n%v", way, tt.lock, tt.only, got, want)
			}
		}
		stored := slices.DeleteFunc(slices.Clone(l.Singles), func(s results.Single) bool { return tt.only != nil && !slices.Contains(tt.only, s.Kind) })
		if got := again.Locks[0].Singles; !slices.EqualFunc(got, stored, sameSingle) {
			t.Errorf("%s alone by %v:\n%v\nstored:\n%v", tt.lock, tt.only, got, stored)
		}
	}
}

// sameSingle compares all but the names of the stories, which depend on the rest of the walk.
func sameSingle(a, b results.Single) bool {
	if a.Kind != b.Kind || a.During != b.During || a.Walked != b.Walked || a.NoEffect != b.NoEffect || a.Cut != b.Cut || len(a.Breaks) != len(b.Breaks) {
		return false
	}
	for way, shown := range a.Breaks {
		if o := b.Breaks[way]; o == nil || !o.Same(shown) {
			return false
		}
	}
	return true
}
