package sim

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/rng"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
)

// database is an SQL server and its asynchronous replicas. Each server has data
// of its own; sessions and named locks are a server's own as well.
type database struct {
	w        *World
	servers  []*sqlServer
	leader   *sqlServer
	lag      time.Duration
	failover plan.Failover
	network  rng.Rand
}

// sqlServer is one database server.
type sqlServer struct {
	host
	machine
	db       *database
	data     store.Follower // its model
	upstream *sqlServer
	links    int
	lastHop  history.Instant
}

var (
	_ backend = (*database)(nil)
	_ service = (*sqlServer)(nil)
)

func (w *World) newDatabase(names []string, set plan.SQL, model func() store.Follower) *database {
	db := &database{
		w: w, lag: set.Lag, failover: set.Failover,
		network: rng.New(w.seed, rng.ID("network of servers")),
	}
	for _, name := range names {
		s := &sqlServer{db: db, data: model()}
		s.machine = machine{model: s.data, by: s}
		w.begin(&s.host, name, s)
		db.servers = append(db.servers, s)
	}
	db.leader = db.servers[0]
	for _, s := range db.servers[1:] {
		s.upstream = db.leader
		s.data.SetReplica(true)
	}
	return db
}

// pick implements route: a client goes to the primary that it last heard of.
func (db *database) pick(c *client) *host { return c.knows }

// serve implements service.
func (s *sqlServer) serve(l *call) { s.execute(l) }

// server implements runner.
func (s *sqlServer) server() *host { return &s.host }

// able implements runner.
func (s *sqlServer) able() bool { return s.up() }

// answer implements runner.
func (s *sqlServer) answer(l *call) { l.answer() }

// replicate implements runner.
func (s *sqlServer) replicate(effects []any) {
	for _, r := range s.db.servers {
		if r.upstream == s && !r.proc.Dead() {
			for _, e := range effects {
				r.receive(e)
			}
		}
	}
}

// receive sends one committed change down the link to this replica.
func (s *sqlServer) receive(effect any) {
	db, link := s.db, s.links
	s.lastHop = max(s.lastHop, s.w.k.Now().Add(db.lag+s.w.extraLag.felt(s.w, s.node)+s.w.network.draw(&db.network)))
	s.w.network.send(s.lastHop, s.upstream.node, s.node, kernel.HandlerFunc(func() {
		if s.links != link || s.proc.Dead() {
			return
		}
		s.data.Apply(s.clock(), effect)
		for _, ch := range s.model.Output().Changes {
			if ch.Kind == history.Replicated {
				s.w.recordChange(&s.host, &ch, history.NoCause)
			}
		}
	}))
}

// follow makes the server a replica of another one, whose rows it gets.
func (s *sqlServer) follow(primary *sqlServer) {
	s.upstream = primary
	s.links++
	primary.data.CopyTo(s.data, s.clock())
	s.data.SetReplica(true)
	s.drain(history.NoCause)
}

// hangUp implements service: the session is over.
func (s *sqlServer) hangUp(cn *conn) { s.closed(cn) }

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
	s.data.Restart(s.clock())
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
func (s *sqlServer) thawed() { s.tick() }

// clockChanged implements service.
func (s *sqlServer) clockChanged() { s.tick() }

// primary implements backend.
func (db *database) primary() *host { return &db.leader.host }

// operator implements backend.
func (db *database) operator() (time.Duration, bool) { return db.failover.After, true }

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
		s.data.SetReplica(false)
		s.model.Lead(s.clock())
		s.drain(history.NoCause)
		return
	}
}

// evict implements service.
func (s *sqlServer) evict() {
	if s.up() {
		s.evictEntry()
	}
}

// reachabilityChanged implements backend.
func (db *database) reachabilityChanged() { db.w.spread(&db.leader.host) }
