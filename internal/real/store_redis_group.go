package real

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"lockstep/internal/plan"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/servers"
)

// redisGroup is a primary and its replicas, and the sentinels that watch over them
// if the plan has some.
type redisGroup struct {
	anyRedis
	mesh      *mesh
	servers   []*member
	watch     *sentinels // nil when an operator promotes
	unreached []*member  // replicas that the operator has not reached since the latest promotion
}

// start implements store; it returns when the replicas are in step and the sentinels
// know each other.
func (g *redisGroup) start(ctx context.Context, names []string) error {
	sentinels := g.h.plan.SentinelNames(plan.StoreOf(&g.h.variant))
	var err error
	if g.mesh, err = openMesh(g.group, append(names[:len(names):len(names)], sentinels...)); err != nil {
		return err
	}
	for i, name := range names {
		o := g.options(g.mesh.of(name))
		if i > 0 {
			o.ReplicaOf = g.mesh.of(names[0]).front.Addr()
		}
		m, err := g.launch(ctx, o)
		if err != nil {
			return err
		}
		g.servers = append(g.servers, m)
		if err := g.mesh.join(name, m.addr); err != nil {
			return err
		}
	}
	g.first = g.servers[0]
	g.first.leads = true
	if replicas := processes(g.servers[1:]); len(replicas) > 0 {
		if err := process(g.leader).WaitReplicas(ctx, replicas); err != nil {
			return err
		}
	}
	if len(sentinels) > 0 {
		if g.watch, err = startSentinels(ctx, g, sentinels); err != nil {
			return err
		}
	}
	g.lag = g.h.plan.Redis.Lag // only now: the first sync need not be slow
	return nil
}

func processes(members []*member) []*servers.Server {
	var out []*servers.Server
	for _, m := range members {
		out = append(out, process(m))
	}
	return out
}

// brief implements store.
func (g *redisGroup) brief(start *proto.Start) {
	if g.watch == nil {
		return
	}
	for _, m := range g.servers {
		start.Known = append(start.Known, g.mesh.of(m.name).front.Addr())
	}
	for _, m := range g.watch.members {
		start.KnownSentinels = append(start.KnownSentinels, g.mesh.of(m.name).front.Addr())
	}
}

// replicas implements store.
func (g *redisGroup) replicas() int { return len(g.servers) - 1 }

// reachabilityChanged implements store.
func (g *redisGroup) reachabilityChanged() {
	g.mesh.apply(g.lag + g.extraLag)
	if g.watch != nil {
		g.watch.reachabilityChanged()
		return
	}
	g.spread()
	if err := g.redirectReplicas(); err != nil {
		g.h.fail(fmt.Errorf("a replica could not be told to follow %s: %w", g.leader.name, err))
	}
}

// restart implements store: as the primary if clients still use it, otherwise as a
// replica of the new one. Replicas reconnect to their primary. With sentinels, a
// replaced primary comes back as one, and they demote it.
func (g *redisGroup) restart(ctx context.Context, m *member) (empty bool, err error) {
	if g.watch.has(m) { // it has kept its state
		return false, g.comesBack(m, func() error { return process(m).Restart(ctx, "") })
	}
	g.h.mu.Lock()
	upstream := ""
	if g.watch == nil && m != g.leader || g.watch != nil && !m.leads {
		upstream = g.mesh.of(g.leader.name).front.Addr()
	}
	g.h.mu.Unlock()
	err = g.comesBack(m, func() error { return g.again(ctx, m, upstream) })
	return upstream == "" && g.forgets(), err
}

// failOver implements store: the primary dies now; sentinels notice, or an operator
// promotes a replica later. A primary without replicas is not replaced.
func (g *redisGroup) failOver(fault int) {
	if g.watch != nil {
		g.group.failOver(fault)
		return
	}
	g.operatorFailsOver(fault, g.h.plan.Redis.Failover.After)
}

// promote implements store: it makes the first running replica the primary. Clients and
// replicas that can reach it follow it. An old primary that runs continues to serve
// the others.
func (g *redisGroup) promote(fault int) error {
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	old := g.leader
	successor, err := g.promotable(ctx)
	if successor == nil || err != nil {
		return err
	}
	if _, err := process(successor).Command(ctx, "REPLICAOF", "NO", "ONE"); err != nil {
		return err
	}
	g.promoted(successor, fault)
	g.spread()
	g.unreached = slices.DeleteFunc(slices.Clone(g.servers), func(m *member) bool { return m == successor || m == old })
	return g.redirectReplicas()
}

// promotable returns the first running replica; nil for none.
func (g *redisGroup) promotable(ctx context.Context) (*member, error) {
	for _, m := range g.servers {
		if m == g.leader || !m.up() {
			continue
		}
		info, err := process(m).Info(ctx, "replication")
		if err != nil || info["role"] == "slave" {
			return m, err
		}
	}
	return nil, nil
}

// redirectReplicas makes the replicas that are reachable now follow the new primary. A dead one is
// restarted as its replica.
func (g *redisGroup) redirectReplicas() error {
	ctx, cancel := context.WithTimeout(context.Background(), operatorTime)
	defer cancel()
	var unreached []*member
	var errs []error
	host, port, _ := net.SplitHostPort(g.mesh.of(g.leader.name).front.Addr())
	for _, m := range g.unreached {
		switch {
		case m.dead:
		case m.frozen || g.blocked(g.leader.node, m.node) || g.blocked(m.node, g.leader.node):
			unreached = append(unreached, m)
		default:
			_, err := process(m).Command(ctx, "REPLICAOF", host, port)
			errs = append(errs, err)
		}
	}
	g.unreached = unreached
	return errors.Join(errs...)
}
