package sim

import (
	"fmt"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
)

// Skipping the looks that change nothing does not change the history.
func TestNodesThatAgreeNeedNotLook(t *testing.T) {
	direct, always := New(), New()
	always.alwaysLook = true
	defer direct.Close()
	defer always.Close()
	others := map[string]string{
		"redis-2": "[redis-1, redis-3, redis-4, redis-5, redis-6]", "redis-5": "[redis-1, redis-2, redis-3, redis-4, redis-6]",
	}
	promoted, down := 0, 0
	for server, rest := range others { // order: each on its own
		for begin := time.Second; begin < 1200*time.Millisecond; begin += 30 * time.Millisecond {
			at := fmt.Sprintf("at: %v, ", begin)
			for _, list := range [][]string{
				{at + "crash: " + server},
				{at + "pause: " + server + ", for: 40ms"},
				{at + "pause: " + server + ", for: 30s"},
				{at + "restart: " + server + ", down: 20ms"},
				{at + "partition: [" + server + ", " + rest + "], for: 20s"},
				{at + "crash: redis-2", fmt.Sprintf("at: %v, partition: [redis-5, %s], for: 5s", begin+10*time.Second, others["redis-5"])},
			} {
				p := sharded(t, list...)
				a := must.Get(direct.Run(p, "set-nx-lua", 1))(t)
				b := must.Get(always.Run(p, "set-nx-lua", 1))(t)
				if a.Hash() != b.Hash() {
					t.Errorf("%s: another history", list)
				}
				promoted += count(b, history.Promoted, "")
				for _, e := range b.Events {
					if e.Kind == history.Replied && b.Text(e.Text) == "(error) "+string(errClusterDown) {
						down++
					}
				}
			}
		}
	}
	if promoted < 20 || down < 100 {
		t.Errorf("%d promotions and %d refusals of a cluster that is down: nothing was compared", promoted, down)
	}
}
