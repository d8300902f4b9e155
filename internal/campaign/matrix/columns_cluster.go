package matrix

import "lockstep/internal/say"

// The columns for Redis Cluster: the lock is on one of the shards, and only the other primaries
// promote a replica.

// The lock's key has hash slot 8718, so with three shards redis-2 has it, with redis-5 as its
// replica.
const (
	lockPrimary = "redis-2"
	lockReplica = "redis-5"
)

// shardsBehind are the servers of a cluster with that replication lag.
func shardsBehind(lag string) string {
	return "{redis: {cluster: {shards: 3, replicas: 1, node-timeout: 2500ms}, lag: " + lag + "}}"
}

// besides are the nodes of the cluster except the lock's primary.
const besides = "redis-1, redis-3, redis-4, redis-5, redis-6"

func failoverOfShard(s subject) []sketch {
	dies := func(when, node string) []string {
		return []string{when + "; crash: " + node, when + "; after: 9s; restart: " + node + "; down: 10ms"}
	}
	return []sketch{
		{
			name: say.Text("the lock's primary dies as soon as A has the lock"), work: "7s", servers: shardsBehind("500ms"),
			faults: dies("when: A enters", lockPrimary),
		},
		{
			name: say.Text("the lock's primary dies when it has executed SET of A"), work: "7s", servers: shardsBehind("500ms"),
			faults: dies(s.inAcquire("A", "has %s executed", 0), lockPrimary),
		},
		{
			name: say.Text("the primary of another shard dies as soon as A has the lock"), work: "7s", servers: shardsBehind("500ms"),
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
			// A has the lock when its node timeout is nearly over, and others get it afterwards.
			name: say.Text("A acquires after the cut, on the side of the old primary"), work: "8s", servers: shardsBehind("0ms"),
			workload: []string{"repeat: 2 times"}, faults: cut(lockPrimary, besides, "45s"),
		},
		{
			name: say.Text("the replica is on A's side of the cut"), work: "5s", servers: shardsBehind("0ms"),
			faults: cut(lockPrimary+", "+lockReplica, "redis-1, redis-3, redis-4, redis-6", "25s"),
		},
	}
}
