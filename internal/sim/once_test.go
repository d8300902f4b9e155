package sim

import (
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// A client that tries once sends what one attempt sends, and goes on without the lock.
func TestAClientThatTriesOnceAsksOnce(t *testing.T) {
	p := plan.Default()
	p.Clients = []string{"A", "B"}
	p.Workload.Work = plan.Range{Min: 5 * time.Second, Max: 5 * time.Second}
	once := p.Workload
	once.Wait = 0
	p.Own = map[string]plan.Workload{"B": once}
	for lock, sends := range map[string]int{"setnx": 1, "set-nx-lua": 1, "redlock": 10} { // redlock undoes its five
		h, err := Run(&p, lock, 1)
		if err != nil {
			t.Fatal(err)
		}
		b, sent, gaveUp := h.Node("B"), 0, history.Instant(0)
		for _, e := range h.Events {
			if e.Node == b && e.Kind == history.Sent {
				sent++
			}
			if e.Node == b && e.Kind == history.GaveUp {
				gaveUp = e.At
			}
		}
		if sent != sends || gaveUp == 0 || gaveUp > history.Instant(time.Second) {
			t.Errorf("%s: B sent %d requests and gave up at %v", lock, sent, gaveUp)
		}
	}
}
