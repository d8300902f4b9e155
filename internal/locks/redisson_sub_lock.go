package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

// redissonSubLock is the lock that RedissonRedLock takes on one node, through a
// Redisson client of that node's own: RedissonLock of 3.12.3 with a lease time.
type redissonSubLock struct{ redisson }

func newRedissonSubLock(d Deps, node redis.Port) *redissonSubLock {
	d.Redis = node
	return &redissonSubLock{redisson{Deps: d}}
}

// try takes the lock once, if it is free or this client's. The script is waited for
// even when the caller's patience ends: it may be the one that takes the lock.
func (l *redissonSubLock) try(lease time.Duration) (redissonTry, error) {
	return tryResult(l.send(l.Env.Background(), redis.Eval(redisson3123Lock, l.Name).Num(ports.Millis(lease)).Text(l.field())))
}

// tryLock is tryLock(wait, lease): it tries, and then again after each message on
// the channel, for as long as wait. It measures on the wall clock, as Redisson does.
func (l *redissonSubLock) tryLock(ctx context.Context, wait, lease time.Duration) (bool, error) {
	until := l.Env.Now().Add(wait)
	got, err := l.try(lease)
	left := until.Sub(l.Env.Now())
	if got.held || err != nil || left <= 0 {
		return got.held, err
	}
	within, cancel := l.Env.WithTimeout(ctx, left)
	defer cancel()
	sub, err := l.Redis.Subscribe(within, l.channel())
	if err != nil {
		return false, err
	}
	latch := &redissonLatch{redisson: &l.redisson, channel: l.channel(), sub: sub}
	defer latch.close()
	for {
		got, err = l.try(lease)
		if got.held || err != nil || !until.After(l.Env.Now()) {
			return got.held, err
		}
		if latch.tryAcquire(within, got.ttl) != nil {
			return false, ctx.Err() // the waiting time is over, or ctx
		}
	}
}

// expire sets the real lease, whoever holds the lock.
func (l *redissonSubLock) expire(ctx context.Context) error {
	return l.send(ctx, redis.Command("PEXPIRE", l.Name).Num(ports.Millis(l.Lease))).Err
}
