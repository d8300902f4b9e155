// Lock consul-18271
//
// Idea: the library knows that its renewals fail, and does not say so. It waits for the answer to a
// blocking query, which does not come for minutes when packets are dropped.
//
// Protocol:
//  1. As consul-session: SESSION, RENEW every half of its time to live; ACQUIRE; a blocking query watches the key.
//  2. Its answer, or its error, is what tells the holder. A renewal without an answer is repeated, and given up silently after the time to live.
//     The fixed form tells the holder when no renewal has worked for the whole of it.
//
// Guarantees: as consul-session, which is written from the same code.
//
// Breaks when: the holder is cut off for longer than twice the time to live and the lock delay: the
// next one gets the lock, and the first one has not been notified.
//
// Source: https://github.com/hashicorp/consul/issues/18271; api/lock.go, monitorLock, and
// api/session.go, RenewPeriodic.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/consul"
)

func init() {
	registerBug(Variant{
		ID: "consul-18271", Store: consul.ID, LeaseUnit: time.Millisecond,
		Bug: &Bug{Library: "Consul api.Lock", Has: "as of July 2023", Issue: "https://github.com/hashicorp/consul/issues/18271"},
		New: func(d Deps) Lock { return newConsulSession(d) },
	}, func(d Deps) Lock { return &consulTold{*newConsulSession(d)} })
}

type consulTold struct{ consulSession }

func (l *consulTold) Acquire(ctx context.Context) (Lease, error) {
	got, err := l.consulSession.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	lease := got.(*consulLease)
	watch, stop := l.Env.WithCancel(l.Env.Background())
	l.Env.Go(watch, "renewals", func(ctx context.Context) { l.tell(ctx, lease) })
	return &consulToldLease{lease, stop}, nil
}

// tell tells the holder when no renewal has worked for the session's time to live.
func (l *consulTold) tell(ctx context.Context, lease *consulLease) {
	until := l.Env.Mono() + l.ttl()
	for l.Env.Sleep(ctx, min(l.ttl()/2, max(until-l.Env.Mono(), 0))) == nil {
		asked := l.Env.Mono()
		patient, cancel := l.Env.WithTimeout(ctx, max(until-asked, 0))
		err := l.consul.RenewSession(patient, lease.session)
		cancel()
		switch {
		case err == nil:
			until = asked + l.ttl()
		case ctx.Err() == nil && l.Env.Mono() >= until:
			lease.tellLost()
			return
		}
	}
}

type consulToldLease struct {
	*consulLease
	stop context.CancelFunc // of the look at the renewals
}

func (l *consulToldLease) Release(ctx context.Context) error {
	l.stop()
	return l.consulLease.Release(ctx)
}
