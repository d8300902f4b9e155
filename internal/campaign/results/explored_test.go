package results

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/must"
)

const stored = `{"schema":2,
"scope":{"profiles":[],"clients":2,"rounds":1,"faults":2,"kinds":[],"classes":[]},
"locks":[
{"lock":"a","scope":[],"walked":3,"without_effect":0,"cut_short":0,"complete":2,"doubts":[],"stories":[` +
	`{"profile":"plain","faults":["when: A enters; pause: A"],"broken":["mutual-exclusion"]},` +
	`{"profile":"twice","faults":["when: A writes; pause: A"],"broken":["no-lost-update"]},` +
	`{"profile":"plain","text":"pause B"},` +
	`{"profile":"plain","faults":["when: A enters; hang: A"],"fence":true,"broken":["progress"]}],` +
	`"breaks":{"damage":[{"kinds":["pause"],"story":1},{"kinds":["pause","crash"],"within":3,"story":2}],"hung":[{"kinds":["hung"],"story":3}],"overlap":[{"kinds":["pause"],"story":0}]},` +
	`"singles":[{"kind":"pause","during":"hold","walked":7,"without_effect":0,"cut_short":0,"breaks":{"damage":1,"overlap":0}},` +
	`{"kind":"hung","walked":2,"without_effect":0,"cut_short":0,"breaks":{"hung":3}}]},
{"lock":"b","scope":[],"walked":0,"without_effect":0,"cut_short":0,"complete":0,"doubts":[],"stories":[],"breaks":{},"singles":[]}
]}
`

// A result has each story once, is written as it was read, and names its stories so that they are
// found.
func TestAStoredResult(t *testing.T) {
	x := must.Get(ReadExplored([]byte(stored)))(t)
	data, err := x.JSON("")
	if err != nil || string(data) != stored {
		t.Errorf("%v\n%s", err, data)
	}
	var names []string
	for _, s := range x.Stories() {
		names = append(names, s.Name)
	}
	if want := []string{"a/pause", "a/pause.damage", "", "a/hung", "a/pause", "a/pause.damage", "a/hung"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	l := &x.Locks[0]
	for set, want := range map[string]*Shown{
		"pause": &l.Breaks["overlap"][0].Shown, "pause.overlap": &l.Breaks["overlap"][0].Shown, "pause.damage": &l.Breaks["damage"][0].Shown,
		"pause@hold.damage": &l.Breaks["damage"][0].Shown, "hung.hung": &l.By(checker.Hung)[0].Shown, "pause.no-progress": nil, "crash": nil, "": nil,
	} {
		if got := l.Story(set); (got == nil) != (want == nil) || got != nil && !got.Same(want) {
			t.Errorf("%q: %+v", set, got)
		}
	}
	if sets := l.Sets(); !slices.Equal(sets, []string{"pause", "pause+crash", "hung", "pause@hold"}) {
		t.Errorf("%q", sets)
	}
	if x.Complete(1) != 1 || x.Complete(2) != 1 || x.Complete(3) != 0 {
		t.Errorf("%d locks with single faults, %d with pairs, %d with three", x.Complete(1), x.Complete(2), x.Complete(3))
	}
	if b := x.Locks[1].Breaks; b["no-progress"] != nil {
		t.Errorf("what was not walked: %v", b)
	}
}

func TestAResultIsReadWithCare(t *testing.T) {
	for from, to := range map[string]string{
		`"schema":2`: `"schema":1`, `"story":3`: `"story":4`, `"overlap":0`: `"overlap":-1`, `A enters; pause`: `A \u001b[2J; pause`, `"profile":"twice"`: `"profile":"\u202e"`,
	} {
		if x, err := ReadExplored([]byte(strings.Replace(stored, from, to, 1))); err == nil {
			t.Errorf("%s for %s: %+v", to, from, x)
		}
	}
}

// Hung work is no way in which a lock is stuck.
func TestHungWorkIsToldApart(t *testing.T) {
	set := func(kinds ...string) CutSet { return CutSet{Kinds: kinds} }
	l := ExploredLock{
		Breaks:  map[string][]CutSet{"no-progress": {set("hung"), set("crash"), set("hung", "pause")}},
		Singles: []Single{{Kind: "hung", Breaks: map[string]*Shown{"no-progress": {}}}, {Kind: "crash", Breaks: map[string]*Shown{"no-progress": {}}}},
	}
	for range 2 {
		l.SeparateHung()
		if s, h := l.Breaks["no-progress"], l.By(checker.Hung); len(s) != 1 || s[0].Kinds[0] != "crash" || len(h) != 2 || len(h[1].Kinds) != 2 {
			t.Errorf("stuck %v, hung %v", s, h)
		}
		if one := l.Singles[0].Breaks; one["no-progress"] != nil || one["hung"] == nil || l.Singles[1].Breaks["no-progress"] == nil {
			t.Errorf("single faults: %v, %v", one, l.Singles[1].Breaks)
		}
	}
}

// Only a search to the end whose schedules were all judged shows that there is no set.
func TestWithoutSet(t *testing.T) {
	none := map[string][]CutSet{"overlap": {}}
	for _, tt := range []struct {
		lock ExploredLock
		want string
	}{
		{ExploredLock{Complete: 2, Searched: Complete, Breaks: none}, "none found (up to 2 faults)"},
		{ExploredLock{Complete: 2, Searched: Complete, Breaks: none, Tally: Tally{Cut: 1}}, "none found, some unknown"},
		{ExploredLock{Complete: 2, Searched: Complete, Breaks: none, Doubts: []string{"?"}}, "none found, some unknown"},
		{ExploredLock{Complete: 2, Searched: Sampled, Breaks: none}, "none found"},
		{ExploredLock{Complete: 0, Searched: Complete, Breaks: none}, "not searched"},
		{ExploredLock{Complete: 2, Searched: Complete}, "not searched"},
	} {
		if got := tt.lock.WithoutSet(checker.Overlap).English(); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.lock, got, tt.want)
		}
	}
}

func TestReadMatrix(t *testing.T) {
	if _, err := ReadMatrix([]byte(`{"schema": 1, "seeds": 2, "cells": [{"lock": "a", "fault": "GP", "letter": "V"}]}`)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "[]", "{}", `{"schema": 2, "cells": [{}]}`, `{"schema": 1, "cells": []}`} {
		if _, err := ReadMatrix([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a matrix", bad)
		}
	}
}

func TestReadWorlds(t *testing.T) {
	for _, bad := range []string{"", "[]", "{}", `{"schema": 2, "scale_ppm": 1, "cells": [{}]}`, `{"schema": 1, "scale_ppm": 1, "cells": []}`, `{"schema": 1, "cells": [{}]}`} {
		if _, err := ReadWorlds([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a comparison", bad)
		}
	}
}
