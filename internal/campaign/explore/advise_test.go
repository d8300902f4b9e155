package explore

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/campaign/results"
	"lockstep/internal/campaign/results/resultstest"
	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/internal/sim"
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
	designs, misprints := r.DesignsAndMisprints()
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

// Costs that can be counted from the protocols: one SET and one script; three nodes asked one after
// the other; a time limit for the statement that waits, and the statement.
func TestCosts(t *testing.T) {
	for lock, want := range map[string]results.Cost{
		"set-nx-lua":   {Servers: 2, Acquire: 1, Release: 1, DeadHolder: 10 * time.Second},
		"redlock":      {Servers: 3, Acquire: 3, Release: 3, DeadHolder: 10 * time.Second},
		"setnx":        {Servers: 2, Acquire: 1, Release: 1, DeadHolder: -1},
		"pg-advisory":  {Servers: 2, Acquire: 2, Release: 1, DeadHolder: 0},
		"mysql-unique": {Servers: 2, Acquire: 1, Release: 1, DeadHolder: -1},
	} {
		got := must.Get(costOf(t.Context(), world(), variant(t, lock)))(t)
		// Those that ask again and again come up to two seconds late.
		if d := got.DeadHolder - want.DeadHolder; want.DeadHolder >= 0 && d >= 0 && d <= 2*time.Second {
			got.DeadHolder = want.DeadHolder
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", lock, got, want)
		}
	}
}

// A lock that no client can take has no cost; all others have one.
func TestEveryLockThatWorksHasItsPrice(t *testing.T) {
	for lock, c := range must.Get(Costs(t.Context(), world()))(t) {
		works := !slices.Contains([]string{"lit-s2-units", "lit-s3-integer"}, lock)
		if c.Servers == 0 || (c.Acquire > 0) != works {
			t.Errorf("%s: %+v", lock, c)
		}
	}
}

// Without a check a pause past the lease damages the data; with one, according to the walk, it does
// not.
func TestWithoutACheck(t *testing.T) {
	x := resultstest.Explored(t)
	x.Locks = slices.DeleteFunc(x.Locks, func(l results.ExploredLock) bool {
		return !slices.Contains([]string{"etcd-txn", "etcd-prefix-watch", "set-nx-lua"}, l.Lock)
	})
	got := must.Get(Unchecked(context.Background(), sim.New(), x))(t)
	pause := slices.IndexFunc(got["etcd-txn"], func(u results.Unchecked) bool { return slices.Equal(u.Kinds, []string{"pause"}) })
	if len(got) != 1 || pause < 0 || !got["etcd-txn"][pause].Damaged {
		t.Errorf("%+v", got)
	}
	for i := range x.Locks {
		if l := &x.Locks[i]; l.Lock == "etcd-txn" && (len(l.Breaks["damage"]) > 0 || len(got[l.Lock]) != len(l.Breaks["overlap"])) {
			t.Errorf("%d stories of %d were played, and %v damage the data where it checks", len(got[l.Lock]), len(l.Breaks["overlap"]), l.Breaks["damage"])
		}
	}
}
