package explore

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/sim"
)

// playerOn is a player in the plain profile of a lock.
func playerOn(t *testing.T, o Options, w World) *player { return playerIn(t, o, 0, w) }

// playerIn is a player in a profile.
func playerIn(t testing.TB, o Options, profile int, w World) *player {
	t.Helper()
	g := must.Get(o.newTarget(o.Locks[0], profile, false))(t)
	p := &player{World: w}
	t.Cleanup(p.Close)
	p.on(g)
	return p
}

// played plays a schedule.
func played(t testing.TB, p *player, s schedule, watched bool) (verdict, *history.History) {
	t.Helper()
	v, h, err := p.play(t.Context(), s, watched)
	if err != nil {
		t.Fatal(err)
	}
	return v, h
}

// template is the index of a template by its text.
func (p *player) template(text string) int {
	return slices.IndexFunc(p.g.templates, func(l faultTemplate) bool { return l.text == text })
}

// Watching a run changes no byte of it.
func TestWatchingChangesNothing(t *testing.T) {
	for _, lock := range []string{"redisson", "zk-sequential", "set-nx-lua-cluster"} {
		p := playerOn(t, options(t, lock, 1), worldOf(false))
		_, h := played(t, p, nil, true)
		watched, moments := h.Hash(), len(p.moves.all)
		if _, h = played(t, p, nil, false); h.Hash() != watched || moments < 20 {
			t.Errorf("%s: %v watched and %v alone, %d moments", lock, watched, h.Hash(), moments)
		}
	}
}

// judge finds what all checkers find, and no lack of progress where no server could serve.
func TestJudgeIsWhatTheCheckersSay(t *testing.T) {
	broken := [ways]int{}
	for _, lock := range []string{"set-nx-ex-del", "setnx", "zk-ephemeral", "pg-advisory"} {
		p := playerOn(t, options(t, lock, 1), world())
		_, h := played(t, p, nil, true)
		for i, x := range p.next(h, nil) {
			if i%5 != 0 {
				continue
			}
			v, h := played(t, p, schedule{x}, false)
			want := [ways]bool{
				checker.Overlap:        exclusion(h).Verdict == checker.Broken,
				checker.Damage:         checker.Damaged(h),
				checker.ForeignRelease: release(h).Verdict == checker.Broken,
				checker.NoProgress:     p.Serves() && progress(h).Verdict == checker.Broken,
			}
			if v.broken != want {
				t.Errorf("%s by %s: %v, the checkers say %v", lock, p.g.sentence(schedule{x}).English(), v.broken, want)
			}
			for way := range want {
				if want[way] {
					broken[way]++
				}
			}
		}
	}
	for way, n := range broken {
		if n < 10 {
			t.Errorf("%s in %d runs only: too few to compare", checker.Way(way), n)
		}
	}
}

