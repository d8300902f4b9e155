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
	for _, lock := range []string{"set-nx-lua", "watchdog-lua", "redlock", "redisson-fenced", "redisson-fair"} {
		for seed := range uint64(10) {
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
