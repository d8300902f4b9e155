package explain

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// Assumptions about time: an entry ended while its owner went on.

// rounding exceeds the rounding of entries' ends by any store.
const rounding = 20 * time.Millisecond

// expired explains a lease that ended before the hold.
func (q *inquiry) expired(hold, newest *history.Hold, entry *timeline.Entry) False {
	who := q.who(hold.Client)
	if entry.TTL == 0 {
		return because(say.SessionLasts.With(who),
			say.SessionEndedAfter.With(say.Seconds(entry.Over.Sub(entry.From))))
	}
	if f := q.storeClock(entry); f.Proved() {
		return f
	}
	if hold.Start > entry.Over {
		return because(say.HearsInTime.With(who),
			say.ReplyAfter.With(say.Seconds(hold.Start.Sub(entry.From)), say.Seconds(entry.TTL)))
	}
	return q.outOfTime(hold, newest, entry)
}

// outOfTime explains a hold that lasted longer than its entry.
func (q *inquiry) outOfTime(hold, newest *history.Hold, entry *timeline.Entry) False {
	for _, why := range []func(hold, newest *history.Hold, entry *timeline.Entry) False{
		q.paused, q.renewedInVain, q.ownClock, q.shortLease, q.learnedLate, q.stoppedRenewing, q.tooLong,
	} {
		if f := why(hold, newest, entry); f.Proved() {
			return f
		}
	}
	return False{}
}

// storeClock explains an entry that ended before its time.
func (q *inquiry) storeClock(entry *timeline.Entry) False {
	lived := entry.Over.Sub(entry.Set)
	if jump, at := q.stepped(entry.Node, entry.Set, entry.Over); jump > 0 {
		if left := entry.TTL - lived; left > 0 && jump >= left {
			return because(say.StoreClockIsRight.With(),
				say.ClockStep.With(say.Seconds(jump), say.Seconds(entry.TTL), say.Seconds(lived)), at)
		}
	}
	if entry.TTL-lived > rounding {
		return because(say.StoreClockIsRight.With(),
			say.LeaseEndedAfter.With(say.Seconds(entry.TTL), say.Seconds(lived)))
	}
	return False{}
}

// paused explains an entry whose owner was frozen at its end.
func (q *inquiry) paused(hold, _ *history.Hold, entry *timeline.Entry) False {
	freeze := q.h.Frozen(hold.Client, entry.Over)
	if freeze == nil || freeze.To.Sub(entry.Set) <= entry.TTL {
		return False{}
	}
	length, at := freeze.To.Sub(freeze.From), freeze.Began
	spent := max(freeze.From.Sub(entry.Set), 0)
	who := q.who(hold.Client)
	if write := q.writesAfter(hold); hold.How == history.LostLease && write != nil {
		return because(say.CheckIsTheWrite.With(who),
			say.WritesAfterTheEnd.With(say.Seconds(length), who, say.Seconds(write.At), say.Seconds(entry.Over)), at)
	}
	return because(say.NeverPausesLonger.With(who),
		say.PauseOverLease.With(say.Seconds(length), say.Seconds(entry.TTL), say.Seconds(spent)), at)
}

// writesAfter returns the first write of a client between its hold and its next one, or nil.
func (q *inquiry) writesAfter(hold *history.Hold) *history.Event {
	for i, e := range q.h.Each(history.Acquired, history.WriteAccepted) {
		switch {
		case hold.EndEvent < 0 || i <= hold.EndEvent:
		case e.Kind == history.Acquired && e.Node == hold.Client:
			return nil
		case e.Kind == history.WriteAccepted && e.Peer == hold.Client:
			return e
		}
	}
	return nil
}

