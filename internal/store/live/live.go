// Package live brings along what the stores have for real servers. A new store is a line here.
package live

import (
	_ "lockstep/internal/store/consul/live"
	_ "lockstep/internal/store/etcd/live"
	_ "lockstep/internal/store/nats/live"
	_ "lockstep/internal/store/sql/live"
	_ "lockstep/internal/store/zookeeper/live"
)
