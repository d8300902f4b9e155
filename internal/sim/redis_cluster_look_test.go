package sim

import (
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
)

// Skipping the looks that change nothing does not change the history.
func TestNodesThatAgreeNeedNotLook(t *testing.T) {
	direct, always := New(), New()
	always.alwaysLook = true
	defer direct.Close()
	defer always.Close()
	others := map[string][]string{
		"redis-2": {"redis-1", "redis-3", "redis-4", "redis-5", "redis-6"}, "redis-5": {"redis-1", "redis-2", "redis-3", "redis-4", "redis-6"},
	}
	promoted, down := 0, 0
	for server, rest := range others { // order: each on its own
		for begin := time.Second; begin < 1200*time.Millisecond; begin += 30 * time.Millisecond {
			for _, list := range [][]faults.Fault{
				{verb("crash", 1, server, at(begin), faults.End{})},
				{verb("pause", 1, server, at(begin), faults.End{For: 40 * time.Millisecond})},
				{verb("pause", 1, server, at(begin), faults.End{For: 30 * time.Second})},
				{restartOf(1, server, 20*time.Millisecond, at(begin))},
				{apart(1, at(begin), 20*time.Second, []string{server}, rest)},
				{verb("crash", 1, "redis-2", at(begin), faults.End{}), apart(2, at(begin+10*time.Second), 5*time.Second, []string{"redis-5"}, others["redis-5"])},
			} {
				p := sharded(list...)
				p.Workload.Retry = 100 * time.Millisecond
				a, err := direct.Run(&p, "set-nx-lua", 1)
				if err != nil {
					t.Fatal(err)
				}
				b, err := always.Run(&p, "set-nx-lua", 1)
				if err != nil {
					t.Fatal(err)
				}
				if a.Hash() != b.Hash() {
					t.Errorf("%s at %v: another history", list[0].Text, begin)
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
