package sim

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/rng"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/sim/sql"
	"lockstep/internal/sim/store"
)

// database is an SQL server and its asynchronous replicas. Each server has data
// of its own; sessions and named locks are a server's own as well.
type database struct {
	w        *World
	servers  []*sqlServer
	leader   *sqlServer
	lag      time.Duration
	extraLag lateness
	failover plan.Failover
	network  rng.Rand
}

// sqlServer is one database server.
type sqlServer struct {
	host
	db       *database
	model    *sql.DB
	waiting  []*call
	due      kernel.Timer
	upstream *sqlServer
	links    int
	lastHop  history.Instant
}

var (
	_ backend = (*database)(nil)
	_ service = (*sqlServer)(nil)
)

func (w *World) newDatabase(names []string, set plan.SQL, model func() *sql.DB) *database {
	db := &database{
		w: w, lag: set.Lag, failover: set.Failover,
		network: rng.New(w.seed, rng.ID("network of servers")),
	}
	for _, name := range names {
		s := &sqlServer{db: db, model: model()}
		s.host = w.newHost(name, s)
		db.servers = append(db.servers, s)
	}
	db.leader = db.servers[0]
	for _, s := range db.servers[1:] {
		s.upstream = db.leader
		s.model.SetReplica(true)
	}
	return db
}

// pick implements route: a client goes to the primary that it last heard of.
func (db *database) pick(c *client) *host { return c.knows }

// serve implements service.
func (s *sqlServer) serve(l *call) {
	a, done := s.model.Exec(s.clock(), uint64(l.id), l.storeConn(), l.op)
	if !done {
		s.waiting = append(s.waiting, l)
		s.drain(l.executed)
		return
	}
	s.executed(l, a)
	out := s.changes(l.executed) // before the answer: a fault may wait for it, and changes more
	l.answer()
	s.carry(&out)
}

// executed records that a statement was executed.
func (s *sqlServer) executed(l *call, a store.Answer) {
	l.value, l.err, l.replied = a.Value, a.Err, a.Text
	l.executedOn(&s.host)
}

// drain carries away what has come out of the server.
func (s *sqlServer) drain(cause int32) {
	out := s.changes(cause)
	s.carry(&out)
}

// changes records what has become of entries, and returns what else has come out of the server.
func (s *sqlServer) changes(cause int32) store.Output {
	out := s.model.Output()
	for i := range out.Changes {
		s.w.recordChange(&s.host, &out.Changes[i], cause)
	}
	return out
}

// carry passes on what has come out of the server.
func (s *sqlServer) carry(out *store.Output) {
	for _, late := range out.Answers {
		if l := takeCall(&s.waiting, late.ID); l != nil {
			s.executed(l, late.Answer)
			l.answer()
		}
	}
	for _, d := range out.Drops {
		for _, cn := range s.conns {
			if cn.id == d.ID {
				cn.close()
				break
			}
		}
	}
	for _, r := range s.db.servers {
		if r.upstream == s && !r.proc.Dead() {
			for _, e := range out.Effects {
				r.receive(e)
			}
		}
	}
	s.arm()
}

// receive sends one committed change down the link to this replica.
func (s *sqlServer) receive(effect any) {
	db, link := s.db, s.links
	s.lastHop = max(s.lastHop, s.w.k.Now().Add(db.lag+db.extraLag.felt(s.w, s.node)+s.w.network.draw(&db.network)))
	s.w.network.send(s.lastHop, s.upstream.node, s.node, kernel.HandlerFunc(func() {
		if s.links != link || s.proc.Dead() {
			return
		}
		s.model.Apply(s.clock(), effect)
		for _, ch := range s.model.Output().Changes {
			if ch.Kind == history.Replicated {
				s.w.recordChange(&s.host, &ch, history.NoCause)
			}
		}
	}))
}

