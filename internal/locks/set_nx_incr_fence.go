// Lock set-nx-incr-fence
//
// Idea: a client that gets the lock gets a number with it that is larger than that of every holder
// before. The guarded resource remembers the largest that it has seen and refuses smaller ones.
//
// Protocol:
//  1. EVAL acquire: SET key token PX milliseconds NX succeeds -> INCR key:fence and return the number; else nil.
//     A number: the lock is held, and the number is its fencing token; nil: try again later.
//  2. The client shows its number with everything that it asks of the resource.
//  3. EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; in addition, a resource that checks the numbers accepts
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
		ID: "set-nx-incr-fence", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{NoCluster: keysApart}, New: stateless(setNXIncrFence),
	})
}

// fenceScript creates the key and counts its holders.
var fenceScript = &redis.Script{Name: "acquire", Owner: 1, Source: `if redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[2], "NX") then
	return redis.call("incr", KEYS[2])
else
	return false
end`}

func setNXIncrFence(ctx context.Context, d *Deps) (Lease, error) {
	token := newToken(d.Env)
	create := redis.EvalKeys(fenceScript, d.Name, d.Name+":fence").Text(token).Num(ports.Millis(d.Lease))
	return spin(ctx, d, func() (Lease, error) {
		reply := d.Redis.Do(ctx, create)
		if reply.Kind != redis.ReplyInt {
			return nil, reply.Err
		}
		return fenced{scriptDel(d, unlockScript, token), reply.Int}, nil
	})
}
