package sim

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/rng"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store/redis"
)

// redisCluster is a Redis Cluster: each shard is a group with a share of the hash slots, and all
// nodes monitor each other. See the Redis Cluster specification, and cluster_legacy.c of Redis 7.0
// for times.
//
// Each node has its own view: which nodes are silent, which have failed, which serve a shard. Nodes
// that reach each other compare their views ten times per second, like clusterCron. Heartbeats are
// not messages here and take no time, so failures are agreed on some tenths of a second sooner.
type redisCluster struct {
	noOperator
	w         *World
	set       plan.RedisCluster
	shards    []*redisGroup
	nodes     []*clusterNode // in the order of their names
	random    rng.Rand       // of elections
	ofTheLock *redisGroup    // the shard of the lock's key
	calm      bool           // see agree
}

type clusterNode struct {
	*redisServer
	cluster *redisCluster
	number  int // among the cluster's nodes
	shard   int

	silent   []history.Instant // by node: since when it is silent, or never
	failed   []history.Instant // by node: since when a majority finds it down, or never
	serves   []claim           // by shard
	epoch    int64             // the newest one known (currentEpoch)
	voted    int64             // epoch of its last vote
	votedFor []history.Instant // by shard: when it last voted for one of its replicas, or never

	down     bool            // it refuses every request: CLUSTERDOWN
	began    history.Instant // when its process began
	minority history.Instant // when it last reached no majority, or never

	standing bool            // the time of its election is set
	tryAgain history.Instant // when it may stand again
}

// claim is the node that serves the slots of a shard; the claim with the higher epoch is right.
type claim struct {
	node  int
	epoch int64
}

// Times of a cluster that no setting changes.
const (
	clusterLook      = 100 * time.Millisecond // between two looks of a node (clusterCron)
	writableDelay    = 2 * time.Second        // after its start, before a primary serves (CLUSTER_WRITABLE_DELAY)
	leastRejoin      = 500 * time.Millisecond // after its return from a minority, before a primary serves; the
	mostRejoin       = 5 * time.Second        // node timeout lies between (CLUSTER_MIN_ and _MAX_REJOIN_DELAY)
	electionDelay    = 500 * time.Millisecond // before a replica asks for votes, plus a random delay of up to as much again
	rankDelay        = time.Second            // for each replica that has more of the primary's stream
	leastElection    = 2 * time.Second        // an election takes two node timeouts, or this
	failUndo         = 2                      // node timeouts after which a primary that is back counts again
	voteAgain        = 2                      // node timeouts before a second vote for the same shard
	validityFactor   = 10                     // node timeouts (cluster-replica-validity-factor) and
	replicationPings = 10 * time.Second       // this after which a replica's data are too old
)

const (
	errClusterDown = redis.ServerError("CLUSTERDOWN The cluster is down")
	errCrossSlot   = redis.ServerError("CROSSSLOT Keys in request don't hash to the same slot")
)

var _ backend = (*redisCluster)(nil)

// newRedisCluster makes a cluster. The first names are its primaries, in the order of their slots.
func (w *World) newRedisCluster(names []string, set plan.Redis) *redisCluster {
	c := &redisCluster{
		w: w, set: set.Cluster, nodes: make([]*clusterNode, len(names)),
		random: rng.New(w.seed, rng.ID("elections of the cluster")),
	}
	for shard := range c.set.Shards {
		var members []string
		for i := shard; i < len(names); i += c.set.Shards {
			members = append(members, names[i])
		}
		g := w.newRedisGroup(members, set)
		c.shards = append(c.shards, g)
		for k, s := range g.servers {
			c.nodes[shard+k*c.set.Shards] = &clusterNode{redisServer: s, cluster: c, shard: shard}
		}
	}
	c.ofTheLock = c.shards[c.shardOf(redis.KeySlot(w.plan.Resources()[0]))]
	for i, n := range c.nodes {
		n.number, n.redisServer.member = i, n
		n.reset(len(names), c.set.Shards)
		for shard := range c.set.Shards {
			n.serves = append(n.serves, claim{node: shard, epoch: int64(shard) + 1})
		}
		n.epoch = int64(c.set.Shards)
		n.began, n.down = -history.Instant(writableDelay), false // it has run for a while
	}
	w.k.After(clusterLook, c, 0)
	return c
}

// reset clears the state that a node does not keep in its file.
func (n *clusterNode) reset(nodes, shards int) {
	n.cluster.calm = false
	n.silent, n.failed, n.votedFor = unset(nodes), unset(nodes), unset(shards)
	n.minority, n.standing, n.tryAgain = never, false, 0
	n.began, n.down = n.w.k.Now(), true
}

func unset(count int) []history.Instant {
	out := make([]history.Instant, count)
	for i := range out {
		out[i] = never
	}
	return out
}

