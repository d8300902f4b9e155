package zookeeper

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// ID is what locks name to keep their entries in ZooKeeper.
const ID store.ID = "zookeeper"

// SyncLimit is after how many ticks the servers of an ensemble give up a silent one: the default of
// syncLimit in ZooKeeper's configuration. They notice at once when one has died.
const SyncLimit = 5

func init() {
	store.Register(store.Store{
		ID: ID, Place: 4, Node: "zk", Title: "ZooKeeper", About: "An ensemble of ZooKeeper.",
		Topology: store.Quorum, Requests: []string{"CONNECT", "PING", "CREATE", "DELETE", "EXISTS", "CHILDREN", "SETWATCHES", "CLOSE"},
		Programs: []store.Program{
			{Name: "java", Install: "sudo apt-get install -y default-jre-headless", Version: []string{"-version"}},
			{Name: "zookeeper.jar", Install: "sudo apt-get install -y libzookeeper-java"},
		},
		Image:         &store.Image{Product: "zookeeper", Public: "zookeeper:3.8", Data: "/data", Config: "/conf"},
		LeavesServers: true,
		// The server that a client is connected to answers reads (FinalRequestProcessor of a
		// follower), in the order of the client's requests.
		Consent: map[history.Effect]store.Consent{history.Asks: store.OfServer},
		Timing:  store.Timing{Agreeing: 20 * time.Millisecond, Election: time.Second}, // three JVMs have to agree
		Settings: []store.Setting{{
			Name: "tick", Example: "2s", Least: time.Millisecond, Of: TickFor,
			Doc: "The unit of the servers' time: sessions last 2 to 20 ticks, and a leader that is silent, but lives, counts as lost after 5. Left out: 2s, or a fifth of a shorter lease.",
		}},
		Silence: func(s store.Setup) time.Duration { return SyncLimit * Tick(s.Settings) },
		New: func(s store.Setup) store.Model {
			return New(Config{Tick: Tick(s.Settings), LockPath: "/" + s.Lock.Key})
		},
	})
}

// Tick is the unit of the servers' time. It is the only setting.
func Tick(s store.Settings) time.Duration { return s[0] }

// TickFor is the tick of an ensemble whose sessions are to last one lease: ZooKeeper's default, or
// a fifth of a lease that is shorter than five of these. Otherwise the shortest session, of two
// ticks, could outlast a short lease, and the rounding to whole ticks would matter more than the
// lease.
func TickFor(lease time.Duration) time.Duration {
	return max(min(defaultTick, (lease/5).Truncate(time.Millisecond)), time.Millisecond)
}
