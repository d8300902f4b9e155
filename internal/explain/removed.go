package explain

import (
	"slices"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// Assumptions about commands that remove or replace an entry.

// removed explains an entry that was ended by a command or by the store.
func (q *inquiry) removed(hold *history.Hold, entry *timeline.Entry) False {
	switch entry.By {
	case 0:
		return q.dropped(entry)
	case entry.Owner:
		return q.ownCommand(hold, entry)
	}
	return q.foreign(entry.By, entry)
}

// ownCommand explains an entry that its owner removed while it held the lock.
func (q *inquiry) ownCommand(hold *history.Hold, entry *timeline.Entry) False {
	who := q.who(entry.Owner)
	var sentAt say.OptionalSeconds
	if e := q.sent(entry.Ended); e != nil {
		sentAt = say.OptionalSeconds(e.At)
	}
	return because(say.RemovesWhenDone.With(who),
		say.RemovedWhileInside.With(q.t.command(entry.Ended), sentAt, say.Seconds(entry.Over), who, say.Seconds(hold.Start)))
}

func (q *inquiry) sent(i int32) *history.Event {
	_, e := q.h.Request(i)
	return e
}

// wrongOwner explains a release that removed another client's entry.
func (q *inquiry) wrongOwner(v *checker.Violation) False {
	for _, i := range v.Events {
		e := q.h.At(i)
		if e == nil || e.Kind != history.Removed || e.Peer == 0 || e.Peer == e.Owner {
			continue
		}
		if l := lastOf(q.h.Entries, func(l *timeline.Entry) bool { return l.Ended == i }); l != nil {
			return q.foreign(e.Peer, l)
		}
	}
	return False{}
}

// foreign explains an entry that another client's command has ended: that client had outdated
// knowledge, its own entry was over, or it took the lock away on purpose.
func (q *inquiry) foreign(by history.NodeID, entry *timeline.Entry) False {
	if f := q.outOfDate(by, entry); f.Proved() {
		return f
	}
	own := lastOf(q.h.Entries, func(l *timeline.Entry) bool {
		return l.Owner == by && l.How != 0 && l.Over < entry.Over && l.From < entry.Over
	})
	who, owner := q.who(by), q.who(entry.Owner)
	early := entry.Over.Sub(entry.Set) < q.h.Header.Lease-rounding
	ahead := q.ahead(by, entry)
	if early && ahead == 0 && q.replacedBy(by, entry) {
		return because(say.WaitsForTheEntry.With(who, owner),
			say.EntryIsThere.With(owner, say.Seconds(entry.From), say.Seconds(entry.Over), who), entry.Began, entry.Ended)
	}
	asking := q.asking(by, entry.Ended)
	switch {
	case own != nil && !asking:
		return because(say.RemovesOnlyItsOwn.With(who),
			say.RemovedAfterOwnEnd.With(q.t.command(entry.Ended), say.Seconds(entry.Over), say.Seconds(own.Over), say.Seconds(entry.Over.Sub(own.Over))),
			own.Ended, entry.Ended)
	case !asking:
		return because(say.RemovesOnlyItsOwn.With(who),
			say.RemovedWithoutOne.With(q.t.command(entry.Ended), say.Seconds(entry.Over), owner, say.Seconds(entry.From), who), entry.Ended)
	}
	age := say.Seconds(entry.Over.Sub(entry.Set))
	took := say.EndsForeign.With(who, q.t.command(entry.Ended), say.Seconds(entry.Over), owner, age)
	if early && ahead != 0 {
		return because(say.ClientClocksAgree.With(who, owner),
			say.Said.With(say.Remarks{say.ClockIsAhead.With(who, owner, say.Seconds(ahead)), took}),
			append(q.faultsIn(0, entry.Over), entry.Began, entry.Ended)...)
	}
	if f := q.ownTime(entry); f.Proved() {
		return f
	}
	return because(say.TakesAwayWhatIsOver.With(who, owner), took, entry.Began, entry.Ended)
}

// outOfDate explains a command that acts on a read from before the entry existed.
func (q *inquiry) outOfDate(by history.NodeID, entry *timeline.Entry) False {
	act := q.sent(entry.Ended)
	if act == nil {
		return False{}
	}
	var read *history.Event
	var command say.Command
	for i, e := range q.h.Each(history.Executed) {
		if i >= entry.Ended || e.At > act.At {
			break
		}
		if e.Peer == by && q.h.Place(e.Node) == q.h.Place(entry.Node) {
			read, command = e, q.t.command(i)
		}
	}
	if read == nil || read.At >= entry.From || !reads[command.Name] {
		return False{}
	}
	return because(say.CheckStillHolds.With(q.who(by)),
		say.ActsOnOldCheck.With(command, say.Seconds(read.At), q.who(entry.Owner), say.Seconds(entry.From), q.t.command(entry.Ended), say.Seconds(entry.Over)),
		entry.Began, entry.Ended)
}

// reads are the commands that change nothing.
var reads = map[string]bool{"GET": true, "HGET": true, "SELECT": true, "EXISTS": true, "TTL": true, "PTTL": true}

// ownTime explains an entry with an end in its value, which only clients read: it was as old as the
// lease when it was taken away.
func (q *inquiry) ownTime(entry *timeline.Entry) False {
	at := entry.Over
	hold := q.hold(entry.Owner, func(h *history.Hold) bool { return h.Start <= at && h.End > at })
	if hold == nil || entry.TTL != 0 || entry.Over.Sub(entry.Set) < q.h.Header.Lease-rounding {
		return False{}
	}
	timed := *entry
	timed.TTL = q.h.Header.Lease
	f := q.outOfTime(hold, nil, &timed)
	f.Events = append(f.Events, entry.Last, entry.Ended)
	return f
}

// replacedBy reports whether the command that ended an entry put one of its client's in its place.
func (q *inquiry) replacedBy(by history.NodeID, entry *timeline.Entry) bool {
	return slices.ContainsFunc(q.h.Entries, func(l timeline.Entry) bool {
		return l.Owner == by && l.Key == entry.Key && l.From == entry.Over &&
			q.sent(l.Began) == q.sent(entry.Ended)
	})
}

// ahead returns by how much the clock of a client is ahead of that of the owner of an entry that it
// ends; 0 when they agree, or are unknown.
func (q *inquiry) ahead(by history.NodeID, entry *timeline.Entry) time.Duration {
	set := entry.From
	if e := q.sent(entry.Began); e != nil {
		set = e.At // the owner has read its clock before
	}
	theirs, known := q.h.ClockError(entry.Owner, set)
	own, also := q.h.ClockError(by, entry.Over)
	if ahead := own - theirs; known && also && (ahead > rounding || ahead < -rounding) {
		return ahead
	}
	return 0
}

// asking reports whether a client waited for the lock when it sent the command that caused an
// event.
func (q *inquiry) asking(id history.NodeID, i int32) bool {
	until := q.h.Events[i].At
	if sent := q.sent(i); sent != nil {
		until = sent.At
	}
	for _, e := range q.h.Backward(history.Waits, history.Acquired, history.GaveUp, history.Crashed, history.Finished) {
		if e.Node == id && e.At <= until {
			return e.Kind == history.Waits
		}
	}
	return false
}
