package run

import (
	"context"
	"errors"
	"slices"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/internal/sim"
	"lockstep/internal/store"
)

// A run is as expected when every expectation holds and everything was tested. Unknown verdicts are
// neither met nor missed.
func TestStatus(t *testing.T) {
	expect := func(want string, got checker.Verdict) Expected {
		return Expected{Expectation: plan.Expectation{Property: checker.MutualExclusionID, Verdict: want}, Got: got}
	}
	faultThat := func(drawn bool, times int) checker.FiredFault {
		return checker.FiredFault{Fault: history.Fault{Number: 1, Drawn: drawn}, Times: times}
	}
	judged := func(f checker.FiredFault) checker.Judgement {
		return checker.Judgement{History: history.New(history.Header{}), Faults: []checker.FiredFault{f}}
	}
	tests := []struct {
		name string
		give Outcome
		want Status
	}{
		{"nothing expected", Outcome{}, NothingExpected},
		{"nothing expected, and a fault never fired", Outcome{Judgement: judged(faultThat(false, 0))}, Inconclusive},
		{"nothing expected, and every fault fired", Outcome{Judgement: judged(faultThat(false, 1))}, NothingExpected},
		{"nothing expected, and a drawn fault never fired", Outcome{Judgement: judged(faultThat(true, 0))}, NothingExpected},
		{"as expected", Outcome{Expected: []Expected{expect("kept", checker.Kept), expect("broken", checker.Broken)}}, Met},
		{"broken instead of kept", Outcome{Expected: []Expected{expect("kept", checker.Broken)}}, Missed},
		{"kept instead of broken", Outcome{Expected: []Expected{expect("broken", checker.Kept)}}, Missed},
		{"unknown instead of kept", Outcome{Expected: []Expected{expect("kept", checker.Unknown)}}, Inconclusive},
		{"unknown instead of broken", Outcome{Expected: []Expected{expect("broken", checker.Unknown)}}, Inconclusive},
		{"the worst counts", Outcome{Expected: []Expected{expect("kept", checker.Broken), expect("kept", checker.Unknown)}}, Missed},
		{"untested", Outcome{Judgement: checker.Judgement{Untested: say.NeverFired.With(1, say.Both{})}, Expected: []Expected{expect("kept", checker.Kept)}}, Inconclusive},
		{"untested and broken", Outcome{Judgement: checker.Judgement{Untested: say.WasCutShort.With("")}, Expected: []Expected{expect("kept", checker.Broken)}}, Missed},
		{"not played", Outcome{Err: errors.New("no server")}, Failed},
	}
	for _, tt := range tests {
		if got := tt.give.Status(); got != tt.want {
			t.Errorf("%s: status %d, want %d", tt.name, got, tt.want)
		}
	}
}

// Each seed is played once.
func TestSeedsPlaysEachSeed(t *testing.T) {
	p := plan.Default()
	p.Name = "seeds"
	played := map[uint64]int{}
	must.Do(t, Seeds(context.Background(), func() World { return sim.New() }, &p, "set-nx-lua", 7, 20, 2, func(o *Outcome) {
		if got := o.Judgement.History.Header.Seed; got != o.Seed {
			t.Errorf("seed %d was played as %d", got, o.Seed)
		}
		played[o.Seed]++
	}))
	for seed := uint64(7); seed < 27; seed++ {
		if played[seed] != 1 {
			t.Errorf("seed %d was played %d times", seed, played[seed])
		}
	}
	if len(played) != 20 {
		t.Errorf("%d seeds were played, want 20", len(played))
	}
}

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
