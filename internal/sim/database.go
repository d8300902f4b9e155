package sim

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/rng"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
)

// database is an SQL server and its asynchronous replicas. Sessions and named locks are not
// replicated.
type database struct {
	w        *World
	servers  []*sqlServer
	leader   *sqlServer
	lag      time.Duration
	failover plan.Failover
	network  rng.Rand
}

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

func (db *database) pick(c *client) *host { return c.knows }

func (s *sqlServer) serve(l *call) { s.execute(l) }

func (s *sqlServer) server() *host { return &s.host }

func (s *sqlServer) able() bool { return s.up() }

func (s *sqlServer) answer(l *call) { l.answer() }

func (s *sqlServer) inform(_ *host, do func()) { do() }

func (s *sqlServer) replicate(effects []any) {
	effects = slices.Clone(effects) // the model reuses the list
	for _, r := range s.db.servers {
		if r.upstream == s && !r.proc.Dead() && len(effects) > 0 {
			r.receive(effects)
		}
	}
}

// receive sends committed changes to this replica, which gets those of a transaction all or none.
func (s *sqlServer) receive(effects []any) {
	db, link := s.db, s.links
	for range effects {
		s.lastHop = max(s.lastHop, s.w.k.Now().Add(db.lag+s.w.extraLag.take(s.w, s.node)+s.w.network.draw(&db.network)))
	}
	s.w.network.send(s.lastHop, s.upstream.node, s.node, kernel.HandlerFunc(func() {
		if s.links != link || s.proc.Dead() {
			return
		}
		for _, e := range effects {
			s.data.Apply(s.clock(), e)
			for _, ch := range s.model.Output().Changes {
				if ch.Kind == history.Replicated {
					s.w.recordChange(&s.host, &ch, history.NoCause)
				}
			}
		}
	}))
}

// follow makes the server a replica of another one, with a copy of its rows.
func (s *sqlServer) follow(primary *sqlServer) {
	s.upstream = primary
	s.links++
	primary.data.CopyTo(s.data, s.clock())
	s.data.SetReplica(true)
	s.drain(history.NoCause)
}

func (s *sqlServer) hangUp(cn *conn) { s.closed(cn) }

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

// revived implements service: rows are kept, sessions are not. Replicas of the primary follow it
// again; a former primary follows its successor.
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

func (s *sqlServer) thawed() { s.tick() }

func (s *sqlServer) clockChanged() { s.tick() }

func (db *database) primary() *host { return &db.leader.host }

func (db *database) operator() (time.Duration, bool) { return db.failover.After, true }

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
		db.w.announcePrimary(&s.host)
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

func (s *sqlServer) evict() {
	if s.up() {
		s.evictEntry()
	}
}

func (db *database) reachabilityChanged() { db.w.announcePrimary(&db.leader.host) }
