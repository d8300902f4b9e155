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
	faults    map[int64]fired // by number; never ranged over
}

// fired is what became of a fault.
type fired struct {
	times     int // how often it began
	inVain    bool
	contended bool // somebody had to wait for another at its first begin, or later
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
			t.contend()
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
	alone            []int64 // faults that have begun, and nobody has had to wait since
	quiet            bool    // faults are over: who waits now does not wait under them
}

// contend notes that a client waits while the lock is another's.
func (t *tally) contend() {
	t.facts.contended = true
	if t.quiet {
		return
	}
	for _, number := range t.alone {
		f := t.facts.faults[number]
		f.contended = true
		t.facts.faults[number] = f
	}
	t.alone = t.alone[:0]
}

// observe takes the next event and reports whether it shows a client that waits
// while the lock is another's. It looks only when something changes that could
// make it so, and that somebody asks for.
func (t *tally) observe(e *history.Event) bool {
	p := &t.parties[e.Node]
	asked := !t.facts.contended || len(t.alone) > 0
	switch e.Kind {
	case history.Waits:
		t.wait(p, true)
		return t.holding > count(p.holding) || asked && t.keptFrom(e.Node)
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
		return t.waiting > 0 && asked && t.othersWait(e.Owner)
	case history.Removed, history.Expired, history.Forgotten:
		if p.entry == e.Owner {
			p.entry = 0
		}
	case history.FaultBegan:
		t.fault(e.Value, func(f *fired) { f.times++ })
		if t.facts.faults[e.Value].times == 1 {
			t.alone = append(t.alone, e.Value)
			return t.contending()
		}
	case history.Healed:
		t.quiet = true
	case history.WithoutEffect:
		t.fault(e.Value, func(f *fired) { f.inVain = true })
	}
	return false
}

func (t *tally) fault(number int64, change func(*fired)) {
	if t.facts.faults == nil {
		t.facts.faults = make(map[int64]fired)
	}
	f := t.facts.faults[number]
	change(&f)
	t.facts.faults[number] = f
}

// contending reports whether some client waits at this moment while another one holds,
// or a server keeps another one's entry.
func (t *tally) contending() bool {
	for i := range t.parties {
		if p := &t.parties[i]; p.waiting && (t.holding > count(p.holding) || t.keptFrom(history.NodeID(i))) {
			return true
		}
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
