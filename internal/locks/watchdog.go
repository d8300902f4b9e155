package locks

import (
	"context"
	"time"

	"lockstep/internal/world"
)

// watchdog is the part of a lease that renews it in the background, every third of
// its length, and tells the client when it is lost: when the store says so, or
// when the lease has run out on the client's own clock without a success.
type watchdog struct {
	deps     *Deps
	renewal  world.Cmd // answered by 1 when it has renewed; any other number: the lease is lost
	lost     context.Context
	tellLost context.CancelFunc
	stop     context.CancelFunc
}

// newWatchdog starts the watchdog of a new lease. sent is when the command that
// created the entry was sent, on the client's monotonic clock: the latest instant
// from which the lease can safely be counted.
func newWatchdog(d *Deps, renewal world.Cmd, sent time.Duration) *watchdog {
	w := &watchdog{deps: d, renewal: renewal}
	w.lost, w.tellLost = d.Env.WithCancel(d.Env.Background())
	ctx, stop := d.Env.WithCancel(d.Env.Background())
	w.stop = stop
	d.Env.Go(ctx, world.Watchdog, func(ctx context.Context) { w.watch(ctx, sent+d.Lease) })
	return w
}

// Lost is Lease.Lost.
func (w *watchdog) Lost() context.Context { return w.lost }

// watch renews until it is stopped. until is the local time at which the lease
// runs out unless a renewal succeeds before.
func (w *watchdog) watch(ctx context.Context, until time.Duration) {
	env, lease := w.deps.Env, w.deps.Lease
	for {
		if env.Sleep(ctx, min(lease/3, until-env.Mono())) != nil {
			return
		}
		sent := env.Mono()
		if sent >= until {
			// Ask once more: after a pause it is the store that knows.
			until = sent + lease/3
		}
		reply := w.renew(ctx, until-sent)
		switch {
		case ctx.Err() != nil:
			return
		case reply.IsInt(1):
			until = sent + lease
		case reply.Err == nil || env.Mono() >= until:
			w.tellLost()
			return
		}
	}
}

func (w *watchdog) renew(ctx context.Context, patience time.Duration) world.Reply {
	ctx, cancel := w.deps.Env.WithTimeout(ctx, patience)
	defer cancel()
	return w.deps.Redis.Do(ctx, w.renewal)
}