// renewedInVain explains an entry whose renewal was lost or late.
func (q *inquiry) renewedInVain(hold, newest *history.Hold, entry *timeline.Entry) False {
	names := q.renewals()
	for i, e := range q.h.Each(history.Sent) {
		if e.At >= entry.Over {
			break
		}
		if i <= entry.Last || e.Node != hold.Client || e.At < hold.Start {
			continue
		}
		if op := q.h.Op(e.Text); op.Does != history.KeepsAlive && !names[op.Name] ||
			q.h.Place(e.Peer) != q.h.Place(entry.Node) {
			continue
		}
		command := q.t.command(i)
		done := q.h.Execution(i)
		var says say.Phrase
		switch {
		case done == nil:
			says = say.RenewalNeverArrives.With(command, say.Seconds(e.At), say.Seconds(entry.Over))
		case done.At >= entry.Over:
			says = say.RenewalArrivesLate.With(command, say.Seconds(e.At), say.Seconds(done.At), say.Seconds(entry.Over))
		default:
			continue
		}
		if hold.How == history.LostLease && newest != nil && hold.End > newest.Start {
			learned := say.LearnsOfLossAfter.With(q.who(hold.Client), say.Seconds(hold.End), q.who(newest.Client), say.Seconds(newest.Start))
			says = say.Said.With(say.Remarks{says, learned})
		}
		return because(say.RenewalsArrive.With(q.who(hold.Client)),
			says, append(q.faultsIn(hold.Start, e.At), i)...)
	}
	return False{}
}

// renewals are the names of the commands by which holders have extended their entries in the
// history.
func (q *inquiry) renewals() map[string]bool {
	names := map[string]bool{}
	for i, e := range q.h.Each(history.Extended) {
		name := q.t.command(i).Name
		names[name] = names[name] || e.Peer == e.Owner && q.hold(e.Owner, func(h *history.Hold) bool {
			return h.StartEvent < i && (h.How == 0 || h.EndEvent > i)
		}) != nil
	}
	delete(names, "")
	return names
}

// faultsIn lists the events with which the last few faults that acted between two instants began.
func (q *inquiry) faultsIn(from, to history.Instant) []int32 {
	events := q.t.faultsIn(from, to)
	return events[max(0, len(events)-3):]
}

// faultsIn lists the events with which the faults that acted between two instants began.
func (t *narrator) faultsIn(from, to history.Instant) (events []int32) {
	over := func(e *history.Event, by func(*history.Event) bool) {
		if e.At < from {
			events = slices.DeleteFunc(events, func(i int32) bool { return by(&t.h.Events[i]) })
		}
	}
	for i, e := range t.h.Each(faultKinds...) {
		if e.At > to {
			break
		}
		switch e.Kind {
		case history.FaultBegan, history.Froze, history.Crashed, history.ClockChanged:
			events = append(events, i)
		case history.FaultEnded:
			over(e, func(began *history.Event) bool { return began.Kind == history.FaultBegan && began.Value == e.Value })
		case history.Thawed, history.Restarted:
			over(e, func(began *history.Event) bool { return began.Kind != history.FaultBegan && began.Node == e.Node })
		}
	}
	return events
}

// faultKinds are the kinds of events by which faults begin and end.
var faultKinds = []history.Kind{
	history.FaultBegan, history.FaultEnded, history.Froze, history.Thawed, history.Crashed, history.Restarted, history.ClockChanged,
}

// ownClock explains a holder whose slow clock makes its hold fit into the lease.
func (q *inquiry) ownClock(hold, _ *history.Hold, entry *timeline.Entry) False {
	held := hold.End.Sub(entry.Set)
	before, known := q.h.ClockError(hold.Client, entry.Set)
	after, also := q.h.ClockError(hold.Client, hold.End)
	step, _ := q.stepped(hold.Client, entry.Set, hold.End)
	slow := before - after + step
	if !known || !also || held <= entry.TTL || slow < rounding || held-slow > entry.TTL {
		return False{}
	}
	return because(say.OwnClockIsRight.With(q.who(hold.Client)),
		say.Said.With(say.Remarks{q.heldFor(hold, entry), say.OwnClockShows.With(q.who(hold.Client), say.Seconds(held-slow))}),
		q.faultsIn(0, entry.Over)...)
}

