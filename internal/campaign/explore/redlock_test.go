package explore

import (
	"context"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/must"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/timeline"
)

// The best-known counterexample of Redlock: clocks of servers are stepped, and a majority forgets.
// The walk finds it soon and with a short story.
func TestRedlockAndTheClocks(t *testing.T) {
	o := options(t, "redlock", 2, "server-clock")
	o.In = []string{plainProfile}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	walk := &walk{o: &o, state: &State{Scope: o.scope()}}
	s := walk.state
	o.Progress = func(Progress) {
		if len(s.Locks[0].Found) > 0 {
			stop()
		}
	}
	if err := walk.walk(ctx); err == nil {
		t.Fatal("nothing was found")
	}
	if n := s.Walked(); n > 15_000 {
		t.Errorf("found after %d schedules", n)
	} else {
		t.Logf("found after %d schedules", n)
	}
	r := resultOf(t, s, o)
	data := must.Get(Scenario(&r.Scope, "redlock", &r.Locks[0].Breaks["overlap"][0].Shown))(t)
	p := scenariotest.Parse(t, "", string(data))
	w := worldOf(false)
	defer w.Close()
	h := must.Get(w.Play(t.Context(), p, "redlock", 1))(t)
	steps := explain.Steps(timeline.Of(h), checker.Judge(h).Findings)
	if len(steps) > 15 {
		t.Errorf("%d steps", len(steps))
	}
	for _, x := range steps {
		t.Log(x.At, x.Sentence.English(), x.Note.English())
	}
}
