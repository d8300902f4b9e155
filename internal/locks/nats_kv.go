// Lock nats-kv
//
// Idea: a key in a bucket of NATS JetStream. The bucket drops a key that has not been written for a
// lease, so the holder writes it again and again; each write is compared with the number of the one
// before.
//
// Protocol:
//  1. CREATE lock: written where nothing is; its revision is the token.
//  2. Refused, or no answer: GET lock. A marker of a deletion: CREATE lock LAST its revision. Else it is taken:
//     try again later.
//  3. Every third of the lease in the background: UPDATE lock LAST the revision of the client's last write. Refused,
//     or a whole lease without a success: the lock is lost.
//  4. To release: stop 3 and wait for its answer, then DELETE lock LAST that revision.
//
// Guarantees: one holder while the lease lasts; a dead client's lock is free after a lease and a
// third of a second; a release and a renewal are refused when another client has written, so they
// touch the client's own entry or none; the client learns of its loss; the state survives the death
// of a minority of the servers; tokens grow.
//
// Breaks when: the holder freezes for longer than a lease: the next one gets in, and only a
// resource that compares tokens keeps the two apart. One lost answer to a renewal loses the lock:
// the client no longer knows the last revision, so its own write refuses the next one, and its
// release; the key stays for a lease. A lost answer to 1 leaves a key that its own client waits
// for. Waiting clients ask again and again.
//
// Source: NATS documentation, key-value store; ADR-8; nats.go 1.52, jetstream/kv.go (Create,
// Update, Delete with LastRevision).

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/nats"
)

func init() {
	Register(Variant{
		ID: "nats-kv", Store: nats.ID, LeaseUnit: time.Millisecond, Watchdog: true,
		New: func(d Deps) Lock { return &natsKV{d, nats.Client{Port: d.Port}} },
	})
}

type natsKV struct {
	Deps
	kv nats.Client
}

func (l *natsKV) Acquire(ctx context.Context) (Lease, error) {
	return spin(ctx, &l.Deps, func() (Lease, error) {
		sent := l.Env.Mono()
		made, err := l.kv.Create(ctx, l.Name, l.Owner)
		switch {
		case nats.Held(err):
			return nil, nil
		case err != nil:
			return nil, err
		}
		lease := &natsLease{natsKV: l, last: made}
		lease.token = int64(made) // the stream's sequence, which never goes back
		lease.start(&l.Deps, sent, lease.renew)
		return lease, nil
	})
}

// natsLease is a key that its client has written last at a revision.
type natsLease struct {
	watchdog
	*natsKV
	last nats.Revision
}

// renew writes the key again. A write that is under way when the watchdog is stopped gets its
// answer all the same: without it the revision to delete would be unknown.
func (l *natsLease) renew(context.Context) (renewed, answered bool) {
	ctx, done := l.Env.WithTimeout(l.Env.Background(), l.until-l.Env.Mono())
	defer done()
	last, err := l.kv.Write(ctx, nats.Write{What: nats.Update, Key: l.Name, Value: l.Owner, Last: l.last})
	if err == nil {
		l.last = last
	}
	return err == nil, err == nil || nats.Held(err)
}

func (l *natsLease) Release(ctx context.Context) error {
	l.stop()
	if err := l.task.Join(ctx); err != nil {
		return err
	}
	_, err := l.kv.Write(ctx, nats.Write{What: nats.Delete, Key: l.Name, Last: l.last})
	if nats.Held(err) {
		return ErrNotHeld
	}
	return err
}
