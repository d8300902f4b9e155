// Lock consul-session
//
// Idea: a key that a session locks. The client keeps the session alive; when it ends
// without a release, Consul gives the lock to no client for a while, the lock delay, so
// that a holder that has not noticed can finish.
//
// Protocol:
//  1. SESSION with the lease as its time to live (at least 10 s), a lock delay of 15 s
//     and the behavior "release"; RENEW it in the background every half of that time,
//     every second after an error, and give up when none has worked for that whole time.
//  2. GET lock. While a session has locked it, GET again as a blocking query with the index of the last answer, 15 s at a time.
//  3. ACQUIRE lock for the session: true: held. False: GET lock; if a session has it now, go back to 2, else a lock delay lasts: wait 5 s and go back to 2.
//  4. GET lock: with its own session in it, its modify index is the token. From then
//     on a blocking query watches it: another session or none, or an error, and the lock
//     is lost.
//  5. To release: RELEASE lock, then DESTROY the session. A client that gives up destroys its session, too.
//
// Guarantees: one holder while its session lasts and, for a holder that is done within the lock
// delay, after it; a dead client's lock is free after twice its time to live and the lock delay; a
// client that runs and reaches the cluster learns of its loss; the state survives the death of a
// minority of the servers; tokens grow.
//
// Breaks when: the holder freezes for longer than twice its time to live and the lock delay. Or it
// is cut off for that long: its blocking query is quiet then, not broken, and the library does not
// look at what became of its renewals. A lost connection to a healthy server, on the other hand,
// ends a hold at once. When the reply to 3 is lost, the session is destroyed with the lock in it,
// and no client gets the lock before the delay is over.
//
// Source: Consul api/lock.go, api/session.go, version 1.21; Consul's page on sessions (lock delay).

package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/consul"
)

func init() {
	Register(Variant{
		ID: "consul-session", Store: consul.ID, LeaseUnit: time.Millisecond, KeptFor: consulKeptFor,
		New: func(d Deps) Lock { return newConsulSession(d) },
	})
}

// The library's times, in its seconds (consul.Second). consulWatch is how long Consul keeps
// a blocking query that does not say.
const (
	consulMinTTL     = 10
	consulLockDelay  = 15
	consulWait       = 15
	consulWatch      = 300
	consulRetry      = 5
	consulRenewAgain = 1
)

// errConsulHeld is the library's error for a client that already has the lock.
var errConsulHeld = errors.New("consul: lock already held")

type consulSession struct {
	Deps
	consul consul.Client
	second time.Duration // see consul.Second
	held   bool
}

func newConsulSession(d Deps) *consulSession {
	return &consulSession{Deps: d, consul: consul.Client{Port: d.Port}, second: consul.Second(d.Settings)}
}

// consulLease is a session that has locked the key.
type consulLease struct {
	*consulSession
	attended // until the release, which the watch sees
	session  string
	index    int64              // of the key's last change that the client has seen
	renewing context.CancelFunc // ends the renewals
}

func (l *consulSession) Acquire(ctx context.Context) (Lease, error) {
	if l.held {
		return nil, errConsulHeld
	}
	session, err := l.consul.CreateSession(ctx, l.ttl(), consulLockDelay*l.second, false)
	if err != nil {
		return nil, err
	}
	renewing, stop := l.Env.WithCancel(l.Env.Background())
	l.Env.Go(renewing, ports.Watchdog, func(ctx context.Context) { l.renew(ctx, session) })
	kv, err := l.lock(ctx, session)
	if err != nil {
		stop()
		_ = l.consul.DestroySession(l.Env.Background(), session)
		return nil, err
	}
	l.held = true
	lease := &consulLease{consulSession: l, session: session, index: kv.Index, renewing: stop}
	// The token is the key's modify index, not the lock index of the library's sequencer:
	// that starts over when the key is deleted, which a session with the behavior
	// "delete" or an operator does, and would let an old holder pass a fence. The
	// modify index comes from the cluster's log, which never goes back.
	lease.token = kv.ModifyIndex
	lease.attend(l.Env, "monitor", lease.watch)
	return lease, nil
}

// ttl is a session's time to live.
func (l *consulSession) ttl() time.Duration { return max(l.Lease, consulMinTTL*l.second) }

// consulKeptFor is how long the lock of a session lasts that is not renewed. Consul ends a session
// between its time to live and twice that (sessions.mdx, "TTL"), and then the lock delay begins.
func consulKeptFor(lease time.Duration) time.Duration {
	return 2*max(lease, consulMinTTL*time.Second) + consulLockDelay*time.Second
}

// renew keeps a session alive until ctx ends or the session has.
func (l *consulSession) renew(ctx context.Context, session string) {
	ttl := l.ttl()
	renewed, wait := l.Env.Mono(), ttl/2
	for l.Env.Mono()-renewed <= ttl && l.Env.Sleep(ctx, wait) == nil {
		switch err := l.consul.RenewSession(ctx, session); {
		case errors.Is(err, consul.ErrNoSession):
			return
		case err != nil:
			wait = consulRenewAgain * l.second
		default:
			renewed, wait = l.Env.Mono(), ttl/2
		}
	}
}

// lock waits until the session has locked the key, and returns the key.
func (l *consulSession) lock(ctx context.Context, session string) (consul.KV, error) {
	for seen := int64(0); ; {
		kv, err := l.consul.Get(ctx, l.Name, seen, consulWait*l.second)
		if err == nil && kv.Session == "" {
			if _, err := l.consul.Acquire(ctx, l.Name, l.Owner, session); err != nil {
				return kv, err
			}
			kv, err = l.consul.Get(ctx, l.Name, 0, 0)
		}
		if err != nil || kv.Session == session {
			return kv, err
		}
		seen = kv.Index
		if kv.Session == "" {
			seen = 0
			if err := l.Env.Sleep(ctx, consulRetry*l.second); err != nil {
				return kv, err
			}
		}
	}
}

// watch tells the client when it no longer has the lock, or cannot know. The client's own
// release ends it at the latest.
func (l *consulLease) watch(ctx context.Context) {
	for {
		kv, err := l.consul.Get(ctx, l.Name, l.index, consulWatch*l.second)
		if err != nil || kv.Session != l.session {
			l.tellLost()
			return
		}
		l.index = kv.Index
	}
}

func (l *consulLease) Release(ctx context.Context) error {
	l.held = false
	released, err := l.consul.Release(ctx, l.Name, l.Owner, l.session)
	l.renewing()
	_ = l.consul.DestroySession(ctx, l.session)
	switch {
	case err != nil:
		return err
	case !released:
		return ErrNotHeld
	}
	return nil
}
