package explain

import (
	"slices"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// False is an assumption that a run has proved false.
type False struct {
	Assumed say.Phrase // the assumption, as a sentence
	Formula say.Phrase // why it is false, with numbers: "pause 15.000 s > lease 10.000 s - 0.048 s spent"
	Events  []int32    // what decided it: the entry's beginning and end, what came in between
}

// Proved reports whether there is one.
func (f False) Proved() bool { return !f.Assumed.Empty() }

// Assumption derives the assumption behind the first violation: of the two clients that are
// inside, the one whose entry no longer kept the other out, and what became of that entry. lag is
// the replication lag of the set-up, 0 when it is not known. The result is zero when the history
// does not prove one: nothing is guessed.
func Assumption(h *history.History, findings []checker.Finding, lag time.Duration) False {
	first, property := firstViolation(findings)
	if first == nil {
		return False{}
	}
	q := newInquiry(h, lag, first.From)
	switch property {
	case checker.ProgressID:
		return q.stuck(first)
	case checker.OwnerOnlyReleaseID:
		return q.wrongOwner(first)
	}
	return q.letIn(first.Clients)
}

func firstViolation(findings []checker.Finding) (first *checker.Violation, property string) {
	for _, id := range orderOf(findings) {
		f := findingOf(findings, id)
		if f.Verdict != checker.Broken || len(f.Violations) == 0 {
			continue
		}
		if v := &f.Violations[0]; first == nil || v.From < first.From {
			first, property = v, id
		}
	}
	return first, property
}

// inquiry looks for what decided a violation.
type inquiry struct {
	h     *history.History
	t     *teller // for its words and its places; it walks nowhere
	lives []life
	holds []history.Hold
	lag   time.Duration
	at    history.Instant // of the violation
	from  history.Instant // of a lock that is stuck: since when
}

func newInquiry(h *history.History, lag time.Duration, at history.Instant) *inquiry {
	return &inquiry{h: h, t: newTeller(h, nil), lives: livesOf(h), holds: history.Holds(h), lag: lag, at: at}
}

// letIn explains why one client was let in while another one believed to be inside.
func (q *inquiry) letIn(clients []history.NodeID) False {
	newest := q.newest(clients)
	if newest == nil {
		return False{}
	}
	if f := q.outlived(newest); f.Proved() {
		return f
	}
	for _, id := range clients {
		hold := q.holdOf(id)
		if hold == nil || id == newest.Client {
			continue
		}
		if f := q.lost(hold, newest); f.Proved() {
			f.Events = append(f.Events, hold.StartEvent, newest.StartEvent)
			return f
		}
	}
	for _, id := range clients {
		if hold := q.holdOf(id); hold != nil && len(q.lives) > 0 && q.lifeOf(id, 0) == nil {
			return False{
				Assumed: say.HasAnEntry.With(q.who(id)),
				Formula: say.NoEntry.With(q.who(id), say.Seconds(hold.Start)),
				Events:  []int32{hold.StartEvent, newest.StartEvent},
			}
		}
	}
	return False{}
}

// holdOf returns the last hold of a client that has begun by the violation, or nil.
func (q *inquiry) holdOf(id history.NodeID) (last *history.Hold) {
	for i := range q.holds {
		if hold := &q.holds[i]; hold.Client == id && hold.Start <= q.at {
			last = hold
		}
	}
	return last
}

// newest returns the hold, of these clients, that began last.
func (q *inquiry) newest(clients []history.NodeID) (newest *history.Hold) {
	for _, id := range clients {
		if hold := q.holdOf(id); hold != nil && (newest == nil || hold.Start > newest.Start) {
			newest = hold
		}
	}
	return newest
}

// lifeOf returns the last entry of an owner that a server had by the violation; node 0: any server.
func (q *inquiry) lifeOf(owner, node history.NodeID) (last *life) {
	for i := range q.lives {
		l := &q.lives[i]
		if l.owner == owner && l.from <= q.at && (node == 0 || q.t.place(l.node) == q.t.place(node)) && (last == nil || l.from >= last.from) {
			last = l
		}
	}
	return last
}

// outlived explains a client that is told that it holds the lock when its entry is over already.
func (q *inquiry) outlived(hold *history.Hold) False {
	entry := q.lifeOf(hold.Client, 0)
	if entry == nil || entry.alive(hold.Start) {
		return False{}
	}
	for i := range q.lives { // on another server it has one
		if l := &q.lives[i]; l.owner == hold.Client && l.alive(hold.Start) {
			return False{}
		}
	}
	f := q.ended(hold, nil, entry)
	if f.Proved() {
		f.Events = append(f.Events, hold.StartEvent)
	}
	return f
}

// lost explains why the entry of a client that is inside did not keep the newest one out. What
// counts is what it had on the servers that let the newest one in; of several such servers, the
// one that did so last.
func (q *inquiry) lost(hold, newest *history.Hold) False {
	var gone, alive *life
	for i := range q.lives {
		theirs := &q.lives[i]
		if theirs.owner != newest.Client || !theirs.alive(q.at) {
			continue
		}
		switch own := q.lifeOf(hold.Client, theirs.node); {
		case own == nil:
		case own.alive(q.at):
			alive = own
		case gone == nil || own.over > gone.over:
			gone = own
		}
	}
	last := q.lifeOf(hold.Client, 0)
	if gone != nil && last.from > gone.from && gone.from < q.before(hold) && last.alive(q.at) {
		gone = nil // that of a hold before; this one rests on another server
	}
	if gone != nil {
		return q.ended(hold, newest, gone)
	}
	if alive != nil {
		return q.sideBySide(hold, newest, alive)
	}
	switch {
	case last == nil:
		return False{}
	case last.alive(q.at):
		return q.splitBrain(last)
	}
	return q.ended(hold, newest, last)
}

// before returns when the hold of the same client before this one ended, 0 for none.
func (q *inquiry) before(hold *history.Hold) (end history.Instant) {
	for i := range q.holds {
		if h := &q.holds[i]; h.Client == hold.Client && h.Start < hold.Start {
			end = h.End
		}
	}
	return end
}

// sideBySide explains two entries that are on one server at once.
func (q *inquiry) sideBySide(hold, newest *history.Hold, own *life) False {
	return False{
		Assumed: say.WaitsForTheEntry.With(q.who(newest.Client), q.who(hold.Client)),
		Formula: say.EntryIsThere.With(q.who(hold.Client), say.Seconds(own.from), say.Seconds(newest.Start), q.who(newest.Client)),
		Events:  []int32{own.begun},
	}
}

// ended explains the end of the entry that a hold rests on. newest is the hold that it let in,
// nil when that is the same one.
func (q *inquiry) ended(hold, newest *history.Hold, entry *life) False {
	var f False
	switch entry.how {
	case history.Expired:
		f = q.expired(hold, newest, entry)
	case history.Crashed, history.Forgotten:
		f = q.failedOver(entry)
	case history.Removed, history.Granted:
		f = q.removed(hold, entry)
	}
	if f.Proved() {
		f.Events = append(f.Events, entry.begun, entry.last, entry.ended)
		f.Events = slices.DeleteFunc(f.Events, func(i int32) bool { return i < 0 })
	}
	return f
}

func (q *inquiry) who(id history.NodeID) say.Node { return q.t.who(id) }
