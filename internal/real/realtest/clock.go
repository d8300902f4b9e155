package realtest

import (
	"testing"
	"time"
)

// tolerance is the largest error of libfaketime's clock: its start is known only up to the
// fastest answer of the server.
const tolerance = 100 * time.Millisecond

// Clock is the wrong wall clock of a server.
type Clock struct {
	Shows func() (time.Time, error) // asks the server
	Exact time.Duration             // the resolution of its answers
}

// Lead returns by how much a server is ahead of the host's clock, at least and at most.
type Lead func(now time.Time) (least, most time.Duration)

// Steady is the lead of a clock as fast as the host's.
func Steady(ahead time.Duration) Lead { return Between(ahead, ahead) }

// Between is a lead within bounds.
func Between(least, most time.Duration) Lead {
	return func(time.Time) (time.Duration, time.Duration) { return least, most }
}

// Want compares a reading with the host's clock before the question and after the answer.
func (c *Clock) Want(t *testing.T, when string, ahead Lead) {
	t.Helper()
	before := time.Now().Round(0)
	shown, err := c.Shows()
	after := time.Now().Round(0)
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	low, _ := ahead(before)
	_, high := ahead(after)
	least, most := before.Add(low-c.Exact-tolerance), after.Add(high+c.Exact+tolerance)
	if shown.Before(least) || shown.After(most) {
		t.Errorf("%s: it shows %v, want between %v and %v", when, shown, least, most)
	}
}
