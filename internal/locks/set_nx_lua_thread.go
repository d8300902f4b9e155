// Lock set-nx-lua-thread
//
// Idea: the value says which thread of which process has the lock. No other thread has that
// value, but this one has it each time.
//
// Protocol:
//  1. SET key uuid:threadId PX milliseconds NX, with one uuid per process; OK: the lock is held; nil: try again later.
//  2. EVAL unlock: GET key equals uuid:threadId -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua between different threads.
//
// Breaks when: as set-nx-lua; in addition, a release that comes late finds the thread's next
// hold and takes it for the one that it belongs to: the key goes, and another client gets in while
// the thread still holds the lock. A value that is new with each acquisition tells the two holds
// apart.
//
// Source: S0 "Distributed locks on Redis", lines 68-89, for the value, with the release of
// set-nx-lua, so that it is the value alone that makes the difference; Redis documentation,
// "Distributed Locks with Redis": unique across all clients and all lock requests.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-nx-lua-thread", Store: StoreRedis, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &setNXLuaThread{Deps: d} },
	})
}

type setNXLuaThread struct {
	Deps
	thread string // "" before the first acquisition
}

func (l *setNXLuaThread) Acquire(ctx context.Context) (Lease, error) {
	if l.thread == "" {
		l.thread = newToken(l.Env) + ":1"
	}
	create := redis.Set(l.Name, l.thread).PX(l.Lease).NX()
	return createKey(ctx, &l.Deps, create, func(time.Duration) Lease {
		return scriptDel(&l.Deps, unlockScript, l.thread)
	})
}
