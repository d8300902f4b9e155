// Lock set-nx-incr-fence
//
// Idea: a client that gets the lock gets a number with it that is larger than that of
// every holder before. The guarded resource remembers the largest that it has seen
// and refuses smaller ones.
//
// Protocol:
//  1. EVAL acquire: SET key token PX milliseconds NX succeeds -> INCR key:fence and return the number; else nil.
//     A number: the lock is held, and the number is its fencing token; nil: try again later.
//  2. The client shows its number with everything that it asks of the resource.
//  3. EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; besides, a resource that checks the numbers accepts
// no write of a holder after it has seen one of a later holder. The counter has no
// time to live, so it outlasts every lock.
//
// Breaks when: a holder overruns its lease: two clients believe they hold, as with
// every lease, and it is the resource that sorts it out. It cannot if it looks at
// the numbers of writes only and not of reads, or if the counter goes back: it is
// worth no more than the durability of its store, and a failover or a restart may
// hand out a number twice. In a cluster both keys need the same hash tag.
//
// Source: Kleppmann 2016, How to do distributed locking, on fencing tokens; Redis
// command reference, INCR.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-nx-incr-fence", File: "set_nx_incr_fence.go", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{NoCluster: keysApart},
		New:     func(d Deps) Lock { return &setNXIncrFence{d} },
	})
}

// fenceScript creates the key and counts its holders.
var fenceScript = &redis.Script{Name: "acquire", Owner: 1, Source: `if redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[2], "NX") then
	return redis.call("incr", KEYS[2])
else
	return false
end`}

type setNXIncrFence struct{ Deps }

func (l *setNXIncrFence) Acquire(ctx context.Context) (Lease, error) {
	token := newToken(l.Env)
	create := redis.EvalKeys(fenceScript, l.Name, l.Name+":fence").Text(token).Num(ports.Millis(l.Lease))
	return spin(ctx, l.Deps, func() (Lease, error) {
		reply := l.Redis.Do(ctx, create)
		if reply.Kind != redis.ReplyInt {
			return nil, reply.Err
		}
		return &fencedLease{scriptDel: scriptDel{Deps: &l.Deps, token: token}, number: reply.Int}, nil
	})
}

// fencedLease is a lease with a fencing token.
type fencedLease struct {
	scriptDel
	number int64
}

func (l *fencedLease) Token() int64 { return l.number }
