package realtest

import (
	"testing"
	"time"
)

// wrongBy is by how much a clock may be off that libfaketime makes wrong: when it began to
// count is known as exactly only as the quickest answer of the server is quick.
const wrongBy = 100 * time.Millisecond

// Clock is the wall clock of a server, which is wrong on purpose.
type Clock struct {
	Shows func() (time.Time, error) // as the server says itself
	Exact time.Duration             // how exactly it tells
}

// Lead is by how much a server is ahead, at least and at most, when the host's clock shows a time.
type Lead func(now time.Time) (least, most time.Duration)

// Steady is the lead of a clock that is as fast as the host's.
func Steady(ahead time.Duration) Lead { return Between(ahead, ahead) }

// Between is a lead that is not known better.
func Between(least, most time.Duration) Lead {
	return func(time.Time) (time.Duration, time.Duration) { return least, most }
}

// Want compares a reading, which was taken between question and answer, with the host's clock at
// both. A fast clock gains while the answer is on its way, too.
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
	least, most := before.Add(low-c.Exact-wrongBy), after.Add(high+c.Exact+wrongBy)
	if shown.Before(least) || shown.After(most) {
		t.Errorf("%s: it shows %v, want between %v and %v", when, shown, least, most)
	}
}
