package explore

import (
	"context"
	"slices"
	"testing"
	"time"

	"lockstep/internal/campaign/results"
	"lockstep/internal/campaign/results/resultstest"
	"lockstep/internal/must"
	"lockstep/internal/sim"
)

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
