package sim

import (
	"testing"
	"time"

	"lockstep/internal/plan"
)

// Scripts leave the same histories as routines and in Lua.
func TestSameHistoryWithAndWithoutLua(t *testing.T) {
	p := stormPlan(150*time.Millisecond, plan.Range{Min: 5 * time.Millisecond, Max: 120 * time.Millisecond})
	p.Workload.Repeat = 5
	direct, lua := New(), New()
	lua.LuaOnly = true
	defer direct.Close()
	defer lua.Close()
	for lock, seeds := range map[string]uint64{
		"set-nx-lua": 50, "watchdog-lua": 50, "redlock": 50, "set-nx-minreplicas": 50, "redisson-fenced": 10, "redisson-fair": 10,
	} {
		for seed := range seeds {
			a, err := direct.Run(&p, lock, seed)
			if err != nil {
				t.Fatal(err)
			}
			want := a.Hash()
			b, err := lua.Run(&p, lock, seed)
			if err != nil {
				t.Fatal(err)
			}
			if got := b.Hash(); got != want {
				t.Errorf("%s, seed %d: %v with Lua only, %v without", lock, seed, got, want)
			}
		}
	}
}
