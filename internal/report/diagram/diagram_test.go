package diagram

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// Only the legend of real servers explains a command whose execution is unknown.
func TestLegendOfEachWorld(t *testing.T) {
	for backend, want := range map[string]bool{"sim": false, "process": true} {
		got := slices.ContainsFunc(Legend(backend, say.English), func(i LegendItem) bool { return i.Text == unseen })
		if got != want {
			t.Errorf("%s: the legend explains unseen executions: %t", backend, got)
		}
	}
}

// On a real server, a command whose change was reported has solid arrows; one that is known from
// its reply alone has a dashed turn.
func TestInstantOfExecutionOnRealServers(t *testing.T) {
	for changed, want := range map[history.Instant]string{2e6: `class="msg to"`, 3e6: `class="msg unseen"`} {
		h := history.New(history.Header{Backend: history.Process, Nodes: []history.Node{
			{Name: "A", Role: history.RoleClient}, {Name: "redis-1", Role: history.RoleStore},
		}})
		set, ok := h.Intern("SET lock 1 NX"), h.Intern("OK")
		sent := h.Add(history.Event{At: 1e6, Kind: history.Sent, Node: 1, Peer: 2, Cause: history.NoCause, Text: set})
		h.Add(history.Event{At: changed, Kind: history.Granted, Node: 2, Peer: 1, Owner: 1, Cause: sent, Value: 1e9})
		h.Add(history.Event{At: 3e6, Kind: history.Replied, Node: 1, Peer: 2, Cause: sent, Text: ok})
		h.Add(history.Event{At: 3e6, Kind: history.Acquired, Node: 1, Cause: history.NoCause})
		drawn := Draw(NewLayout(h, explain.Steps(timeline.Of(h), nil), true, true), bundle.BarsOf(timeline.Of(h)), "s", say.English)
		if !strings.Contains(drawn, want) || strings.Contains(drawn, "unseen") != strings.Contains(want, "unseen") {
			t.Errorf("changed at %v, and the arrow has no %s:\n%s", changed, want, drawn)
		}
	}
}

// A client has a column without a step of its own if it holds the lock when the drawn part begins,
// and only then.
func TestHoldersHaveColumns(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B", "C", "D")
	w.Write("10ms A acquired; 20ms C acquired; 30ms C releasing; 100ms B waits as=looks; 200ms A releasing")
	l := NewLayout(w.H, []explain.Step{{Event: w.Event("looks"), Node: w.H.Node("B")}}, false, true)
	var got []string
	for _, id := range l.columns {
		got = append(got, w.H.Name(id))
	}
	if want := []string{"A", "B"}; !slices.Equal(got, want) {
		t.Errorf("columns for %q, want %q", got, want)
	}
}