// A fault without effect is left out: what breaks without it is found, and the rest is a doubt.
func TestWhatHadNoEffectIsLeftOut(t *testing.T) {
	o := options(t, "set-nx-lua", 2, "evict", "crash")
	p := playerOn(t, o, world())
	at := trigger{Moment: faults.InSection, Who: 0, Nth: 1}
	evict, crash := place{Template: p.template("evict: lock"), When: at}, place{Template: p.template("crash: A"), When: at}
	twice := schedule{evict, evict}
	u := &unit{p: p, known: &smaller{}, faults: 2}
	must.Do(t, u.walk(t.Context(), &branch{s: twice, order: []int{0, 0}}))
	if len(u.Found) != 2 || len(u.Singles) != 0 || len(u.Doubts) != 0 || u.NoEffect != 1 {
		t.Errorf("found %v, singles %v, doubts %q, %d without effect", u.Found, u.Singles, u.Doubts, u.NoEffect)
	}
	for i := range u.Found {
		if f := &u.Found[i]; len(f.Kinds) != 1 || len(f.Schedule) != 1 || f.faults() != 2 {
			t.Errorf("%v by %v, found by %d faults", f.Kinds, f.Schedule, f.faults())
		}
	}
	both := [ways]bool{checker.Overlap: true, checker.Damage: true}
	for _, acted := range []uint{0, 1} { // none; the crash, which breaks nothing
		u = &unit{p: p, known: &smaller{}, faults: 2}
		must.Do(t, u.withoutIdle(t.Context(), &branch{s: schedule{crash, evict}, order: []int{0, 0}}, &both, acted))
		if len(u.Found) != 0 || len(u.Doubts) != 2 {
			t.Errorf("acted %b: found %v, doubts %q", acted, u.Found, u.Doubts)
		}
	}
	u = &unit{p: p, known: &smaller{}, faults: 2}
	must.Do(t, u.withoutIdle(t.Context(), &branch{s: twice, order: []int{0, 0}}, &both, 3))
	if len(u.Found) != 0 || len(u.Doubts) != 2 {
		t.Errorf("the second has no effect when it is played again: found %v, doubts %q", u.Found, u.Doubts)
	}
	known := &smaller{}
	for way := range known {
		known[way] = []kindSet{{kind(faultkind.Index("evict"))}}
	}
	u = &unit{p: p, known: known, faults: 2}
	if err := u.walk(t.Context(), &branch{s: twice, order: []int{0, 0}}); err != nil || u.Walked != 0 {
		t.Errorf("%v, %d walked: no way is open", err, u.Walked)
	}
}

