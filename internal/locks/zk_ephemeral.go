// Lock zk-ephemeral
//
// Idea: the client that has created one certain node holds the lock. The node is
// ephemeral: it goes with the session of its creator, so the lock needs no expiry.
//
// Protocol:
//  1. create /lock EPHEMERAL; created: the lock is held.
//  2. Node exists: exists /lock with a watch. When the watch fires, all who wait begin again at 1.
//  3. The client library keeps the session alive with heartbeats.
//  4. delete /lock, whatever its version; in a new session when the old one has expired meanwhile.
//
// Guarantees: one holder for as long as the session of each holder lives; a crash frees the lock
// after the session timeout. Nothing tells a client that its session has expired; the number of the
// transaction that created /lock (czxid) would be a fencing token, but is not read.
//
// Breaks when: the holder freezes or is cut off for longer than the session timeout, and goes on: a
// second client gets in. Its delete then takes away the node of the second one, since it names a
// path, not a node; a version does not help, since every fresh node has version 0. A lost reply of
// create leaves a node that the living session keeps for ever, and its own client waits behind it.
// A delete that is repeated because its reply was lost hits the node of the next one; one that is
// not repeated may leave the node. Every release wakes all who wait.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 379-409.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/zookeeper"
)

func init() {
	Register(Variant{
		ID: "zk-ephemeral", Store: zookeeper.ID, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &zkEphemeral{zkClient{Deps: d}} },
	})
}

type zkEphemeral struct{ zkClient }

func (l *zkEphemeral) path() string { return "/" + l.Name }

func (l *zkEphemeral) Acquire(ctx context.Context) (Lease, error) {
	session, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	for {
		_, err := session.Create(ctx, l.path(), "", zookeeper.Ephemeral)
		if err == nil {
			return ReleaseFunc(l.release), nil
		}
		if err != zookeeper.ErrNodeExists {
			return nil, err
		}
		if err := waitGone(ctx, session, l.path()); err != nil {
			return nil, err
		}
	}
}

func (l *zkEphemeral) release(ctx context.Context) error {
	session, err := l.open(ctx)
	if err != nil {
		return err
	}
	return deleteNode(ctx, session, l.path())
}
