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
// Guarantees: mutual exclusion while every holder is done within the lease that
// step 4 begins, and no node forgets; a minority of the nodes may be dead; waiters
// are notified; re-entrant.
//
// Breaks when: the replies of step 4 come late: nothing compares the time that has
// passed with the lease, so a client may enter when it is over. PEXPIRE asks for no
// owner either. A client that dies before step 4 leaves entries that live twice as
// long as it was willing to wait: twenty leases. With a lease there is no watchdog,
// so slow work and pauses break it as they break redlock.
//
// Source: Redisson 3.12.3, RedissonRedLock, RedissonMultiLock and RedissonLock; S1
// "Ways to implement distributed locks on Redis", lines 241-303 and 451-465, for the
// scripts.
//
// 想法：Redisson 里叫这个名字的类：建在多把 Redisson 锁之上，每个节点一把，多数到手就算持有。
// 用法照手册：tryLock(100, 10, SECONDS)，最多等十个租约，持有一个租约。
//
// 协议：
//  1. 依次在每个节点上 EVAL lock：哈希键不存在，或者有字段 UUID:thread -> HINCRBY 键 字段 1，
//     PEXPIRE 键 两倍的等待时间，nil；否则 PTTL 键。
//  2. 是别人的：SUBSCRIBE 那个节点上这把锁的频道，每来一条消息就再试，只试等待时间的一部分
//     （1/N）。过了，这个节点就算失败。
//  3. 多数已经到手而有节点失败，或者没有下一个节点：到第 4 步。失败的太多，凑不成多数：在已经到手
//     的节点上 EVAL unlock，再从第一个节点开始。
//  4. 在所有到手的节点上同时 PEXPIRE 键 租约。不看答复。拿到锁。
//  5. 释放：在所有节点上同时 EVAL unlock：有自己的字段 -> HINCRBY -1；到 0 就 DEL 键，PUBLISH，
//     1。没有答复或者断了连接的命令会重发，最多三次。
//
// 保证：只要每个持有者都在第 4 步开始的租约之内做完、没有节点失忆，就互斥；可以死掉少数节点；
// 等待者会得到通知；可重入。
//
// 何时被破坏：第 4 步的答复迟到：没有谁拿花掉的时间和租约比较，所以客户端可能在租约结束后才进
// 去。PEXPIRE 也不问主人是谁。在第 4 步之前死掉的客户端，留下的条目能活它愿意等的时间的两倍：
// 二十个租约。有租约就没有看门狗，所以工作慢和停顿会像破坏 redlock 一样破坏它。
//
// 来源：Redisson 3.12.3 的 RedissonRedLock、RedissonMultiLock 和 RedissonLock；脚本见 S1《Redis分
// 布式锁的实现方式》第 241-303 和 451-465 行。

package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "redisson-redlock", File: "redisson_redlock.go", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		New: newRedissonRedlock,
	})
}

type redissonRedlock struct {
	quorum
	subLocks []*redissonSubLock // one for each node
}

func newRedissonRedlock(d Deps) Lock {
	l := &redissonRedlock{quorum: quorum{d}}
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
		if held {
			return &redissonRedlockLease{redissonRedlock: l}, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
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
		if errors.Is(err, world.ErrTimeout) {
			_ = sub.unlock(l.Env.Background(), 2*wait) // it may be held after all
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
	for _, err := range errs {
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

func (l *redissonRedlock) unlockAll(subs []*redissonSubLock) []error {
	return l.onAll(subs, func(sub *redissonSubLock) error {
		return sub.unlock(l.Env.Background(), 2*l.waitingTime())
	})
}

// onAll does something on several nodes at the same time and waits for all of them.
func (l *redissonRedlock) onAll(subs []*redissonSubLock, do func(*redissonSubLock) error) []error {
	errs := make([]error, len(subs))
	tasks := make([]world.Task, len(subs))
	for i, sub := range subs {
		tasks[i] = l.Env.Go(l.Env.Background(), "node", func(context.Context) { errs[i] = do(sub) })
	}
	for _, task := range tasks {
		_ = task.Join(l.Env.Background()) // the background context never ends
	}
	return errs
}

type redissonRedlockLease struct {
	*redissonRedlock
	neverTold
}

// Release is unlock, which tells the application nothing; what the nodes have
// answered is reported all the same.
func (l *redissonRedlockLease) Release(context.Context) error {
	return l.released(l.unlockAll(l.subLocks))
}
