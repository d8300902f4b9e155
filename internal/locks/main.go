package locks

import "slices"

// mainDesigns are the designs to choose from. The others are variants of these, designs that were
// replaced, and designs with a known defect: to compare with.
var mainDesigns = []string{
	"set-nx-ex-del", "set-nx-lua", "self-fence", "watchdog-lua", "redisson", "set-wait", "set-nx-incr-fence", "redisson-fenced",
	"set-nx-lua-cluster", "redlock", "redlock-extend", "etcd-txn", "etcd-mutex", "zk-sequential", "curator-mutex", "consul-session", "nats-kv",
	"mysql-for-update", "mysql-unique-ttl", "pg-advisory",
}

// Main reports whether the lock of that id is one of the designs to choose from: lists that are
// short show these.
func Main(id string) bool { return slices.Contains(mainDesigns, id) }
