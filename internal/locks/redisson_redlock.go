// Lock redisson-redlock
//
// Idea: Redisson's class of that name: a lock over several locks of Redisson, one
// on each node, which is held when a majority of them is. It is used as the manual
// shows it, tryLock(100, 10, SECONDS): wait up to ten leases, hold for one.
//
// Protocol:
//  1. On every node in turn, EVAL lock: if the hash key does not exist or has the field UUID:thread -> HINCRBY key field 1, PEXPIRE key twice the waiting time, nil; else PTTL key.
//  2. Another client's: SUBSCRIBE to the channel of the lock on that node and try again after each message, for a part of the waiting time (1/N). Then the node counts as failed.
//  3. A majority is held and a node fails, or there is no further node: go on with 4. Too many have failed for a majority: EVAL unlock on those that are held, and from the first node again.
//  4. PEXPIRE key lease on all nodes that are held, at the same time. The replies are not looked at. The lock is held.
//  5. To release, EVAL unlock on all nodes at the same time: own field -> HINCRBY -1; at 0 DEL key and PUBLISH, 1.
//     A command whose reply does not come, or whose connection breaks, is sent again, up to three times.
//
// Guarantees: mutual exclusion while every holder is done within the lease that step 4 begins, and
// no node forgets; a minority of the nodes may be dead; waiters are notified; re-entrant.
//
// Breaks when: the replies of step 4 come late: nothing compares the time that has
// passed with the lease, so a client may enter when it is over. PEXPIRE asks for no
// owner either. A client that dies before step 4 leaves entries that live twice as
// long as it was willing to wait: twenty leases. With a lease there is no watchdog,
// so slow work and pauses break it as they break redlock.
//
// Source: Redisson 3.12.3, RedissonRedLock, RedissonMultiLock and RedissonLock; S1 "Ways to
// implement distributed locks on Redis", lines 241-303 and 451-465, for the scripts.

package locks

import (
	"cmp"
	"context"
	"errors"
	"time"

	"lockstep/internal/ports"
)

func init() {
	Register(Variant{
		ID: "redisson-redlock", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		New: newRedissonRedlock,
	})
}

type redissonRedlock struct {
	quorum
	subLocks []*redissonSubLock // one for each node
}

func newRedissonRedlock(d Deps) Lock {
	l := &redissonRedlock{quorum: quorum{&d}}
	for _, node := range d.Nodes {
		l.subLocks = append(l.subLocks, newRedissonSubLock(d, node))
	}
	return l
}

// waitingTime is the first argument of tryLock.
func (l *redissonRedlock) waitingTime() time.Duration { return 10 * l.Lease }

func (l *redissonRedlock) Acquire(ctx context.Context) (Lease, error) {
	for {
		held, err := l.tryLock(ctx)
		switch {
		case held:
			return ReleaseFunc(l.unlock), nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, err
		}
	}
}

// tryLock is steps 1 to 4. It measures its waiting time on the wall clock.
func (l *redissonRedlock) tryLock(ctx context.Context) (bool, error) {
	start, wait := l.Env.Now(), l.waitingTime()
	perNode := max(wait/time.Duration(len(l.subLocks)), time.Millisecond)
	mayFail := len(l.subLocks) - l.majority()
	var held []*redissonSubLock
	failed := 0
	for next := 0; next < len(l.subLocks); {
		sub := l.subLocks[next]
		next++
		ok, err := sub.tryLock(ctx, min(perNode, wait-l.Env.Now().Sub(start)), 2*wait)
		if errors.Is(err, ports.ErrTimeout) {
			_ = sub.unlock3123(l.Env.Background(), 2*wait) // it may be held after all
		}
		if ok {
			held = append(held, sub)
		} else if len(held) == l.majority() {
			break
		} else if failed++; failed > mayFail {
			l.unlockAll(held)
			held, failed, next = nil, 0, 0
		}
		if ctx.Err() != nil || l.Env.Now().Sub(start) >= wait {
			l.unlockAll(held)
			return false, nil
		}
	}
	return l.expireAll(held)
}

// expireAll gives all the held nodes their real lease, whatever they answer; an
// error is an exception to the caller, and the entries stay as they are.
func (l *redissonRedlock) expireAll(held []*redissonSubLock) (bool, error) {
	errs := l.onAll(held, func(sub *redissonSubLock) error { return sub.expire(l.Env.Background()) })
	err := cmp.Or(errs...)
	return err == nil, err
}

func (l *redissonRedlock) unlockAll(subs []*redissonSubLock) []error {
	return l.onAll(subs, func(sub *redissonSubLock) error {
		return sub.unlock3123(l.Env.Background(), 2*l.waitingTime())
	})
}

// onAll does something on several nodes at the same time and waits for all of them.
func (l *redissonRedlock) onAll(subs []*redissonSubLock, do func(*redissonSubLock) error) []error {
	errs := make([]error, len(subs))
	tasks := make([]ports.Task, len(subs))
	for i, sub := range subs {
		tasks[i] = l.Env.Go(l.Env.Background(), "node", func(context.Context) { errs[i] = do(sub) })
	}
	for _, task := range tasks {
		_ = task.Join(l.Env.Background()) // the background context never ends
	}
	return errs
}

// unlock is the release. Redisson's returns nothing to the application; here it reports the
// answers of the nodes.
func (l *redissonRedlock) unlock(context.Context) error {
	return l.released(l.unlockAll(l.subLocks))
}
