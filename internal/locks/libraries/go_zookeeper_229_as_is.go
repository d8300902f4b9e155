// Lock go-zookeeper-229-as-is
//
// Library: github.com/go-zookeeper/zk
// Store: zookeeper
// Lease: 1ms
// Bug: go-zookeeper-229
//
// Idea: the Lock of the library itself: an attempt that loses its connection after its node was
// made leaves the node behind.
//
// Protocol:
//  1. create /lock/_c_GUID-lock- EPHEMERAL SEQUENTIAL (the parent before, the first time).
//  2. children of /lock; the own number is the lowest: the lock is held. Else get the next lower one with a watch, wait, and repeat.
//  3. A connection that is lost in 2 is an error of Lock, and the path of the node is forgotten.
//  4. delete the own node.
//
// Guarantees: first come, first served, while no connection is lost.
//
// Breaks when: the connection is lost in step 2 and the session survives on the next one: the node
// stays in the queue for as long as the process lives, and every later attempt of the same client
// waits behind it.
//
// Source: https://github.com/samuel/go-zookeeper/issues/229; the library's code at v1.0.4, lock.go.

package libraries

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/go-zookeeper/zk"

	"lockstep/internal/locks"
)

func init() {
	register(Library{ID: "go-zookeeper-229-as-is", New: newGoZooKeeper, OwnKeys: true, Untapped: true})
}

func newGoZooKeeper(d Deps) (locks.Lock, error) {
	conn, events, err := zk.Connect(d.Addrs, d.Lease, zk.WithLogger(silentZK{}), zk.WithLogInfo(false),
		zk.WithDialer(func(network, address string, timeout time.Duration) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			defer cancel()
			return d.Dial(ctx, network, address)
		}))
	if err != nil {
		return nil, err
	}
	late := time.After(connectTime)
	for {
		select {
		case event := <-events:
			if event.State == zk.StateHasSession {
				return &goZooKeeper{d, conn}, nil
			}
		case <-late:
			conn.Close()
			return nil, fmt.Errorf("no server of ZooKeeper has granted a session within %v", connectTime)
		}
	}
}

// silentZK keeps the library from repeating on standard error what is in the history.
type silentZK struct{}

func (silentZK) Printf(string, ...any) {}

type goZooKeeper struct {
	Deps
	conn *zk.Conn
}

// Acquire is Lock, which knows no context: an attempt that is given up goes on, and gives the
// lock back when it has got it after all.
func (l *goZooKeeper) Acquire(ctx context.Context) (locks.Lease, error) {
	lock := zk.NewLock(l.conn, "/"+l.Name, zk.WorldACL(zk.PermAll))
	done := make(chan error, 1)
	go func() { done <- lock.Lock() }()
	select {
	case err := <-done:
		if err != nil {
			return nil, failure(ctx, err)
		}
		return locks.ReleaseFunc(func(context.Context) error { return unlocked(lock) }), nil
	case <-ctx.Done():
		go func() {
			if <-done == nil {
				_ = lock.Unlock()
			}
		}()
		return nil, ctx.Err()
	}
}

// unlocked is the release of a lock.
func unlocked(lock *zk.Lock) error {
	err := lock.Unlock()
	if errors.Is(err, zk.ErrNoNode) {
		return locks.ErrNotHeld
	}
	return err
}
