package locks

import (
	"cmp"
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

// watchdog is a lease that is renewed in the background, every third of its length unless the
// story says otherwise. Its client is told when it is lost: when the store says so, or when the
// lease has run out on the client's own clock without a success.
type watchdog struct {
	attended
	deps  *Deps
	renew renewal
	until time.Duration // the local time at which the lease runs out unless a renewal succeeds before
}

// renewal asks the store once to renew. The lease is lost when the store has answered and not
// renewed.
type renewal func(ctx context.Context) (renewed, answered bool)

// renewedBy is a new lease, whose renewal is answered by 1 when it has renewed and by any other
// number when the lease is lost. sent is when the command that created the entry was sent, on the
// client's monotonic clock: the latest instant from which the lease can safely be counted.
func renewedBy(d *Deps, command redis.Cmd, sent time.Duration, release ReleaseFunc) *watchdog {
	w := &watchdog{attended: *attendedBy(release)}
	w.start(d, sent, func(ctx context.Context) (renewed, answered bool) {
		reply := d.Redis.Do(ctx, command)
		return reply.IsInt(1), reply.Err == nil
	})
	return w
}

// start starts the watchdog of a new lease.
func (w *watchdog) start(d *Deps, sent time.Duration, renew renewal) {
	w.deps, w.renew, w.until = d, renew, sent+d.Lease
	w.attend(d.Env, ports.Watchdog, w.watch)
}

// watch renews until it is stopped.
func (w *watchdog) watch(ctx context.Context) {
	env, lease, every := w.deps.Env, w.deps.Lease, w.deps.renewal()
	for {
		if env.Sleep(ctx, min(every, w.until-env.Mono())) != nil {
			return
		}
		sent := env.Mono()
		if sent >= w.until {
			// Ask once more: after a pause only the store knows who has the lock.
			w.until = sent + lease/3
		}
		patient, done := env.WithTimeout(ctx, w.until-sent)
		renewed, answered := w.renew(patient)
		done()
		switch {
		case ctx.Err() != nil:
			return
		case renewed:
			w.until = sent + lease
		case answered || env.Mono() >= w.until:
			w.tellLost()
			return
		}
	}
}

// renewal is how often a watchdog renews.
func (d *Deps) renewal() time.Duration { return cmp.Or(d.Renew, d.Lease/3) }