// A run without an end is counted and shows nothing.
func TestCutShort(t *testing.T) {
	o := options(t, "set-nx-lua", 1, "pause", "evict")
	o.In = []string{plainProfile}
	whole := walked(t, o)
	o.Worlds = func() World {
		w := sim.New()
		w.Reserve(sim.MaxRecorded - 60)
		return w
	}
	s := walked(t, o)
	st, all := s.Locks[0].Stages[0], whole.Locks[0].Stages[0]
	if st.Cut == 0 || st.Cut >= st.Walked || st.Walked != all.Walked || all.Cut != 0 {
		t.Errorf("%d cut short of %d; %d of %d", st.Cut, st.Walked, all.Cut, all.Walked)
	}
	for _, f := range s.Locks[0].Found {
		if f.Events > 60 {
			t.Errorf("%v was found in a run of %d events", f.Kinds.names(), f.Events)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		set, of kindSet
		want    bool
	}{
		{kindSet{}, kindSet{}, true},
		{kindSet{}, kindSet{3}, true},
		{kindSet{3}, kindSet{1, 3}, true},
		{kindSet{1, 3}, kindSet{1, 2, 3}, true},
		{kindSet{1}, kindSet{3}, false},
		{kindSet{3}, kindSet{1}, false},
		{kindSet{3, 3}, kindSet{3}, false},
		{kindSet{3}, kindSet{3, 3}, true},
		{kindSet{1, 1}, kindSet{1, 2}, false},
	} {
		if got := tt.set.within(tt.of); got != tt.want {
			t.Errorf("%v within %v: %v", tt.set, tt.of, got)
		}
	}
}

// A fault can come at the end of the one before, and right after its beginning; then it may hit any
// client.
func TestRightAfterTheFaultBefore(t *testing.T) {
	p := playerOn(t, options(t, "set-nx-lua", 2, "pause-short", "crash"), world())
	first := place{Template: p.template("pause: A; for: 5s"), When: trigger{Moment: faults.InSection, Who: 0, Nth: 1}}
	_, h := played(t, p, schedule{first}, true)
	all := p.next(h, schedule{first})
	for _, after := range []time.Duration{0, 5 * time.Second} {
		second := place{Template: p.template("crash: B"), When: first.When, After: after}
		if !slices.ContainsFunc(all, func(x place) bool { return x.Template == second.Template && x.When == second.When && x.After == after }) {
			t.Errorf("B is not hit %v after the pause of A begins", after)
		}
		_, h := played(t, p, schedule{first, second}, false)
		began := map[int64]history.Instant{}
		for _, e := range h.Events {
			if e.Kind == history.FaultBegan {
				began[e.Value] = e.At
			}
		}
		if got := began[2].Sub(began[1]); got != after || len(began) != 2 {
			t.Errorf("the crash comes %v after the pause, want %v", got, after)
		}
	}
}

// A world that has played other schedules plays the next one as a new world does. One without words
// plays the same events.
func TestAWorldIsAsNew(t *testing.T) {
	for _, lock := range []string{"set-nx-lua", "redlock-fsync", "redisson-fair", "set-nx-lua-cluster", "zk-sequential", "etcd-txn", "consul-session", "pg-advisory"} {
		o := options(t, lock, 1)
		p, wordless := playerOn(t, o, worldOf(false)), playerOn(t, o, world())
		_, h := played(t, p, nil, true)
		places := p.next(h, nil)
		for i := range 150 {
			s := schedule{places[i*997%len(places)]}
			v, used := played(t, p, s, false)
			same, silent := played(t, wordless, s, false)
			if same != v || !slices.EqualFunc(silent.Events, used.Events, func(a, b history.Event) bool {
				b.Text = 0
				return a == b
			}) {
				t.Errorf("%s by %s: without words, another history", lock, p.g.sentence(s).English())
			}
			again := &player{World: worldOf(false)}
			again.on(p.g)
			_, fresh := played(t, again, s, false)
			hash := fresh.Hash()
			again.Close()
			if used.Hash() != hash {
				t.Errorf("%s by %s: another history in a world that has played before", lock, p.g.sentence(s).English())
			}
		}
	}
}

// singleOf is the result of one kind alone.
func singleOf(t *testing.T, l *results.ExploredLock, kind, during string) *results.Single {
	t.Helper()
	for i := range l.Singles {
		if s := &l.Singles[i]; s.Kind == kind && s.During == during {
			return s
		}
	}
	t.Fatalf("%s: no single fault %s during %q", l.Lock, kind, during)
	return nil
}

// A pause between GET and DEL of the release robs, one of a holder does not, and all
// schedules of one fault are counted once.
func TestSinglesSayWhatTheClientWasAt(t *testing.T) {
	o := options(t, "set-nx-token-getdel", 2, "pause", "evict", "lag")
	o.In = []string{plainProfile, "twice"}
	o.keep = func(l *faultTemplate) bool { return l.pairs }
	s := walked(t, o)
	r := resultOf(t, s, o)
	l := &r.Locks[0]
	for _, tt := range []struct{ kind, during, broken string }{
		{"pause", "release", "foreign-release"}, {"pause", "hold", "overlap damage"}, {"evict", "", "overlap damage"}, {"lag", "", ""},
	} {
		one := singleOf(t, l, tt.kind, tt.during)
		for _, way := range checker.Ways() {
			shown := one.By(way)
			switch expected := strings.Contains(tt.broken, way.String()); {
			case way == checker.ForeignRelease && tt.kind == "evict": // not what this is about
			case tt.during == "release" && way != checker.ForeignRelease:
			case expected != (shown != nil):
				t.Errorf("%s during %q: %s: %v, want %v", tt.kind, tt.during, way, shown, expected)
			case expected && !l.Story(strings.TrimPrefix(shown.Name, l.Lock+"/")).Same(shown):
				t.Errorf("%s during %q: %s is another story", tt.kind, tt.during, shown.Name)
			}
		}
	}
	var walked, without int64
	for i := range l.Singles {
		walked, without = walked+l.Singles[i].Walked, without+l.Singles[i].NoEffect
	}
	var of results.Tally
	for _, st := range s.Locks[0].Stages {
		if st.Faults == 1 {
			of.Add(st.Tally)
		}
	}
	if walked != of.Walked || without != of.NoEffect || walked == 0 || l.Walked <= walked {
		t.Errorf("%d schedules of one fault, %d of them without effect, want %+v of %d", walked, without, of, l.Walked)
	}
}
