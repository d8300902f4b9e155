package explain

import (
	"slices"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// False is an assumption that a run has proved false.
type False struct {
	Assumed say.Phrase // the assumption, as a sentence
	Formula say.Phrase // why it is false, with numbers: "pause 15.000 s > lease 10.000 s - 0.048 s spent"
	Events  []int32    // the proof: the beginning and the end of an entry, and what happened in between
}

// because is a false assumption with its proof.
func because(assumed, formula say.Phrase, events ...int32) False {
	return False{assumed, formula, events}
}

// Proved reports whether there is one.
func (f False) Proved() bool { return !f.Assumed.Empty() }

// Assumption derives the false assumption behind the first violation: why the entry of one client
// did not keep the other one out. lag is the replication lag of the set-up, 0 when it is not known.
// The result is zero when the history does not prove one.
func Assumption(h *timeline.Timeline, findings []checker.Finding, lag time.Duration) False {
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
	for _, f := range inOrder(findings) {
		if f.Verdict != checker.Broken || len(f.Violations) == 0 {
			continue
		}
		if v := &f.Violations[0]; first == nil || v.From < first.From {
			first, property = v, f.Property
		}
	}
	return first, property
}

type inquiry struct {
	h    *timeline.Timeline
	t    *narrator // for its words only
	lag  time.Duration
	at   history.Instant // of the violation
	from history.Instant // since when a stuck lock is
}

func newInquiry(h *timeline.Timeline, lag time.Duration, at history.Instant) *inquiry {
	return &inquiry{h: h, t: newNarrator(h, nil), lag: lag, at: at}
}

// letIn explains why a client was let in while another one believed that it holds the lock.
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
		if hold := q.holdOf(id); hold != nil && len(q.h.Entries) > 0 && q.entryOf(id, 0) == nil {
			return because(say.HasAnEntry.With(q.who(id)),
				say.NoEntry.With(q.who(id), say.Seconds(hold.Start)), hold.StartEvent, newest.StartEvent)
		}
	}
	return False{}
}

// holdOf returns the last hold of a client that began by the violation, or nil.
func (q *inquiry) holdOf(id history.NodeID) *history.Hold {
	return q.hold(id, func(h *history.Hold) bool { return h.Start <= q.at })
}

// hold returns the last hold of a client for which a condition holds, or nil.
func (q *inquiry) hold(id history.NodeID, is func(*history.Hold) bool) *history.Hold {
	return lastOf(q.h.Holds, func(h *history.Hold) bool { return h.Client == id && is(h) })
}

func lastOf[T any](all []T, is func(*T) bool) *T {
	for i := range slices.Backward(all) {
		if is(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// newest returns the hold of these clients that began last, or nil.
func (q *inquiry) newest(clients []history.NodeID) (newest *history.Hold) {
	for _, id := range clients {
		if hold := q.holdOf(id); hold != nil && (newest == nil || hold.Start > newest.Start) {
			newest = hold
		}
	}
	return newest
}

// entryOf returns the last entry of an owner that a server had by the violation; node 0: any
// server.
func (q *inquiry) entryOf(owner, node history.NodeID) (last *timeline.Entry) {
	for i := range q.h.Entries {
		l := &q.h.Entries[i]
		if l.Owner == owner && l.From <= q.at && (node == 0 || q.h.Place(l.Node) == q.h.Place(node)) && (last == nil || l.From >= last.From) {
			last = l
		}
	}
	return last
}

// outlived explains a client that acquires when its entry is over already.
func (q *inquiry) outlived(hold *history.Hold) False {
	entry := q.entryOf(hold.Client, 0)
	if entry == nil || lastOf(q.h.Entries, func(l *timeline.Entry) bool { return l.Owner == hold.Client && l.Alive(hold.Start) }) != nil {
		return False{} // it has one, perhaps on another server
	}
	f := q.ended(hold, nil, entry)
	if f.Proved() {
		f.Events = append(f.Events, hold.StartEvent)
	}
	return f
}

// lost explains why the entry of a holder did not keep the newest one out: by its entry on the
// servers that let the newest one in, the one that ended last.
func (q *inquiry) lost(hold, newest *history.Hold) False {
	var gone, alive *timeline.Entry
	for i := range q.h.Entries {
		theirs := &q.h.Entries[i]
		if theirs.Owner != newest.Client || !theirs.Alive(q.at) {
			continue
		}
		switch own := q.entryOf(hold.Client, theirs.Node); {
		case own == nil:
		case own.Alive(q.at):
			alive = own
		case gone == nil || own.Over > gone.Over:
			gone = own
		}
	}
	last := q.entryOf(hold.Client, 0)
	if gone != nil && last.From > gone.From && gone.From < q.before(hold) && last.Alive(q.at) {
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
	case last.Alive(q.at):
		return q.splitBrain(last)
	}
	return q.ended(hold, newest, last)
}

// before returns when the client's previous hold ended, 0 for none.
func (q *inquiry) before(hold *history.Hold) history.Instant {
	last := q.hold(hold.Client, func(h *history.Hold) bool { return h.Start < hold.Start })
	if last == nil {
		return 0
	}
	return last.End
}

// sideBySide explains two entries on one server at once.
func (q *inquiry) sideBySide(hold, newest *history.Hold, own *timeline.Entry) False {
	return because(say.WaitsForTheEntry.With(q.who(newest.Client), q.who(hold.Client)),
		say.EntryIsThere.With(q.who(hold.Client), say.Seconds(own.From), say.Seconds(newest.Start), q.who(newest.Client)), own.Began)
}

// ended explains the end of the entry of a hold. newest is the hold that began without it, nil when
// that is the same one.
func (q *inquiry) ended(hold, newest *history.Hold, entry *timeline.Entry) False {
	var f False
	switch entry.How {
	case history.Expired:
		f = q.expired(hold, newest, entry)
	case history.Crashed, history.Forgotten:
		f = q.failedOver(entry)
	case history.Removed, history.Granted:
		f = q.removed(hold, entry)
	}
	if f.Proved() {
		f.Events = append(f.Events, entry.Began, entry.Last, entry.Ended)
		f.Events = slices.DeleteFunc(f.Events, func(i int32) bool { return i < 0 })
	}
	return f
}

func (q *inquiry) who(id history.NodeID) say.Node { return q.t.who(id) }
