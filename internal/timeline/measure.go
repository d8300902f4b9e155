package timeline

import (
	"fmt"
	"slices"
	"time"

	"lockstep/internal/history"
)

// Measures are the numbers of one history for figures and tables, without the probe's.
type Measures struct {
	Waits    []Wait
	Failures []Wait // attempts that returned an error; the client went on waiting
	Holds    []history.Hold
	Writes   []Write
	Skews    []Skew
	Commands int // sent by clients
	Acquired int
	Least    int // fewest commands from the wait for the lock to its release; 0 when no client did both
	Tokens   bool
	Clients  []history.NodeID
}

// Wait is how long one client waited for the lock in one round.
type Wait struct {
	Client   history.NodeID
	from, To history.Instant
	End      WaitEnd
}

// Length returns how long the client waited.
func (w Wait) Length() time.Duration { return w.To.Sub(w.from) }

// WaitEnd says how a wait ended.
type WaitEnd uint8

const (
	WaitOpen   WaitEnd = iota // the history or the client ended first
	WaitGot                   // the client acquired
	WaitGaveUp                // its patience was over
)

// Write is a write at the resource.
type Write struct {
	Author  history.NodeID
	At      history.Instant
	Token   int64
	Refused bool
	Stale   bool // accepted although a higher token had been seen
}

// Skew is how far a node's wall clock is from true time, from an instant on.
type Skew struct {
	Node history.NodeID
	At   history.Instant
	Off  time.Duration
}

// skewGrain is the smallest change of a clock's offset that is recorded.
const skewGrain = time.Millisecond

// Measure takes the measures of a history.
func (t *Timeline) Measure() *Measures {
	m := &Measures{Clients: t.NodesOf(history.RoleClient)}
	s := survey{t: t, m: m, parties: make([]surveyed, len(t.Header.Nodes)+1)}
	for _, e := range t.All() {
		s.take(e)
	}
	for id := range s.parties {
		if p := &s.parties[id]; p.waiting {
			m.Waits = append(m.Waits, Wait{history.NodeID(id), p.since, t.End(), WaitOpen})
		}
	}
	for _, hold := range t.Holds {
		if t.Role(hold.Client) == history.RoleClient {
			m.Holds = append(m.Holds, hold)
		}
	}
	return m
}

type survey struct {
	t       *Timeline
	m       *Measures
	parties []surveyed // by NodeID
	highest int64      // token seen at the resource
}

type surveyed struct {
	waiting bool
	since   history.Instant
	sent    int // commands since it asked for the lock
	counts  bool
	read    bool          // its clock has shown true time
	skewed  bool          // its clock has a Skew
	skew    time.Duration // the last one
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
	if s.t.Role(e.Node) != history.RoleClient {
		return
	}
	switch e.Kind {
	case history.Sent:
		m.Commands++
		p.sent++
	case history.Waits:
		p.waiting, p.since, p.sent, p.counts = true, e.At, 0, false
	case history.Acquired:
		m.Acquired++
		m.Tokens = m.Tokens || e.Token != 0
		p.counts = p.waiting
		s.endWait(p, e, WaitGot)
	case history.AcquireFailed:
		if p.waiting {
			m.Failures = append(m.Failures, Wait{e.Node, p.since, e.At, WaitOpen})
		}
	case history.GaveUp:
		s.endWait(p, e, WaitGaveUp)
	case history.Crashed, history.Finished:
		s.endWait(p, e, WaitOpen)
	case history.Released, history.NotHeld:
		if p.counts && (m.Least == 0 || p.sent < m.Least) {
			m.Least = p.sent
		}
		p.counts = false
	}
}

func (s *survey) endWait(p *surveyed, e *history.Event, how WaitEnd) {
	if p.waiting {
		s.m.Waits = append(s.m.Waits, Wait{e.Node, p.since, e.At, how})
	}
	p.waiting = false
}

func (s *survey) write(e *history.Event) {
	w := Write{Author: e.Peer, At: e.At, Token: e.Token, Refused: e.Kind == history.WriteRefused}
	w.Stale = !w.Refused && e.Token != 0 && e.Token < s.highest
	s.highest = max(s.highest, e.Token)
	s.m.Tokens = s.m.Tokens || e.Token != 0
	s.m.Writes = append(s.m.Writes, w)
}

// clock records a change of a node's offset.
func (s *survey) clock(p *surveyed, e *history.Event) {
	off := time.Duration(e.Clock - int64(e.At))
	change := off - p.skew
	if change < skewGrain && change > -skewGrain {
		p.read = true
		return
	}
	if !p.skewed {
		p.skewed = true
		start := off // for a clock that was not read before
		switch {
		case e.Kind == history.ClockChanged:
			start = off - time.Duration(e.Value)
		case p.read:
			start = 0
		}
		s.m.Skews = append(s.m.Skews, Skew{Node: e.Node, Off: start})
	}
	p.skew = off
	s.m.Skews = append(s.m.Skews, Skew{e.Node, e.At, off})
}

// Lengths returns the lengths of the waits that ended with the lock, sorted.
func (m *Measures) Lengths() []time.Duration {
	var out []time.Duration
	for _, w := range m.Waits {
		if w.End == WaitGot {
			out = append(out, w.Length())
		}
	}
	slices.Sort(out)
	return out
}

// PerAcquisition returns how many commands an acquisition took, with a decimal if that is below
// 100; "" when no client acquired.
func (m *Measures) PerAcquisition() string {
	if m.Acquired == 0 {
		return ""
	}
	tenths := m.Tenths()
	if tenths >= 1000 {
		return fmt.Sprint((tenths + 5) / 10)
	}
	return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
}

// Tenths returns ten times the commands per acquisition; there must be one.
func (m *Measures) Tenths() int64 {
	return int64((m.Commands*10 + m.Acquired/2) / m.Acquired)
}

// Quantile returns the nearest-rank quantile of sorted lengths; 0 of none.
func Quantile(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(rank, 1)-1]
}
