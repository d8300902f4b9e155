package schema

import (
	"time"

	"lockstep/internal/plan"
)

// Limits, as package scenario keeps them.
const (
	maxReplicas = 10
	maxNodes    = 15
	maxShards   = 7
)

// servers says what the locks' stores can be made of.
func servers() *Schema {
	d := plan.Default()
	redis := append(replicated(d.Redis.Lag, d.Redis.Failover, true),
		Property{"cluster", shards(plan.DefaultRedisCluster())},
		persistence(d.Redis.Persistence),
		Property{"min-replicas", count(0, maxReplicas, "A primary refuses writes while fewer replicas have been heard of; 0: never.").
			withDefault(d.Redis.MinReplicas)},
		Property{"min-replicas-max-lag", positive("duration", "How long ago a replica may have been heard of for min-replicas, 1ms or more.").
			withDefault(spelled(d.Redis.MinReplicasMaxLag))},
	)
	zookeeper := append(cluster(d.ZooKeeper.Cluster), Property{"tick", positive("duration",
		"The unit of the servers' time: sessions last 2 to 20 ticks. Left out: "+spelled(plan.DefaultTick)+", or a fifth of a shorter lease.")})
	consul := append(cluster(d.Consul.Cluster), Property{"second", positive("duration",
		"What counts as a second for the least session, 10 of them, and for the fixed times of the client library, 1ms or more; --scale makes it shorter.").
		withDefault(spelled(d.Consul.Second))})
	return closed("What a lock's store is made of. Every lock has sensible servers without this.", Properties{
		{"redis", closed("One primary and its replicas, or a Redis Cluster.", redis)},
		{"redlock", closed("Primaries that know nothing of each other.", Properties{
			nodes(d.Redlock.Nodes), persistence(d.Redlock.Persistence),
		})},
		{"etcd", closed("A cluster of etcd.", cluster(d.Etcd))},
		{"zookeeper", closed("An ensemble of ZooKeeper.", zookeeper)},
		{"consul", closed("A cluster of Consul.", consul)},
		{"mysql", closed("One MySQL primary and its asynchronous replicas.", database(d.MySQL, "wait_timeout in MariaDB, which counts whole seconds"))},
		{"postgres", closed("One PostgreSQL primary and its asynchronous replicas.", database(d.Postgres, "idle_session_timeout and idle_in_transaction_session_timeout in PostgreSQL"))},
	})
}

func shards(c plan.RedisCluster) *Schema {
	return closed("A Redis Cluster, instead of replicas and failover: primaries that share the keys among them and promote each other's replicas.", Properties{
		{"shards", count(plan.LeastShards, maxShards, "How many primaries. The lock's key is on one of them: with 3 shards on the second, redis-2.").withDefault(c.Shards)},
		{"replicas", count(0, maxReplicas, "How many replicas each primary has.").withDefault(c.Replicas)},
		{"node-timeout", positive("duration", "For how long a node must be silent to be found down (cluster-node-timeout), 1ms or more.").withDefault(spelled(c.NodeTimeout))},
	})
}

func nodes(usual int) Property {
	return Property{"nodes", count(1, maxNodes, "How many servers.").withDefault(usual)}
}

func cluster(c plan.Cluster) Properties {
	return Properties{nodes(c.Nodes), election(c.Election, "How long the cluster has no leader after losing one.")}
}

func election(usual time.Duration, doc string) Property {
	return Property{"election", like("duration", doc).withDefault(spelled(usual))}
}

func persistence(usual string) Property {
	return Property{"persistence", choice("What a restarted server still knows.",
		plan.PersistNone, "nothing",
		plan.PersistEverySecond, "all but the last second: its file is written to disk once per second",
		plan.PersistAlways, "everything: its file is on disk before each reply",
	).withDefault(usual)}
}

// database are the keys of an SQL server and its replicas. The time is what a setting
// of the server is.
func database(d plan.SQL, setting string) Properties {
	idle := &Schema{
		AnyOf:       []*Schema{{Const: "never"}, {Ref: "#/$defs/duration", AllOf: []*Schema{notZero}}},
		Description: "How long a session may say nothing between two statements before the server ends it, 1ms or more, or never; " + setting + ".",
	}
	usual := "never"
	if d.IdleTimeout > 0 {
		usual = spelled(d.IdleTimeout)
	}
	return append(replicated(d.Lag, d.Failover, false), Property{"idle-timeout", idle.withDefault(usual)})
}

// replicated are the keys of a primary with replicas.
func replicated(lag time.Duration, f plan.Failover, sentinels bool) Properties {
	by := []string{plan.ByOperator, "an operator promotes a replica as soon as after has passed"}
	keys := Properties{{}, {"after", like("duration", "By the operator: from the primary's death to the promotion.").withDefault(spelled(f.After))}}
	if sentinels {
		by = append(by, plan.BySentinel, "sentinels promote a replica once they agree that the primary is down")
		keys = append(keys,
			Property{"down-after", like("duration", "By sentinels: how long the primary must be silent.").withDefault(spelled(f.DownAfter))},
			election(f.Election, "By sentinels: from their agreement to the promotion."))
	}
	keys[0] = Property{"by", choice("Who promotes a replica.", by...).withDefault(f.By)}
	return Properties{
		{"replicas", count(0, maxReplicas, "How many replicas the primary has.").withDefault(0)},
		{"lag", like("duration", "How late a replica applies what the primary has executed.").withDefault(spelled(lag))},
		{"failover", closed("How a replica takes over.", keys)},
	}
}
