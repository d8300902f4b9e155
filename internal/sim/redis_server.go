package sim

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store/redis"
)

type redisServer struct {
	host
	group   *redisGroup
	member  *clusterNode // nil outside of a Redis Cluster
	store   *redis.Store
	armed   kernel.Timer
	armedMS int64 // when armed fires, by the wall clock

	// As a primary.
	offset  int64 // of its replication stream
	waiters []waiter
	subs    []subscriber
	serves  []*replication // its connections to replicas
	lost    history.NodeID // the owner of its entry when it died

	publishes func(channel, message string) (receivers int64) // deliver, made once

	// For the connections of guests.
	looks   []look        // reads, for CLIENT TRACKING
	watches []look        // by WATCH
	after   []Invalidated // to be pushed after the reply
	serving *conn         // of the command being executed

	// As a replica. A primary's death loses the part of the stream that has not arrived.
	follows  *redisServer // the primary that it was told to follow; nil for a primary
	upstream *redisServer // the same, once it sends its stream
	link     *replication
	links    int          // how often the link was made; messages of an older link are lost
	inStep   bool         // it is resynchronized
	stream   []replicated // from the primary, in order
	arrived  int          // stream[:arrived] has been applied
	missed   int          // pieces that came while it was frozen
	has      int64        // its offset in the stream of its last primary
	lastHop  history.Instant

	aof []redis.Effect // the append-only file; empty without persistence
}

// The handlers of a server.
type (
	expiryDue     redisServer
	effectArrives redisServer
)

var _ service = (*redisServer)(nil)

func (w *World) newRedisServer(g *redisGroup, name string) *redisServer {
	s := w.arenas.servers.Next()
	*s = redisServer{
		group: g, stream: s.stream[:0], aof: s.aof[:0], waiters: s.waiters[:0], serves: s.serves[:0], publishes: s.publishes,
	}
	if s.publishes == nil {
		s.publishes = s.deliver
	}
	w.begin(&s.host, name, s)
	i := w.usedStores
	w.usedStores++
	switch {
	case i < len(w.stores):
		s.store = w.stores[i]
		s.store.Reset()
	case i == 0:
		s.store = redis.New()
		w.stores = append(w.stores, s.store)
	default:
		s.store = redis.NewSharing(w.stores[0])
		w.stores = append(w.stores, s.store)
	}
	s.store.OnPublish = s.publishes
	s.store.KeepReads = false
	s.store.Extensions = extensionsOf(&w.variant.Servers)
	return s
}

// extensionsOf returns what a server has beyond Redis 7.0: only what the lock's design demands.
func extensionsOf(s *locks.Servers) (out redis.Extensions) {
	if s.TairString {
		out |= redis.TairString
	}
	if s.Redis84 {
		out |= redis.Redis84
	}
	return out
}

func (s *redisServer) serve(l *call) {
	if s.member != nil && s.member.redirects(l) {
		return
	}
	if s.control(l) {
		l.ofConnection()
		return
	}
	now := s.wallMS()
	s.dropDue(now)
	if s.group.minReplicas > 0 {
		s.store.NoGoodReplicas = s.goodReplicas() < s.group.minReplicas
	}
	if l.socket != nil {
		l.reply, s.serving = s.execForGuest(now, l), l.conn
	} else {
		l.reply = s.store.Exec(now, l.client.node, &l.cmd)
	}
	l.executedOn(&s.host)
	s.publish(l.executed)
	s.serving = nil
	if l.conn != nil {
		l.conn.offset = s.offset
		l.conn.executed()
	}
	l.answer()
	s.pushAfter(l.conn)
}

// dropDue drops the entries whose time is up by the server's clock, as an event of its own: else
// the history would blame the next command.
func (s *redisServer) dropDue(now int64) {
	if now < s.armedMS {
		return // the next entry to expire is later
	}
	// On a replica nothing is due: it waits for its primary's DEL.
	if at, ok := s.store.NextExpiry(); !ok || at > now {
		return
	}
	s.store.ExpireDue(now)
	s.publish(history.NoCause)
}

// publish records the changes of the last step, and sends its effects to the replicas and the disk.
func (s *redisServer) publish(cause int32) {
	changes, effects := s.store.Changes(), s.store.Effects()
	s.track(effects)
	if len(changes) == 0 && len(effects) == 0 {
		return // the usual case when clients spin
	}
	for _, c := range changes {
		if c.Key == s.w.entry.Key { // not a counter or latch, and not the lock of another resource
			ttl := time.Duration(max(c.TTLms, 0)) * time.Millisecond
			s.recordEntry(history.Event{Kind: c.Kind, Peer: c.By, Owner: c.Owner, Value: int64(ttl), Cause: cause})
		}
	}
	s.touch(effects)
	if len(effects) > 0 {
		s.offset += int64(len(effects))
		s.log(effects...)
		for _, r := range s.group.servers {
			if r.upstream == s && !r.proc.Dead() {
				r.enqueue(effects)
			}
		}
	}
	s.arm()
}

