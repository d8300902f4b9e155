package sim

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store/redis"
)

// replication is a primary's end of the connection to a replica. The primary counts the replica
// until the end of the connection arrives, which a partition holds back, or until it has been
// silent for too long. So a primary that is cut off still counts replicas that have another primary
// by now.
type replication struct {
	replica *redisServer
	acked   int64           // offset that the replica has confirmed; none before its resynchronization
	heard   history.Instant // when it last did
	closing bool            // the replica's end is closed
}

// none is the offset of a replica that has confirmed nothing.
const none = int64(-1)

// replicaSilence is how long a primary counts an unreachable replica as connected (repl-timeout).
const replicaSilence = 60 * time.Second

// handshake is the number of round trips before the stream begins: PING, REPLCONF and PSYNC
// (syncWithMaster in replication.c).
const handshake = 3

// replicated is one piece of a replication stream: an effect, all data of the primary, or a request
// to acknowledge (REPLCONF GETACK).
type replicated struct {
	effect     redis.Effect
	everything *redis.Store // nil for the other two
	getAck     bool
	offset     int64 // of the stream after it
}

// order makes a server execute an order when the message arrives; after its thaw if it is frozen,
// never if it has died meanwhile.
func (s *redisServer) order(from history.NodeID, travels time.Duration, do func()) {
	life := s.lives
	s.hear(from, travels, func() {
		if !s.proc.Dead() && s.lives == life {
			do()
		}
	})
}

// follow makes the server a replica of another one (REPLICAOF). It keeps its data until the other
// one has sent everything.
func (s *redisServer) follow(primary *redisServer) {
	if s.follows == primary {
		return
	}
	if !s.store.IsReplica() {
		s.unblockAll()
		s.becomes(history.Demoted, &primary.host)
	}
	if s.group.leader == s { // sentinels have decided between two primaries
		s.group.lead(primary)
	}
	s.cutOff()
	s.store.SetReplica(true)
	s.follows = primary
	s.serves = s.serves[:0] // its own replicas must reconnect
	s.arm()
	s.greet(1)
}

// greet makes one round trip of the handshake with its primary. A dead primary is asked again when
// it is back. One that is itself a replica does not answer: chains are not modelled, as sentinels
// end them.
//
// The primary always sends everything. Redis sends only what is missing where it can, with the same
// result.
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

// admit begins the stream to a replica (PSYNC).
func (s *redisServer) admit(replica *redisServer) {
	replica.attach(s, none)
	everything := redis.NewSharing(s.w.stores[0])
	s.store.CopyTo(everything, s.wallMS())
	replica.carry(replicated{everything: everything, offset: s.offset})
}

// attach connects a replica to a primary, whose stream it has until an offset.
func (s *redisServer) attach(primary *redisServer, until int64) {
	s.follows, s.upstream, s.inStep = primary, primary, until != none
	s.link = &replication{replica: s, acked: until, heard: s.w.k.Now()}
	primary.serves = append(primary.serves, s.link)
}

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

// cutOff ends the stream from the primary, or the handshake.
func (s *redisServer) cutOff() {
	s.hangUpReplication()
	s.upstream = nil
	s.links++
	s.stream, s.arrived, s.missed = s.stream[:0], 0, 0
}

// hangUpReplication closes the replica's end of the connection to its primary.
func (s *redisServer) hangUpReplication() {
	link, up := s.link, s.upstream
	if up == nil || link.closing {
		return
	}
	link.closing = true
	at := s.w.k.Now().Add(s.w.plan.Network.Latency.Min)
	s.w.network.send(at, s.node, up.node, kernel.HandlerFunc(func() { up.forget(link) }))
}

func (s *redisServer) forget(link *replication) {
	s.serves = slices.DeleteFunc(s.serves, func(r *replication) bool { return r == link })
}

// knows reports whether the connection to a replica is open at the primary.
func (s *redisServer) knows(link *replication) bool { return slices.Contains(s.serves, link) }

// connected reports whether the primary counts a replica.
func (s *redisServer) connected(link *replication) bool {
	for _, way := range [2][2]history.NodeID{{s.node, link.replica.node}, {link.replica.node, s.node}} {
		since, blocked := s.w.network.blockedSince(way[0], way[1])
		if blocked && s.w.k.Now().Sub(since) > replicaSilence {
			return false
		}
	}
	return true
}

// enqueue sends the effects of one call to this replica. They arrive at one instant: Redis wraps them
// in MULTI and EXEC, and a replica executes none before it has them all (propagatePendingCommands in
// server.c).
func (s *redisServer) enqueue(effects []redis.Effect) {
	for range effects {
		s.delay()
	}
	for _, e := range effects {
		s.sendNext(replicated{effect: e, offset: s.upstream.offset})
	}
}

// carry sends a piece of the stream to this replica. Pieces keep their order.
func (s *redisServer) carry(r replicated) {
	s.delay()
	s.sendNext(r)
}

// delay draws how long the next piece travels.
func (s *redisServer) delay() {
	s.lastHop = max(s.lastHop, s.w.k.Now().Add(s.group.late()))
}

func (s *redisServer) sendNext(r replicated) {
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
	case s.proc.Dead() || s.upstream == nil || uint64(s.links) != link: // the link is closed
	case s.proc.Frozen():
		s.missed++
	default:
		s.takeNext()
	}
}

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
