// Lock redlock-rb-36-in-redsync
//
// Library: github.com/go-redsync/redsync/v4
// Store: redis-nodes
// Lease: 1ms
// Bug: redlock-rb-36
//
// Idea: redsync with its option WithSetNXOnExtend: an extension that finds no key sets it again.
// What was a bug of another library is an option of this one, for servers that restart without
// their keys.
//
// Protocol:
//  1. As redsync: SET NX PX on all nodes at once, a majority, the validity.
//  2. Extend, every third of the lease: GET key equals token -> PEXPIRE, 1; else SET key token PX milliseconds NX -> 1; else 0. A majority of 1: extended. Else the lock is lost, and its holder is told.
//  3. Unlock on all nodes: GET key equals token -> DEL key, 1; else 0 or -1.
//
// Guarantees: as redlock-extend; in addition, a node that has forgotten the lock learns of it
// again.
//
// Breaks when: as redlock-extend; and the lock has run out, another client has had it and given it
// back: the first one is told that its lock was extended.
//
// Source: https://github.com/go-redsync/redsync/pull/149; the library's code at v4.18.1, scripts.go
// and mutex.go.

package libraries

import (
	"context"
	"time"

	"github.com/go-redsync/redsync/v4"

	"lockstep/internal/locks"
)

func init() {
	register(Library{
		ID: "redlock-rb-36-in-redsync", New: newRedsyncSetsAgain, Renews: "extend",
		Scripts: map[string]string{"e950836ed1e694540c503ef9972b8de518044d3b": "unlock", "b6b55c439e02c6f52ffb8be7ec8c0d0ac816ea79": "extend"},
		Owners:  map[string]int{"unlock": 1, "extend": 1},
		Texts: []string{redsyncUnlock, `
	if redis.call("GET", KEYS[1]) == ARGV[1] then
		return redis.call("PEXPIRE", KEYS[1], ARGV[2])
	elseif redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2], "NX") then
		return 1
	else
		return 0
	end
`},
	})
}

func newRedsyncSetsAgain(d Deps) (locks.Lock, error) {
	lock, err := newRedsync(d)
	if err != nil {
		return nil, err
	}
	l := lock.(*redsyncLock)
	l.options = []redsync.Option{redsync.WithSetNXOnExtend()}
	return &redsyncSetsAgain{l}, nil
}

type redsyncSetsAgain struct{ *redsyncLock }

func (l *redsyncSetsAgain) Acquire(ctx context.Context) (locks.Lease, error) {
	got, err := l.redsyncLock.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	lease := &extendedRedsyncLease{redsyncLease: got.(redsyncLease), every: l.Lease / 3}
	lease.lost, lease.tellLost = context.WithCancel(context.Background())
	extending, stop := context.WithCancel(context.Background())
	lease.stop = stop
	go lease.extend(extending)
	return lease, nil
}

// extendedRedsyncLease is a lock that the application extends until it gives it back.
type extendedRedsyncLease struct {
	redsyncLease
	every    time.Duration
	lost     context.Context
	tellLost context.CancelFunc
	stop     context.CancelFunc
}

func (l *extendedRedsyncLease) Lost() context.Context { return l.lost }

func (l *extendedRedsyncLease) extend(ctx context.Context) {
	ticks := time.NewTicker(l.every)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if ok, _ := l.mutex.ExtendContext(ctx); !ok && ctx.Err() == nil {
			l.tellLost()
			return
		}
	}
}

func (l *extendedRedsyncLease) Release(ctx context.Context) error {
	l.stop()
	return l.redsyncLease.Release(ctx)
}
