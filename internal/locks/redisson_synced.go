package locks

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

// redissonSynced is a Redisson client since 3.44: how it sends scripts and how it
// renews. With one server (useSingleServer) a script of a lock is sent once. With
// replicas it travels in a batch with WAIT, which is sent again like everything.
type redissonSynced struct {
	redisson
	timer    redissonTimer
	renewing bool // the timer is to restart itself
	holds    int  // of the lock that is renewed; 0: no lock is

	replicas int64 // connected to the primary, as INFO says
	counted  bool  // else the primary must be asked
}

// redissonRetries is the default of retryAttempts since 3.44.
const redissonRetries = 4

// errNotSynced is the error of checkLockSyncedSlaves, which is on by default.
var errNotSynced = errors.New("none of the replicas were synced")

// retryDelay is the default EqualJitterDelay(1 s, 2 s): half of 1 s, later of 2 s,
// is certain, and the other half is drawn.
func (r *redissonSynced) retryDelay(attempt int) time.Duration {
	longest := r.Lease / 15
	if attempt == 0 {
		longest = r.Lease / 30
	}
	return longest/2 + time.Duration(r.Env.Rand().Int64N(int64(longest/2)+1))
}

// syncedEval runs a script and, where there are replicas, waits until they have it.
// retries counts for a single server only.
func (r *redissonSynced) syncedEval(ctx context.Context, script redis.Cmd, retries int) redis.Reply {
	if r.Replicas == 0 {
		return r.resend(ctx, retries, r.retryDelay, func() redis.Reply { return r.Redis.Do(ctx, script) })
	}
	return r.resend(ctx, redissonRetries, r.retryDelay, func() redis.Reply { return r.batch(ctx, script) })
}

// batch sends the script and WAIT over one connection: WAIT counts for the writes of
// its own connection. The replicas are counted again whenever the count does not fit, so
// that a primary that has noticed the loss of all of them does not wait.
func (r *redissonSynced) batch(ctx context.Context, script redis.Cmd) redis.Reply {
	if !r.counted {
		info := r.Redis.Do(ctx, redis.Command("INFO", "replication"))
		if info.Err != nil {
			return info
		}
		r.replicas, r.counted = connectedReplicas(info.Str), true
	}
	expected := r.replicas
	conn, err := r.Redis.Dial(ctx)
	if err != nil {
		return redis.Failed(err)
	}
	defer conn.Close()
	result := conn.Do(ctx, script)
	if result.Err != nil || expected == 0 {
		return result
	}
	synced := conn.Do(ctx, redis.Wait(expected, r.syncTimeout()))
	if synced.Err != nil {
		return synced
	}
	r.counted = synced.Int == expected
	if synced.Int == 0 {
		return redis.Failed(errNotSynced)
	}
	return result
}

// syncTimeout is slavesSyncTimeout, 1 s for a lease of 30 s.
func (r *redissonSynced) syncTimeout() time.Duration {
	return max((r.Lease / 30).Truncate(time.Millisecond), time.Millisecond)
}

// connectedReplicas reads INFO replication.
func connectedReplicas(info string) int64 {
	for line := range strings.Lines(info) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "connected_slaves:"); ok {
			count, _ := strconv.ParseInt(n, 10, 64) // 0 when it is no number
			return count
		}
	}
	return 0
}

// execute tries again, a few times, what no replica has confirmed.
func (r *redissonSynced) execute(ctx context.Context, f func() redis.Reply) redis.Reply {
	for attempt := 0; ; attempt++ {
		reply := f()
		if reply.Err != errNotSynced || attempt == redissonRetries || r.Env.Sleep(ctx, r.retryDelay(attempt)) != nil {
			return reply
		}
	}
}

