package checker

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"lockstep/internal/history"
)

// OpKind says what an operation on a lock was.
type OpKind uint8

// The kinds of operations.
const (
	OpAcquire   OpKind = iota // an acquire that succeeded
	OpRelease                 // a release
	OpFailedTry               // a try-acquire that found the lock taken
)

// Op is one operation on a lock: it took effect at some point of the closed
// interval [Call, Return].
type Op struct {
	Client       history.NodeID
	Kind         OpKind
	Call, Return history.Instant
}

// never is the return of a release that was not called.
const never = history.Instant(math.MaxInt64)

// Linearizable reports whether the operations could have come from one correct
// lock: whether each can be given a point within its interval such that, in the
// order of the points, an acquire finds the lock free, a release comes from the
// holder, and a failed try finds it taken. It takes O(n log n); a search
// through orders takes exponential time as soon as tries fail side by side.
//
// Each pair of acquire and release is a tenure, and the client certainly holds
// during its core, from the return of acquire until the call of release. The
// successes are right if and only if no two cores overlap: if they do, both
// clients hold at once whatever the points; if they do not, put each acquire as
// late and each release as early as possible.
//
// Failed tries want the opposite, long tenures. A tenure can be stretched, but
// only until the core of the next one, and there is the trap:
//
//	A  acquire [0,1]                release [6,20]
//	B                 acquire [2,10]               release [11,12]
//	C                                failed try [13,14]
//
// A's release may take effect as late as 20, and a careless rule has A hold at
// 13 and excuses the try. But B holds from 10 on, so A must have released by
// then. So only two tenures can excuse a try: the last one whose core ends
// before the try begins, if its release can wait until then, and the one after
// it, if its acquire can come early enough. A try that neither reaches is wrong.
// Stretching one tenure never shortens another, because a release and the
// acquire after it may meet at any point that both allow.
//
// An error says that the operations are not those of sequential clients: one
// that returns before it is called, or is called before the one before it of the
// same client has returned. A client may end with an acquire; it holds for ever.
// Leases that expire, releases that found nothing and outcomes that nobody knows
// are outside of this model: mutual exclusion judges beliefs instead.
func Linearizable(ops []Op) (bool, error) {
	tenures, tries, err := tenuresOf(ops)
	if err != nil {
		return false, err
	}
	if tenures == nil {
		return false, nil
	}
	byCore := func(a, b tenure) int {
		return cmp.Or(cmp.Compare(a.acquired, b.acquired), cmp.Compare(a.releasing, b.releasing))
	}
	if !slices.IsSortedFunc(tenures, byCore) {
		slices.SortFunc(tenures, byCore)
	}
	for i := 1; i < len(tenures); i++ {
		if tenures[i].acquired < tenures[i-1].releasing {
			return false, nil
		}
	}
	next := 0 // the first tenure whose core ends after the present try has begun
	for _, try := range tries {
		for next < len(tenures) && tenures[next].releasing < try.Call {
			next++
		}
		if certainlyFree(tenures, next, try) {
			return false, nil
		}
	}
	return true, nil
}

// tenure is a pair of an acquire and a release.
type tenure struct {
	acquiring, acquired history.Instant // the acquire
	releasing, released history.Instant // the release
}

// tenuresOf pairs acquires and releases and gathers the tries in the order of
// their calls. It returns nil tenures when a client
// released what it did not hold, or acquired what it held already: no lock does
// that.
func tenuresOf(ops []Op) (tenures []tenure, tries []Op, err error) {
	if !slices.IsSortedFunc(ops, byCall) {
		ops = slices.Clone(ops)
		slices.SortStableFunc(ops, byCall)
	}
	clients := history.NodeID(0)
	for i := range ops {
		clients = max(clients, ops[i].Client)
	}
	type state struct {
		held     int // the index of the open tenure plus one
		returned history.Instant
		any      bool
	}
	states := make([]state, int(clients)+1)
	tenures = make([]tenure, 0, len(ops)/2+1)
	legal := true
	for _, op := range ops {
		s := &states[op.Client]
		if op.Return < op.Call || s.any && op.Call <= s.returned {
			return nil, nil, fmt.Errorf("checker: client %d is not sequential at %v", op.Client, op.Call)
		}
		s.any, s.returned = true, op.Return
		switch op.Kind {
		case OpAcquire:
			legal = legal && s.held == 0
			tenures = append(tenures, tenure{op.Call, op.Return, never, never})
			s.held = len(tenures)
		case OpRelease:
			if s.held == 0 {
				legal = false
				continue
			}
			t := &tenures[s.held-1]
			t.releasing, t.released, s.held = op.Call, op.Return, 0
		default:
			tries = append(tries, op)
		}
	}
	if !legal {
		return nil, nil, nil
	}
	return tenures, tries, nil
}

func byCall(a, b Op) int { return cmp.Compare(a.Call, b.Call) }

// certainlyFree reports whether the lock is free during the whole of try,
// whatever the points of the tenures, which are in the order of their cores: the
// cores before next end before the try begins, those from next on do not.
func certainlyFree(tenures []tenure, next int, try Op) bool {
	if next > 0 && try.Call <= tenures[next-1].released {
		return false
	}
	return next == len(tenures) || try.Return < tenures[next].acquiring
}
