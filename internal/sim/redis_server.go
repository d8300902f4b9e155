package sim

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store/redis"
)

// redisServer is one redis-server process: a host with its data.
type redisServer struct {
	host
	group   *redisGroup
	member  *clusterNode // nil outside of a Redis Cluster
	store   *redis.Store
	armed   kernel.Timer
	armedMS int64 // what armed waits for

	// As a primary.
	offset  int64 // effects that it has sent down its replication stream
	waiters []waiter
	subs    []subscriber
	serves  []*replication // the replicas that it knows of, by its own ends of their connections
	lost    history.NodeID // whose entry it held when it died

	publishes func(channel, message string) (receivers int64) // deliver, made once

	// For the connections of guests.
	looks   []look        // by reading, see CLIENT TRACKING
	watches []look        // by WATCH
	after   []Invalidated // of which the present command's connection is told behind the reply
	serving *conn         // whose command is being executed

	// As a replica: what is on its way from the primary, in order. A primary's
	// death loses what has not arrived.
	follows  *redisServer // the primary that it was last told to follow; nil for a primary
	upstream *redisServer // the same, once it sends its stream
	link     *replication
	links    int  // how often the replication link was made; what an old one carries is lost
	inStep   bool // it has all that upstream had when the stream began
	stream   []replicated
	arrived  int   // stream[:arrived] has been applied
	missed   int   // pieces that have come while it was frozen
	has      int64 // how far it has come in the stream of its last primary, as sentinels ask
	lastHop  history.Instant
	orders   []func() // that have come while it was frozen

	aof []redis.Effect // the append-only file; empty without persistence
}

// handlers of a server
type (
	expiryDue     redisServer
	effectArrives redisServer
)

var _ service = (*redisServer)(nil)

func (w *World) newRedisServer(g *redisGroup, name string) *redisServer {
	s := w.blankServer()
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
	for _, script := range w.Scripts {
		s.store.Load(script)
	}
	s.store.OnPublish = s.publishes
	s.store.KeepReads = false
	s.store.Extensions = extensionsOf(&w.variant.Servers)
	return s
}

// blankServer returns an unused server, see blankClient.
func (w *World) blankServer() *redisServer {
	if w.pacer != nil {
		return &redisServer{}
	}
	return w.madeServers.Next()
}

// extensionsOf is what a server knows beyond Redis 7.0: what the lock's design says that it
// must, and no more. A lock that forgets to say so is refused as by the real server.
func extensionsOf(s *locks.Servers) (out redis.Extensions) {
	if s.TairString {
		out |= redis.TairString
	}
	if s.Redis84 {
		out |= redis.Redis84
	}
	return out
}

