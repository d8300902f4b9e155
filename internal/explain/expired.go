package explain

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/world"
)

// Assumptions about time: an entry came to its end while its owner went on.

// rounding is more than any store rounds the end of an entry by: they count
// milliseconds or more.
const rounding = 20 * time.Millisecond

// expired says what took so long that the lease was over before the hold was.
func (q *inquiry) expired(hold, newest *history.Hold, entry *life) False {
	who := q.who(hold.Client)
	if entry.ttl == 0 {
		return False{
			Assumed: say.SessionLasts.With(who),
			Formula: say.SessionEndedAfter.With(say.Seconds(entry.over.Sub(entry.from))),
		}
	}
	if f := q.storeClock(entry); f.Proved() {
		return f
	}
	if hold.Start > entry.over {
		return False{
			Assumed: say.HearsInTime.With(who),
			Formula: say.ReplyAfter.With(say.Seconds(hold.Start.Sub(entry.from)), say.Seconds(entry.ttl)),
		}
	}
	return q.outOfTime(hold, newest, entry)
}

// outOfTime says why a hold went on for longer than its entry.
func (q *inquiry) outOfTime(hold, newest *history.Hold, entry *life) False {
	for _, why := range []func(hold, newest *history.Hold, entry *life) False{
		q.paused, q.renewedInVain, q.ownClock, q.shortLease, q.toldLate, q.stoppedRenewing, q.tooLong,
	} {
		if f := why(hold, newest, entry); f.Proved() {
			return f
		}
	}
	return False{}
}

// storeClock explains an entry that ended before its time.
func (q *inquiry) storeClock(entry *life) False {
	lived := entry.over.Sub(entry.set)
	if jump, at := q.stepped(entry.node, entry.set, entry.over); jump > 0 {
		if left := entry.ttl - lived; left > 0 && jump >= left {
			return False{
				Assumed: say.StoreClockIsRight.With(),
				Formula: say.ClockStep.With(say.Seconds(jump), say.Seconds(entry.ttl), say.Seconds(lived)),
				Events:  []int32{at},
			}
		}
	}
	if entry.ttl-lived > rounding {
		return False{
			Assumed: say.StoreClockIsRight.With(),
			Formula: say.LeaseEndedAfter.With(say.Seconds(entry.ttl), say.Seconds(lived)),
		}
	}
	return False{}
}

// paused explains an entry whose owner stood still at its end.
func (q *inquiry) paused(hold, _ *history.Hold, entry *life) False {
	began, at, length := q.pauseOver(hold.Client, entry.over)
	spent := max(began.Sub(entry.set), 0)
	if length == 0 || began.Add(length).Sub(entry.set) <= entry.ttl {
		return False{}
	}
	who := q.who(hold.Client)
	if write := q.writesAfter(hold); hold.How == history.HoldLost && write != nil {
		return False{
			Assumed: say.CheckIsTheWrite.With(who),
			Formula: say.WritesAfterTheEnd.With(say.Seconds(length), who, say.Seconds(write.At), say.Seconds(entry.over)),
			Events:  []int32{at},
		}
	}
	return False{
		Assumed: say.NeverPausesLonger.With(who),
		Formula: say.PauseOverLease.With(say.Seconds(length), say.Seconds(entry.ttl), say.Seconds(spent)),
		Events:  []int32{at},
	}
}

// pauseOver returns the freeze of a client that covers an instant.
func (q *inquiry) pauseOver(id history.NodeID, at history.Instant) (began history.Instant, event int32, length time.Duration) {
	frozen := false
	for i := range q.h.Events {
		e := &q.h.Events[i]
		if e.Node != id {
			continue
		}
		switch e.Kind {
		case history.Froze:
			if e.At > at {
				return 0, 0, 0
			}
			began, event, frozen = e.At, int32(i), true
		case history.Thawed:
			if frozen && e.At >= at {
				return began, event, e.At.Sub(began)
			}
			frozen = false
		}
	}
	return 0, 0, 0 // never thawed, so its length is not known
}

// writesAfter returns the first write of a client that comes after the end of its hold and before
// its next one, or nil.
func (q *inquiry) writesAfter(hold *history.Hold) *history.Event {
	for i := int(hold.EndEvent) + 1; hold.EndEvent >= 0 && i < len(q.h.Events); i++ {
		switch e := &q.h.Events[i]; {
		case e.Kind == history.Acquired && e.Node == hold.Client:
			return nil
		case e.Kind == history.WriteAccepted && e.Peer == hold.Client:
			return e
		}
	}
	return nil
}

