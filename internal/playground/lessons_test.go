package playground

import (
	"context"
	"slices"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/say"
	"lockstep/internal/tour"
)

// turns are the edits that the text of each lesson asks for.
var turns = map[string][]Edit{
	"lock":            {{Move: &Move{Fault: 1, End: true, By: 12_000}}},
	"setnx":           {{Locks: []string{"set-nx-ex-del"}}},
	"crash":           {{Locks: []string{"set-nx-ex-del"}}},
	"two-commands":    {{Locks: []string{"set-nx-ex-del"}}, {Remove: 1}, {Add: &Add{Kind: "crash", Client: "A", Command: "SET", Nth: 1, Reply: true}}},
	"pause":           {{Move: &Move{Fault: 1, End: true, By: -12_000}}},
	"whose-key":       {{Locks: []string{"set-nx-token-getdel"}}},
	"gap":             {{Locks: []string{"set-nx-lua"}}, {Remove: 1}, {Add: &Add{Kind: "pause", Client: "A", Command: "unlock", Nth: 1}}},
	"watchdog":        {{Locks: []string{"watchdog-lua"}}},
	"frozen-watchdog": {{Move: &Move{Fault: 1, End: true, By: -12_000}}},
	"failover":        {{Locks: []string{"set-wait"}}},
	"redlock":         {{Locks: []string{"redlock"}}},
	"redlock-assumes": {{Locks: []string{"redlock-delayed-restart"}}},
	"consensus":       {{Locks: []string{"set-nx-lua", "etcd-mutex"}}},
	"session":         {{Remove: 1}, {Add: &Add{Kind: "cut-off", Node: "A", At: 3000}}, {Move: &Move{Fault: 1, End: true, By: 10_000}}},
	"fence":           {{Fence: "writes"}},
	"read":            {{Fence: "reads and writes"}},
	"own":             {{Locks: []string{"setnx-expire"}}},
}

// with is the control of the page that an edit needs.
func with(e Edit) string {
	switch {
	case len(e.Locks) > 1:
		return "compare"
	case e.Locks != nil:
		return "lock"
	case e.Fence != "":
		return "fence"
	case e.Add != nil:
		return "fault " + e.Add.Kind
	case e.Move != nil:
		return "pause"
	}
	return "" // a cross in the list of faults, which the palette shows, too
}

// A lesson names exactly the controls that its change needs.
func TestLessonsNameTheirControls(t *testing.T) {
	for _, l := range must.Get(tour.Lessons())(t) {
		var need []string
		for _, e := range turns[l.Name] {
			if c := with(e); c != "" && (c != "pause" || need == nil) {
				need = append(need, c)
			}
		}
		if slices.Contains(need, "compare") {
			need = append(need, "lock") // of the new one
		}
		if !slices.Equal(l.Controls, need) {
			t.Errorf("%s: shows %q, and its change is made with %q", l.Name, l.Controls, need)
		}
	}
}

// Each lesson ends with a change by the learner, which turns the verdict of its run.
func TestEachLessonCanBeTurned(t *testing.T) {
	cards := must.Get(tour.Cards(context.Background(), 1, say.English))(t)
	if len(cards) != len(turns) {
		t.Errorf("%d lessons, and turns for %d", len(cards), len(turns))
	}
	g := New()
	for _, c := range cards {
		reached := func(f Frame) bool {
			return slices.ContainsFunc(f.Locks, func(l Lock) bool {
				return !slices.ContainsFunc(c.Goal, func(goal string) bool { return !l.Facts[goal] })
			})
		}
		f := play(t, g, Request{Edit: Edit{Open: c.Start}})
		if len(c.Goal) == 0 || reached(f) {
			t.Errorf("%s: nothing is left to do: %q", c.Name, c.Goal)
		}
		for _, e := range turns[c.Name] {
			f = play(t, g, Request{File: f.File, Edit: e})
		}
		if !reached(f) {
			t.Errorf("%s: the change does not reach %q: %s", c.Name, c.Goal, f.Locks[0].Says)
		}
	}
}
