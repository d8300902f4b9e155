// Package live registers the stores' drivers for real servers.
package live

import (
	_ "lockstep/internal/store/consul/live"
	_ "lockstep/internal/store/etcd/live"
	_ "lockstep/internal/store/nats/live"
	_ "lockstep/internal/store/sql/live"
	_ "lockstep/internal/store/zookeeper/live"
)
