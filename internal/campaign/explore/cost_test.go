package explore

import (
	"slices"
	"testing"
	"time"

	"lockstep/internal/campaign/results"
	"lockstep/internal/must"
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
