package run

import (
	"context"
	"slices"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/store"
)

// counting is a world whose histories have ten events. It notes the arguments of Reserve.
type counting struct{ reserved *[]int }

func (c counting) Reserve(events int) { *c.reserved = append(*c.reserved, events) }
func (c counting) Close()             {}

func (c counting) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	h := history.New(p.HeaderOf(lock, plan.Store{Store: store.All()[0]}, seed, "sim", 1_000_000))
	for range 10 {
		h.Add(history.Event{Kind: history.Healed, Cause: history.NoCause})
	}
	return h, nil
}

// All histories of a run share one limit on events.
func TestTheLocksOfARunShareItsEvents(t *testing.T) {
	var reserved []int
	p := plan.Default()
	p.Locks = []string{"set-nx-lua", "watchdog-lua", "redlock"}
	must.Get(All(context.Background(), func() World { return counting{&reserved} }, &p, 1, "sim"))(t)
	if want := []int{0, 10, 20}; !slices.Equal(reserved, want) {
		t.Errorf("reserved %v, want %v", reserved, want)
	}
}

// interrupting is a world that is interrupted in its second play.
type interrupting struct {
	counting
	stop context.CancelFunc
	more int
}

func (i interrupting) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	h, _ := i.counting.Play(ctx, p, lock, seed)
	for range i.more {
		h.Add(history.Event{Kind: history.Healed, Cause: history.NoCause})
	}
	if lock == p.Locks[1] {
		i.stop()
		return h, ctx.Err()
	}
	return h, nil
}

// An interrupted run keeps only its first events, so that drawing and storing them is quick.
func TestAnInterruptedRunKeepsTheFirstEvents(t *testing.T) {
	for _, more := range []int{0, mostInterrupted} {
		ctx, stop := context.WithCancel(context.Background())
		p := plan.Default()
		p.Locks = []string{"set-nx-lua", "watchdog-lua", "redlock"}
		r, err := All(ctx, func() World { return interrupting{counting{new([]int)}, stop, more} }, &p, 1, "sim")
		if err == nil || len(r.Outcomes) != 2 {
			t.Fatalf("%d outcomes, error %v", len(r.Outcomes), err)
		}
		for i := range r.Outcomes {
			o := &r.Outcomes[i]
			n := len(o.Judgement.History.Events)
			if more > 0 && (n != mostInterrupted/2+1 || o.Untested().Empty() || o.Judgement.History.WhyCutShort() == "") {
				t.Errorf("%s: %d events, %q", o.Lock, n, o.Untested().English())
			}
			if more == 0 && n != 10+i {
				t.Errorf("%s: %d events are left of a short run", o.Lock, n)
			}
		}
	}
}
