package locktest

import (
	"testing"
	"time"

	"lockstep/internal/bubble"
	"lockstep/internal/plan"
	"lockstep/internal/sim"
)

// Seeded reports whether the runtime's choices follow the seed.
var Seeded = bubble.Seeded

// Play plays a lock in the default plan as change leaves it, and returns the hash of its history.
func Play(t *testing.T, store Store, newLock func(Client) Lock, seed uint64, change func(*plan.Plan)) (hash string) {
	return play(t, sim.New(), store, newLock, seed, change).Judgement.History.Hash().String()
}

var shared = sim.New()

// PlayOn is Play on a world that is used again, as in a suite.
func PlayOn(t *testing.T, store Store, newLock func(Client) Lock, seed uint64, change func(*plan.Plan)) {
	play(t, shared, store, newLock, seed, change)
}

func play(t *testing.T, on *sim.World, store Store, newLock func(Client) Lock, seed uint64, change func(*plan.Plan)) *result {
	s := &suite{name: "lock", servers: store.Servers(), newLock: newLock, on: on}
	p := plan.Default()
	change(&p)
	r := s.play(t, &p, seed, nil)
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	return r
}

// SetStandstill sets for how long virtual time may stand still.
func SetStandstill(d time.Duration) { standstill = d }

// Pick is pick.
var Pick = pick
