package locktest

import (
	"testing"

	"lockstep/internal/bubble"
	"lockstep/internal/plan"
)

// Seeded reports whether the runtime's choices follow the seed.
var Seeded = bubble.Seeded

// Play plays a lock with five clients that contend, and returns the hash of its history and how many
// events it has.
func Play(t *testing.T, store Redis, newLock func(Client) Lock, seed uint64, change func(*plan.Plan)) (hash string, events int) {
	s := &suite{name: "lock", nodes: max(store.Nodes, 1), newLock: newLock}
	p := plan.Default()
	change(&p)
	r := s.play(t, &p, seed, nil)
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	h := r.Judgement.History
	return h.Hash().String(), len(h.Events)
}

// Pick is pick.
var Pick = pick
