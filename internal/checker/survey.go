package checker

import (
	"time"

	"lockstep/internal/history"
)

// facts are what Judge wants to know besides the findings.
type facts struct {
	overlap   time.Duration
	acquired  int
	contended bool
	cutShort  bool
	fired     map[int64]int // by the number of the fault: how often it began; never ranged over
}

// survey reads the history once for the facts.
//
// A run is contended when one client waits while another one believes that it
// holds the lock, or while a server keeps another one's entry. The second half
// is for the client that died between two steps of its acquire: it never
// believed anything, yet its orphaned entry keeps everybody out, which is the
// very thing that such a run is about. Two clients that merely wait at the same
// time are no contention: nobody was there to be kept out.
func survey(h *history.History) facts {
	t := tally{parties: make([]party, len(h.Header.Nodes)+1)}
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		t.facts.cutShort = t.facts.cutShort || e.Kind == history.CutShort
		if int(e.Node) >= len(t.parties) {
			continue
		}
		if t.observe(e) {
			t.facts.contended = true
		}
	}
	t.believe(h.End(), 0)
	return t.facts
}

// party is what is remembered of a node.
type party struct {
	waiting bool
	holding bool
	frozen  bool
	entry   history.NodeID // of a server: whose entry it keeps; the newest when there are several
}

// tally is the state of a survey.
type tally struct {
	facts            facts
	parties          []party // by NodeID
	waiting, holding int     // how many of them
	since            history.Instant
}

// observe takes the next event and reports whether it shows a client that waits
// while the lock is another's. It looks only when something changes that could
// make it so.
func (t *tally) observe(e *history.Event) bool {
	p := &t.parties[e.Node]
	switch e.Kind {
	case history.Waits:
		t.wait(p, true)
		return t.holding > count(p.holding) || !t.facts.contended && t.keptFrom(e.Node)
	case history.AcquireFailed:
		return t.holding > count(p.holding)
	case history.Acquired:
		t.facts.acquired++
		t.wait(p, false)
		t.hold(p, e.At, true)
		return t.waiting > 0
	case history.GaveUp, history.Finished:
		t.wait(p, false)
	case history.Releasing, history.LostLease:
		t.hold(p, e.At, false)
	case history.Crashed:
		t.wait(p, false)
		t.hold(p, e.At, false)
	case history.Granted:
		p.entry = e.Owner
		return t.waiting > 0 && !t.facts.contended && t.othersWait(e.Owner)
	case history.Removed, history.Expired, history.Forgotten:
		if p.entry == e.Owner {
			p.entry = 0
		}
	case history.FaultBegan:
		if t.facts.fired == nil {
			t.facts.fired = make(map[int64]int)
		}
		t.facts.fired[e.Value]++
	}
	return false
}

func (t *tally) wait(p *party, waiting bool) {
	t.waiting += count(waiting) - count(p.waiting)
	p.waiting = waiting
}

func (t *tally) hold(p *party, at history.Instant, holding bool) {
	t.believe(at, t.holding+count(holding)-count(p.holding))
	p.holding = holding
}

// believe sets how many clients hold from now on, and counts the time during
// which two or more did.
func (t *tally) believe(at history.Instant, holding int) {
	if t.holding > 1 && holding <= 1 {
		t.facts.overlap += at.Sub(t.since)
	}
	if t.holding <= 1 && holding > 1 {
		t.since = at
	}
	t.holding = holding
}

// keptFrom reports whether some server keeps an entry of another client.
func (t *tally) keptFrom(client history.NodeID) bool {
	for i := range t.parties {
		if owner := t.parties[i].entry; owner != 0 && owner != client {
			return true
		}
	}
	return false
}

// othersWait reports whether some client other than owner waits.
func (t *tally) othersWait(owner history.NodeID) bool {
	for i := range t.parties {
		if t.parties[i].waiting && i != int(owner) {
			return true
		}
	}
	return false
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
