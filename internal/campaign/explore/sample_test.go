package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/scenario/scenariotest"
)

// drawnIn walks some kinds of a lock, of which all pairs are walked in the plain profile and some
// are drawn in twice.
func drawnIn(t *testing.T, each, jobs int, only ...string) (*State, Options) {
	t.Helper()
	o := options(t, "set-nx-lua", 2, only...)
	o.In, o.Complete, o.Sample, o.Jobs = []string{"plain", "twice"}, []string{"plain"}, each, jobs
	return walked(t, o), o
}

// whole is the stage of two faults in the profile twice, of which all are walked.
func whole(t *testing.T, only ...string) (*State, *stage) {
	t.Helper()
	o := options(t, "set-nx-lua", 2, only...)
	o.In = []string{"twice"}
	s := walked(t, o)
	return s, stageOf(t, s, "twice")
}

func stageOf(t *testing.T, s *State, profile string) *stage {
	t.Helper()
	for _, st := range s.Locks[0].Stages {
		if st.Profile == profile && st.Faults == 2 {
			return st
		}
	}
	t.Fatalf("no pairs in %s", profile)
	return nil
}

// Drawing more schedules than exist plays each of them: as many as a walk of all, with the same
// sets, and nothing is open. crash and lost-reply alone break nothing of this lock, so all of their
// pairs are walked.
func TestDrawingAllIsWalkingAll(t *testing.T) {
	only := []string{"crash", "lost-reply", "late-release"}
	all, want := whole(t, only...)
	s, o := drawnIn(t, 1<<20, 1, only...)
	got := stageOf(t, s, "twice")
	if got.Walked != want.Walked || got.NoEffect != want.NoEffect || got.Of != want.Walked || got.Each != 0 {
		t.Errorf("drew %d, %d of them without effect, of %d, at least %d; want all of %d, %d without effect", got.Walked, got.NoEffect, got.Of, got.Each, want.Walked, want.NoEffect)
	}
	for _, way := range checker.Ways() {
		if !slices.Equal(sets(s, way), sets(all, way)) {
			t.Errorf("%s by %q, want %q", way, sets(s, way), sets(all, way))
		}
	}
	if l := resultOf(t, s, o).Locks[0]; l.Searched != results.Complete || l.Together[1].How != results.Complete {
		t.Errorf("searched: %s, %+v", l.Searched, l.Together)
	}
}

// Any number of workers draws the same schedules. Of each two kinds there are as many as the stage
// says and at most as many as were asked for, and the estimated total is near that of a walk of
// all.
func TestWhatIsDrawn(t *testing.T) {
	only := []string{"crash", "lost-reply", "late-release"}
	const each = 10
	s, o := drawnIn(t, each, 1, only...)
	again, more := drawnIn(t, each, 4, only...)
	if resultText(t, s, o) != resultText(t, again, more) {
		t.Error("the number of workers changes what is drawn")
	}
	_, all := whole(t, only...)
	st := stageOf(t, s, "twice")
	pairs := int64(len(only) * (len(only) + 1) / 2)
	if st.Each < 1 || st.Each > each || st.Walked <= (pairs-1)*int64(st.Each) || st.Walked > pairs*each { // of one there are no more
		t.Errorf("drew %d of %d pairs of kinds, at least %d of each, asked for %d", st.Walked, pairs, st.Each, each)
	}
	if st.Of < all.Walked*8/10 || st.Of > all.Walked*12/10 {
		t.Errorf("about %d schedules, and there are %d", st.Of, all.Walked)
	}
	// Of 10 that do not break, the 95 % score interval ends at z2/(n+z2) = 3.8415/13.8415.
	if l := resultOf(t, s, o).Locks[0]; l.Searched != results.Complete || l.Together[1].How != results.Sampled || st.Each == 10 && fmt.Sprintf("%.3f", l.Together[1].AtMost) != "0.278" {
		t.Errorf("searched: %s, %+v", l.Searched, l.Together)
	}
}

// chosen draws some schedules of each two kinds in the profile twice, and counts them by their
// kinds.
func chosen(t *testing.T, each int, only ...string) (count map[string]int, st results.Drawn) {
	t.Helper()
	o := options(t, "set-nx-lua", 2, only...)
	o.Sample = each
	w := &walk{o: &o}
	g := must.Get(o.newTarget(o.Locks[0], 1, false))(t)
	all, st, err := w.draw(t.Context(), g, &smaller{})
	must.Do(t, err)
	count = map[string]int{}
	seen := map[string]bool{}
	for _, b := range all {
		count[strings.Join(kindsOf(g, b.s).names(), "+")]++
		if key := fmt.Sprint(b.order); seen[key] {
			t.Errorf("%s is drawn twice", key)
		} else {
			seen[key] = true
		}
	}
	return count, st
}

// No schedule is drawn twice, and of each two kinds there are as many as were asked for, or all
// that exist. A bound depends on the smallest of these numbers, except for kinds whose schedules
// were all drawn.
func TestEachDrawIsAnother(t *testing.T) {
	only := []string{"crash", "lost-reply", "hung", "late-release"}
	all, _ := chosen(t, 1<<20, only...)
	for _, each := range []int{6, 20, 60} {
		count, st := chosen(t, each, only...)
		least := 0
		for names, n := range count { // order: the least of them
			if n > each || n > all[names] {
				t.Errorf("drew %d of %s, of which there are %d, asked for %d", n, names, all[names], each)
			}
			if n < all[names] && (least == 0 || n < least) {
				least = n
			}
		}
		if len(count) != len(all) || len(all) != 10 || st.Each != least || each == 6 && count["crash+lost-reply"] != 6 {
			t.Errorf("asked for %d, drew %v of %v, at least %d, and the stage says %d", each, count, all, least, st.Each)
		}
	}
}

