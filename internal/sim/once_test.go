package sim

import (
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
)

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
