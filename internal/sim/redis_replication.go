package sim

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/sim/kernel"
)

// replication is a primary's end of the connection that a replica has opened to it: all
// that the primary knows of that replica. It goes on to count it until the end of the
// connection arrives, which a partition holds back like any other message, or until it
// has been silent for too long. So a primary that is cut off from replicas which others
// have given a new primary says that it has them still.
type replication struct {
	replica *redisServer
	acked   int64           // offset that the replica has confirmed
	heard   history.Instant // when that was
	closing bool            // the replica's end is closed, and the primary is being told
}

// replicaSilence is how long a primary counts a replica that it cannot reach as
// connected (repl-timeout of redis.conf).
const replicaSilence = 60 * time.Second

// attach connects a replica to a primary of which it has everything.
func (s *redisServer) attach(primary *redisServer) {
	s.upstream = primary
	s.link = &replication{replica: s, acked: primary.offset, heard: s.w.k.Now()}
	primary.serves = append(primary.serves, s.link)
}

// hangUpReplication closes the replica's end: it dies, or is told to follow another
// primary or none.
func (s *redisServer) hangUpReplication() {
	link, up := s.link, s.upstream
	if up == nil || link.closing {
		return
	}
	link.closing = true
	at := s.w.k.Now().Add(s.w.plan.Network.Latency.Min)
	s.w.network.send(at, s.node, up.node, kernel.HandlerFunc(func() { up.forget(link) }))
}

// forget is what a primary does when the end of a replica's connection has arrived.
func (s *redisServer) forget(link *replication) {
	s.serves = slices.DeleteFunc(s.serves, func(r *replication) bool { return r == link })
}

// knows reports whether the primary's end of a connection is open.
func (s *redisServer) knows(link *replication) bool { return slices.Contains(s.serves, link) }

// connected reports whether the primary still counts a replica as its own.
func (s *redisServer) connected(link *replication) bool {
	for _, way := range [2][2]history.NodeID{{s.node, link.replica.node}, {link.replica.node, s.node}} {
		since, blocked := s.w.network.blockedSince(way[0], way[1])
		if blocked && s.w.k.Now().Sub(since) > replicaSilence {
			return false
		}
	}
	return true
}