// A client repeats its requests twice a second: of these, moments are kept at the beginning, every
// two seconds, and in the second before its next step. A round of several requests is one.
func TestSparseMoments(t *testing.T) {
	r := &recorder{}
	note := func(who int8, kind faults.MomentKind, word string, at time.Duration) {
		r.all = append(r.all, reached{trigger: trigger{Moment: kind, Who: who, Word: word}, at: history.Instant(at)})
	}
	ms := time.Millisecond
	note(1, faults.StartsWaiting, "", 0)
	for at := time.Duration(0); at < 10*time.Second; at += 500 * ms {
		note(1, faults.AboutToSend, "SET", at)
		note(1, faults.AboutToSend, "SET", at+2*ms) // another node
	}
	note(0, faults.AboutToSend, "PEXPIRE", 3300*ms) // another client
	note(1, faults.Enters, "", 10*time.Second)
	note(1, faults.AboutToSend, "SET", 10*time.Second+ms)
	var kept []time.Duration
	for i, between := range r.between() {
		if m := r.all[i]; !between && m.Word != "" && m.Who == 1 {
			kept = append(kept, m.at.Duration())
		} else if between && m.Who == 0 {
			t.Error("a moment of another client is left out")
		}
	}
	want := []time.Duration{0, 2 * ms, 2000 * ms, 2002 * ms, 4000 * ms, 4002 * ms, 6000 * ms, 6002 * ms, 8000 * ms, 8002 * ms, 9000 * ms, 9002 * ms, 9500 * ms, 9502 * ms, 10001 * ms}
	if !slices.Equal(kept, want) {
		t.Errorf("kept %v, want %v", kept, want)
	}
}

// Work and faults are longer than the waits of the store: for Consul twice a session and its lock
// delay, 2 x 10 s + 15 s.
func TestLongWorkOutlastsTheStore(t *testing.T) {
	o := options(t, "consul-session", 1, "cut")
	if got := sets(walked(t, o), checker.Overlap); !slices.Equal(got, []string{"cut"}) {
		t.Errorf("two believe by %q, want a cut alone", got)
	}
	for _, v := range locks.Simulated() {
		outlasts := map[bool]time.Duration{true: 35 * time.Second, false: 10 * time.Second}[v.Store == locks.StoreConsul]
		if got := v.Outlasts(lease); got != outlasts {
			t.Errorf("%s: the store waits for %v, want %v", v.ID, got, outlasts)
		}
		for i, b := range profiles {
			if b.Name != "long-work" {
				continue
			}
			g := must.Get(o.newTarget(v, i, false))(t)
			p := g.plan
			work, longest := p.Workload.Work.Min, time.Duration(0)
			for _, l := range g.templates {
				if l.fault.End.For+lease > work {
					t.Errorf("%s: %s beside work of %v", v.ID, l.text, work)
				}
				if kindNames[l.kind] == "cut" {
					longest = max(longest, l.fault.End.For)
				}
			}
			if longest <= outlasts || work <= outlasts {
				t.Errorf("%s: a cut of %v and work of %v, and the store waits for %v", v.ID, longest, work, outlasts)
			}
		}
	}
}

// A waits for five seconds and asks seven times; B's moments are no places. Of equal attempts one
// in two seconds gets a fault, and so do those of the last second.
func TestWhereSingleFaultsArePlaced(t *testing.T) {
	p := scenariotest.Parse(t, "", "scenario: Two clients\nclients: [A, B]\n")
	placed := must.Get(NewPlaced(p, locks.StoreRedis, []string{"lost-request", "pause", "restart"}))(t)
	observe := func(at time.Duration, kind faults.MomentKind, client string) {
		m := faults.Moment{Kind: kind, Subject: client}
		if kind.OnWire() {
			m.Call.Command = "SET"
		}
		placed.Observe(m, history.Instant(at))
	}
	observe(0, faults.StartsWaiting, "A")
	observe(0, faults.StartsWaiting, "B")
	for _, ms := range []time.Duration{1, 50, 500, 1000, 1500, 2500, 4500} {
		observe(ms*time.Millisecond, faults.AboutToSend, "A")
		observe(ms*time.Millisecond, faults.AboutToSend, "B")
	}
	observe(5*time.Second, faults.Enters, "A")
	tries := []string{"about to send SET, 1", "about to send SET, 2", "about to send SET, 6", "about to send SET, 7"}
	for kind, want := range map[string][]string{
		"lost-request": tries,
		"pause":        slices.Concat([]string{"starts waiting, 1"}, tries, []string{"enters, 1"}),
		"restart":      slices.Concat([]string{"starts waiting, 1"}, tries),
	} {
		var got []string
		for _, one := range placed.Plans(kind) {
			when := one.Faults[0].Trigger
			nth := when.Nth
			when.Nth = 1
			got = append(got, fmt.Sprintf("%s, %d", strings.TrimPrefix(strings.TrimPrefix(when.Text(), "A "), "is "), nth))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s at %q, want %q", kind, got, want)
		}
	}
	if f := placed.Plans("pause")[0].Faults[0]; f.Target != "A" || f.End.For != 12*time.Second {
		t.Errorf("%s for %v, want A for 12s", f.Target, f.End.For)
	}
}
