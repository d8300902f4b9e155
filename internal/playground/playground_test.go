package playground

import (
	"context"
	"strings"
	"testing"

	"lockstep/internal/checker"
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

// The first thing that anybody does: the end of the pause is pulled past the lease.
func TestAPausePastTheLeaseLetsTwoIn(t *testing.T) {
	g := New()
	f := play(t, g, Request{})
	for _, l := range f.Locks {
		if l.Verdict != checker.Kept {
			t.Errorf("%s begins %s: %s", l.ID, l.Verdict, l.Says)
		}
	}
	f = play(t, g, Request{File: f.File, Edit: Edit{Move: &Move{Fault: 1, End: true, By: 12_000}}})
	for _, l := range f.Locks {
		if l.Verdict != checker.Broken || !l.Facts["mutual-exclusion broken"] || !strings.Contains(l.Stage, "two inside") {
			t.Errorf("%s with a pause of 15 s under a lease of 10 s is %s: %s", l.ID, l.Verdict, l.Says)
		}
	}
}

func BenchmarkFrame(b *testing.B) {
	g := New()
	f := play(b, g, Request{})
	b.ReportAllocs()
	for b.Loop() {
		play(b, g, Request{File: f.File, Edit: Edit{Move: &Move{Fault: 1, End: true, By: 12_000}}})
	}
}

func BenchmarkSettled(b *testing.B) {
	g := New()
	f := play(b, g, Request{})
	for b.Loop() {
		play(b, g, Request{File: f.File, Settled: true})
	}
}
