package report

import (
	"slices"
	"time"

	"lockstep/internal/history"
)

// measures are the numbers of one history that figures and tables show. They are
// taken in one walk, since a history may have millions of events. The probe does
// not count: it plays no round of the scenario.
type measures struct {
	end      history.Instant
	waits    []wait
	failures []wait // attempts that returned an error; the client went on waiting
	holds    []history.Hold
	writes   []guarded
	skews    []skew
	commands int // sent by clients
	acquired int
	least    int // fewest commands from asking for the lock to its release; 0 when nobody did both
	tokens   bool
	clients  []history.NodeID
}

// wait is how long one client waited for the lock in one round.
type wait struct {
	client   history.NodeID
	from, to history.Instant
	end      waitEnd
}

func (w wait) length() time.Duration { return w.to.Sub(w.from) }

// waitEnd says how a wait ended.
type waitEnd uint8

const (
	waitOpen   waitEnd = iota // the history, or the client, ended first
	waitGot                   // the client acquired
	waitGaveUp                // its patience was over
)

// guarded is a write at the resource.
type guarded struct {
	at      history.Instant
	token   int64
	refused bool
	stale   bool // accepted although a higher token had been seen
}

// skew is how far a node's wall clock was from true time, from an instant on.
type skew struct {
	node history.NodeID
	at   history.Instant
	off  time.Duration
}

// skewGrain is the least change of a clock's offset that is noted.
const skewGrain = time.Millisecond

func measure(h *history.History) *measures {
	m := &measures{end: h.End()}
	for i, n := range h.Header.Nodes {
		if n.Role == history.RoleClient {
			m.clients = append(m.clients, history.NodeID(i+1))
		}
	}
	s := survey{h: h, m: m, parties: make([]surveyed, len(h.Header.Nodes)+1)}
	for i := range h.Events {
		s.take(&h.Events[i])
	}
	for id := range s.parties {
		if p := &s.parties[id]; p.waiting {
			m.waits = append(m.waits, wait{history.NodeID(id), p.since, m.end, waitOpen})
		}
	}
	for _, hold := range history.Holds(h) {
		if h.Role(hold.Client) == history.RoleClient {
			m.holds = append(m.holds, hold)
		}
	}
	return m
}

// survey walks through a history for its measures.
type survey struct {
	h       *history.History
	m       *measures
	parties []surveyed // by NodeID
	highest int64      // token seen at the resource
}

// surveyed is what the walk remembers of a node.
type surveyed struct {
	waiting bool
	since   history.Instant
	sent    int // commands since it asked for the lock
	counts  bool
	read    bool          // its clock has been read and showed true time
	skewed  bool          // its clock has been noted
	skew    time.Duration // as noted last
}

func (s *survey) take(e *history.Event) {
	if int(e.Node) >= len(s.parties) {
		return
	}
	p, m := &s.parties[e.Node], s.m
	if e.Clock != 0 {
		s.clock(p, e)
	}
	if e.Kind == history.WriteAccepted || e.Kind == history.WriteRefused {
		s.write(e)
		return
	}
	if s.h.Role(e.Node) != history.RoleClient {
		return
	}
	switch e.Kind {
	case history.Sent:
		m.commands++
		p.sent++
	case history.Waits:
		p.waiting, p.since, p.sent, p.counts = true, e.At, 0, false
	case history.Acquired:
		m.acquired++
		m.tokens = m.tokens || e.Token != 0
		p.counts = p.waiting
		s.endWait(p, e, waitGot)
	case history.AcquireFailed:
		if p.waiting {
			m.failures = append(m.failures, wait{e.Node, p.since, e.At, waitOpen})
		}
	case history.GaveUp:
		s.endWait(p, e, waitGaveUp)
	case history.Crashed, history.Finished:
		s.endWait(p, e, waitOpen)
	case history.Released, history.NotHeld:
		if p.counts && (m.least == 0 || p.sent < m.least) {
			m.least = p.sent
		}
		p.counts = false
	}
}

func (s *survey) endWait(p *surveyed, e *history.Event, how waitEnd) {
	if p.waiting {
		s.m.waits = append(s.m.waits, wait{e.Node, p.since, e.At, how})
	}
	p.waiting = false
}

func (s *survey) write(e *history.Event) {
	w := guarded{at: e.At, token: e.Token, refused: e.Kind == history.WriteRefused}
	w.stale = !w.refused && e.Token != 0 && e.Token < s.highest
	s.highest = max(s.highest, e.Token)
	s.m.tokens = s.m.tokens || e.Token != 0
	s.m.writes = append(s.m.writes, w)
}

// clock notes a change of a node's offset. A clock that shows true time all along
// is not noted at all.
func (s *survey) clock(p *surveyed, e *history.Event) {
	off := time.Duration(e.Clock - int64(e.At))
	change := off - p.skew
	if change < skewGrain && change > -skewGrain {
		p.read = true
		return
	}
	if !p.skewed {
		p.skewed = true
		start := off // of a clock that nobody has read before
		switch {
		case e.Kind == history.ClockChanged:
			start = off - time.Duration(e.Value)
		case p.read:
			start = 0
		}
		s.m.skews = append(s.m.skews, skew{node: e.Node, off: start})
	}
	p.skew = off
	s.m.skews = append(s.m.skews, skew{e.Node, e.At, off})
}

// lengths returns the lengths of the waits that ended with the lock, sorted.
func (m *measures) lengths() []time.Duration {
	var out []time.Duration
	for _, w := range m.waits {
		if w.end == waitGot {
			out = append(out, w.length())
		}
	}
	slices.Sort(out)
	return out
}

// quantile is the nearest-rank quantile of sorted lengths: the least of them that
// at least percent of a hundred do not exceed. It is 0 of none.
func quantile(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(rank, 1)-1]
}
