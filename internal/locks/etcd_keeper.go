package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/etcd"
)

// etcdKeeper keeps a lease of etcd alive as its client library does: it asks for a renewal at once
// and then after every third of the lease, again and again until an answer has come, and ends when
// the cluster says that the lease is gone, or when it has not answered for the length of the lease.
//
// The library hands its answers to the application over a channel with 16 places
// and closes that at the end. Here lost is the closed channel, and taken answers
// are not kept: the library drops unread answers and goes on renewing.
//
// Source: etcd client/v3, lease.go (sendKeepAliveLoop, recvKeepAlive, deadlineLoop).
type etcdKeeper struct {
	*Deps
	lease    etcd.Lease
	next     time.Duration // when to ask for the next renewal, on the monotonic clock
	deadline time.Duration // when the lease counts as lost without an answer
	answered bool          // at least once
	news     ports.Signal  // of the first answer, and of the loss
	lost     context.Context
	tellLost context.CancelFunc
	ctx      context.Context // of the renewals
	stop     context.CancelFunc
}

// The library's times, for a lease of ten seconds or more. Shorter leases get
// shorter ones, or a lease of one second would be renewed too late.
const (
	etcdSendLoop     = 500 * time.Millisecond // between two looks whether a renewal is due
	etcdDeadlineLoop = time.Second            // between two looks whether the deadline is over
	etcdFirstAnswer  = 6 * time.Second        // the dial timeout, 5 s in the document, and 1 s
	etcdUsualLease   = 10 * time.Second
)

// forLease is one of the library's times for a lease.
func forLease(d, lease time.Duration) time.Duration {
	if lease >= etcdUsualLease {
		return d
	}
	return d * lease / etcdUsualLease
}

// etcdKeepAlive starts a keeper.
func etcdKeepAlive(d *Deps, lease etcd.Lease) *etcdKeeper {
	now := d.Env.Mono()
	k := &etcdKeeper{
		Deps: d, lease: lease, news: d.Env.NewSignal(),
		next: now, deadline: now + forLease(etcdFirstAnswer, lease.TTL),
	}
	k.lost, k.tellLost = d.Env.WithCancel(d.Env.Background())
	k.ctx, k.stop = d.Env.WithCancel(d.Env.Background())
	d.Env.Go(k.ctx, ports.Watchdog, k.send)
	d.Env.Go(k.ctx, "keep-alive deadline", k.watchDeadline)
	return k
}

// send asks for a renewal whenever one is due. It does not wait for the answer:
// the library's requests and answers go over a stream.
func (k *etcdKeeper) send(ctx context.Context) {
	for {
		if k.lost.Err() == nil && k.next <= k.Env.Mono() {
			k.Env.Go(ctx, ports.Watchdog, k.renew)
		}
		if k.Env.Sleep(ctx, forLease(etcdSendLoop, k.lease.TTL)) != nil || k.lost.Err() != nil {
			return
		}
	}
}

// renew sends one request and takes its answer.
func (k *etcdKeeper) renew(ctx context.Context) {
	ttl, err := k.etcd().KeepAlive(ctx, k.lease.ID)
	switch {
	case k.lost.Err() != nil:
	case errors.Is(err, etcd.ErrLeaseNotFound):
		k.lose()
	case err == nil:
		now := k.Env.Mono()
		k.next, k.deadline, k.answered = now+ttl/3, now+ttl, true
		k.news.Notify()
	}
}

// watchDeadline gives the lease up when no answer has come for too long.
func (k *etcdKeeper) watchDeadline(ctx context.Context) {
	for k.Env.Sleep(ctx, forLease(etcdDeadlineLoop, k.lease.TTL)) == nil {
		if k.deadline < k.Env.Mono() {
			k.lose()
		}
		if k.lost.Err() != nil {
			return
		}
	}
}

func (k *etcdKeeper) lose() {
	k.tellLost()
	k.news.Notify()
}

// etcd is the cluster as the library has it.
func (d *Deps) etcd() etcd.Client { return etcd.Client{Port: d.Port} }
