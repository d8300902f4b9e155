package locks_test

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/sim"
)

// queuePlan has B wait behind A in a queue.
func queuePlan(work time.Duration, list ...faults.Fault) *plan.Plan {
	p := plan.Default()
	p.Name, p.Clients, p.Lease, p.Faults = "queue", []string{"A", "B"}, 10*time.Second, list
	p.Workload.Work = plan.Range{Min: work, Max: work}
	p.Workload.Stagger = 100 * time.Millisecond
	p.Workload.Wait = time.Minute
	return &p
}

// B's session ends while B is paused in the queue. After the pause A is gone, but B has lost its
// place.
func TestAWaiterOfEtcdWhoseSessionHasEndedDoesNotHold(t *testing.T) {
	pause, _ := faults.Lookup("pause")
	p := queuePlan(5*time.Second,
		faults.Make(1, pause, faults.Args{Value: "B"}, faults.Trigger{At: 2 * time.Second}, faults.End{For: 15 * time.Second}))
	h, err := sim.Run(p, "etcd-mutex", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range h.Events {
		if h.Name(e.Node) != "B" || e.Kind != history.Acquired && e.Kind != history.AcquireFailed {
			continue
		}
		if e.Kind != history.AcquireFailed || h.Text(e.Text) != "mutex: session is expired" {
			t.Errorf("at %v: B's first attempt ends with %v %s", e.At, e.Kind, h.Text(e.Text))
		}
		return
	}
	t.Error("B's attempt never ended")
}

// A create whose reply was lost has made a node, which the client recognizes by the mark in its
// name. A second node would wait behind the first one.
func TestAPlaceInTheQueueIsTakenOnce(t *testing.T) {
	drop, _ := faults.Lookup("drop")
	for _, lock := range []string{"zk-sequential", "curator-mutex"} {
		p := queuePlan(time.Second, faults.Make(1, drop, faults.Args{Value: "reply"},
			faults.Trigger{Moment: faults.Sends, Subject: "B", Command: "CREATE", Nth: 1}, faults.End{}))
		h, err := sim.Run(p, lock, 1)
		if err != nil {
			t.Fatal(err)
		}
		creates, acquired := 0, false
		for _, e := range h.Events {
			if h.Name(e.Node) != "B" {
				continue
			}
			creates += count(e.Kind == history.Sent && strings.HasPrefix(h.Text(e.Text), "CREATE"))
			acquired = acquired || e.Kind == history.Acquired
		}
		if creates != 1 || !acquired {
			t.Errorf("%s: B has sent %d creates, and acquired: %t", lock, creates, acquired)
		}
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
