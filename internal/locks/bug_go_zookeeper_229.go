// Lock go-zookeeper-229
//
// Idea: an attempt that fails after its node was made leaves the node behind. The session lives on,
// and with it the node: the client's next attempt waits behind itself.
//
// Protocol:
//  1. create /lock/_c_GUID-lock- EPHEMERAL SEQUENTIAL; after a lost connection look for the GUID first.
//  2. children of /lock; its own number is the lowest: the lock is held. Else watch
//     the next lower one, and repeat.
//  3. A connection that is lost in 2 is an error, and the node is forgotten. The fixed form deletes it in the background.
//  4. To release: delete its own node.
//
// Guarantees: as zk-sequential, but the holder is not notified of a loss.
//
// Breaks when: the answer to children is lost while the session survives: the node stays in the
// queue until the process ends, and no client behind it gets in, not even its own.
//
// Source: https://github.com/samuel/go-zookeeper/issues/229 and pull request 237; go-zookeeper/zk,
// lock.go.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/zookeeper"
)

func init() {
	registerBug(Variant{
		ID: "go-zookeeper-229", Store: zookeeper.ID, LeaseUnit: time.Millisecond,
		Bug: &Bug{Library: "go-zookeeper/zk", Has: "as of February 2020, and in v1.0.4", Issue: "https://github.com/samuel/go-zookeeper/issues/229"},
		New: func(d Deps) Lock { return &goZooKeeper{zkQueue: zkQueue{zkClient{Deps: d}}} },
	}, func(d Deps) Lock { return &goZooKeeper{zkQueue: zkQueue{zkClient{Deps: d}}, clearsAway: true} })
}

type goZooKeeper struct {
	zkQueue
	clearsAway bool // the node of an attempt that has failed
}

func (l *goZooKeeper) Acquire(ctx context.Context) (Lease, error) {
	session, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	place := &zkPlace{prefix: "_c_" + newToken(l.Env) + "-lock-", session: session}
	err = l.advance(ctx, place)
	for err == ports.ErrConnection && place.unsure { // the library looks for its node
		if err = l.connected(ctx, session); err == nil {
			err = l.advance(ctx, place)
		}
	}
	if err == nil {
		return ReleaseFunc(func(ctx context.Context) error { return l.release(ctx, place) }), nil
	}
	if l.clearsAway {
		l.Env.Go(l.Env.Background(), "clear away", func(ctx context.Context) { _ = l.remove(ctx, place) })
	}
	return nil, err
}

func (l *goZooKeeper) release(ctx context.Context, place *zkPlace) error {
	err := l.removeOnce(ctx, place)
	if err == zookeeper.ErrSessionExpired {
		return ErrNotHeld
	}
	return err
}
