package sim

import (
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// cutOff parts a client from the store.
func cutOff(number int, client string, at faults.Trigger, length time.Duration) faults.Fault {
	partition, _ := faults.Lookup("partition")
	return faults.Make(number, partition, faults.Args{Sides: [][]string{{client}, {faults.TheStore}}}, at, faults.End{For: length})
}

// between demands that an event came within a span of true time.
func between(t *testing.T, what string, got history.Instant, from, until time.Duration) {
	t.Helper()
	if d := got.Duration(); d < from || d > until {
		t.Errorf("%s at %v, want it from %v to %v", what, d, from, until)
	}
}

// What a partition holds back, a request or a reply, arrives when it ends: neither before
// nor never. A partition has two directions.
func TestAPartitionHoldsBackBothWays(t *testing.T) {
	const length = 100 * time.Millisecond
	for _, tt := range []struct {
		name    string
		when    faults.MomentKind
		granted time.Duration
	}{
		{"the request", faults.AboutToSend, length},
		{"the reply", faults.Sends, 0}, // the request was on its way
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := story(cutOff(1, "A", onWire(tt.when, "SET"), length))
			p.Clients = []string{"A"}
			h, got := tell(t, p, "set-nx-lua", history.TimedOut, history.AcquireFailed)
			expectLines(t, got)
			between(t, "granted", find(t, h, history.Granted, "redis-1").At, tt.granted, tt.granted+10*time.Millisecond)
			between(t, "A acquires", find(t, h, history.Acquired, "A").At, length, length+10*time.Millisecond)
		})
	}
}

// The end of one partition leaves another one alone, be it of the same link or not. What
// shows it is the entry, which the first request makes that gets through.
func TestAPartitionHealsByItself(t *testing.T) {
	granted := func(h *history.History, owner string) history.Instant {
		for _, e := range h.Events {
			if e.Kind == history.Granted && h.Name(e.Owner) == owner {
				return e.At
			}
		}
		t.Fatalf("nothing is granted to %s", owner)
		return 0
	}
	begin := onWire(faults.AboutToSend, "SET") // of A, the first of all
	p := story(cutOff(1, "A", begin, time.Second))
	p.Faults = append(p.Faults, cutOff(2, "B", begin, 5*time.Second))
	p.Lease, p.Workload.Work = time.Second, plan.Range{}
	h, _ := tell(t, p, "set-nx-lua")
	between(t, "A's entry", granted(h, "A"), time.Second, 1100*time.Millisecond)
	between(t, "B's entry", granted(h, "B"), 5*time.Second, 5100*time.Millisecond)

	p.Clients = []string{"A"}
	p.Faults = []faults.Fault{cutOff(1, "A", begin, 3*time.Second), cutOff(2, "A", faults.Trigger{At: time.Second}, 4*time.Second)}
	h, _ = tell(t, p, "set-nx-lua")
	between(t, "A's entry", granted(h, "A"), 5*time.Second, 5100*time.Millisecond)
}
