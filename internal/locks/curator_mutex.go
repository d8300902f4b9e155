// Lock curator-mutex
//
// Idea: the queue of zk-sequential as a library for applications: the client that holds the lock
// may take it again, and a node that is no longer needed is certain to be deleted.
//
// Protocol:
//  1. A client that holds counts one more, without a request.
//  2. create /lock/_c_GUID-lock- EPHEMERAL SEQUENTIAL; the server appends the number. (The first client ever creates /lock before.)
//  3. children of /lock; its own node is missing: go to 2; its number is the lowest:
//     the lock is held.
//  4. exists, with a watch, the node with the next lower number; there is none, or the watch fires: go to 3.
//  5. release: count one less; at 0, delete its own node. If the connection is lost,
//     that is an error, and a task goes on deleting in the background until a server has
//     answered. After a lost connection, 2 looks for the GUID among the children of /lock
//     first.
//
// Guarantees: as zk-sequential; in addition, a client that gives up or whose release fails
// leaves no node behind for ever. There is no fencing token in the library; the czxid
// of the node would be one.
//
// Breaks when: as zk-sequential. The count is local: after the session is lost, a
// client that takes the lock again gets it at once although it has no node. It has
// to stop when it is told that its connection is suspended or lost.
//
// Source: Apache Curator, InterProcessMutex, LockInternals and StandardLockInternalsDriver; "Error
// Handling". The retry policy is that of the caller's context, and exists stands for Curator's
// getData, which leaves no watch behind when there is no node.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/zookeeper"
)

func init() {
	Register(Variant{
		ID: "curator-mutex", Store: zookeeper.ID, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &curatorMutex{zkQueue: zkQueue{zkClient{Deps: d}}} },
	})
}

type curatorMutex struct {
	zkQueue
	held *curatorLease // nil when this client does not hold the lock
}

func (l *curatorMutex) Acquire(ctx context.Context) (Lease, error) {
	if l.held != nil {
		l.held.count++
		return l.held, nil
	}
	place := &zkPlace{prefix: "_c_" + newToken(l.Env) + "-lock-"}
	if err := l.stand(ctx, place); err != nil {
		if place.session != nil {
			l.guarantee(place)
		}
		return nil, err
	}
	l.held = &curatorLease{mutex: l, place: place, count: 1}
	l.held.attendSession(l.Env, place.session)
	return l.held, nil
}

// guarantee deletes a node in the background.
func (l *curatorMutex) guarantee(p *zkPlace) {
	l.Env.Go(l.Env.Background(), "guaranteed delete", func(ctx context.Context) {
		_ = l.remove(ctx, p) // it ends when the node is gone
	})
}

// curatorLease is the lease of one client, however often it has taken the lock.
type curatorLease struct {
	attended
	mutex *curatorMutex
	place *zkPlace
	count int
}

func (l *curatorLease) Release(ctx context.Context) error {
	if l.count > 1 {
		l.count--
		return nil
	}
	if l.mutex.held != l {
		return ErrNotHeld
	}
	l.mutex.held = nil
	l.stop()
	err := l.mutex.removeOnce(ctx, l.place)
	switch err {
	case ports.ErrConnection:
		l.mutex.guarantee(l.place)
	case zookeeper.ErrSessionExpired:
		return ErrNotHeld
	}
	return err
}
