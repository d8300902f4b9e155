package checker

import (
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
)

// facts are what Judge needs besides the findings.
type facts struct {
	overlap   time.Duration
	acquired  int
	served    bool // a client besides the probe acquired
	contended bool
	cutShort  bool
	delayed   bool           // see idles
	faults    []FiredFault   // those of the header
	alone     history.NodeID // the only client that ever acquired, besides the probe; 0: none, or several
	unasked   []lapse        // holds that went on without an entry while no client asked, by their ends
	leftOut   []lapse        // clients that waited without success for a free lock, by NodeID
}

// lapse is a time in which a client held without an entry, or waited without success.
type lapse struct {
	client   history.NodeID
	from, to history.Instant
}

// survey reads the history once for the facts; see notice.go on contention, and entries.go on holds
// without an entry.
func survey(h *history.History) facts {
	t := tally{
		h: h, parties: make([]party, len(h.Header.Nodes)+1), lost: unanswered(h),
		apart:   h.Header.Topology == "independent",
		wired:   history.Simulated(h.Header.Backend) || len(h.Milestones()) < len(h.Events),
		granted: slices.ContainsFunc(h.Milestones(), func(i int32) bool { return h.Events[i].Kind == history.Granted }),
	}
	for _, f := range h.Header.Faults {
		t.facts.faults = append(t.facts.faults, FiredFault{Fault: f})
	}
	for i := range t.parties {
		t.stores += count(h.Role(history.NodeID(i)) == history.RoleStore)
		t.parties[i] = party{waits: history.NoCause, faced: history.NoCause, asked: history.NoCause, doubt: history.NoCause}
	}
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Kind.OnWire():
			t.message(int32(i), e)
		case int(e.Node) < len(t.parties):
			p := &t.parties[e.Node]
			t.ready -= count(p.runs())
			t.observe(int32(i), e)
			t.ready += count(p.runs())
			t.idles(e)
		}
	}
	t.finish()
	return t.facts
}

// party is the state of a node. Events are -1 for none.
type party struct {
	waiting, holding, frozen bool
	watching                 bool            // a server will notify it of a change
	sent                     history.Instant // its last request about an entry to a real server
	granted                  bool            // a server has made an entry for it; a log from elsewhere may have those of some clients only

	// Of a client that wants the lock.
	waits    int32           // the event that began its wait
	faced    int32           // the last event at which it waited while another client had the lock
	asked    int32           // the last event by which it asked for the lock
	each     []int32         // of independent servers: the last event by which it asked each
	ready    history.Instant // since when it waits and is not frozen
	leftOut  lapse           // its last wait, if it ended without success while the lock was free
	unserved bool            // it has not acquired since its last wait began

	// Of one that holds.
	began     history.Instant
	doubt     int32           // the event since which its entry may be gone
	ends      history.Instant // of its newest entry, if only clients compare it; 0 for none
	newest    history.NodeID  // the server that made its newest entry
	pending   lapse           // without an entry, unless that is refuted by the entry or by the watcher
	refutable bool            // the entry may refute pending
	watcher   history.NodeID  // the client that may refute pending

	// Of a server.
	down   bool
	entry  history.NodeID // the owner of its newest entry
	by     int32          // the request that made it; NoCause when it is not known
	copied history.NodeID // the owner of the entry copied from its primary
}

// runs reports whether the client waits and is not frozen.
func (p *party) runs() bool { return p.waiting && !p.frozen }

type tally struct {
	h         *history.History
	facts     facts
	parties   []party // by NodeID
	wired     bool    // simulated, or with messages on record
	granted   bool    // entries are on record
	stores    int     // servers
	apart     bool    // the servers have entries of their own, and most count
	promoted  bool    // a server has taken over from another one
	ready     int     // clients that wait and run
	holding   int     // clients
	idle      bool    // a client waits and runs, and none holds
	idleSince history.Instant
	since     history.Instant // when the current overlap began
	kept      int             // servers with an entry
	free      history.Instant // since when there are neither holders nor entries
	moved     history.Instant // when holders or entries last changed
	unmet     []*FiredFault   // faults that have begun, without contention since
	quiet     bool            // all faults are over
	lost      map[int32]bool  // requests without an answer
	watched   int             // lapses that a watcher may refute
	refused   bool            // without entries on record: a client held past its lease while another one asked
}

