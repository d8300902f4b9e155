// Lock lit-expire-key
//
// Idea: SETNX and EXPIRE with the names that the document gives their keys, which
// are two different ones: lkey and lockKey.
//
// Protocol:
//  1. SETNX key owner; 0: another client holds it, try again later.
//  2. EXPIRE keyKey seconds: a key that does not exist. Its answer, 0, is ignored.
//  3. DEL key.
//
// Guarantees: as setnx: mutual exclusion as long as every command is answered.
// Nothing ever expires.
//
// Breaks when: the holder dies, or the reply of SETNX is lost, and the key stays
// for ever, though the code sets an expiry.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", line 130. The
// release, which it leaves out, is that of setnx-expire.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lit-expire-key", File: "lit_expire_key.go", Store: StoreRedis, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &litExpireKey{d} },
	})
}

// otherKey is the second name that the document has for the same key.
func otherKey(name string) string { return name + "Key" }

type litExpireKey struct{ Deps }

func (l *litExpireKey) Acquire(ctx context.Context) (Lease, error) {
	create := redis.SetNX(l.Name, l.Owner)
	return spin(ctx, l.Deps, func() (Lease, error) {
		reply := l.Redis.Do(ctx, create)
		if !reply.IsInt(1) {
			return nil, reply.Err
		}
		if reply := l.Redis.Do(ctx, redis.Expire(otherKey(l.Name), l.Lease)); reply.Err != nil {
			return nil, reply.Err
		}
		return &blindDel{Deps: &l.Deps}, nil
	})
}
