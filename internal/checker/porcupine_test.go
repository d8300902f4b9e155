package checker

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/anishathalye/porcupine"

	"lockstep/internal/history"
)

// rounds returns how many random cases to try: LOCKSTEP_SOAK multiplies.
func rounds(t *testing.T, n int) int {
	if testing.Short() {
		n /= 10
	}
	if factor := os.Getenv("LOCKSTEP_SOAK"); factor != "" {
		f, err := strconv.Atoi(factor)
		if err != nil {
			t.Fatalf("LOCKSTEP_SOAK: %v", err)
		}
		n *= f
	}
	return n
}

// lockOp is an acquire that succeeded, or a release: it took effect at some point of the
// closed interval [Call, Return].
type lockOp struct {
	Client       history.NodeID
	Release      bool
	Call, Return history.Instant
}

// mutex is the lock for Porcupine: its state is the holder, 0 for none.
var mutex = porcupine.Model{
	Init: func() any { return history.NodeID(0) },
	Step: func(state, input, _ any) (bool, any) {
		holder, op := state.(history.NodeID), input.(lockOp)
		if op.Release {
			return holder == op.Client, history.NodeID(0)
		}
		return holder == 0, op.Client
	},
}

func porcupineSays(ops []lockOp) bool {
	var list []porcupine.Operation
	for _, op := range ops {
		list = append(list, porcupine.Operation{
			ClientId: int(op.Client) - 1, Input: op, Call: int64(op.Call), Return: int64(op.Return),
		})
	}
	return porcupine.CheckOperations(mutex, list)
}

// tenures plays a lock that now and then is given to a second one, and widens the points of its
// acquires and releases to intervals. Clients stay sequential.
func tenures(r *rand.Rand) []lockOp {
	var ops []lockOp
	returned := [5]history.Instant{-1, -1, -1, -1, -1}
	var holds [5]bool
	at := history.Instant(0)
	for range 2 + r.IntN(15) {
		at += history.Instant(r.IntN(4))
		client := 1 + r.IntN(4)
		op := lockOp{Client: history.NodeID(client), Release: holds[client]}
		if !op.Release && slices.Contains(holds[:], true) && r.IntN(12) > 0 {
			continue // it is taken
		}
		holds[client] = !op.Release
		at = max(at, returned[client]+1)
		op.Call = max(returned[client]+1, at-history.Instant(r.IntN(6)))
		op.Return = at + history.Instant(r.IntN(6))
		returned[client] = op.Return
		ops = append(ops, op)
	}
	return ops
}

// A client certainly holds from the return of its acquire until the call of its release. A
// history of just these holds is exclusive if and only if the acquires and releases can be those
// of one correct lock: if two holds overlap, both clients hold at once wherever within their
// intervals the operations took effect; if none do, put each acquire as late and each release as
// early as possible.
func TestMutualExclusionAgreesWithPorcupine(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	exclusive := 0
	n := rounds(t, 200_000)
	for range n {
		ops := tenures(r)
		got := checkMutualExclusion(coreHistory(ops)).Count == 0
		if want := porcupineSays(ops); got != want {
			t.Fatalf("exclusive: %v, Porcupine says %v\n%v", got, want, ops)
		}
		if got {
			exclusive++
		}
	}
	if exclusive < n/10 || exclusive > n*9/10 {
		t.Errorf("%d of %d cases are exclusive: too few of one kind to prove much", exclusive, n)
	}
}

// coreHistory is the history of the cores: acquires count when they return,
// releases when they are called, and first at the same instant.
func coreHistory(ops []lockOp) *history.History {
	h := parse("0 A waits; 0 B waits; 0 C waits; 0 D waits")
	h.Events = h.Events[:0]
	for _, op := range ops {
		e := history.Event{At: op.Return, Node: op.Client, Kind: history.Acquired, Cause: history.NoCause}
		if op.Release {
			e.At, e.Kind = op.Call, history.Releasing
		}
		h.Add(e)
	}
	slices.SortStableFunc(h.Events, func(a, b history.Event) int {
		if a.At != b.At {
			return int(a.At - b.At)
		}
		return count(a.Kind == history.Acquired) - count(b.Kind == history.Acquired)
	})
	return h
}
