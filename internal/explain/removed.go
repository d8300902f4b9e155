package explain

import (
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Assumptions about what a command removes, or puts its own entry in the place of.

// removed explains an entry that a command ended, or the store itself.
func (q *inquiry) removed(hold *history.Hold, entry *life) False {
	switch entry.by {
	case 0:
		return q.dropped(entry)
	case entry.owner:
		return q.ownCommand(hold, entry)
	}
	return q.foreign(entry.by, entry)
}

// ownCommand explains an entry that a command of its own owner removed while that was inside.
func (q *inquiry) ownCommand(hold *history.Hold, entry *life) False {
	who := q.who(entry.owner)
	return False{
		Assumed: say.RemovesWhenDone.With(who),
		Formula: say.RemovedWhileInside.With(q.t.command(entry.ended), q.sentAt(entry.ended), say.Seconds(entry.over), who, say.Seconds(hold.Start)),
	}
}

// sentAt is when the command behind an event was sent; nothing when the history does not tell.
func (q *inquiry) sentAt(i int32) say.OptionalSeconds {
	if e := q.sent(i); e != nil {
		return say.OptionalSeconds(e.At)
	}
	return 0
}

// sent returns the request behind an event, or nil.
func (q *inquiry) sent(i int32) *history.Event {
	for e := q.t.cause(i); e != nil; e = q.t.cause(e.Cause) {
		if e.Kind == history.Sent {
			return e
		}
	}
	return nil
}

// wrongOwner explains a release that removed another client's entry.
func (q *inquiry) wrongOwner(v *checker.Violation) False {
	for _, i := range v.Events {
		e := q.t.cause(i)
		if e == nil || e.Kind != history.Removed || e.Peer == 0 || e.Peer == e.Owner {
			continue
		}
		for j := range q.lives {
			if l := &q.lives[j]; l.ended == i {
				return q.foreign(e.Peer, l)
			}
		}
	}
	return False{}
}

// foreign explains an entry that another client's command has ended: what that client knew was
// out of date, its own entry was over, or it took the lock away on purpose.
func (q *inquiry) foreign(by history.NodeID, entry *life) False {
	if f := q.outOfDate(by, entry); f.Proved() {
		return f
	}
	var own *life
	for i := range q.lives {
		if l := &q.lives[i]; l.owner == by && l.how != 0 && l.over < entry.over && l.from < entry.over {
			own = l
		}
	}
	who, owner := q.who(by), q.who(entry.owner)
	early := entry.over.Sub(entry.set) < q.h.Header.Lease-rounding
	ahead := q.ahead(by, entry)
	if early && ahead == 0 && q.replacedBy(by, entry) {
		return False{
			Assumed: say.WaitsForTheEntry.With(who, owner),
			Formula: say.EntryIsThere.With(owner, say.Seconds(entry.from), say.Seconds(entry.over), who),
			Events:  []int32{entry.begun, entry.ended},
		}
	}
	asking := q.asking(by, entry.ended)
	switch {
	case own != nil && !asking:
		return False{
			Assumed: say.RemovesOnlyItsOwn.With(who),
			Formula: say.RemovedAfterOwnEnd.With(q.t.command(entry.ended), say.Seconds(entry.over), say.Seconds(own.over), say.Seconds(entry.over.Sub(own.over))),
			Events:  []int32{own.ended, entry.ended},
		}
	case !asking:
		return False{
			Assumed: say.RemovesOnlyItsOwn.With(who),
			Formula: say.RemovedWithoutOne.With(q.t.command(entry.ended), say.Seconds(entry.over), owner, say.Seconds(entry.from), who),
			Events:  []int32{entry.ended},
		}
	}
	age := say.Seconds(entry.over.Sub(entry.set))
	took := say.EndsForeign.With(who, q.t.command(entry.ended), say.Seconds(entry.over), owner, age)
	if early && ahead != 0 {
		return False{
			Assumed: say.ClientClocksAgree.With(who, owner),
			Formula: say.SeveralReasons.With(say.Remarks{say.ClockIsAhead.With(who, owner, say.Seconds(ahead)), took}),
			Events:  append(q.faultsIn(0, entry.over), entry.begun, entry.ended),
		}
	}
	if f := q.ownTime(entry); f.Proved() {
		return f
	}
	return False{
		Assumed: say.TakesAwayWhatIsOver.With(who, owner),
		Formula: took,
		Events:  []int32{entry.begun, entry.ended},
	}
}

// outOfDate explains a command that acts on what its client had read before the entry was there:
// the check and the act are two steps.
func (q *inquiry) outOfDate(by history.NodeID, entry *life) False {
	act := q.sent(entry.ended)
	if act == nil {
		return False{}
	}
	var read *history.Event
	var command say.Command
	for i := range q.h.Events {
		e := &q.h.Events[i]
		if i >= int(entry.ended) || e.At > act.At {
			break
		}
		if e.Kind == history.Executed && e.Peer == by && q.t.place(e.Node) == q.t.place(entry.node) {
			read, command = e, q.t.command(int32(i))
		}
	}
	if read == nil || read.At >= entry.from || !reads[command.Name] {
		return False{}
	}
	return False{
		Assumed: say.CheckStillHolds.With(q.who(by)),
		Formula: say.ActsOnOldCheck.With(command, say.Seconds(read.At), q.who(entry.owner), say.Seconds(entry.from), q.t.command(entry.ended), say.Seconds(entry.over)),
		Events:  []int32{entry.begun, entry.ended},
	}
}

// reads are the commands by which a client only looks.
var reads = map[string]bool{"GET": true, "HGET": true, "SELECT": true, "EXISTS": true, "TTL": true, "PTTL": true}

// ownTime explains an entry that carries its time in itself, where the clients look and the store
// does not: it was as old as the lease when it was taken away.
func (q *inquiry) ownTime(entry *life) False {
	hold := q.holdAt(entry.owner, entry.over)
	if hold == nil || entry.ttl != 0 || entry.over.Sub(entry.set) < q.h.Header.Lease-rounding {
		return False{}
	}
	timed := *entry
	timed.ttl = q.h.Header.Lease
	f := q.outOfTime(hold, nil, &timed)
	f.Events = append(f.Events, entry.last, entry.ended)
	return f
}

// replacedBy reports whether the command that ended an entry put one of its client's in its place.
func (q *inquiry) replacedBy(by history.NodeID, entry *life) bool {
	for i := range q.lives {
		l := &q.lives[i]
		if l.owner == by && l.key == entry.key && l.from == entry.over && q.sent(l.begun) == q.sent(entry.ended) {
			return true
		}
	}
	return false
}

// ahead returns by how much the clock of a client is ahead of that of the owner of an entry that it
// ends; 0 when they agree, or when the history does not say what they show.
func (q *inquiry) ahead(by history.NodeID, entry *life) time.Duration {
	theirs, known := q.clockError(entry.owner, entry.from)
	own, also := q.clockError(by, entry.over)
	if ahead := own - theirs; known && also && (ahead > rounding || ahead < -rounding) {
		return ahead
	}
	return 0
}

// clockError returns by how much a client's clock was wrong the last time it did something by an
// instant, else the first time after it. A clock that shows 0 shows nothing.
func (q *inquiry) clockError(id history.NodeID, by history.Instant) (wrong time.Duration, known bool) {
	for i := range q.h.Events {
		e := &q.h.Events[i]
		if known && e.At > by {
			break
		}
		if e.Node == id && e.Clock != 0 {
			wrong, known = time.Duration(e.Clock-int64(e.At)), true
		}
	}
	return wrong, known
}

// holdAt returns the hold that a client has at an instant, or nil.
func (q *inquiry) holdAt(id history.NodeID, at history.Instant) *history.Hold {
	for i := range q.holds {
		if hold := &q.holds[i]; hold.Client == id && hold.Start <= at && hold.End > at {
			return hold
		}
	}
	return nil
}

// asking reports whether a client tried to get the lock when it sent the command behind an event.
func (q *inquiry) asking(id history.NodeID, i int32) (asks bool) {
	until := q.h.Events[i].At
	if sent := q.sent(i); sent != nil {
		until = sent.At
	}
	for i := range q.h.Events {
		e := &q.h.Events[i]
		if e.At > until {
			break
		}
		if e.Node == id {
			switch e.Kind {
			case history.Waits:
				asks = true
			case history.Acquired, history.GaveUp, history.Crashed, history.Finished:
				asks = false
			}
		}
	}
	return asks
}
