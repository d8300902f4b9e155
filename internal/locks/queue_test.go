package locks_test

import (
	"fmt"
	"testing"

	"lockstep/internal/history"
)

// playQueue plays a story in which B waits behind A.
func playQueue(t *testing.T, lock, work, fault string) played {
	t.Helper()
	return play(t, lock, fmt.Sprintf(`
clients: [A, B]
workload: {work: %s, stagger: 100ms, wait: up to 1m}
faults: [{%s}]
`, work, fault))
}

// B's session ends while B is paused in the queue. After the pause A is gone, but B has lost its
// place.
func TestAWaiterOfEtcdWhoseSessionHasEndedDoesNotHold(t *testing.T) {
	h := playQueue(t, "etcd-mutex", "5s", "at: 2s, pause: B, for: 15s")
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
	for _, lock := range []string{"zk-sequential", "curator-mutex"} {
		h := playQueue(t, lock, "1s", "when: B sends CREATE, drop: reply")
		creates, acquired := h.times(history.Sent, "B", "CREATE"), h.times(history.Acquired, "B", "")
		if len(creates) != 1 || len(acquired) == 0 {
			t.Errorf("%s: B has sent a CREATE at %v, and acquired at %v", lock, creates, acquired)
		}
	}
}
