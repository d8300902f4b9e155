package real

import (
	"testing"
	"time"

	"lockstep/internal/history"
)

var nodesTraits = traits{byKey: true, apart: true}

func TestGrantsOfNodes(t *testing.T) {
	const (
		aSet  = "0-2 A 1 SET lock aaaa PX 10 NX -> OK\n"
		aHas  = "2 granted A by A"
		died  = "4 one crashed\n 5 one restarted empty"
		frees = "EVAL unlock lock aaaa owner=aaaa"
	)
	tests := []struct {
		name string
		give string
		want []string
	}{
		{"each node that says OK, believed or not", aSet + `
			3-4 A 2 SET lock aaaa PX 10 NX -> (nil) @two
			5 A sent 3 SET lock aaaa PX 10 NX
			6 A timed-out 3`, []string{aHas}},
		{"the token says whose entry was removed", aSet + `
			3-4 A 2 SET lock aaaa PX 10 NX -> OK @two
			50-51 A 3 ` + frees + ` -> (integer) 1
			52-53 A 4 ` + frees + ` -> (integer) 0 @two`,
			[]string{aHas, "4 granted A by A on two", "51 removed A by A"}},
		{"a token that two clients use says nothing", aSet + `
			3-4 B 2 SET lock aaaa PX 10 NX -> OK @two`, nil},
		{"Redisson's script grants with nil", `
			0-2 A 1 EVAL lock lock 100 uuid-a:1 owner=uuid-a:1 -> (nil)
			3-4 B 2 EVAL lock lock 100 uuid-b:1 owner=uuid-b:1 -> (integer) 99`, []string{aHas}},
		{"a node that restarts empty has lost its entries", aSet + died, []string{aHas, "5 forgotten A by -"}},
		{"one that restarts with its data has not", aSet + "4 one crashed\n 5 one restarted", []string{aHas}},
		{"an expired entry was not lost", aSet + "11 one crashed\n 12 one restarted empty", []string{aHas}},
		{"a release under way may have removed it", aSet + died + `
			3 A sent 2 ` + frees + `
			9 A timed-out 2`, []string{aHas}},
		{"a release under way to another node has not", aSet + died + `
			3 A sent 2 ` + frees + ` @two
			9 A timed-out 2`, []string{aHas, "5 forgotten A by -"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			concludes(t, deriveGrants(script(t, tt.give), nodesTraits, 10*time.Millisecond, interference{}), tt.want...)
		})
	}
}

func TestAnEvictionHasNoClient(t *testing.T) {
	give := script(t, "0-2 A 1 SET lock aaaa PX 1000 NX -> OK")
	nothing := evicted(0)
	nothing.evictions[0].refused, nothing.evictions[0].answer = true, history.Number(0)
	concludes(t, deriveGrants(give, nodesTraits, time.Second, evicted(0)), "2 granted A by A", "31 removed A by -")
	concludes(t, deriveGrants(give, nodesTraits, time.Second, nothing), "2 granted A by A")
}
