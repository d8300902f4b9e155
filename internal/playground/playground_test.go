package playground

import (
	"context"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

func play(t testing.TB, g *Playground, r Request) Frame {
	t.Helper()
	if r.Language == "" {
		r.Language = say.English
	}
	f := g.Play(context.Background(), r)
	if len(f.Problems) > 0 {
		t.Fatalf("not played: %q", f.Problems)
	}
	return f
}

// A pause past the lease lets two clients in under both locks. With tokens, which the resource
// checks, the data stay whole.
func TestAPausePastTheLeaseLetsTwoIn(t *testing.T) {
	g := New()
	f := play(t, g, Request{})
	for _, l := range f.Locks {
		if l.Verdict != checker.Kept || l.Word != "✓ kept" {
			t.Errorf("%s begins %s, %s: %s", l.ID, l.Verdict, l.Word, l.Says)
		}
	}
	f = play(t, g, Request{File: f.File, Edit: Edit{Move: &Move{Fault: 1, End: true, By: 12_000}}})
	for _, l := range f.Locks {
		if l.Verdict != checker.Broken || !l.Facts["mutual-exclusion broken"] || !strings.Contains(l.Stage, "two inside") {
			t.Errorf("%s with a pause of 15 s under a lease of 10 s is %s: %s", l.ID, l.Verdict, l.Says)
		}
	}
	for i, want := range []string{"no-stale-write broken", "no-stale-write kept"} {
		impact := []checker.Impact{checker.ImpactDamaged, checker.ImpactSafe}[i]
		word := []string{"✗ data damaged", "△ data safe"}[i]
		if l := f.Locks[i]; !l.Facts[want] || l.Word != word || l.Impact != impact || !strings.Contains(l.Stage, "; its lease had 9") {
			t.Errorf("%s, want %s, %s and %s: %s, %s, %s", l.ID, want, impact, word, l.Impact, l.Word, l.Says)
		}
	}
}

// Properties that are not Core are judged, too, although the playground drops the expectations of
// stories.
func TestEveryPropertyIsAsked(t *testing.T) {
	const title = "asked for everything"
	checker.Register(checker.Property{ID: "never", Check: func(h *history.History) checker.Finding {
		f := checker.Finding{Property: "never", Verdict: checker.Kept}
		if h.Header.Scenario == title {
			f.Verdict = checker.Broken
		}
		return f
	}})
	f := play(t, New(), Request{File: "scenario: " + title + "\nlocks: [set-nx-lua]\n", Timeline: true})
	if l := f.Locks[0]; l.Verdict != checker.Broken {
		t.Errorf("a property that is not Core is broken, and the lock is %s: %s", l.Verdict, l.Says)
	}
}

// A lock that is stuck is broken, although the state of the data is unknown.
func TestAStuckLockIsBroken(t *testing.T) {
	f := play(t, New(), Request{Edit: Edit{Story: "crash-before-del"}, Timeline: true})
	if l := f.Locks[0]; l.Word != "✗ broken" || l.Impact != checker.ImpactUnknown {
		t.Errorf("%s: %s (%s), %s", l.ID, l.Word, l.Impact, l.Says)
	}
}

// The story of the site's first page is broken, and holds once the pause is within the lease.
func TestTheFirstPageCanBeTurned(t *testing.T) {
	g := New()
	f := play(t, g, Request{Edit: Edit{Open: Front}, Timeline: true})
	if l := f.Locks[0]; l.Verdict != checker.Broken || l.Impact != checker.ImpactDamaged || l.Picture+l.Story != "" {
		t.Errorf("it begins %s (%s), with %d bytes that the page does not show", l.Verdict, l.Impact, len(l.Picture+l.Story))
	}
	f = play(t, g, Request{File: f.File, Edit: Edit{Move: &Move{Fault: 1, End: true, By: -8_000}}, Timeline: true})
	if l := f.Locks[0]; l.Verdict != checker.Kept || l.Impact != checker.ImpactKept {
		t.Errorf("with a pause of 4 s it is %s: %s", l.Verdict, l.Says)
	}
}

// The map of a story with one pause: a lock breaks where the pause outlives the lease, and with
// tokens that the resource checks the data stay whole.
func TestTheMapOfPauseAndLease(t *testing.T) {
	g := New()
	f := play(t, g, Request{})
	if !f.HasMap {
		t.Fatal("the first story has no map")
	}
	for lock, want := range []string{"kept kept harm", "kept kept two"} {
		row := play(t, g, Request{File: f.File, Row: &Row{Lock: lock, Lease: 12_000, Pauses: []int64{0, 3000, 20_000}}})
		if got := strings.Join(row.Map, " "); got != want {
			t.Errorf("%s: %s, want %s", f.Locks[lock].ID, got, want)
		}
	}
	for _, row := range []Row{{Lock: 2}, {Lock: -1}, {Pauses: make([]int64, 1000)}} {
		if f := g.Play(t.Context(), Request{Row: &row, Language: say.English}); len(f.Problems) == 0 {
			t.Errorf("%+v: a row was played", row)
		}
	}
	if f = play(t, g, Request{Edit: Edit{Story: "split-brain"}}); f.HasMap {
		t.Error("a story without a pause has a map")
	}
}

func BenchmarkFrame(b *testing.B) {
	g := New()
	f := play(b, g, Request{})
	b.ReportAllocs()
	for b.Loop() {
		play(b, g, Request{File: f.File, Timeline: true, Edit: Edit{Move: &Move{Fault: 1, End: true, By: 12_000}}})
	}
}

func BenchmarkSettled(b *testing.B) {
	g := New()
	f := play(b, g, Request{})
	for b.Loop() {
		play(b, g, Request{File: f.File, Settled: true})
	}
}
