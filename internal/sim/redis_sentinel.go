package sim

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/sim/kernel"
)

// sentinels watch over a group of Redis servers: when enough of them cannot
// reach the primary for long enough, and a majority of them can talk, they
// promote a replica; a primary that comes back is made a replica. (sentinel.c:
// subjectively down, objectively down by a quorum, election, promotion.)
type sentinels struct {
	group   *redisGroup
	members []sentinel
	period  time.Duration // between two looks
	voting  bool          // an election is under way
}

// sentinel is one process. It serves no requests.
type sentinel struct {
	host
	silent history.Instant // since when it has not reached the primary; never for not silent
}

// never marks a primary that answers.
const never = history.Instant(-1)

// looksPerDownAfter is how often they look within the time after which a silent
// primary counts as down.
const looksPerDownAfter = 10

func (w *World) newSentinels(g *redisGroup, names []string) *sentinels {
	ws := &sentinels{group: g, period: max(g.failover.DownAfter/looksPerDownAfter, time.Millisecond)}
	ws.members = make([]sentinel, len(names))
	for i, name := range names {
		m := &ws.members[i]
		m.host = w.newHost(name, m)
		m.silent = never
	}
	w.k.After(ws.period, ws, 0)
	return ws
}

// quorum is how many must find the primary down, majority how many must agree on
// who promotes; for three sentinels both are two.
func (ws *sentinels) quorum() int { return len(ws.members)/2 + 1 }

// Fire is one look of all sentinels.
func (ws *sentinels) Fire(uint64) {
	w := ws.group.w
	now := w.k.Now()
	down := 0
	for i := range ws.members {
		m := &ws.members[i]
		switch {
		case !m.up():
			continue
		case ws.reaches(m, &ws.group.leader.host):
			m.silent = never
		case m.silent == never:
			m.silent = now
		case now.Sub(m.silent) >= ws.group.failover.DownAfter:
			down++
		}
	}
	ws.demoteReturned()
	if down >= ws.quorum() && !ws.voting && ws.elected() != nil {
		ws.voting = true
		w.k.After(ws.group.failover.Election, kernel.HandlerFunc(ws.conclude), 0)
	}
	w.k.After(ws.period, ws, 0)
}

func (ws *sentinels) reaches(m *sentinel, h *host) bool {
	return h.up() && !ws.group.w.network.apart(m.node, h.node)
}

// elected returns a sentinel that can talk to a majority, itself included, all of
// which find the primary down; nil when there is none.
func (ws *sentinels) elected() *sentinel {
	for i := range ws.members {
		votes := 0
		for k := range ws.members {
			voter := &ws.members[k]
			if (i == k || ws.reaches(&ws.members[i], &voter.host)) && voter.up() && voter.silent != never {
				votes++
			}
		}
		if ws.members[i].up() && votes >= ws.quorum() {
			return &ws.members[i]
		}
	}
	return nil
}

// conclude ends an election. Replicas have equal priorities, so the one that has
// most of the primary's stream is chosen, and among equals the first.
func (ws *sentinels) conclude() {
	ws.voting = false
	leader := ws.elected()
	if leader == nil {
		return
	}
	var best *redisServer
	for _, s := range ws.group.servers {
		if s == ws.group.leader || !s.store.IsReplica() || !ws.reaches(leader, &s.host) {
			continue
		}
		if best == nil || s.has > best.has {
			best = s
		}
	}
	if best != nil {
		best.promote()
		for i := range ws.members {
			ws.members[i].silent = never
		}
	}
}

// demoteReturned makes a primary of old, that some sentinel reaches again, a
// replica.
func (ws *sentinels) demoteReturned() {
	for _, s := range ws.group.servers {
		if s == ws.group.leader || s.store.IsReplica() || s.upstream != nil {
			continue
		}
		for i := range ws.members {
			m := &ws.members[i]
			if m.up() && ws.reaches(m, &s.host) && ws.reaches(m, &ws.group.leader.host) {
				s.demote()
				break
			}
		}
	}
}

// anyReaches reports whether a client can ask some sentinel for the primary.
func (ws *sentinels) anyReaches(client history.NodeID) bool {
	for i := range ws.members {
		m := &ws.members[i]
		if m.up() && !ws.group.w.network.apart(client, m.node) && ws.reaches(m, &ws.group.leader.host) {
			return true
		}
	}
	return false
}

// A sentinel is a service that nobody asks anything.

func (m *sentinel) serve(l *call) { l.refuse() }
func (m *sentinel) hangUp(*conn)  {}
func (m *sentinel) died()         {}
func (m *sentinel) revived()      { m.silent = never }
func (m *sentinel) thawed()       {}
func (m *sentinel) clockChanged() {}

var _ service = (*sentinel)(nil)
