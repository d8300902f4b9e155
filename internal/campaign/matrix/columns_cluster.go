package matrix

// The columns in which it matters that a store is a Redis Cluster: the lock lives on one of
// its shards, and nobody but the other primaries promotes a replica.

// The lock's key has hash slot 8718, so with three shards redis-2 has it, and redis-5 is the
// replica of that one.
const (
	lockPrimary = "redis-2"
	lockReplica = "redis-5"
)

// shardsBehind are the servers of a cluster whose replicas are so late.
func shardsBehind(lag string) string {
	return "{redis: {cluster: {shards: 3, replicas: 1, node-timeout: 2500ms}, lag: " + lag + "}}"
}

// besides are the nodes of the cluster but for the lock's primary.
const besides = "redis-1, redis-3, redis-4, redis-5, redis-6"

func failoverOfShard(s subject) []sketch {
	dies := func(when, node string) []string {
		return []string{when + "; crash: " + node, when + "; after: 9s; restart: " + node + "; down: 10ms"}
	}
	return []sketch{
		{
			name: both("the lock's primary dies as soon as A has the lock", "A 一拿到锁，存着锁的主节点就死掉"), work: "7s", servers: shardsBehind("500ms"),
			faults: dies("when: A enters", lockPrimary),
		},
		{
			name: both("the lock's primary dies when it has executed SET of A", "存着锁的主节点执行完 A 的 SET 就死掉"), work: "7s", servers: shardsBehind("500ms"),
			faults: dies(s.inAcquire("A", "has %s executed", 0), lockPrimary),
		},
		{
			name: both("the primary of another shard dies as soon as A has the lock", "A 一拿到锁，另一个分片的主节点就死掉"), work: "7s", servers: shardsBehind("500ms"),
			faults: dies("when: A enters", "redis-1"),
		},
	}
}

func splitBrainOfShard(subject) []sketch {
	cut := func(left, right, long string) []string {
		return []string{"at: 0s; partition: [[A, " + left + "], [B, C, " + right + "]]; for: " + long}
	}
	return []sketch{
		{
			// A has the lock when its node timeout is nearly over, and others get it then.
			name: both("A acquires after the cut, on the side of the old primary", "分区之后，A 在旧主节点那边拿锁"), work: "8s", servers: shardsBehind("0ms"),
			workload: []string{"repeat: 2 times"}, faults: cut(lockPrimary, besides, "45s"),
		},
		{
			name: both("the replica is on A's side of the cut", "副本在 A 这边"), work: "5s", servers: shardsBehind("0ms"),
			faults: cut(lockPrimary+", "+lockReplica, "redis-1, redis-3, redis-4, redis-6", "25s"),
		},
	}
}
