// Lock lit-s3-units
//
// Idea: lua-setex, configured by a reader who believes the comments: the time of
// the lock in milliseconds, the time to try in seconds. The code takes the first
// for seconds and the second for milliseconds.
//
// Protocol:
//  1. For as many milliseconds as the lease has seconds, on the wall clock, EVAL acquire: EXISTS key
//     is 0 -> SETEX key token with as many seconds as the lease has milliseconds, "1"; else "-1".
//     "1": the lock is held; "-1": another client holds it, sleep and try again if there is time.
//  2. When the time is over the try has failed, and the caller begins a new one.
//  3. EVAL release: GET key equals token -> DEL key, "1"; else "-1".
//
// Guarantees: as lua-setex, with a lease a thousand times as long as was asked for.
//
// Breaks when: the holder dies: a lease of ten seconds blocks the others for nearly
// three hours, one of thirty for more than eight. No client waits: a try that was
// to last for ten seconds is over after ten milliseconds.
//
// Source: S3 "A distributed lock on Redis, with two Lua scripts", line 10, the comments
// at the fields acquireTimeout and lockTime beside what tryLock does with them.

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "lit-s3-units", Store: StoreRedis, LeaseUnit: time.Second, New: stateless(litS3Units),
	})
}

func litS3Units(ctx context.Context, d *Deps) (Lease, error) {
	lockTime := d.Lease.Milliseconds() // as the comment says
	acquireTimeout := int64(d.Lease / time.Second)
	return tryLock(ctx, d, lockTime, acquireTimeout)
}