// tryAcquire runs an acquire script; what no replica has confirmed is undone.
func (r *redissonSynced) tryAcquire(script func() redis.Cmd, unlock func(latch string) redis.Cmd) (redissonTry, error) {
	ctx := r.Env.Background()
	return tryResult(r.execute(ctx, func() redis.Reply {
		reply := r.syncedEval(ctx, script(), 0)
		if reply.Err == errNotSynced {
			_ = r.unlockOnce(ctx, unlock, r.newLatch()) // the error of the acquire counts
		}
		return reply
	}))
}

// tryRenewed is tryAcquire for a lock whose lease is renewed.
func (r *redissonSynced) tryRenewed(
	script func() redis.Cmd, unlock func(latch string) redis.Cmd,
) (redissonTry, error) {
	got, err := r.tryAcquire(script, unlock)
	if err == nil && got.held {
		r.scheduleRenewal()
	}
	return got, err
}

// unlocks is one hold of a lock, whose client is never notified of a loss. Its release runs an
// unlock script, under the same latch until the replicas have it.
func (r *redissonSynced) unlocks(unlock func(latch string) redis.Cmd) ReleaseFunc {
	return func(ctx context.Context) error {
		latch := r.newLatch()
		return released(r.execute(ctx, func() redis.Reply {
			reply := r.unlockOnce(ctx, unlock, latch)
			r.cancelRenewal()
			return reply
		}))
	}
}

// unlockOnce runs an unlock script. After the reply its latch is removed, in the background.
func (r *redissonSynced) unlockOnce(ctx context.Context, unlock func(latch string) redis.Cmd, latch string) redis.Reply {
	reply := r.syncedEval(ctx, unlock(latch), 0)
	if reply.Err == nil {
		r.Env.Go(r.Env.Background(), "latch", func(ctx context.Context) {
			r.resend(ctx, redissonRetries, r.retryDelay, func() redis.Reply { return r.Redis.Do(ctx, redis.Del(latch)) })
		})
	}
	return reply
}

// newLatch is the name of a key that keeps the result of one release.
func (r *redissonSynced) newLatch() string {
	return r.key("redisson_unlock_latch") + ":" + newToken(r.Env)
}

// latchTTL is how long a release may go on to be sent again, in milliseconds:
// (timeout + delay) * attempts. Redisson draws the delay; this is its longest.
func (r *redissonSynced) latchTTL() int64 {
	return max(int64(redissonRetries*(r.Timeout+r.Lease/15)/time.Millisecond), 1)
}

// unlockCmd is the release of all locks but the fair one.
func (r *redissonSynced) unlockCmd(latch string) redis.Cmd {
	return redis.EvalKeys(redissonUnlockScript, r.Name, r.channel(), latch).
		Num(unlockMessage).Num(ports.Millis(r.Lease)).Text(r.field()).Text("publish").Num(r.latchTTL())
}

// scheduleRenewal notes one more hold. All locks of a client share one timer, which
// runs on as long as one of them is held. A release does not take the timeout off
// the wheel: if the client has a lock again by then, it is renewed that early.
func (r *redissonSynced) scheduleRenewal() {
	r.holds++
	if !r.renewing {
		r.renewing = true
		r.startTimer()
	}
}

func (r *redissonSynced) startTimer() {
	if r.renewing {
		r.timer.newTimeout(&r.Deps, 1024, r.renew)
	}
}

// renew renews the lock if it is held, and runs again a third of the lease later, also after
// an error. A lock that is gone from the store is dropped silently.
func (r *redissonSynced) renew(ctx context.Context) {
	if r.holds > 0 {
		reply := r.syncedEval(ctx, redis.Eval(redissonRenewScript, r.Name).
			Num(ports.Millis(r.Lease)).Text(r.field()), redissonRetries)
		if len(reply.Elements()) == 1 && reply.Elements()[0].IsInt(0) {
			r.cancelRenewal()
		}
	}
	r.startTimer()
}

func (r *redissonSynced) cancelRenewal() {
	r.holds = max(r.holds-1, 0)
	r.renewing = r.holds > 0
}
