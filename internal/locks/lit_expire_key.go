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
)

func init() {
	Register(Variant{
		ID: "lit-expire-key", Store: StoreRedis, LeaseUnit: time.Second, New: stateless(litExpireKey),
	})
}

// otherKey is the second name that the document has for the same key.
func otherKey(name string) string { return name + "Key" }

func litExpireKey(ctx context.Context, d *Deps) (Lease, error) {
	return setNXThenExpire(ctx, d, otherKey(d.Name))
}
