package explore

import (
	"strings"
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/must"
)

func TestAdvise(t *testing.T) {
	set := func(kinds ...string) results.CutSet {
		return results.CutSet{Kinds: kinds, Shown: results.Shown{Name: strings.Join(kinds, "+")}}
	}
	r := &results.Explored{Locks: []results.ExploredLock{
		{Lock: "twice", Complete: 2, Searched: results.Complete, Breaks: map[string][]results.CutSet{"overlap": {set("evict"), set("restart", "restart")}}},
		{Lock: "pauses", Complete: 1, Breaks: map[string][]results.CutSet{"overlap": {set("pause-short")}, "damage": {set("lag", "pause")}}},
		{Lock: "never", Complete: 1, Breaks: map[string][]results.CutSet{"overlap": {{Kinds: []string{}}}}},
		{Lock: "drawn", Complete: 2, Searched: results.Sampled},
		{Lock: "unknown"},
		{Lock: "lit-del-key", Complete: 2, Searched: results.Complete},
	}}
	designs, misprints := r.Apart()
	for _, tt := range []struct {
		expected []string
		want     string
	}{
		{nil, "twice: survives; drawn: none found; pauses: not searched"},
		{[]string{"pause"}, "twice: survives; drawn: none found; pauses: breaks overlap"},
		{[]string{"pause-short", "lag"}, "twice: survives; drawn: none found; pauses: breaks overlap"},
		{[]string{"restart"}, "drawn: none found; pauses: not searched; twice: breaks overlap restart+restart"},
		{[]string{"pause", "lag"}, "twice: survives; drawn: none found; pauses: breaks overlap damage"},
	} {
		expected := must.Get(Expected(tt.expected))(t)
		var got []string
		for _, a := range Advise(designs, expected, []checker.Way{checker.Overlap, checker.Damage}) {
			text := a.Lock + ": " + a.Verdict
			for _, way := range checker.Ways() {
				if s := a.Breaks[way.String()]; s != nil {
					text += " " + way.String()
					if len(s.Kinds) == 2 && s.Kinds[0] == s.Kinds[1] {
						text += " " + s.Name
					}
				}
			}
			got = append(got, text)
		}
		if all := strings.Join(got, "; "); all != tt.want {
			t.Errorf("%v: %s, want %s", tt.expected, all, tt.want)
		}
	}
	// Work that hangs is listed apart, and still no client gets the lock.
	stuck := &results.Explored{Locks: []results.ExploredLock{{Lock: "renews", Complete: 1, Breaks: map[string][]results.CutSet{
		"no-progress": {set("crash", "lag")}, "hung": {set("hung")},
	}}}}
	for kinds, want := range map[string]string{"lag": "", "lag hung": "hung", "lag crash": "crash+lag", "lag crash hung": "hung"} {
		got := ""
		if s := Advise(stuck, strings.Fields(kinds), []checker.Way{checker.NoProgress})[0].Breaks["no-progress"]; s != nil {
			got = s.Name
		}
		if got != want {
			t.Errorf("expecting %s: stuck by %q, want %q", kinds, got, want)
		}
	}
	// Neither a misprint nor a lock that breaks without a fault is a candidate.
	var others []string
	for _, l := range misprints.Locks {
		others = append(others, l.Lock)
	}
	if got := strings.Join(others, " "); got != "never lit-del-key" {
		t.Errorf("no candidates are %s", got)
	}
	if _, err := Expected([]string{"failover"}); err == nil || !strings.Contains(err.Error(), "fail-over") {
		t.Errorf("%v", err)
	}
}