func (s *sqlServer) arm() {
	s.w.k.Cancel(s.due)
	s.due = kernel.Timer{}
	if at, ok := s.model.Due(); ok {
		wait := max(at-s.clock().Mono, 0)
		s.due = s.w.k.After(s.proc.Clock.TrueFor(wait), (*sqlDue)(s), 0)
	}
}

// sqlDue is the timer of a server.
type sqlDue sqlServer

// Fire lets the server do what is due.
func (d *sqlDue) Fire(uint64) {
	s := (*sqlServer)(d)
	s.due = kernel.Timer{}
	if s.up() {
		s.model.Tick(s.clock())
		s.drain(history.NoCause)
	}
}

// follow makes the server a replica of another one, whose rows it gets.
func (s *sqlServer) follow(primary *sqlServer) {
	s.upstream = primary
	s.links++
	primary.model.CopyTo(s.model, s.clock())
	s.model.SetReplica(true)
	s.drain(history.NoCause)
}

// hangUp implements service: the session is over.
func (s *sqlServer) hangUp(cn *conn) {
	s.waiting = withoutCallsOn(cn, s.waiting)
	s.model.Closed(s.clock(), cn.store())
	s.drain(history.NoCause)
}

// died implements service.
func (s *sqlServer) died() {
	for _, l := range s.waiting {
		l.refuse()
	}
	s.waiting = s.waiting[:0]
	s.w.k.Cancel(s.due)
	for _, r := range s.db.servers {
		if r.upstream == s {
			r.upstream = nil
			r.links++
		}
	}
}

// revived implements service: committed rows are there, sessions are not. A primary
// that is still the one that clients know has its replicas follow it again; one that
// was replaced follows its successor.
func (s *sqlServer) revived() {
	s.model.Restart(s.clock())
	s.drain(history.NoCause)
	if s.db.leader != s {
		s.follow(s.db.leader)
		return
	}
	for _, r := range s.db.servers {
		if r != s && !r.proc.Dead() {
			r.follow(s)
		}
	}
}

// thawed implements service.
func (s *sqlServer) thawed() {
	s.model.Tick(s.clock())
	s.drain(history.NoCause)
}

// clockChanged implements service.
func (s *sqlServer) clockChanged() {
	if s.up() {
		s.model.Tick(s.clock())
		s.drain(history.NoCause)
	}
}

// hosts implements backend.
func (db *database) hosts() []*host {
	var out []*host
	for _, s := range db.servers {
		out = append(out, &s.host)
	}
	return out
}

// primary implements backend.
func (db *database) primary() *host { return &db.leader.host }

// failOver implements backend.
func (db *database) failOver(fault int) {
	old := db.leader
	injector{db.w}.Crash(fault, old.name)
	db.w.k.After(db.failover.After, kernel.HandlerFunc(func() {
		if db.leader == old {
			db.promote()
		}
	}), 0)
}

// promote implements backend.
func (db *database) promote() {
	old := db.leader
	for _, s := range db.servers {
		if s == old || !s.up() {
			continue
		}
		s.upstream = nil
		s.links++
		db.leader = s
		s.becomes(history.Promoted, &old.host)
		db.w.spread(&s.host)
		for _, r := range db.servers {
			if r != s && r != old && !r.proc.Dead() {
				r.follow(s)
			}
		}
		s.model.SetReplica(false)
		s.model.Lead(s.clock())
		s.drain(history.NoCause)
		return
	}
}

// evict implements backend.
func (db *database) evict(h *host) {
	for _, s := range db.servers {
		if (h == nil && s == db.leader || h == &s.host) && s.up() {
			s.model.Evict(s.clock(), s.w.entry.Key)
			s.drain(history.NoCause)
		}
	}
}

// setLag implements backend.
func (db *database) setLag(l lateness) { db.extraLag = l }

// reachabilityChanged implements backend.
func (db *database) reachabilityChanged() { db.w.spread(&db.leader.host) }
