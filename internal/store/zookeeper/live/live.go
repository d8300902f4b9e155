// Package live has ZooKeeper played on real servers.
package live

import (
	"context"
	"time"

	"lockstep/internal/real/livestore"
	"lockstep/internal/real/servers"
	"lockstep/internal/store"
	"lockstep/internal/store/zookeeper"
)

func init() {
	livestore.Register(livestore.Driver{
		Store: zookeeper.ID, Stagger: 100 * time.Millisecond,
		Cluster: cluster, Leads: leads, Protocol: protocol, Connect: connect, Removals: removals,
		Longest: func(s store.Settings) time.Duration { return longestSession * zookeeper.Tick(s) },
	})
}

// longestSession is how many ticks the servers grant a session at most.
const longestSession = 20

// leads reports whether the server leads its ensemble, or is alone.
func leads(ctx context.Context, s *servers.Server) (bool, error) {
	mode, err := modeOf(ctx, s)
	return mode == "leader" || mode == "standalone", err
}

// removals reads what the servers have agreed on. A majority of them has all of it; in a container
// it cannot be read, and doubts stay.
func removals(members []*servers.Server, key string, _ []livestore.Request) ([]livestore.Removal, bool) {
	var logs [][]transaction
	for _, s := range members {
		if log, err := transactionsOf(s.Dir); err == nil {
			logs = append(logs, log)
		}
	}
	if key != "" {
		key = "/" + key
	}
	return nil, 2*len(logs) > len(members) && onlyOwnRemoved(logs, key)
}