// serve implements service.
func (s *redisServer) serve(l *call) {
	if s.member != nil && s.member.sendsAway(l) {
		return
	}
	if s.control(l) {
		l.ofConnection()
		return
	}
	now := s.wallMS()
	s.dropDueAt(now)
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

// dropDue drops the entries whose time is up, as an event of its own: else the
// history would blame the command that happens to come next.
func (s *redisServer) dropDue() { s.dropDueAt(s.wallMS()) }

// dropDueAt is dropDue for callers that have read the server's clock already.
func (s *redisServer) dropDueAt(now int64) {
	if now < s.armedMS {
		return // the timer stands for the next entry
	}
	// A replica has nothing due: it waits for its primary's DEL.
	if at, ok := s.store.NextExpiry(); !ok || at > now {
		return
	}
	s.store.ExpireDue(now)
	s.publish(history.NoCause)
}

// publish records the changes of the last step and sends its effects to the
// replicas and to the disk.
func (s *redisServer) publish(cause int32) {
	w := s.w
	changes, effects := s.store.Changes(), s.store.Effects()
	s.track(effects)
	if len(changes) == 0 && len(effects) == 0 {
		return // as nearly always, when clients spin
	}
	for _, c := range changes {
		if c.Key != w.entry.Key { // a counter or a latch beside it, or the lock of another resource
			continue
		}
		ttl := time.Duration(0)
		if c.TTLms > 0 {
			ttl = time.Duration(c.TTLms) * time.Millisecond
		}
		w.record(s.proc, history.Event{
			Kind: c.Kind, Node: s.node, Peer: c.By, Owner: c.Owner, Value: int64(ttl),
			Text: w.entryText, Cause: cause,
		})
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

// log writes effects into the append-only file, if there is one.
func (s *redisServer) log(effects ...redis.Effect) {
	if s.group.persistence != plan.PersistNone {
		s.aof = append(s.aof, effects...)
	}
}

// arm sets the timer for the next entry whose time will be up.
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
	s.dropDue()
	s.arm() // the clock may have been read a fraction of a millisecond too early
}

// recordChanges records the changes of one kind of the last step, which peer has sent.
func (s *redisServer) recordChanges(kind history.Kind, peer history.NodeID) {
	for _, c := range s.store.Changes() {
		if c.Kind == kind && c.Key == s.w.entry.Key {
			s.w.record(s.proc, history.Event{
				Kind: kind, Node: s.node, Peer: peer, Owner: c.Owner,
				Text: s.w.entryText, Cause: history.NoCause,
			})
		}
	}
}

// died implements service: replicas lose their link.
func (s *redisServer) died() {
	s.refuseWaiters()
	s.subs, s.serves, s.orders = s.subs[:0], s.serves[:0], nil
	s.looks, s.watches = nil, nil
	s.cutOff()
	s.lost = s.store.Owner(s.w.entry.Key)
	for _, r := range s.group.servers {
		if r.follows == s {
			r.cutOff()
		}
	}
}

// refuseWaiters breaks the connections of all clients in WAIT.
func (s *redisServer) refuseWaiters() {
	for _, w := range s.waiters {
		w.call.refuse()
	}
	s.waiters = s.waiters[:0]
}

// sendAway closes the connections of all clients: a sentinel that gives a server another
// role has it do so, for the clients to ask who the primary is.
func (s *redisServer) sendAway() {
	s.refuseWaiters()
	s.subs = s.subs[:0]
	for len(s.conns) > 0 {
		s.conns[0].close()
	}
}

// revived implements service: the data is what the disk has kept. It has the role that it
// had, except for a replaced one that only an operator restarts: it is told to follow its
// successor. Replicas find their primary again by themselves.
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
	s.dropDue()
	s.arm()
}

// reload plays the append-only file. Everything that was answered is in it, however seldom it
// reaches the disk: a server writes to it before it replies (beforeSleep in server.c), and what
// a dead process has written its operating system still has.
func (s *redisServer) reload() {
	now := s.w.k.Now()
	s.store.Reset()
	s.store.SetReplica(true)
	for i := range s.aof {
		s.store.Apply(s.wallMS(), &s.aof[i])
	}
	if s.lost != 0 && s.store.Owner(s.w.entry.Key) != s.lost {
		s.w.record(s.proc, history.Event{
			At: now, Kind: history.Forgotten, Node: s.node, Owner: s.lost,
			Text: s.w.entryText, Cause: history.NoCause,
		})
	}
	s.lost = 0
	s.armed, s.armedMS = kernel.Timer{}, 0
}

// thawed implements service.
func (s *redisServer) thawed() {
	for ; s.missed > 0; s.missed-- {
		s.takeNext()
	}
	orders := s.orders
	s.orders = nil
	for _, do := range orders {
		do()
	}
	s.dropDue()
}

// clockChanged implements service.
func (s *redisServer) clockChanged() {
	if !s.up() {
		return
	}
	s.dropDue()
	s.armedMS = 0
	s.arm()
}

// evict implements service.
func (s *redisServer) evict() {
	if s.up() {
		s.store.Evict(s.wallMS(), s.w.entry.Key)
		s.publish(history.NoCause)
	}
}

// promote makes a replica a primary (REPLICAOF NO ONE). No other node is told.
func (s *redisServer) promote() {
	old := s.group.leader
	s.cutOff()
	if s.follows != nil {
		s.follows, s.offset = nil, s.has
	}
	s.store.SetReplica(false)
	s.group.lead(s)
	s.becomes(history.Promoted, &old.host)
	s.dropDue()
	s.arm() // a replica's entries had no timer
}
