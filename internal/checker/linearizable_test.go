package checker

import (
	"fmt"
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

// mutex is the lock for Porcupine: its state is the holder, 0 for nobody.
var mutex = porcupine.Model{
	Init: func() any { return history.NodeID(0) },
	Step: func(state, input, _ any) (bool, any) {
		holder, op := state.(history.NodeID), input.(Op)
		switch op.Kind {
		case OpAcquire:
			return holder == 0, op.Client
		case OpRelease:
			return holder == op.Client, history.NodeID(0)
		default:
			return holder != 0, holder
		}
	},
}

func porcupineSays(ops []Op) bool {
	var list []porcupine.Operation
	for _, op := range ops {
		list = append(list, porcupine.Operation{
			ClientId: int(op.Client) - 1, Input: op, Call: int64(op.Call), Return: int64(op.Return),
		})
	}
	return porcupine.CheckOperations(mutex, list)
}

// randomOps plays 2 to 4 sequential clients on a short time line with many ties.
// Half of the cases start from a correct run, so that the linearizable ones are
// not the dull ones only.
func randomOps(r *rand.Rand) []Op {
	var ops []Op
	for client := range 2 + r.IntN(3) {
		at, holds := r.IntN(6), false
		for range 1 + r.IntN(4) {
			op := Op{Client: history.NodeID(client + 1), Kind: OpRelease, Call: history.Instant(at)}
			if !holds || r.IntN(30) == 0 {
				op.Kind = OpKind(r.IntN(2)) * OpFailedTry
			}
			holds = holds && op.Kind != OpRelease || op.Kind == OpAcquire
			at += r.IntN(8)
			op.Return = history.Instant(at)
			at += 1 + r.IntN(5)
			ops = append(ops, op)
		}
	}
	r.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	if r.IntN(2) == 0 {
		slices.SortStableFunc(ops, byCall)
	}
	return ops
}

// correctOps plays a real lock and widens the points to intervals.
func correctOps(r *rand.Rand) []Op {
	var ops []Op
	returned := [5]history.Instant{-1, -1, -1, -1, -1}
	holder := 0
	at := history.Instant(0)
	for range 2 + r.IntN(15) {
		at += history.Instant(r.IntN(4))
		client := 1 + r.IntN(4)
		op := Op{Client: history.NodeID(client), Kind: OpFailedTry}
		switch holder {
		case 0:
			op.Kind, holder = OpAcquire, client
		case client:
			op.Kind, holder = OpRelease, 0
		}
		if at <= returned[client] {
			at = returned[client] + 1
		}
		op.Call = max(returned[client]+1, at-history.Instant(r.IntN(6)))
		op.Return = at + history.Instant(r.IntN(6))
		returned[client] = op.Return
		ops = append(ops, op)
	}
	return ops
}

func TestLinearizableAgreesWithPorcupine(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	yes, tries := 0, 0
	n := rounds(t, 200_000)
	for i := range n {
		ops := randomOps(r)
		if i%2 == 0 {
			ops = correctOps(r)
			if i%4 == 0 { // and then one mistake
				op := &ops[r.IntN(len(ops))]
				op.Kind = OpKind(r.IntN(3))
			}
		}
		got, err := Linearizable(ops)
		if err != nil {
			t.Fatalf("%v\n%v", err, ops)
		}
		if want := porcupineSays(ops); got != want {
			t.Fatalf("got %v, Porcupine says %v\n%v", got, want, ops)
		}
		if got {
			yes++
			tries += count(slices.ContainsFunc(ops, func(op Op) bool { return op.Kind == OpFailedTry }))
		}
	}
	t.Logf("%d cases, %d linearizable, %d of those with failed tries", n, yes, tries)
	if yes < n/10 || tries < n/20 {
		t.Error("too few of the cases are linearizable to prove much")
	}
}

// With successes only, linearizability is mutual exclusion of the cores.
func TestLinearizableIsMutualExclusionOfCores(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range rounds(t, 20_000) {
		ops := slices.DeleteFunc(correctOps(r), func(op Op) bool { return op.Kind == OpFailedTry })
		for i := range ops { // spoil one or the other
			if r.IntN(6) == 0 {
				ops[i].Return += history.Instant(r.IntN(4))
			}
		}
		got, err := Linearizable(ops)
		if err != nil {
			continue // a client that is not sequential any more
		}
		if want := checkMutualExclusion(coreHistory(ops)).Count == 0; got != want {
			t.Fatalf("linearizable %v, exclusive %v\n%v", got, want, ops)
		}
	}
}

// coreHistory is the history of the cores: acquires count when they return,
// releases when they are called, and first at the same instant.
func coreHistory(ops []Op) *history.History {
	h := parse("0 A waits; 0 B waits; 0 C waits; 0 D waits")
	h.Events = h.Events[:0]
	for _, op := range ops {
		e := history.Event{At: op.Return, Node: op.Client, Kind: history.Acquired, Cause: history.NoCause}
		if op.Kind == OpRelease {
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

func TestLinearizableTable(t *testing.T) {
	acquire := func(c history.NodeID, from, to history.Instant) Op { return Op{c, OpAcquire, from, to} }
	release := func(c history.NodeID, from, to history.Instant) Op { return Op{c, OpRelease, from, to} }
	try := func(from, to history.Instant) Op { return Op{3, OpFailedTry, from, to} }
	tests := []struct {
		name string
		give []Op
		want string
	}{
		{"nothing", nil, "true"},
		{"one tenure", []Op{acquire(1, 0, 1), release(1, 2, 3)}, "true"},
		{"no release", []Op{acquire(1, 0, 1), try(9, 9)}, "true"},
		{"two without release", []Op{acquire(1, 0, 1), acquire(2, 0, 2)}, "false"},
		{"cores touch", []Op{acquire(1, 0, 1), release(1, 5, 6), acquire(2, 0, 5)}, "true"},
		{"cores overlap", []Op{acquire(1, 0, 1), release(1, 5, 6), acquire(2, 0, 4)}, "false"},
		{"foreign release", []Op{acquire(1, 0, 1), release(2, 5, 6)}, "false"},
		{"double acquire", []Op{acquire(1, 0, 1), acquire(1, 2, 3)}, "false"},
		{"a try on a free lock", []Op{try(0, 1)}, "false"},
		{"a try before the first", []Op{acquire(1, 2, 4), try(0, 1)}, "false"},
		{"a try during the first acquire", []Op{acquire(1, 2, 4), try(0, 2)}, "true"},
		{"a try after the last", []Op{acquire(1, 0, 1), release(1, 2, 3), try(4, 5)}, "false"},
		{"a try during the last release", []Op{acquire(1, 0, 1), release(1, 2, 3), try(3, 5)}, "true"},
		{"the release is clipped", []Op{acquire(1, 0, 1), acquire(2, 2, 10), release(1, 6, 20), release(2, 11, 12), try(13, 14)}, "false"},
		{"the acquire is clipped", []Op{acquire(1, 5, 8), release(1, 12, 13), acquire(2, 0, 20), try(2, 3)}, "false"},
		{"not sequential", []Op{acquire(1, 0, 5), release(1, 5, 6)}, "error"},
		{"returns before it is called", []Op{acquire(1, 5, 0)}, "error"},
	}
	for _, tt := range tests {
		ok, err := Linearizable(tt.give)
		got := fmt.Sprint(ok)
		if err != nil {
			got = "error"
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// The cases on which a search through orders needs minutes.
func TestLinearizableManyConcurrentTries(t *testing.T) {
	ops := []Op{{1, OpAcquire, 0, 1}, {1, OpRelease, 10, 11}}
	for c := range 1000 {
		ops = append(ops, Op{history.NodeID(c + 2), OpFailedTry, 12, 13})
	}
	if ok, err := Linearizable(ops); ok || err != nil {
		t.Error(ok, err)
	}
}