// renewedInVain explains an entry that its owner tried to renew: what it sent did not arrive.
func (q *inquiry) renewedInVain(hold, newest *history.Hold, entry *life) False {
	names := q.renewals()
	for i := int(entry.last) + 1; i < len(q.h.Events); i++ {
		e := &q.h.Events[i]
		if e.At >= entry.over {
			break
		}
		name := world.ReadRequest(q.h.Text(e.Text)).Name
		if e.Kind != history.Sent || e.Node != hold.Client || e.At < hold.Start || !names[name] ||
			q.t.place(e.Peer) != q.t.place(entry.node) {
			continue
		}
		command := q.t.command(int32(i))
		done := q.executed(int32(i))
		var says say.Phrase
		switch {
		case done == nil:
			says = say.RenewalNeverArrives.With(command, say.Seconds(e.At), say.Seconds(entry.over))
		case done.At >= entry.over:
			says = say.RenewalArrivesLate.With(command, say.Seconds(e.At), say.Seconds(done.At), say.Seconds(entry.over))
		default:
			continue
		}
		if hold.How == history.HoldLost && newest != nil && hold.End > newest.Start {
			told := say.ToldAfter.With(q.who(hold.Client), say.Seconds(hold.End), q.who(newest.Client), say.Seconds(newest.Start))
			says = say.SeveralReasons.With(say.Remarks{says, told})
		}
		return False{
			Assumed: say.RenewalsArrive.With(q.who(hold.Client)),
			Formula: says,
			Events:  append(q.faultsIn(hold.Start, e.At), int32(i)),
		}
	}
	return False{}
}

// renewals are the names of the commands by which holders keep their entries: those that did so
// somewhere in the history, and those that stores have for nothing else.
func (q *inquiry) renewals() map[string]bool {
	names := map[string]bool{"KEEPALIVE": true, "RENEW": true, "PING": true}
	inside := map[history.NodeID]bool{}
	for i := range q.h.Events {
		switch e := &q.h.Events[i]; e.Kind {
		case history.Acquired:
			inside[e.Node] = true
		case history.Releasing, history.LostLease, history.Crashed:
			delete(inside, e.Node)
		case history.Extended:
			if e.Peer == e.Owner && inside[e.Owner] {
				if name := q.t.command(int32(i)).Name; name != "" {
					names[name] = true
				}
			}
		}
	}
	return names
}

// executed returns the execution of a request, or nil when there is none.
func (q *inquiry) executed(sent int32) *history.Event {
	for i := int(sent) + 1; i < len(q.h.Events); i++ {
		if e := &q.h.Events[i]; e.Kind == history.Executed && e.Cause == sent {
			return e
		}
	}
	return nil
}

// faultsIn lists the faults that were on in a stretch of time, by the events with which they began:
// the last few.
func (q *inquiry) faultsIn(from, to history.Instant) (events []int32) {
	over := func(e *history.Event, by func(*history.Event) bool) {
		if e.At < from {
			events = slices.DeleteFunc(events, func(i int32) bool { return by(&q.h.Events[i]) })
		}
	}
	for i := range q.h.Events {
		e := &q.h.Events[i]
		if e.At > to {
			break
		}
		switch e.Kind {
		case history.FaultBegan, history.Froze, history.Crashed, history.ClockChanged:
			events = append(events, int32(i))
		case history.FaultEnded:
			over(e, func(began *history.Event) bool { return began.Kind == history.FaultBegan && began.Value == e.Value })
		case history.Thawed, history.Restarted:
			over(e, func(began *history.Event) bool { return began.Kind != history.FaultBegan && began.Node == e.Node })
		}
	}
	return events[max(0, len(events)-3):]
}

// ownClock explains a holder whose own clock was slow: by that, its hold fits into the lease.
func (q *inquiry) ownClock(hold, _ *history.Hold, entry *life) False {
	held := hold.End.Sub(entry.set)
	before, known := q.clockError(hold.Client, entry.set)
	after, also := q.clockError(hold.Client, hold.End)
	step, _ := q.stepped(hold.Client, entry.set, hold.End)
	slow := before - after + step
	if !known || !also || held <= entry.ttl || slow < rounding || held-slow > entry.ttl {
		return False{}
	}
	return False{
		Assumed: say.OwnClockIsRight.With(q.who(hold.Client)),
		Formula: say.SeveralReasons.With(say.Remarks{q.heldFor(hold, entry), say.OwnClockShows.With(q.who(hold.Client), say.Seconds(held-slow))}),
		Events:  q.faultsIn(0, entry.over),
	}
}