// log appends effects to the append-only file, if any.
func (s *redisServer) log(effects ...redis.Effect) {
	if s.group.persistence != plan.PersistNone {
		s.aof = append(s.aof, effects...)
	}
}

// arm sets the timer for the next entry to expire.
func (s *redisServer) arm() {
	at, ok := s.store.NextExpiry()
	if ok && at == s.armedMS {
		return
	}
	s.w.k.Cancel(s.armed)
	s.armed, s.armedMS = kernel.Timer{}, 0
	if !ok {
		return
	}
	s.armedMS = at
	wait := time.Duration(max(at-s.wallMS(), 1)) * time.Millisecond
	s.armed = s.w.k.After(s.proc.Clock.TrueFor(wait), (*expiryDue)(s), 0)
}

// Fire: an entry's time is up on the server's clock.
func (d *expiryDue) Fire(uint64) {
	s := (*redisServer)(d)
	s.armed, s.armedMS = kernel.Timer{}, 0
	if !s.up() {
		return
	}
	s.dropDue(s.wallMS())
	s.arm() // the timer may have been a fraction of a millisecond early
}

// recordChanges records the changes of one kind of the last step, which came from peer.
func (s *redisServer) recordChanges(kind history.Kind, peer history.NodeID) {
	for _, c := range s.store.Changes() {
		if c.Kind == kind && c.Key == s.w.entry.Key {
			s.recordEntry(history.Event{Kind: kind, Peer: peer, Owner: c.Owner, Cause: history.NoCause})
		}
	}
}

// recordEntry records an event of the lock's entry on this server.
func (s *redisServer) recordEntry(e history.Event) {
	e.Node, e.Text = s.node, s.w.entryText
	s.w.record(s.proc, e)
}

// died implements service: replicas lose their link.
func (s *redisServer) died() {
	s.refuseWaiters()
	s.subs, s.serves = s.subs[:0], s.serves[:0]
	s.looks, s.watches = nil, nil
	s.cutOff()
	s.lost = s.store.Owner(s.w.entry.Key)
	for _, r := range s.group.servers {
		if r.follows == s {
			r.cutOff()
		}
	}
}

func (s *redisServer) refuseWaiters() {
	for _, w := range s.waiters {
		w.call.refuse()
	}
	s.waiters = s.waiters[:0]
}

// disconnectClients closes all connections of clients, as a server does when a sentinel changes its
// role.
func (s *redisServer) disconnectClients() {
	s.refuseWaiters()
	s.subs = s.subs[:0]
	for len(s.conns) > 0 {
		s.conns[0].close()
	}
}

// revived implements service: the data are those on the disk. The server has its former role, but
// without sentinels the operator makes a replaced primary follow its successor. Replicas reconnect.
func (s *redisServer) revived() {
	s.reload()
	if s.member != nil {
		s.member.rejoin()
	}
	primary := s.follows
	if g := s.group; g.watch == nil && g.leader != s {
		primary = g.leader
	}
	if primary != nil {
		s.follows = nil
		s.follow(primary)
		return
	}
	s.store.SetReplica(false)
	for _, r := range s.group.servers {
		if r.follows == s && !r.proc.Dead() {
			r.greet(1)
		}
	}
	s.dropDue(s.wallMS())
	s.arm()
}

// reload plays the append-only file. It has everything that was answered: a server writes to it
// before it replies (beforeSleep in server.c), and the operating system keeps what a dead process
// has written.
func (s *redisServer) reload() {
	s.store.Reset()
	s.store.SetReplica(true)
	for i := range s.aof {
		s.store.Apply(s.wallMS(), &s.aof[i])
	}
	if s.lost != 0 && s.store.Owner(s.w.entry.Key) != s.lost {
		s.recordEntry(history.Event{Kind: history.Forgotten, Owner: s.lost, Cause: history.NoCause})
	}
	s.lost = 0
	s.armed, s.armedMS = kernel.Timer{}, 0
}

func (s *redisServer) thawed() {
	for ; s.missed > 0; s.missed-- {
		s.takeNext()
	}
	s.catchUp()
	s.dropDue(s.wallMS())
}

func (s *redisServer) clockChanged() {
	if !s.up() {
		return
	}
	s.dropDue(s.wallMS())
	s.armedMS = 0
	s.arm()
}

func (s *redisServer) evict() {
	if s.up() {
		s.store.Evict(s.wallMS(), s.w.entry.Key)
		s.publish(history.NoCause)
	}
}

// promote makes a replica a primary (REPLICAOF NO ONE).
func (s *redisServer) promote() {
	old := s.group.leader
	s.cutOff()
	if s.follows != nil {
		s.follows, s.offset = nil, s.has
	}
	s.store.SetReplica(false)
	s.group.lead(s)
	s.becomes(history.Promoted, &old.host)
	s.dropDue(s.wallMS())
	s.arm() // a replica's entries had no timer
}
