package sim

import (
	"slices"

	"lockstep/internal/history"
)

// Fire lets all nodes compare their views.
func (c *redisCluster) Fire(uint64) {
	if connected := c.connected(); !connected || !c.calm {
		c.look()
		c.calm = connected && c.agree() && !c.w.alwaysLook
	}
	c.w.k.After(clusterLook, c, 0)
}

// connected reports whether all nodes reach each other.
func (c *redisCluster) connected() bool {
	return len(c.w.network.blocks) == 0 && !slices.ContainsFunc(c.nodes, func(n *clusterNode) bool { return !n.up() })
}

// agree reports whether all nodes serve and have the same view, in which none is silent or has
// failed. As long as they stay connected and none restarts, further looks change nothing.
func (c *redisCluster) agree() bool {
	first := c.nodes[0]
	return !slices.ContainsFunc(c.nodes, func(n *clusterNode) bool {
		noted := func(at history.Instant) bool { return at != never }
		return n.down || n.epoch != first.epoch || !slices.Equal(n.serves, first.serves) ||
			slices.ContainsFunc(n.silent, noted) || slices.ContainsFunc(n.failed, noted)
	})
}

func (c *redisCluster) look() {
	for _, n := range c.nodes {
		if n.up() {
			n.look()
		}
	}
	for _, n := range c.nodes {
		if n.up() {
			n.compare()
			n.settle()
			n.stand()
		}
	}
}

func (n *clusterNode) reaches(other *clusterNode) bool {
	return n == other || other.up() && !n.w.network.apart(n.node, other.node)
}

// look notes which nodes are silent. One that is no longer silent has not failed; for a primary
// that has not been replaced, that takes a little longer.
func (n *clusterNode) look() {
	now := n.w.k.Now()
	for i, other := range n.cluster.nodes {
		switch {
		case !n.reaches(other):
			if n.silent[i] == never {
				n.silent[i] = now
			}
			continue
		case n.failed[i] == never:
		case n.serves[other.shard].node != i, now.Sub(n.failed[i]) > failUndo*n.cluster.set.NodeTimeout:
			n.failed[i] = never
		}
		n.silent[i] = never
	}
}

// suspects reports whether a node by itself finds another one down (PFAIL).
func (n *clusterNode) suspects(i int) bool {
	return n.silent[i] != never && n.w.k.Now().Sub(n.silent[i]) >= n.cluster.set.NodeTimeout
}

// compare adopts newer knowledge of the nodes within reach. A node has failed when a majority of
// the primaries finds it down (FAIL).
func (n *clusterNode) compare() {
	for _, other := range n.cluster.nodes {
		if n != other && n.reaches(other) {
			n.learn(other)
		}
	}
	for i := range n.cluster.nodes {
		if i != n.number && n.failed[i] == never && n.suspects(i) && n.votes(func(p *clusterNode) bool {
			return p.suspects(i) || p.failed[i] != never
		}) {
			n.failed[i] = n.w.k.Now()
		}
	}
}

// votes reports whether a majority of the primaries is within reach and says yes.
func (n *clusterNode) votes(yes func(*clusterNode) bool) bool {
	count := 0
	for _, is := range n.serves {
		if p := n.cluster.nodes[is.node]; n.reaches(p) && yes(p) {
			count++
		}
	}
	return count >= n.cluster.majority()
}

func (c *redisCluster) majority() int { return c.set.Shards/2 + 1 }

// learn adopts what another node knows. A node follows the one that serves its slots with a newer
// epoch.
func (n *clusterNode) learn(from *clusterNode) {
	n.epoch = max(n.epoch, from.epoch)
	for i, at := range from.failed {
		if at != never && n.failed[i] == never && i != n.number {
			n.failed[i] = n.w.k.Now()
		}
	}
	for shard, theirs := range from.serves {
		if theirs.epoch <= n.serves[shard].epoch {
			continue
		}
		n.serves[shard] = theirs
		if shard == n.shard && theirs.node != n.number {
			n.follow(n.cluster.nodes[theirs.node].redisServer)
		}
	}
}
