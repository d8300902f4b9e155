package locks

import (
	"context"
	"strconv"
	"time"

	"lockstep/internal/locks/timerwheel"
	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

// Redisson's times are given for its default lease of 30 s (lockWatchdogTimeout).
// The scenario's lease takes its place, and the other times shrink or grow with
// it; the response timeout is the scenario's own, and the port keeps it.

// redisson is what all locks of this family share: one Redisson client with one thread, number 1.
type redisson struct {
	Deps
	id string // of the client, a UUID
}

// field is the holder's field of the hash: UUID:threadId.
func (r *redisson) field() string {
	if r.id == "" {
		t := newToken(r.Env)
		r.id = t[:8] + "-" + t[8:12] + "-" + t[12:16] + "-" + t[16:20] + "-" + t[20:]
	}
	return r.id + ":1"
}

// key is the name of a helper of the lock, with the lock's name as hash tag.
func (r *redisson) key(prefix string) string { return prefix + ":{" + r.Name + "}" }

// channel is where a release is announced.
func (r *redisson) channel() string { return r.key("redisson_lock__channel") }

// unlockMessage is the message of a release (LockPubSub.UNLOCK_MESSAGE).
const unlockMessage = 0

// resend sends the same command again, up to retries times, as long as no reply
// comes. The server may well have executed it before.
func (r *redisson) resend(ctx context.Context, retries int, delay func(attempt int) time.Duration, send func() redis.Reply) redis.Reply {
	for attempt := 0; ; attempt++ {
		reply := send()
		unanswered := reply.Err == ports.ErrTimeout || reply.Err == ports.ErrConnection
		if !unanswered || attempt == retries || r.Env.Sleep(ctx, delay(attempt)) != nil {
			return reply
		}
	}
}

// send sends a command of version 3.12.3, and the same one again when it gets no reply:
// retryAttempts 3, retryInterval 1500 ms for the default lease of 30 s.
func (r *redisson) send(ctx context.Context, cmd redis.Cmd) redis.Reply {
	delay := func(int) time.Duration { return r.Lease / 20 }
	return r.resend(ctx, 3, delay, func() redis.Reply { return r.Redis.Do(ctx, cmd) })
}

// unlock3123 is the release of version 3.12.3. The lease is set again if an outer hold is left.
func (r *redisson) unlock3123(ctx context.Context, lease time.Duration) error {
	return released(r.send(ctx, redis.EvalKeys(redisson3123Unlock, r.Name, r.channel()).
		Num(unlockMessage).Num(ports.Millis(lease)).Text(r.field())))
}

// redissonTry is the result of one acquire script.
type redissonTry struct {
	held  bool
	ttl   int64 // of the holder's entry, in milliseconds; negative: none
	token int64
}

// tryResult reads the reply of an acquire script: nil or the time to live.
func tryResult(reply redis.Reply) (redissonTry, error) {
	return redissonTry{held: reply.IsNil(), ttl: reply.Int}, reply.Err
}

// lock tries once, and then, as a subscriber of the channel, each time a release
// is announced or the holder's entry must have run out. A script that is under
// way when ctx ends is waited for: it may be the one that takes the lock.
func (r *redisson) lock(ctx context.Context, channel string, try func() (redissonTry, error)) (redissonTry, error) {
	got, err := try()
	if err != nil || got.held {
		return got, err
	}
	sub, err := r.Redis.Subscribe(ctx, channel)
	if err != nil {
		return got, err
	}
	latch := &redissonLatch{redisson: r, channel: channel, sub: sub}
	defer latch.close()
	for {
		if got, err = try(); err != nil || got.held {
			return got, err
		}
		if err := latch.tryAcquire(ctx, got.ttl); err != nil {
			return got, err
		}
	}
}

// redissonLatch is the semaphore of the threads of this process that wait for the lock: each
// message is one permit. With one thread the kept messages of the subscription are the permits.
type redissonLatch struct {
	*redisson
	channel string
	sub     redis.Subscription
}

func (l *redissonLatch) close() { l.sub.Close() }

// tryAcquire waits for a permit, at most for ttl milliseconds, without limit when
// ttl is negative. It returns an error only when ctx has ended.
func (l *redissonLatch) tryAcquire(ctx context.Context, ttl int64) error {
	wait := ctx
	if ttl >= 0 {
		limited, cancel := l.Env.WithTimeout(ctx, time.Duration(ttl)*time.Millisecond)
		defer cancel()
		wait = limited
	}
	for {
		message, err := l.sub.Next(wait)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && message == strconv.Itoa(unlockMessage):
			return nil
		case err == ports.ErrConnection && l.resubscribe(wait):
		case err != nil:
			return ctx.Err() // nil: the time is up
		}
	}
}

// resubscribe listens again after the connection broke. Messages in between are lost
// without a check: the wait continues. It reports false when ctx has ended before.
func (l *redissonLatch) resubscribe(ctx context.Context) bool {
	const first, longest = 2 * time.Millisecond, 8192 * time.Millisecond // of ConnectionWatchdog
	l.sub.Close()
	for delay := first; ; delay = min(2*delay, longest) {
		if l.Env.Sleep(ctx, delay) != nil {
			return false
		}
		if sub, err := l.Redis.Subscribe(ctx, l.channel); err == nil {
			l.sub = sub
			return true
		}
	}
}

// redissonTimer is Netty's timer: a wheel, and a task that turns it. Each timeout
// has a task of its own, since the real ones do not wait for their replies.
type redissonTimer struct {
	env     ports.Env
	wheel   *timerwheel.Wheel[func(context.Context)]
	turning bool
}

// newTimeout runs f after a third of the lease.
func (t *redissonTimer) newTimeout(d *Deps, slots int, f func(context.Context)) *timerwheel.Timer[func(context.Context)] {
	now := d.Env.Mono()
	if t.wheel == nil {
		t.env = d.Env
		t.wheel = timerwheel.New[func(context.Context)](slots, d.Lease/300, now) // 100 ms for 30 s
	}
	timeout := t.wheel.Add(now, d.Lease/3, f)
	if !t.turning {
		t.turning = true
		t.env.Go(t.env.Background(), "timer", t.turn)
	}
	return timeout
}

// turn sleeps from one timeout to the next. All are equally long, so no later one is due earlier.
func (t *redissonTimer) turn(ctx context.Context) {
	for {
		next, ok := t.wheel.Next()
		if !ok {
			t.turning = false
			return
		}
		if t.env.Sleep(ctx, next-t.env.Mono()) != nil {
			return
		}
		for _, f := range t.wheel.Advance(t.env.Mono()) {
			t.env.Go(ctx, ports.Watchdog, f)
		}
	}
}

// released reads the reply of an unlock script: 1, the entry is gone; 0, an outer
// hold is left; nil, there was nothing to release (IllegalMonitorStateException).
func released(reply redis.Reply) error {
	switch {
	case reply.Err != nil:
		return reply.Err
	case reply.IsNil():
		return ErrNotHeld
	default:
		return nil
	}
}
