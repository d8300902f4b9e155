package sim

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/sim/redis"
	"lockstep/internal/world"
)

// redisGroup is one primary and its replicas, as a Redis lock sees them.
type redisGroup struct {
	w       *World
	set     plan.Redis
	servers []*server
	primary *server
	calls   []*call // all ever made, by slot
	free    []*call
	nextID  int64
	network kernel.Rand // of the links between servers
}

// server is one redis-server process: its clock, its data and its connections.
type server struct {
	group   *redisGroup
	name    string
	node    history.NodeID
	proc    *kernel.Proc
	store   *redis.Store
	inbox   []*call // requests that reached the host while the process was frozen
	armed   kernel.Timer
	armedMS int64 // what armed waits for

	// As a replica: effects on their way from the primary, in order. A primary's
	// death loses what has not arrived.
	stream   []redis.Effect
	arrived  int // stream[:arrived] has been applied
	lastHop  history.Instant
	upstream *server
}

// handlers of a server
type (
	expiryDue     server
	effectArrives server
)

func newRedisGroup(w *World, set plan.Redis) *redisGroup {
	old := w.redis
	g := &redisGroup{w: w, set: set, network: kernel.NewRand(w.seed, kernel.StreamID("network of servers"))}
	if old != nil {
		g.calls = old.calls
		for _, l := range g.calls {
			l.id = 0 // else find could take a call of the last run for one of this run
		}
		g.free = append([]*call(nil), g.calls...)
	}
	for i := range 1 + set.Replicas {
		s := &server{group: g, name: plan.ServerName(i)}
		if old != nil && i < len(old.servers) {
			s.store = old.servers[i].store
			s.store.Reset()
			s.stream = old.servers[i].stream[:0]
		} else if i == 0 {
			s.store = redis.New()
		} else {
			s.store = redis.NewSharing(g.servers[0].store)
		}
		s.node = w.hist.Node(s.name)
		s.proc = w.k.NewProc(s.name, w.clockOf(s.name))
		g.servers = append(g.servers, s)
	}
	g.primary = g.servers[0]
	for _, s := range g.servers[1:] {
		s.upstream = g.primary
		s.store.SetReplica(true)
	}
	return g
}

func (g *redisGroup) newCall(c *client, cmd *world.Cmd) *call {
	var l *call
	if n := len(g.free); n > 0 {
		l = g.free[n-1]
		g.free = g.free[:n-1]
	} else {
		l = &call{w: g.w}
		g.calls = append(g.calls, l)
	}
	g.nextID++
	// The reply and the server of its last use are overwritten before they are read.
	l.client, l.cmd, l.id, l.refs, l.executed = c, *cmd, g.nextID, 1, history.NoCause
	l.answered, l.broken, l.timedOut = false, false, false
	l.dropRequest, l.dropReply, l.slowRequest, l.slowReply = 0, 0, 0, 0
	return l
}

func (g *redisGroup) recycle(l *call) { g.free = append(g.free, l) }

// find returns the call with that id; a fault names it while its client waits.
func (g *redisGroup) find(id int64) *call {
	for _, l := range g.calls {
		if l.id == id {
			return l
		}
	}
	panic("sim: a fault names a command that nobody has sent")
}

// wallMS is what the server's wall clock shows, in Unix milliseconds.
func (s *server) wallMS() int64 {
	return epochMS + int64(s.proc.Clock.Wall(s.group.w.k.Now())/time.Millisecond)
}

// execute runs a command on the data and records what it did to the entries.
func (s *server) execute(l *call) {
	w := s.group.w
	s.dropDue()
	l.reply = s.store.Exec(s.wallMS(), l.client.node, &l.cmd)
	l.executed = w.record(s.proc, history.Event{
		Kind: history.Executed, Node: s.node, Peer: l.client.node, Value: l.id,
		Text: w.replies.of(w.hist, &l.reply), Cause: l.sent,
	})
	s.publish(l.executed)
}

// dropDue drops the entries whose time is up, as an event of its own: else the
// history would blame the command that happens to come next.
func (s *server) dropDue() {
	now := s.wallMS()
	// A replica has nothing due: it waits for its primary's DEL.
	if at, ok := s.store.NextExpiry(); !ok || at > now {
		return
	}
	s.store.ExpireDue(now)
	s.publish(history.NoCause)
}

