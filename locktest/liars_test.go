package locktest_test

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/locktest"
)

// mirrored has the hooks of a lock in shared memory that imitates a lock in its store. Clients in
// different processes could not share that memory.
type mirrored struct {
	enter func(ctx context.Context, c locktest.Client, store *redis.Client) error // nil: it does nothing
	leave func(ctx context.Context, c locktest.Client, store *redis.Client) error
	lease bool // the lock in the process has one, too
	after int  // how many times it is a lock of its store first
}

// inProcess makes locks in the memory of the process.
func inProcess(m mirrored) func(locktest.Client) locktest.Lock {
	var mu sync.Mutex
	var holder int64 // 0: none
	var until time.Time
	var count atomic.Int64
	take := func(id int64, lease time.Duration) bool {
		mu.Lock()
		defer mu.Unlock()
		if holder != 0 && !(m.lease && time.Now().After(until)) {
			return false
		}
		holder, until = id, time.Now().Add(lease)
		return true
	}
	give := func(id int64) {
		mu.Lock()
		defer mu.Unlock()
		if holder == id {
			holder = 0
		}
	}
	var ids atomic.Int64
	return func(c locktest.Client) locktest.Lock {
		store := c.Redis()
		honest := bend{}.lock(c)
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
			if count.Add(1) <= int64(m.after) {
				return honest.Acquire(ctx)
			}
			id := ids.Add(1)
			if err := retry(ctx, c.Retry(), func() (bool, error) { return take(id, c.Lease()), nil }); err != nil {
				return nil, err
			}
			if m.enter != nil {
				if err := m.enter(ctx, c, store); err != nil {
					give(id)
					return nil, err
				}
			}
			return locktest.LeaseFunc(func(ctx context.Context) (err error) {
				if m.leave != nil {
					err = m.leave(ctx, c, store)
				}
				give(id)
				return err
			}), nil
		})
	}
}

func looks(ctx context.Context, c locktest.Client, store *redis.Client) error {
	err := store.Get(ctx, c.Key()).Err()
	if errors.Is(err, redis.Nil) {
		err = nil
	}
	return err
}

// writes sets an entry under a key that depends on the client; removes deletes it.
func writes(key func(locktest.Client) string) func(context.Context, locktest.Client, *redis.Client) error {
	return func(ctx context.Context, c locktest.Client, store *redis.Client) error {
		return store.Set(ctx, key(c), c.Name(), c.Lease()).Err()
	}
}

func removes(key func(locktest.Client) string) func(context.Context, locktest.Client, *redis.Client) error {
	return func(ctx context.Context, c locktest.Client, store *redis.Client) error {
		return store.Del(ctx, key(c)).Err()
	}
}

func locksKey(c locktest.Client) string { return c.Key() }

func ownKey(c locktest.Client) string { return c.Key() + ":" + c.Name() }

func anyKey(locktest.Client) string { return rand.Text() }

// onlyFor makes a lock that only A can acquire.
func onlyFor(a func(locktest.Client) locktest.Lock) func(locktest.Client) locktest.Lock {
	return func(c locktest.Client) locktest.Lock {
		if c.Name() == "A" {
			return a(c)
		}
		store := c.Redis()
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
			return nil, errors.Join(looks(ctx, c, store), errors.New("taken"))
		})
	}
}

// freely always succeeds.
func freely(c locktest.Client) locktest.Lock {
	store := c.Redis()
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		return locktest.LeaseFunc(func(context.Context) error { return nil }), looks(ctx, c, store)
	})
}

// slots gives each client a second of each minute in turn.
func slots(c locktest.Client) locktest.Lock {
	store := c.Redis()
	own := int(c.Name()[0]) % 4 * 15
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		if err := looks(ctx, c, store); err != nil {
			return nil, err
		}
		turn := func() (bool, error) { return time.Now().Second()/15*15 == own, nil }
		return locktest.LeaseFunc(func(context.Context) error { return nil }), retry(ctx, time.Second, turn)
	})
}

// behindMutex makes correct locks of the store behind a mutex of the process, so that waiting
// clients do not ask the server.
func behindMutex() locker {
	var mu sync.Mutex
	return func(c locktest.Client) locktest.Lock {
		inner := bend{}.lock(c)
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
			if err := retry(ctx, c.Retry(), func() (bool, error) { return mu.TryLock(), nil }); err != nil {
				return nil, err
			}
			held, err := inner.Acquire(ctx)
			if err != nil {
				mu.Unlock()
				return nil, err
			}
			return locktest.LeaseFunc(func(ctx context.Context) error {
				defer mu.Unlock()
				return held.Release(ctx)
			}), nil
		})
	}
}

// locker makes the locks of a test.
type locker = func(locktest.Client) locktest.Lock

// liars are locks, most of them not of their store, whose tests must fail with a message.
var liars = map[string]struct {
	lock locker
	want string
}{
	"mutex":            {inProcess(mirrored{}), "has sent nothing to its store"},
	"mutex, one GET":   {inProcess(mirrored{enter: looks}), "the store had nothing that"},
	"mirrored":         {inProcess(mirrored{enter: writes(locksKey), leave: removes(locksKey)}), keptOut},
	"mirrored, leased": {inProcess(mirrored{enter: writes(locksKey), leave: removes(locksKey), lease: true}), keptOut},
	"own keys":         {inProcess(mirrored{enter: writes(ownKey), leave: removes(ownKey), lease: true}), notFollowed},
	"any keys":         {inProcess(mirrored{enter: writes(anyKey), lease: true}), notFollowed},
	"afterwards":       {inProcess(mirrored{leave: writes(ownKey)}), "without a request to the store"},
	"honest at first":  {inProcess(mirrored{enter: looks, lease: true, after: 30}), "untested: "},
	"behind a mutex":   {behindMutex(), keptOut},
	"free for all":     {freely, "the store had nothing that"},
	"free for A":       {onlyFor(freely), "has waited for the lock in vain"},
	"a lock for A":     {onlyFor(bend{}.lock), "has waited for the lock in vain"},
	"slots":            {slots, "the store had nothing that"},
}

const (
	keptOut     = "it is not this entry that keeps B out"
	notFollowed = "inconclusive: owner-only-release cannot be judged"
)

func init() {
	for name, l := range liars {
		failures[name] = failure{runs(l.lock, append(leaseBreaks, locktest.WithoutWalk())...), []string{l.want}}
	}
}
