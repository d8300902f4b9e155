package sim

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// fewLooks is a context that ends after it was looked at so many times.
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
	whole, err := playLong(t, context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	part, err := playLong(t, &fewLooks{context.Background(), 3}, 0)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if n := len(part.Events); n == 0 || n >= len(whole.Events)/2 || !slices.Equal(part.Events, whole.Events[:n]) {
		t.Errorf("%d events, want the first few of %d", n, len(whole.Events))
	}
}

// A run that is cut short for its size has the same events wherever it is played.
func TestARunThatIsTooLongIsCutShort(t *testing.T) {
	whole, err := playLong(t, context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{0, 1, 5000, len(whole.Events) - 1} {
		part, err := playLong(t, context.Background(), MaxRecorded-most)
		if err != nil {
			t.Fatal(err)
		}
		if len(part.Events) != most+1 || !slices.Equal(part.Events[:most], whole.Events[:most]) {
			t.Errorf("%d events, want the first %d and the end", len(part.Events), most)
		}
		if why := part.WhyCutShort(); !strings.Contains(why, "events are left of the 5000000") {
			t.Errorf("it was cut short because of %q", why)
		}
	}
	part, err := playLong(t, context.Background(), MaxRecorded-len(whole.Events))
	if err != nil || part.Hash() != whole.Hash() {
		t.Errorf("a run that just fits is not the same: %v", err)
	}
}
