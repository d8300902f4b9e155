// Lock rueidislock
//
// Library: github.com/redis/rueidis/rueidislock
// Store: redis
// Lease: 1ms
//
// Idea: a lock that renews itself and tells its holder, by the end of a context, when
// it is lost; waiting clients do not poll but are told by the server (client-side
// caching) when the key changes. It is used as its README says for one Redis: with one
// key (KeyMajority 1), and without news of the client's own changes (NoLoopTracking).
//
// Protocol:
//  1. EVALSHA acquire: SET rueidislock:0:key token NX PXAT deadline -> OK, and GET key, so that the server tells of its next change. The deadline is the client's own wall clock and the lease. Without an answer after 20 ms (TryNextAfter): EVALSHA delete.
//  2. Else wait for an invalidation message, and try again.
//  3. Every half of the lease, and whenever another client is said to have changed the key: EVALSHA extend: GET key equals token -> PEXPIREAT key deadline, GET key, 1; else 0. A key that is lost ends the holder's context.
//  4. To release: EVALSHA delete: GET key equals token -> DEL key, 1; else 0. The library says nothing of the answer.
//
// Guarantees: mutual exclusion while every holder's process runs and reaches the server; slow work
// does not lose the lock; a holder whose entry is gone is told as soon as its process runs and the
// server is reached, by an invalidation or by the next renewal.
//
// Breaks when: the holder's process stands still for longer than its lease: the renewal stands
// still with it, and what it is told on waking may come after its write. A failover that forgets
// the entry lets a second client in; the three keys that are its default would be on the same
// server, so they do not help. A client whose clock is behind by more than the lease asks for a key
// that is over when it is made. A hung worker keeps the lock for ever. A client that tries while no
// primary answers waits for news of a key that a new primary may never have had. An answer later
// than TryNextAfter has a client delete its key, of which NOLOOP tells it nothing, and then wait
// beside a free lock for ever (seen on a real server through a 24 ms link). That is the D of most
// columns: a variation may take 20 ms each way, and in 600 runs with 9 ms at most no client was
// stuck. Without NoLoopTracking, which is the default, each renewal brings news of itself and so
// the next one: one held lock costs a redis-server ten thousand renewals a second (47,264 EVALSHA
// in 5 s; 2 as it is used here).
//
// Source: the library's README and code at v1.0.79, rueidislock/lock.go.

package libraries

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"lockstep/internal/locks"
)

func init() {
	register(Library{
		ID: "rueidislock", New: newRueidislock, Renews: "extend", OwnKeys: true,
		Scripts: map[string]string{
			"3875d208d9e377969d2022550302cc83ad17b584": "acquire",
			"852ba6ec6104340ced36643283c856d4698569e4": "extend",
			"9eb62214c9af87ae5f9a9f12bb4520281c0d2ae1": "delete",
		},
		Texts: []string{
			`local r = redis.call("SET",KEYS[1],ARGV[1],"NX","PXAT",ARGV[2]);redis.call("GET",KEYS[1]);return r`,
			`if redis.call("GET",KEYS[1]) == ARGV[1] then local r = redis.call("PEXPIREAT",KEYS[1],ARGV[2]);redis.call("GET",KEYS[1]);return r end;return 0`,
			`if redis.call("GET",KEYS[1]) == ARGV[1] then return redis.call("DEL",KEYS[1]) end;return 0`,
		},
	})
}

func newRueidislock(d Deps) (locks.Lock, error) {
	options := rueidis.ClientOption{
		InitAddress: d.Addrs, Dialer: net.Dialer{Timeout: d.Timeout}, ConnWriteTimeout: d.Timeout,
		DialCtxFn: func(ctx context.Context, addr string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
			return d.Dial(ctx, "tcp", addr)
		},
	}
	if len(d.Sentinels) > 0 {
		options.InitAddress, options.Sentinel.MasterSet = d.Sentinels, d.Primary
	}
	locker, err := rueidislock.NewLocker(rueidislock.LockerOption{
		ClientOption: options, KeyValidity: d.Lease,
		KeyMajority:    1,    // for one Redis, says the README: three keys on one server are no majority of anything
		NoLoopTracking: true, // else each renewal is followed by the next one at once
	})
	if err != nil {
		return nil, err
	}
	d.closes(locker.Close)
	return &rueidisLock{d, locker}, nil
}

type rueidisLock struct {
	Deps
	locker rueidislock.Locker
}

// Acquire waits with the library's own means. Its patience is not handed on: the end
// of the context that the library is given would also be that of the lock.
func (l *rueidisLock) Acquire(ctx context.Context) (locks.Lease, error) {
	waiting, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, giveUp)
	held, release, err := l.locker.WithContext(waiting, l.Name)
	if !stop() && err == nil { // it has come too late for its caller
		release()
		err = ctx.Err()
	}
	if err != nil {
		giveUp()
		return nil, failure(ctx, err)
	}
	return &rueidisLease{held: held, release: release, end: giveUp}, nil
}

type rueidisLease struct {
	held    context.Context // ends when the library says that the lock is lost
	release context.CancelFunc
	end     context.CancelFunc // frees the context that the library was given
}

// Release returns when the library has asked the server to delete its keys. What the server said it
// keeps to itself, so a release counts as done unless the library had reported the loss before.
func (l *rueidisLease) Release(context.Context) error {
	lost := l.held.Err() != nil
	l.release()
	l.end()
	if lost {
		return locks.ErrNotHeld
	}
	return nil
}

func (l *rueidisLease) Lost() context.Context { return l.held }
func (l *rueidisLease) Token() int64          { return 0 }
