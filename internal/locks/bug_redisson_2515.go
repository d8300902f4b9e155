// Lock redisson-2515
//
// Idea: a renewal that fails leaves behind a note which says that this lock is being renewed. Only
// a release that succeeds removes it, and as long as it is there no later hold is renewed.
//
// Protocol:
//  1. As redisson-3.12.3: EVAL lock; held: start the watchdog unless there is a note that one is at work.
//  2. A third of the lease later EVAL renew; after an error never again. The note stays.
//  3. EVAL unlock. No own field: the lock is not held, and the note stays. The fixed form, redisson-3.12.3, removes it whatever the answer.
//
// Guarantees: as redisson-3.12.3 until a renewal fails.
//
// Breaks when: a renewal gets no answer and the entry runs out: the client is told
// that the lock is not held, as it should be. Its next hold has no watchdog, and ends
// when the lease does, in the middle of the work.
//
// Source: https://github.com/redisson/redisson/issues/2515 and pull request 2518.

package locks

import (
	"context"
	"errors"
	"time"
)

func init() {
	registerBug(Variant{
		ID: "redisson-2515", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{NoCluster: bindsToServer},
		Bug: &Bug{
			Library: "Redisson", Has: "as of January 2020", Gone: "pull request 2518, merged",
			Issue: "https://github.com/redisson/redisson/issues/2515", Fixed: "redisson-3.12.3",
		},
		New: func(d Deps) Lock { return &redisson2515{redisson3123{redisson: redisson{Deps: d}}} },
	}, nil)
}

type redisson2515 struct{ redisson3123 }

func (l *redisson2515) Acquire(ctx context.Context) (Lease, error) {
	if _, err := l.redisson3123.Acquire(ctx); err != nil {
		return nil, err
	}
	return ReleaseFunc(l.unlock), nil
}

func (l *redisson2515) unlock(ctx context.Context) error {
	err := l.unlock3123(ctx, l.Lease)
	if !errors.Is(err, ErrNotHeld) {
		l.cancelRenewal()
	}
	return err
}