// publish records the changes of the last step and sends its effects to the replicas.
func (s *server) publish(cause int32) {
	w := s.group.w
	for _, c := range s.store.Changes() {
		if !isEntry(c.Key) {
			continue
		}
		ttl := time.Duration(0)
		if c.TTLms > 0 {
			ttl = time.Duration(c.TTLms) * time.Millisecond
		}
		w.record(s.proc, history.Event{
			Kind: c.Kind, Node: s.node, Peer: c.By, Owner: c.Owner, Value: int64(ttl),
			Text: w.hist.Intern(c.Key), Cause: cause,
		})
	}
	if effects := s.store.Effects(); len(effects) > 0 {
		for _, r := range s.group.servers {
			if r.upstream == s && !r.proc.Dead() {
				r.enqueue(effects)
			}
		}
	}
	s.arm()
}

// arm sets the timer for the next entry whose time will be up.
func (s *server) arm() {
	at, ok := s.store.NextExpiry()
	if ok && at == s.armedMS {
		return
	}
	if !ok {
		s.group.w.k.Cancel(s.armed)
		s.armed, s.armedMS = kernel.Timer{}, 0
		return
	}
	s.group.w.k.Cancel(s.armed)
	s.armedMS = at
	wait := time.Duration(max(at-s.wallMS(), 1)) * time.Millisecond
	s.armed = s.group.w.k.After(s.proc.Clock.TrueFor(wait), (*expiryDue)(s), 0, 0)
}

// Fire: an entry's time is up on the server's clock.
func (d *expiryDue) Fire(_, _ uint64) {
	s := (*server)(d)
	s.armed, s.armedMS = kernel.Timer{}, 0
	if s.proc.Dead() {
		return
	}
	s.dropDue()
	s.arm() // the clock may have been read a fraction of a millisecond too early
}

// enqueue sends effects down the replication link, which keeps their order.
func (s *server) enqueue(effects []redis.Effect) {
	k := s.group.w.k
	at := k.Now().Add(s.group.set.Lag + s.group.hop())
	if at < s.lastHop {
		at = s.lastHop
	}
	s.lastHop = at
	for _, e := range effects {
		s.stream = append(s.stream, e)
		k.At(at, (*effectArrives)(s), uint64(s.upstream.node), 0)
	}
}

func (g *redisGroup) hop() time.Duration {
	span := g.w.plan.Network.Latency
	if span.Max <= span.Min {
		return span.Min
	}
	return span.Min + time.Duration(g.network.Int64N(int64(span.Max-span.Min)+1))
}

// Fire: the next effect has reached the replica. from is the primary that sent it.
func (a *effectArrives) Fire(from, _ uint64) {
	s := (*server)(a)
	if s.proc.Dead() || s.upstream == nil || uint64(s.upstream.node) != from {
		return // the link was torn down meanwhile
	}
	e := &s.stream[s.arrived]
	s.arrived++
	s.store.Apply(s.wallMS(), e)
	for _, c := range s.store.Changes() {
		if c.Kind == history.Replicated && isEntry(c.Key) {
			w := s.group.w
			w.record(s.proc, history.Event{
				Kind: c.Kind, Node: s.node, Peer: s.upstream.node, Owner: c.Owner,
				Text: w.hist.Intern(c.Key), Cause: history.NoCause,
			})
		}
	}
}

// die drops the connections: clients that wait for this server learn of it.
func (s *server) die() {
	s.proc.Kill()
	for _, l := range s.inbox {
		l.refuse()
	}
	s.inbox = s.inbox[:0]
	for _, r := range s.group.servers {
		if r.upstream == s {
			r.upstream = nil
		}
	}
}

// thawed executes what arrived during the freeze.
func (s *server) thawed() {
	inbox := s.inbox
	s.inbox = nil
	s.dropDue()
	for _, l := range inbox {
		l.execute()
	}
}

// promote makes a replica the primary of the group.
func (s *server) promote() {
	g := s.group
	old := g.primary
	s.upstream = nil
	s.store.SetReplica(false)
	g.primary = s
	for _, r := range g.servers {
		if r != s && r != old && !r.proc.Dead() {
			s.store.CopyTo(r.store, s.wallMS())
			r.upstream, r.stream, r.arrived = s, r.stream[:0], 0
		}
	}
	g.w.record(s.proc, history.Event{
		Kind: history.Promoted, Node: s.node, Peer: old.node, Cause: history.NoCause,
	})
	s.dropDue()
	s.arm() // a replica's entries had no timer
}

// isEntry tells the entries of the lock from its helpers (counters, latches).
func isEntry(key string) bool { return key == lockKey }