func (c *redisCluster) shardOf(slot int) int {
	shard := 0
	for shard < c.set.Shards-1 && slot >= firstSlot(shard+1, c.set.Shards) {
		shard++
	}
	return shard
}

// firstSlot returns the first slot of a shard: shard * Slots / shards, rounded, as redis-cli does.
func firstSlot(shard, shards int) int { return (2*shard*redis.Slots + shards) / (2 * shards) }

// settle decides whether the node serves: if it reaches a majority of the primaries, and each shard
// has a primary that has not failed (cluster-require-full-coverage). A primary that has just begun,
// or was in a minority, waits first: it may have a successor.
func (n *clusterNode) settle() {
	now := n.w.k.Now()
	reached, whole := 0, true
	for _, is := range n.serves {
		if n.failed[is.node] != never {
			whole = false
		} else if !n.suspects(is.node) {
			reached++
		}
	}
	if reached < n.cluster.majority() {
		n.minority, n.down = now, true
		return
	}
	if !n.store.IsReplica() && n.down {
		rejoin := min(max(n.cluster.set.NodeTimeout, leastRejoin), mostRejoin)
		if now.Sub(n.began) < writableDelay || n.minority != never && now.Sub(n.minority) < rejoin {
			return
		}
	}
	n.down = !whole
}

// stand sets the time of an election when the primary of a replica has failed. A replica with more
// of the primary's stream stands sooner.
func (n *clusterNode) stand() {
	now, timeout := n.w.k.Now(), n.cluster.set.NodeTimeout
	primary := n.serves[n.shard].node
	if !n.store.IsReplica() || n.failed[primary] == never || n.standing || now < n.tryAgain {
		return
	}
	if since := n.silent[primary]; since != never && now.Sub(since)-timeout > validityFactor*timeout+replicationPings {
		return // its data are too old
	}
	delay := electionDelay + time.Duration(n.cluster.random.Int64N(int64(electionDelay)))
	for _, other := range n.group.servers {
		if other.store.IsReplica() && other.has > n.has {
			delay += rankDelay
		}
	}
	n.standing, n.tryAgain = true, now.Add(delay+2*max(2*timeout, leastElection))
	n.w.k.After(delay, kernel.HandlerFunc(n.elect), 0)
}

// elect asks all primaries for their votes, and takes over with a majority. A primary votes once
// per epoch, for a replica of a primary that it considers failed.
func (n *clusterNode) elect() {
	primary := n.serves[n.shard]
	if !n.standing || !n.up() || !n.store.IsReplica() || n.failed[primary.node] == never {
		n.standing = false
		return
	}
	n.standing = false
	n.epoch++
	if !n.votes(func(p *clusterNode) bool { return p.voteFor(n) }) {
		return
	}
	n.serves[n.shard] = claim{node: n.number, epoch: n.epoch}
	n.promote()
	for _, other := range n.cluster.nodes {
		if n != other && other.up() && n.reaches(other) {
			other.learn(n)
			other.settle()
		}
	}
	n.settle()
}

// voteFor reports whether a primary votes for a replica.
func (n *clusterNode) voteFor(candidate *clusterNode) bool {
	shard, now := candidate.shard, n.w.k.Now()
	mine, theirs := n.serves[shard], candidate.serves[shard]
	n.epoch = max(n.epoch, candidate.epoch)
	last := n.votedFor[shard]
	if n.serves[n.shard].node != n.number || n.voted >= candidate.epoch || n.failed[mine.node] == never ||
		theirs.epoch < mine.epoch || last != never && now.Sub(last) < voteAgain*n.cluster.set.NodeTimeout {
		return false
	}
	n.voted, n.votedFor[shard] = candidate.epoch, now
	return true
}

// rejoin is called when the process runs again. Its file has the epoch of its last vote, and the
// primaries.
func (n *clusterNode) rejoin() { n.reset(len(n.cluster.nodes), n.cluster.set.Shards) }

// redirects answers a command that this node does not execute; false for all others (getNodeByQuery
// in cluster.c).
func (n *clusterNode) redirects(l *call) bool {
	keys := redis.KeysOf(&l.cmd)
	if len(keys) == 0 {
		return false
	}
	slot := redis.KeySlot(keys[0])
	for _, key := range keys[1:] {
		if redis.KeySlot(key) != slot {
			n.finish(l, redis.Failed(errCrossSlot))
			return true
		}
	}
	is := n.serves[n.cluster.shardOf(slot)].node
	switch {
	case n.down:
		n.finish(l, redis.Failed(errClusterDown))
	case is != n.number:
		n.finish(l, redis.Failed(redis.Moved(slot, n.cluster.nodes[is].name)))
	default:
		return false
	}
	return true
}

func (c *redisCluster) pick(*client) *host { return c.primary() }

// primary implements backend: that of the lock's shard.
func (c *redisCluster) primary() *host { return &c.ofTheLock.leader.host }