// stepped returns by how much a node's wall clock was stepped between two instants, and the last
// such event or NoCause.
func (q *inquiry) stepped(id history.NodeID, from, to history.Instant) (by time.Duration, at int32) {
	at = history.NoCause
	for i, e := range q.h.Each(history.ClockChanged) {
		if e.Node == id && e.At >= from && e.At <= to {
			by, at = by+time.Duration(e.Value), i
		}
	}
	return by, at
}

// shortLease explains an entry with a much shorter lease than the scenario's.
func (q *inquiry) shortLease(_, _ *history.Hold, entry *timeline.Entry) False {
	lease := q.h.Header.Lease
	if entry.TTL >= lease/2 {
		return False{}
	}
	return because(say.GetsTheWholeLease.With(),
		say.LastsOnly.With(q.who(entry.Owner), say.Seconds(entry.TTL), say.Seconds(lease)))
}

// learnedLate explains a holder that learned of the loss after another client had acquired.
func (q *inquiry) learnedLate(hold, newest *history.Hold, entry *timeline.Entry) False {
	if hold.How != history.LostLease || newest == nil || hold.End <= newest.Start {
		return False{}
	}
	who := q.who(hold.Client)
	return because(say.HearsOfTheLoss.With(who),
		say.LearnsOfLossLate.With(say.Seconds(entry.Over), q.who(newest.Client), say.Seconds(newest.Start), who, say.Seconds(hold.End)), hold.EndEvent)
}

// stoppedRenewing explains a holder that stopped renewing its lease.
func (q *inquiry) stoppedRenewing(hold, _ *history.Hold, entry *timeline.Entry) False {
	if entry.Set <= hold.Start || entry.Renewals == 0 || hold.End.Sub(entry.Set) <= entry.TTL {
		return False{}
	}
	return because(say.RenewsUntilDone.With(q.who(hold.Client)), q.heldFor(hold, entry))
}

// tooLong compares the parts of a hold with the lease: the reply, the pauses, the work.
func (q *inquiry) tooLong(hold, _ *history.Hold, entry *timeline.Entry) False {
	held := hold.End.Sub(entry.Set)
	if held <= entry.TTL {
		return False{}
	}
	who := q.who(hold.Client)
	reply := max(hold.Start.Sub(entry.Set), 0)
	pauses, paused := q.pauses(hold.Client, max(hold.Start, entry.Set), hold.End)
	switch work := held - reply - pauses; {
	case work > entry.TTL || work+min(reply, pauses) > entry.TTL || reply+pauses < together:
	case reply >= pauses:
		return because(say.ReplyLeavesTime.With(who),
			say.ReplyAndWork.With(say.Seconds(reply), say.Seconds(held-reply), say.Seconds(entry.TTL)), q.faultsIn(entry.From, hold.Start)...)
	default:
		return because(say.PausesLeaveTime.With(who),
			say.PausesAndWork.With(say.Seconds(pauses), say.Seconds(held-pauses), say.Seconds(entry.TTL)), paused...)
	}
	return False{Assumed: say.IsDoneInTime.With(who), Formula: q.heldFor(hold, entry)}
}

func (q *inquiry) heldFor(hold *history.Hold, entry *timeline.Entry) say.Phrase {
	since := say.HeldSinceGrant
	if entry.Set > hold.Start {
		since = say.HeldSinceRenewal
	}
	return since.With(say.Seconds(hold.End.Sub(entry.Set)), say.Seconds(entry.TTL))
}

// pauses returns how long a client was frozen between two instants.
func (q *inquiry) pauses(id history.NodeID, from, to history.Instant) (sum time.Duration, events []int32) {
	for i := range q.h.Freezes {
		s := &q.h.Freezes[i]
		if s.Node != id || s.From < from || s.From >= to {
			continue
		}
		events = append(events, s.Began)
		if s.Over {
			sum += min(s.To, to).Sub(s.From)
		}
	}
	return sum, events
}
