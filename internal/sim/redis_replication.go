package sim

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store/redis"
)

// replication is a primary's end of the connection that a replica has opened to it: all
// that the primary knows of that replica. It goes on to count it until the end of the
// connection arrives, which a partition holds back like any other message, or until it
// has been silent for too long. So a primary that is cut off from replicas which others
// have given a new primary says that it has them still.
type replication struct {
	replica *redisServer
	acked   int64           // offset that the replica has confirmed; none before it has everything
	heard   history.Instant // when that was
	closing bool            // the replica's end is closed, and the primary is being told
}

// none is the offset of a replica that has confirmed nothing.
const none = int64(-1)

// replicaSilence is how long a primary counts a replica that it cannot reach as
// connected (repl-timeout of redis.conf).
const replicaSilence = 60 * time.Second

// handshake is how many round trips a replica takes until its stream begins: PING,
// REPLCONF and PSYNC (syncWithMaster in replication.c).
const handshake = 3

// replicated is one piece of a replication stream: an effect, everything that the
// primary has, or its question how far the replica is (REPLCONF GETACK).
type replicated struct {
	effect     redis.Effect
	everything *redis.Store // nil for the other two
	getAck     bool
	offset     int64 // of the stream after it
}

// order makes a server carry out an order when the message arrives: if it is frozen then,
// once it runs again; never if it has died meanwhile.
func (s *redisServer) order(from history.NodeID, travels time.Duration, do func()) {
	life := s.lives
	s.w.network.send(s.w.k.Now().Add(travels), from, s.node, kernel.HandlerFunc(func() {
		switch {
		case s.proc.Dead() || s.lives != life:
		case s.proc.Frozen():
			s.orders = append(s.orders, do)
		default:
			do()
		}
	}))
}

// follow makes the server a replica of another one (REPLICAOF). Its own stream ends at
// once. What it has it keeps until the other one has sent everything: then what only this
// server knew is forgotten.
func (s *redisServer) follow(primary *redisServer) {
	if s.follows == primary {
		return
	}
	if !s.store.IsReplica() {
		s.unblockAll()
		s.becomes(history.Demoted, &primary.host)
	}
	if s.group.leader == s { // of two primaries, as sentinels see it, this one was wrong
		s.group.lead(primary)
	}
	s.cutOff()
	s.store.SetReplica(true)
	s.follows = primary
	s.serves = s.serves[:0] // its own replicas must come again
	s.arm()
	s.greet(1)
}

// greet makes one round trip of the handshake with its primary. A dead one is asked again
// when it is back. One that is itself a replica has nothing to send here: chains last only
// until a sentinel leads their end away.
//
// Redis sends what is missing to a replica whose past is the beginning of its primary's,
// and everything to any other. The replica has the same afterwards, so here it is always
// everything.
func (s *redisServer) greet(trip int) {
	p, link := s.follows, s.links
	p.order(s.node, s.group.hop(), func() {
		switch {
		case s.links != link || p.store.IsReplica():
		case trip == handshake:
			p.admit(s)
		default:
			s.order(p.node, s.group.late(), func() {
				if s.links == link {
					s.greet(trip + 1)
				}
			})
		}
	})
}

// admit is a primary that begins to send a replica its stream (PSYNC).
func (s *redisServer) admit(replica *redisServer) {
	replica.attach(s, none)
	everything := redis.NewSharing(s.w.stores[0])
	s.store.CopyTo(everything, s.wallMS())
	replica.carry(replicated{everything: everything, offset: s.offset})
}

// attach connects a replica to a primary, of whose stream it has everything until there.
func (s *redisServer) attach(primary *redisServer, until int64) {
	s.follows, s.upstream, s.inStep = primary, primary, until != none
	s.link = &replication{replica: s, acked: until, heard: s.w.k.Now()}
	primary.serves = append(primary.serves, s.link)
}

// resynchronize replaces all that the server has by what its primary has sent.
func (s *redisServer) resynchronize(r *replicated) {
	r.everything.CopyTo(s.store, s.wallMS())
	s.recordChanges(history.Forgotten, 0)
	s.aof = s.aof[:0]
	if s.group.persistence != plan.PersistNone {
		s.log(s.store.Dump(nil)...)
	}
	s.inStep = true
	s.acknowledge(r.offset) // only now does WAIT count it
}

// cutOff ends the stream from the primary, or the handshake for it.
func (s *redisServer) cutOff() {
	s.hangUpReplication()
	s.upstream = nil
	s.links++
	s.stream, s.arrived, s.missed = s.stream[:0], 0, 0
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

// enqueue sends effects down the replication link, which keeps their order.
func (s *redisServer) enqueue(effects []redis.Effect) {
	for _, e := range effects {
		s.carry(replicated{effect: e, offset: s.upstream.offset})
	}
}

// carry sends one piece of the stream to this replica.
func (s *redisServer) carry(r replicated) {
	s.lastHop = max(s.lastHop, s.w.k.Now().Add(s.group.late()))
	if s.arrived == len(s.stream) {
		s.stream, s.arrived = s.stream[:0], 0 // nothing is under way
	}
	s.stream = append(s.stream, r)
	s.w.network.sendNumbered(s.lastHop, s.upstream.node, s.node, (*effectArrives)(s), uint64(s.links))
}

// Fire: the next piece of the stream has reached the replica's host.
func (a *effectArrives) Fire(link uint64) {
	s := (*redisServer)(a)
	switch {
	case s.proc.Dead() || s.upstream == nil || uint64(s.links) != link:
		// the link was torn down meanwhile
	case s.proc.Frozen():
		s.missed++
	default:
		s.takeNext()
	}
}

// takeNext takes the next piece of the stream.
func (s *redisServer) takeNext() {
	r := &s.stream[s.arrived]
	s.arrived++
	s.has = r.offset
	switch {
	case r.everything != nil:
		s.resynchronize(r)
		return
	case r.getAck:
		s.acknowledge(r.offset)
		return
	}
	s.store.Apply(s.wallMS(), &r.effect)
	s.log(r.effect)
	s.recordChanges(history.Replicated, s.upstream.node)
}
