package sim

import (
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// A client with a single attempt sends the requests of one attempt, then gives up.
func TestAClientThatTriesOnceAsksOnce(t *testing.T) {
	p := plan.Default()
	p.Clients = []string{"A", "B"}
	p.Workload.Work = plan.Range{Min: 5 * time.Second, Max: 5 * time.Second}
	once := p.Workload
	once.Wait = 0
	p.Own = map[string]plan.Workload{"B": once}
	asks := map[string]int{"setnx": 1, "set-nx-lua": 1, "mysql-unique": 1, "redlock": 10} // redlock undoes its five
	for _, v := range locks.Simulated() {
		h := play(t, &p, v.ID, 1)
		b, sent, gaveUp := h.Node("B"), 0, history.Instant(0)
		for _, e := range h.Events {
			if e.Node == b && e.Kind == history.Sent {
				sent++
			}
			if e.Node == b && e.Kind == history.GaveUp {
				gaveUp = e.At
			}
		}
		if want := asks[v.ID]; want > 0 && (sent != want || gaveUp > history.Instant(time.Second)) {
			t.Errorf("%s: B sent %d requests, want %d, and gave up at %v", v.ID, sent, want, gaveUp)
		}
		if gaveUp > history.Instant(4*time.Second) { // locks with a queue wait for one timeout
			t.Errorf("%s: B gave up at %v", v.ID, gaveUp)
		}
	}
}