// observe takes the next event, unless it is a message.
func (t *tally) observe(i int32, e *history.Event) {
	p := &t.parties[e.Node]
	switch e.Kind {
	case history.Waits:
		p.waiting, p.waits, p.ready, p.watching, p.unserved = true, i, e.At, false, true
		t.face(e.Node, i)
	case history.AcquireFailed:
		if !t.wired && t.holding > count(p.holding) {
			p.faced, p.asked = i, i
			t.contend(p)
		}
	case history.Acquired:
		t.acquire(i, e)
	case history.GaveUp, history.Finished:
		t.endWait(i, e, false)
	case history.Releasing, history.LostLease:
		t.endHold(i, e.Node, e.At)
	case history.Crashed:
		p.waiting, p.frozen, p.down, p.leftOut = false, false, true, lapse{}
		t.endHold(i, e.Node, e.At)
	case history.Restarted:
		p.down = false
	case history.Froze:
		p.frozen = true
	case history.Thawed:
		p.frozen, p.ready = false, e.At
	case history.FaultBegan:
		if f := t.fault(e); f.Times == 0 {
			f.Times, f.began = 1, i
			t.unmet = append(t.unmet, f)
		} else {
			f.Times++
		}
		t.doubtAll(i)
		t.faceAll(i)
	case history.FaultEnded:
		f := t.fault(e)
		f.Endless = !f.ended && EndNeverCame(t.h, i)
		f.ended = !f.Endless
	case history.Healed:
		t.quiet = true
	case history.WithoutEffect:
		t.fault(e).NoEffect = true
	case history.CutShort:
		t.facts.cutShort = true
	default:
		t.entry(i, e)
	}
}

// EndNeverCame reports whether a fault that was to last until a moment ends, at event i, only
// because everything heals.
func EndNeverCame(h *history.History, i int32) bool {
	if !endsByHealing(h, i) {
		return false
	}
	f, ok := faults.Of(h.Fault(h.Events[i].Value).Values)
	return ok && f.End.Until != nil
}

// CutByHealing returns how long a fault was to last that ends sooner, at event i, because
// everything heals; 0 for others.
func CutByHealing(h *history.History, i int32) time.Duration {
	if !endsByHealing(h, i) {
		return 0
	}
	end, k := &h.Events[i], i
	for k > 0 && (h.Events[k].Kind != history.FaultBegan || h.Events[k].Value != end.Value) {
		k--
	}
	if f, ok := faults.Of(h.Fault(end.Value).Values); ok && end.At.Sub(h.Events[k].At) < f.End.For {
		return f.End.For
	}
	return 0
}

// endsByHealing reports whether event i, by which a fault ends, is followed by the healing, which
// takes no time unless the servers are real.
func endsByHealing(h *history.History, i int32) bool {
	atOnce := history.Simulated(h.Header.Backend)
	for next := i + 1; next < int32(len(h.Events)); next++ {
		switch h.Events[next].Kind {
		case history.FaultEnded, history.Thawed, history.Restarted, history.Forgotten, history.ClockChanged:
		case history.Healed:
			return !atOnce || h.Events[next].At == h.Events[i].At
		default:
			return false
		}
	}
	return false
}

func (t *tally) acquire(i int32, e *history.Event) {
	p := &t.parties[e.Node]
	t.facts.acquired++
	if t.h.Role(e.Node) != history.RoleProbe {
		switch {
		case !t.facts.served:
			t.facts.alone, t.facts.served = e.Node, true
		case t.facts.alone != e.Node:
			t.facts.alone = 0
		}
	}
	t.endWait(i, e, true)
	t.endHold(i, e.Node, e.At)
	t.believe(e.At, t.holding+1)
	p.holding, p.began, p.doubt = true, e.At, history.NoCause
	if t.granted && t.keepers(e.Node) == 0 && (p.granted || t.h.Header.HasEnd()) {
		p.doubt = i
	}
	t.faceAll(i)
}

// finish ends what is open at the end of the history.
func (t *tally) finish() {
	if t.idle {
		t.endIdle(t.h.End())
	}
	end := int32(len(t.h.Events))
	for i := range t.parties {
		client := history.NodeID(i)
		t.endHold(end, client, t.h.End())
		p := &t.parties[i]
		t.recordLapse(p)
		if p.leftOut != (lapse{}) && t.h.Role(client) == history.RoleClient {
			t.facts.leftOut = append(t.facts.leftOut, p.leftOut)
		}
	}
}

// fault returns the fault of an event, one of no consequence if the header does not have it.
func (t *tally) fault(e *history.Event) *FiredFault {
	for i := range t.facts.faults {
		if f := &t.facts.faults[i]; int64(f.Number) == e.Value {
			return f
		}
	}
	return &FiredFault{}
}

// believe sets how many clients hold from now on, and counts the time of overlaps.
func (t *tally) believe(at history.Instant, holding int) {
	if t.holding > 1 && holding <= 1 {
		t.facts.overlap += at.Sub(t.since)
	}
	if t.holding <= 1 && holding > 1 {
		t.since = at
	}
	t.holding = holding
	t.occupy(at)
}

// occupy sets since when the lock is free.
func (t *tally) occupy(at history.Instant) {
	t.moved = at
	if t.holding == 0 && t.kept == 0 {
		t.free = at
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
