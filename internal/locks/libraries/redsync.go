// Lock redsync
//
// Library: github.com/go-redsync/redsync/v4
// Store: redis-nodes
// Lease: 1ms
//
// Idea: the Redlock algorithm as most Go programs run it: all nodes are asked at the
// same time, and a majority decides.
//
// Protocol:
//  1. Read the clock: t1. SET key token NX PX milliseconds on all nodes at once (EX seconds when the lease is whole seconds), each for a twentieth of the lease (go-redis, with its usual options, looks at that limit only before it sends: a node that hangs is waited for until the response timeout).
//  2. Read the clock again: t2. Held: N/2+1 nodes said OK, and lease - (t2 - t1) - lease/100 is positive.
//  3. Else EVALSHA unlock (EVAL, the first time) on all nodes, and again after 50 to 250 ms, 32 times in all.
//  4. To release, EVALSHA unlock on all nodes: GET key equals token -> DEL key, 1; another token -> 0; no key -> -1.
//  5. A command without a reply is sent again by go-redis, up to three times and while the twentieth of the lease lasts: a SET that was executed then finds its own entry and answers nil.
//
// Guarantees: as redlock: mutual exclusion while every holder is done within the
// validity (Until tells when it ends), no node forgets and all clocks run about
// equally fast; a minority of the nodes may be dead.
//
// Breaks when: the holder freezes or is slow after step 2; nodes of the majority restart empty:
// then another majority can be found. Nothing renews the lease unless the application calls Extend,
// and nothing tells the holder. There is no fencing token. With one node it is a lock with a lease
// like any other, except that a lost reply of SET costs its client a try: the repetition finds the
// entry taken, and step 3 removes it.
//
// Source: the library's README and code at v4.18.1, mutex.go and redsync.go; go-redis
// v9, Options.MaxRetries.

package libraries

import (
	"context"
	"errors"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"lockstep/internal/locks"
)

func init() {
	register(Library{
		ID: "redsync", New: newRedsync,
		Scripts: map[string]string{"e950836ed1e694540c503ef9972b8de518044d3b": "unlock"},
		Owners:  map[string]int{"unlock": 1},
		Texts:   []string{redsyncUnlock},
	})
}

// redsyncUnlock is the script of the library's Unlock.
const redsyncUnlock = `
	local val = redis.call("GET", KEYS[1])
	if val == ARGV[1] then
		return redis.call("DEL", KEYS[1])
	elseif val == false then
		return -1
	else
		return 0
	end
`

func newRedsync(d Deps) (locks.Lock, error) {
	var pools []redis.Pool
	for _, addr := range d.Addrs {
		client := goRedis(&d, addr)
		if err := reached(&d, client); err != nil {
			return nil, err
		}
		pools = append(pools, goredis.NewPool(client))
	}
	return &redsyncLock{Deps: d, redsync: redsync.New(pools...)}, nil
}

type redsyncLock struct {
	Deps
	redsync *redsync.Redsync
	options []redsync.Option // beside the expiry
}

// Acquire locks with the library's own tries and delays, and begins again when it has
// given up before ctx ends.
func (l *redsyncLock) Acquire(ctx context.Context) (locks.Lease, error) {
	for {
		mutex := l.redsync.NewMutex(l.Name, append([]redsync.Option{redsync.WithExpiry(l.Lease)}, l.options...)...)
		err := mutex.LockContext(ctx)
		var taken *redsync.ErrTaken
		switch {
		case err == nil:
			return redsyncLease{mutex}, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !errors.As(err, &taken):
			return nil, err
		}
	}
}

type redsyncLease struct{ mutex *redsync.Mutex }

func (redsyncLease) Lost() context.Context { return nil }
func (redsyncLease) Token() int64          { return 0 }

// Release is Unlock. The lock is not held when a majority of the nodes has another's
// entry, or when all answered and so many of them had none.
func (l redsyncLease) Release(ctx context.Context) error {
	done, err := l.mutex.UnlockContext(ctx)
	var taken *redsync.ErrTaken
	var node *redsync.RedisError
	switch {
	case done:
		return nil
	case !errors.As(err, &taken) && errors.As(err, &node):
		return err
	}
	return locks.ErrNotHeld
}
