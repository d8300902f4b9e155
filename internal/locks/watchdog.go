package locks

import (
	"cmp"
	"context"
	"time"

	"lockstep/internal/world"
)

// watchdog is the part of a lease that renews it in the background, every third of
// its length unless the story says otherwise, and tells the client when it is lost: when the store says so, or
// when the lease has run out on the client's own clock without a success.
type watchdog struct {
	deps     *Deps
	renewal  world.Cmd     // answered by 1 when it has renewed; any other number: the lease is lost
	until    time.Duration // the local time at which the lease runs out unless a renewal succeeds before
	lost     context.Context
	tellLost context.CancelFunc
	stop     context.CancelFunc
}

// start starts the watchdog of a new lease. sent is when the command that created the
// entry was sent, on the client's monotonic clock: the latest instant from which the
// lease can safely be counted.
func (w *watchdog) start(d *Deps, renewal world.Cmd, sent time.Duration) {
	w.deps, w.renewal, w.until = d, renewal, sent+d.Lease
	w.lost, w.tellLost = d.Env.WithCancel(d.Env.Background())
	ctx, stop := d.Env.WithCancel(d.Env.Background())
	w.stop = stop
	d.Env.Go(ctx, world.Watchdog, w.watch)
}

// Lost is Lease.Lost.
func (w *watchdog) Lost() context.Context { return w.lost }

// watch renews until it is stopped.
func (w *watchdog) watch(ctx context.Context) {
	env, lease, every := w.deps.Env, w.deps.Lease, w.deps.renewal()
	for {
		if env.Sleep(ctx, min(every, w.until-env.Mono())) != nil {
			return
		}
		sent := env.Mono()
		if sent >= w.until {
			// Ask once more: after a pause it is the store that knows.
			w.until = sent + lease/3
		}
		reply := w.renew(ctx, w.until-sent)
		switch {
		case ctx.Err() != nil:
			return
		case reply.IsInt(1):
			w.until = sent + lease
		case reply.Err == nil || env.Mono() >= w.until:
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

// renewal is how often a watchdog renews.
func (d *Deps) renewal() time.Duration { return cmp.Or(d.Renew, d.Lease/3) }
