// Lock zk-sequential
//
// Idea: each client that wants the lock stands in a queue of numbered nodes; the lowest number
// holds the lock, and each waits only for the one ahead of it.
//
// Protocol:
//  1. create /lock/GUID-lock- EPHEMERAL SEQUENTIAL; the server appends the number. (The first client ever creates /lock before.)
//  2. children of /lock; its own number is the lowest: go to 5.
//  3. exists, with a watch, the node with the next lower number; there is none: go to 2.
//  4. When the watch fires, go to 2.
//  5. exists its own node: the lock is held, and its czxid is the fencing token.
//  6. delete its own node. After a lost connection, 1 looks for the GUID among the
//     children of /lock first, and 6 is repeated.
//
// Guarantees: first come, first served; a release wakes one client; a release
// removes the client's own node or none, since its name is never given twice; a
// lost reply leaves no node that its client does not find again; a client that
// runs is told when it has lost its server, which is before others can get in,
// unless that server has lost its leader.
//
// Breaks when: the holder freezes for longer than the session timeout, heartbeats
// included, and goes on before its library has found a server that tells it; or it
// does not stop when it is told. A server that is cut off from its leader answers
// heartbeats for five ticks (syncLimit), and the leader ends the session if it has
// not heard of one for that session's timeout. A client that gives up while it has no server
// leaves its node in the queue for as long as its session lives.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 386-391,
// with the queue that they leave out: ZooKeeper Recipes and Solutions, "Locks" and
// "Recoverable Errors and the GUID".

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/zookeeper"
)

func init() {
	Register(Variant{
		ID: "zk-sequential", Store: zookeeper.ID, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &zkSequential{zkQueue{zkClient{Deps: d}}} },
	})
}

type zkSequential struct{ zkQueue }

func (l *zkSequential) Acquire(ctx context.Context) (Lease, error) {
	place := &zkPlace{prefix: newToken(l.Env) + "-lock-"}
	for {
		err := l.stand(ctx, place)
		if err != nil {
			l.leave(place)
			return nil, err
		}
		lease := attendedBy(func(ctx context.Context) error { return l.remove(ctx, place) })
		lease.attendSession(l.Env, place.session)
		stat, err := place.session.Exists(ctx, l.root()+"/"+place.node)
		if err == nil && stat != nil {
			lease.token = stat.Czxid
			return lease, nil
		}
		lease.stop() // no server, or no node any more: stand finds out which
	}
}

// leave gives up a place. It tries once: a client that gives up does not wait.
func (l *zkSequential) leave(p *zkPlace) {
	if p.session != nil {
		_ = l.removeOnce(l.Env.Background(), p)
	}
}
