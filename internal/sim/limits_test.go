package sim

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
)

// fewLooks is a context that is cancelled after a number of calls of Err.
type fewLooks struct {
	context.Context
	left int
}

func (c *fewLooks) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// long is a run of some 60,000 events.
func long() *plan.Plan {
	p := plan.Default()
	p.Workload.Repeat = 100
	return &p
}

func playLong(t *testing.T, ctx context.Context, reserve int) (*history.History, error) {
	t.Helper()
	w := New()
	t.Cleanup(w.Close)
	w.Reserve(reserve)
	return w.Play(ctx, long(), "set-nx-lua", 1)
}

func TestARunEndsWithItsContext(t *testing.T) {
	whole := must.Get(playLong(t, context.Background(), 0))(t)
	part, err := playLong(t, &fewLooks{context.Background(), 3}, 0)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if n := len(part.Events); n == 0 || n >= len(whole.Events)/2 || !slices.Equal(part.Events, whole.Events[:n]) {
		t.Errorf("%d events, want the first few of %d", n, len(whole.Events))
	}
}

// A run that is cut short for its size keeps exactly as many events as are left.
func TestARunThatIsTooLongIsCutShort(t *testing.T) {
	whole := must.Get(playLong(t, context.Background(), 0))(t)
	for _, most := range []int{0, 1, 5000, len(whole.Events) - 1} {
		part := must.Get(playLong(t, context.Background(), MaxRecorded-most))(t)
		if len(part.Events) != most+1 || !slices.Equal(part.Events[:most], whole.Events[:most]) {
			t.Errorf("%d events, want the first %d and the end", len(part.Events), most)
		}
		must.Contain(t, part.WhyCutShort(), "events are left of the 5000000")
	}
	part, err := playLong(t, context.Background(), MaxRecorded-len(whole.Events))
	if err != nil || part.Hash() != whole.Hash() {
		t.Errorf("a run that just fits is not the same: %v", err)
	}
}

// A client that sends its next request at the instant of each reply is detected, and the history is
// that of the whole run up to there. A client that rests between two requests is not spinning.
func TestARestlessClientCutsItsRunShort(t *testing.T) {
	p := story(t, "redisson-fair", "clients=[A, B, C]", "workload.work=5s", "when: B sends lock, crash: B")
	play := func(maxInARow int) *history.History {
		w := New()
		t.Cleanup(w.Close)
		w.MaxBackToBackRequests = maxInARow
		return must.Get(w.Run(p, "redisson-fair", 1))(t)
	}
	whole, most := play(0), 0
	streaks, replied := map[history.NodeID]int{}, map[history.NodeID]history.Instant{}
	cutAt := -1
	const maxInARow = 40
	for i, e := range whole.Events {
		switch {
		case e.Kind == history.Replied:
			replied[e.Node] = e.At
		case e.Kind != history.Sent:
		case e.At != replied[e.Node]:
			streaks[e.Node] = 0
		default:
			streaks[e.Node]++
			most = max(most, streaks[e.Node])
			if streaks[e.Node] == maxInARow && cutAt < 0 {
				cutAt = i + 1
			}
		}
	}
	if cutAt < 0 {
		t.Fatalf("no client spins here: %d requests in a row", most)
	}
	part := play(maxInARow)
	if n := len(part.Events) - 1; n != cutAt || !slices.Equal(part.Events[:n], whole.Events[:n]) {
		t.Errorf("cut after %d events, want the first %d of the whole run", n, cutAt)
	}
	must.Contain(t, part.WhyCutShort(), "40 requests in a row without a rest")
	must.Equalf(t, play(most+1).Hash(), whole.Hash(),
		"%d requests in a row, %d allowed, and the run is not whole", most, most+1)
}

// A client with a single attempt sends the requests of one attempt, then gives up.
func TestAClientThatTriesOnceAsksOnce(t *testing.T) {
	asks := map[string]int{"setnx": 1, "set-nx-lua": 1, "mysql-unique": 1, "redlock": 10} // redlock undoes its five
	for _, v := range locks.Simulated() {
		h := play(t, story(t, v.ID, "clients=[A, {name: B, wait: 0s}]", "workload.work=5s"))
		sent := count(h, history.Sent, "B")
		gaveUp := time.Duration(0)
		if all := instants(h, history.GaveUp, "B", ""); len(all) > 0 {
			gaveUp = all[len(all)-1]
		}
		if want := asks[v.ID]; want > 0 && (sent != want || gaveUp > time.Second) {
			t.Errorf("%s: B sent %d requests, want %d, and gave up at %v", v.ID, sent, want, gaveUp)
		}
		if gaveUp > 4*time.Second { // locks with a queue wait for one timeout
			t.Errorf("%s: B gave up at %v", v.ID, gaveUp)
		}
	}
}
