package real

import (
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/real/link"
	"lockstep/internal/real/proto"
)

// block is one partition: it holds back the bytes from nodes of from to nodes of to.
type block struct {
	fault    int
	from, to map[history.NodeID]bool
	both     bool
}

// blocked reports whether nothing gets from one node to another.
func (g *group) blocked(from, to history.NodeID) bool {
	return slices.ContainsFunc(g.blocks, func(b block) bool { return b.covers(from, to) })
}

// covers reports whether the partition holds back bytes from one node to another.
func (b *block) covers(from, to history.NodeID) bool {
	return b.from[from] && b.to[to] || b.both && b.from[to] && b.to[from]
}

// acted notifies the engine of a partition that has held back some bytes.
func (g *group) acted(b *block) {
	for _, w := range g.ways() {
		if b.covers(w.from, w.to) && w.link.Held(link.Up) || b.covers(w.to, w.from) && w.link.Held(link.Down) {
			g.h.engine.Acted(b.fault)
		}
	}
}

// way is a link with the two nodes that it connects.
type way struct {
	from, to history.NodeID
	link     *link.Link
}

// ways returns the links of all clients, and those between servers.
func (g *group) ways() (out []way) {
	for _, mesh := range g.meshes {
		for _, p := range mesh.paths {
			out = append(out, way{p.from.node, p.to.node, p.link})
		}
	}
	for _, c := range g.h.allClients() {
		for i, l := range c.links {
			out = append(out, way{c.node, g.members[i].node, l})
		}
	}
	return out
}

// mode returns the mode of the links for bytes from one node to another.
func (g *group) mode(from, to history.NodeID) link.Mode {
	if g.blocked(from, to) {
		return link.Hold
	}
	return link.Pass
}

// apply switches all links according to the partitions. The harness's own connections to
// servers bypass the links, as an operator's console does.
func (g *group) apply() {
	for _, c := range g.h.allClients() {
		for i, l := range c.links {
			m := g.members[i]
			up := g.mode(c.node, m.node)
			if m.starts {
				up = link.Hold
			}
			l.Switch(link.Up, up)
			l.Switch(link.Down, g.mode(m.node, c.node))
		}
	}
	g.h.store.reachabilityChanged()
}

// spread tells the clients which server is the primary. A client keeps the last known one
// until no partition separates it from the new one.
func (g *group) spread() {
	leader := g.indexOf(g.leader)
	for _, c := range g.h.allClients() {
		if c.knows != leader && !g.keepsFrom(c.node, g.leader.node) {
			c.knows = leader
			c.send(proto.Down{Lead: &leader})
		}
	}
}

// keepsFrom reports whether a partition keeps news of a server from a client, and counts as an
// effect of it.
func (g *group) keepsFrom(client, server history.NodeID) (kept bool) {
	for i := range g.blocks {
		if b := &g.blocks[i]; b.covers(client, server) || b.covers(server, client) {
			g.h.engine.Acted(b.fault)
			kept = true
		}
	}
	return kept
}

// Partition implements faults.World.
func (in injector) Partition(fault int, from, to []string, both bool) {
	g := in.group
	g.blocks = append(g.blocks, block{fault, in.nodesOf(from), in.nodesOf(to), both})
	g.apply()
}

// HealPartition implements faults.World.
func (in injector) HealPartition(fault int) {
	g := in.group
	g.blocks = slices.DeleteFunc(g.blocks, func(b block) bool {
		if b.fault == fault {
			g.acted(&b)
		}
		return b.fault == fault
	})
	g.apply()
}

// nodesOf resolves names of nodes and of groups of nodes.
func (in injector) nodesOf(names []string) map[history.NodeID]bool {
	out := map[history.NodeID]bool{}
	add := func(role history.Role, except history.NodeID) {
		for i, n := range in.header.Nodes {
			if id := history.NodeID(i + 1); n.Role == role && id != except {
				out[id] = true
			}
		}
	}
	for _, name := range names {
		switch name {
		case faults.TheStore:
			add(history.RoleStore, 0)
		case faults.TheReplicas:
			add(history.RoleStore, in.store.primary().node)
		case faults.Sentinels:
			add(history.RoleSentinel, 0)
		default:
			out[in.nodes[in.Resolve(name)]] = true
		}
	}
	return out
}

// Lag implements faults.World.
func (in injector) Lag(fault int, by time.Duration) {
	in.store.slower(by)
	if by > 0 && in.store.replicas() > 0 {
		in.engine.Acted(fault)
	}
}