// stepped is by how much a node's wall clock was set between two instants, and the event that did so last,
// or NoCause.
func (q *inquiry) stepped(id history.NodeID, from, to history.Instant) (by time.Duration, at int32) {
	at = history.NoCause
	for i := range q.h.Events {
		if e := &q.h.Events[i]; e.Kind == history.ClockChanged && e.Node == id && e.At >= from && e.At <= to {
			by, at = by+time.Duration(e.Value), int32(i)
		}
	}
	return by, at
}

// shortLease explains an entry that did not get the lease that was asked for.
func (q *inquiry) shortLease(_, _ *history.Hold, entry *life) False {
	lease := q.h.Header.Lease
	if entry.ttl >= lease/2 {
		return False{}
	}
	return False{
		Assumed: say.GetsTheWholeLease.With(),
		Formula: say.LastsOnly.With(q.who(entry.owner), say.Seconds(entry.ttl), say.Seconds(lease)),
	}
}

// toldLate explains a holder that was told of the loss, but when another one was inside already.
func (q *inquiry) toldLate(hold, newest *history.Hold, entry *life) False {
	if hold.How != history.HoldLost || newest == nil || hold.End <= newest.Start {
		return False{}
	}
	who := q.who(hold.Client)
	return False{
		Assumed: say.HearsOfTheLoss.With(who),
		Formula: say.LossToldLate.With(say.Seconds(entry.over), q.who(newest.Client), say.Seconds(newest.Start), who, say.Seconds(hold.End)),
		Events:  []int32{hold.EndEvent},
	}
}

// stoppedRenewing explains a holder that has renewed its lease and then did not any more.
func (q *inquiry) stoppedRenewing(hold, _ *history.Hold, entry *life) False {
	if entry.set <= hold.Start || entry.renewals == 0 || hold.End.Sub(entry.set) <= entry.ttl {
		return False{}
	}
	return False{
		Assumed: say.RenewsUntilDone.With(q.who(hold.Client)),
		Formula: q.heldFor(hold, entry),
	}
}

// tooLong compares what a hold took with the lease: the reply, the pauses, the work.
func (q *inquiry) tooLong(hold, _ *history.Hold, entry *life) False {
	held := hold.End.Sub(entry.set)
	if held <= entry.ttl {
		return False{}
	}
	who := q.who(hold.Client)
	reply := max(hold.Start.Sub(entry.set), 0)
	pauses, paused := q.pauses(hold.Client, max(hold.Start, entry.set), hold.End)
	switch work := held - reply - pauses; {
	case work > entry.ttl || work+min(reply, pauses) > entry.ttl || reply+pauses < together:
	case reply >= pauses:
		return False{
			Assumed: say.ReplyLeavesTime.With(who),
			Formula: say.ReplyAndWork.With(say.Seconds(reply), say.Seconds(held-reply), say.Seconds(entry.ttl)),
			Events:  q.faultsIn(entry.from, hold.Start),
		}
	default:
		return False{
			Assumed: say.PausesLeaveTime.With(who),
			Formula: say.PausesAndWork.With(say.Seconds(pauses), say.Seconds(held-pauses), say.Seconds(entry.ttl)),
			Events:  paused,
		}
	}
	return False{Assumed: say.IsDoneInTime.With(who), Formula: q.heldFor(hold, entry)}
}

// heldFor compares a hold with the lease.
func (q *inquiry) heldFor(hold *history.Hold, entry *life) say.Phrase {
	since := say.HeldSinceGrant
	if entry.set > hold.Start {
		since = say.HeldSinceRenewal
	}
	return since.With(say.Seconds(hold.End.Sub(entry.set)), say.Seconds(entry.ttl))
}

// pauses returns how long a client stood still between two instants.
func (q *inquiry) pauses(id history.NodeID, from, to history.Instant) (sum time.Duration, events []int32) {
	began := history.Instant(-1)
	for i := range q.h.Events {
		e := &q.h.Events[i]
		if e.Node != id {
			continue
		}
		switch {
		case e.Kind == history.Froze && e.At >= from && e.At < to:
			began = e.At
			events = append(events, int32(i))
		case e.Kind == history.Thawed && began >= 0:
			sum += min(e.At, to).Sub(began)
			began = -1
		}
	}
	return sum, events
}
