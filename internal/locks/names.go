package locks

import "lockstep/internal/say"

// names are the common names of the locks for menus, tables and headings, which show the ids beside
// them. With at most 29 characters none is cut. A lock without a name is called by its id.
var names = map[string]say.Words{
	"setnx":                   "SETNX, no expiry",
	"setnx-expire":            "SETNX, then EXPIRE",
	"setnx-timestamp-del":     "SETNX, deadline, then DEL",
	"setnx-timestamp-getset":  "SETNX, deadline, GETSET",
	"set-nx-ex-del":           "SET NX EX, then DEL",
	"set-nx-token-getdel":     "SET NX EX, GET, then DEL",
	"set-nx-lua":              "SET NX EX, released by Lua",
	"set-nx-lua-const":        "SET NX EX, one shared value",
	"set-nx-lua-thread":       "SET NX EX, a value per thread",
	"set-nx-lua-cluster":      "SET NX EX on a Cluster",
	"set-nx-minreplicas":      "SET NX EX, min-replicas",
	"set-nx-incr-fence":       "SET NX EX, with tokens",
	"cas-cad":                 "SET NX EX, CAS and CAD",
	"lua-setex":               "SETEX in a script",
	"self-fence":              "SET NX EX, checks the clock",
	"watchdog-lua":            "SET NX EX, with a watchdog",
	"watchdog-blind":          "SET NX EX, blind renewals",
	"set-wait":                "SET NX EX, then WAIT",
	"set-wait-1of2":           "WAIT for one of two replicas",
	"set-wait-pooled":         "WAIT through a pool",
	"set-wait-unchecked":      "WAIT, its number not read",
	"redisson":                "Redisson's lock",
	"redisson-3.12.3":         "Redisson 3.12.3",
	"redisson-fair":           "Redisson's fair lock",
	"redisson-fenced":         "Redisson's lock, with tokens",
	"redisson-lease":          "Redisson, lease not renewed",
	"redisson-redlock":        "Redisson's RedLock",
	"redlock":                 "Redlock",
	"redlock-extend":          "Redlock, extended",
	"redlock-delayed-restart": "Redlock, delayed restarts",
	"redlock-fsync":           "Redlock, each write on disk",
	"redlock-minrelease":      "Redlock, sparing releases",
	"redlock-wall-clock":      "Redlock by wall clocks",
	"etcd-txn":                "etcd, one transaction",
	"etcd-mutex":              "etcd's mutex",
	"etcd-prefix-watch":       "etcd, watch of a prefix",
	"zk-ephemeral":            "ZooKeeper, one node",
	"zk-sequential":           "ZooKeeper's queue",
	"curator-mutex":           "Curator's mutex",
	"consul-session":          "Consul session",
	"nats-kv":                 "Key in a NATS bucket",
	"mysql-for-update":        "MySQL, SELECT FOR UPDATE",
	"mysql-get-lock":          "MySQL's GET_LOCK",
	"mysql-unique":            "MySQL, a unique row",
	"mysql-unique-ttl":        "MySQL, a row that expires",
	"pg-advisory":             "PostgreSQL advisory lock",

	"bsm-redislock":    "redislock (Go)",
	"etcd-concurrency": "etcd's concurrency (Go)",
	"redsync":          "redsync (Go)",
	"rueidislock":      "rueidislock (Go)",

	"lit-cas-3arg":     "Misprint: CAS without a time",
	"lit-del-key":      "Misprint: DEL of another key",
	"lit-etcd-ka":      "Misprint: renewals unread",
	"lit-etcd-key":     "Misprint: two keys in etcd",
	"lit-expire-key":   "Misprint: EXPIRE elsewhere",
	"lit-expire-loser": "Misprint: losers EXPIRE, too",
	"lit-lua-s2":       "Misprint: script cut short",
	"lit-mysql-ddl":    "Misprint: wrong unique key",
	"lit-s2-units":     "Misprint: Redlock's units",
	"lit-s3-integer":   "Misprint: text as an Integer",
	"lit-s3-units":     "Misprint: swapped units",
	"lit-unchecked":    "Misprint: SET not checked",
	"lit-wait-retry":   "Misprint: WAIT tried again",
}

// Name is the common name of a lock; its id when it has none.
func Name(id string) say.Words {
	if name, ok := names[id]; ok {
		return name
	}
	return say.Words(id)
}
