package explain

import (
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// stuck explains a lock that does not become free: what everybody waits for, and why that never
// comes.
func (q *inquiry) stuck(v *checker.Violation) False {
	q.from, q.at = v.From, v.To
	probe := history.NodeID(0)
	if len(v.Clients) > 0 {
		probe = v.Clients[0]
	}
	if l := q.inTheWay(probe); l != nil {
		f := q.neverGoes(l)
		f.Events = append(f.Events, l.begun)
		return f
	}
	if at := q.allDown(); at >= 0 {
		e := &q.h.Events[at]
		return False{
			Assumed: say.StoreComesBack.With(),
			Formula: say.StoreDownSince.With(q.who(e.Node), say.Seconds(e.At)),
			Events:  []int32{at},
		}
	}
	if f := q.cameBack(probe); f.Proved() {
		return f
	}
	return q.inVain(probe, v)
}

// cameBack explains an entry that its owner has removed, and that a replica brought back: it became
// the primary before it heard of the removal. The probe is refused, and nobody has another entry.
func (q *inquiry) cameBack(probe history.NodeID) False {
	for i := range q.lives {
		if q.lives[i].owner == probe {
			return False{}
		}
	}
	for i := len(q.h.Events) - 1; i >= 0; i-- {
		e := &q.h.Events[i]
		if e.Kind != history.Promoted || q.t.inCluster(e.Node) {
			continue
		}
		for j := len(q.lives) - 1; j >= 0; j-- {
			l := &q.lives[j]
			if l.node == e.Peer && l.how == history.Removed && l.over <= e.At && slices.Contains(l.copies, e.Node) {
				return False{
					Assumed: say.RemovalsOutlive.With(),
					Formula: say.CameBack.With(q.who(l.owner), say.Verbatim(q.h.Name(l.node)), say.Seconds(l.over), say.Verbatim(q.h.Name(e.Node)), say.Seconds(e.At)),
					Events:  []int32{l.ended, int32(i)},
				}
			}
		}
		break
	}
	return False{}
}

// inTheWay returns the oldest entry that is there in the end and is not the probe's own, or nil.
func (q *inquiry) inTheWay(probe history.NodeID) (oldest *life) {
	for i := range q.lives {
		l := &q.lives[i]
		if l.owner != probe && l.how == 0 && l.from <= q.at && (oldest == nil || l.from < oldest.from) && !q.replaced(l.node) {
			oldest = l
		}
	}
	return oldest
}

// replaced reports whether another server has taken over from this one.
func (q *inquiry) replaced(node history.NodeID) (gone bool) {
	if q.t.inCluster(node) {
		return false
	}
	for i := range q.h.Events {
		if e := &q.h.Events[i]; e.Kind == history.Promoted {
			gone = gone && e.Node != node || e.Peer == node
		}
	}
	return gone
}

// neverGoes says why an entry is in the way for ever.
func (q *inquiry) neverGoes(l *life) False {
	who, since := q.who(l.owner), say.Seconds(l.from)
	hold := q.holdAtEnd(l.owner)
	switch {
	case hold != nil:
		return False{
			Assumed: say.ComesOut.With(who),
			Formula: say.StaysInside.With(who, say.Seconds(hold.Start), say.OptionalTimes(l.renewals)),
			Events:  append(q.faultsIn(hold.Start, q.at), l.last),
		}
	case l.setBy != 0 && l.setBy != l.owner:
		return False{
			Assumed: say.ExtendsOnlyItsOwn.With(q.who(l.setBy)),
			Formula: say.KeptByOther.With(who, since, q.who(l.setBy), q.t.command(l.last), say.Seconds(l.set)),
			Events:  []int32{l.last},
		}
	case l.renewals > 0 && l.set >= q.from:
		return False{
			Assumed: say.StopsRenewing.With(who),
			Formula: say.KeptByItself.With(who, since, say.Times(l.renewals), say.Seconds(l.set), q.parting(l)),
			Events:  []int32{l.last},
		}
	case l.ttl > 0 && l.set.Add(l.ttl) > q.at:
		return False{
			Assumed: say.GetsTheWholeLease.With(),
			Formula: say.LastsOnly.With(who, say.Seconds(l.ttl), say.Seconds(q.h.Header.Lease)),
		}
	}
	return False{
		Assumed: say.AlwaysRemovesItsOwn.With(who),
		Formula: say.HasNoEnd.With(who, since, q.parting(l)),
		Events:  q.partingAt(l),
	}
}

// holdAtEnd returns the hold that a client never ended, or nil.
func (q *inquiry) holdAtEnd(id history.NodeID) *history.Hold {
	for i := range q.holds {
		if hold := &q.holds[i]; hold.Client == id && hold.How == history.HoldOpen {
			return hold
		}
	}
	return nil
}

// partingAt returns the event with which the owner of an entry had done with it: the first that
// says so after the entry was there, else the last before.
func (q *inquiry) partingAt(l *life) []int32 {
	at := history.NoCause
	for i := range q.h.Events {
		e := &q.h.Events[i]
		if e.Node != l.owner {
			continue
		}
		switch e.Kind {
		case history.Crashed, history.AcquireFailed, history.ReleaseFailed, history.GaveUp, history.Released, history.NotHeld, history.LostLease:
			if e.At >= l.from {
				return []int32{int32(i)}
			}
			at = int32(i)
		}
	}
	if at < 0 {
		return nil
	}
	return []int32{at}
}

// parting says what partingAt found.
func (q *inquiry) parting(l *life) say.Phrase {
	at := q.partingAt(l)
	if at == nil {
		return nothing
	}
	e := &q.h.Events[at[0]]
	who, when := q.who(e.Node), say.Seconds(e.At)
	switch e.Kind {
	case history.Crashed:
		return say.CrashedAt.With(who, when)
	case history.AcquireFailed:
		return say.AttemptFailedAt.With(who, when)
	case history.ReleaseFailed:
		return say.ReleaseFailedAt.With(who, when)
	case history.GaveUp:
		return say.GaveUpAt.With(who, when)
	case history.LostLease:
		return say.ToldOfLossAt.With(who, when)
	}
	return say.LeftAt.With(who, when)
}

// allDown returns the crash after which no server was left, or NoCause.
func (q *inquiry) allDown() int32 {
	last := history.NoCause
	down := map[history.NodeID]bool{}
	stores := 0
	for i := range q.h.Events {
		e := &q.h.Events[i]
		if q.h.Role(e.Node) != history.RoleStore {
			continue
		}
		switch e.Kind {
		case history.Crashed:
			down[e.Node], last = true, int32(i)
		case history.Restarted:
			delete(down, e.Node)
		}
	}
	for _, n := range q.h.Header.Nodes {
		if n.Role == history.RoleStore {
			stores++
		}
	}
	if stores == 0 || len(down) < stores {
		return history.NoCause
	}
	return last
}

// inVain explains a lock that is in nobody's hands and that the probe does not get all the same.
func (q *inquiry) inVain(probe history.NodeID, v *checker.Violation) False {
	grants, asked := 0, 0
	var brief *life // an entry of the probe's that its time has ended
	last, failed := history.NoCause, history.NoCause
	sent := map[string]int{}
	for i := range q.lives {
		if l := &q.lives[i]; l.owner == probe && l.from >= v.From {
			grants++
			if l.how == history.Expired {
				brief = l
			}
		}
	}
	for i := range q.h.Events {
		switch e := &q.h.Events[i]; {
		case e.Node != probe || e.At < v.From:
		case e.Kind == history.Sent:
			asked++
			name := q.t.command(int32(i)).Name
			sent[name]++
			if 3*sent[name] >= asked { // not what it sends in the end, to clean up
				last = int32(i)
			}
		case e.Kind == history.AcquireFailed:
			failed = int32(i)
		}
	}
	who := q.who(probe)
	f := False{Assumed: say.FreeCanBeHad.With()}
	reply, command := q.answer(last)
	switch {
	case brief != nil && brief.ttl < q.h.Header.Lease/2:
		f.Assumed = say.GetsTheWholeLease.With()
		f.Formula = say.LastsOnly.With(who, say.Seconds(brief.ttl), say.Seconds(q.h.Header.Lease))
	case last >= 0 && v.To.Sub(q.h.Events[last].At) > q.h.Header.Lease:
		f.Assumed = say.HearsItIsFree.With(who)
		f.Formula = say.AskedLast.With(who, say.Seconds(q.h.Events[last].At), command, reply)
		f.Events = []int32{last}
	case grants > 0:
		f.Formula = say.GivenBack.With(who, say.Times(grants), q.upon(probe))
	case failed >= 0:
		f.Formula = say.AttemptsFail.With(who, say.Times(asked), q.t.reason(&q.h.Events[failed]))
	case asked > 0:
		f.Formula = say.AsksInVain.With(who, say.Times(asked), command, reply)
	default:
		f.Formula = say.NeverAsks.With(who)
	}
	if at := q.diedWaiting(); at >= 0 {
		dead := say.DiedWaiting.With(q.who(q.h.Events[at].Node), say.Seconds(q.h.Events[at].At))
		f.Formula = say.SeveralReasons.With(say.Remarks{f.Formula, dead})
		f.Events = append(f.Events, at)
	}
	return f
}

// diedWaiting returns the last crash of a client that was waiting for the lock, and that has not
// come back, or NoCause.
func (q *inquiry) diedWaiting() int32 {
	at := history.NoCause
	waits := map[history.NodeID]bool{}
	for i := range q.h.Events {
		switch e := &q.h.Events[i]; e.Kind {
		case history.Waits:
			waits[e.Node] = true
		case history.Acquired, history.GaveUp:
			delete(waits, e.Node)
		case history.Crashed:
			if waits[e.Node] {
				at = int32(i)
			}
		case history.Restarted:
			if at >= 0 && q.h.Events[at].Node == e.Node {
				at = history.NoCause
			}
		}
	}
	return at
}

// answer is what was replied to a request, and its name.
func (q *inquiry) answer(sent int32) (say.Reason, say.Command) {
	if sent < 0 {
		return noReply, say.Command{}
	}
	command := q.t.command(sent)
	if done := q.executed(sent); done != nil {
		return replyText(q.h.Text(done.Text)), command
	}
	return noReply, command
}

// upon tells the last command, and its answer, upon which the probe gave an entry back.
func (q *inquiry) upon(probe history.NodeID) say.Phrase {
	for i := len(q.lives) - 1; i >= 0; i-- {
		l := &q.lives[i]
		if l.owner != probe || l.how != history.Removed || l.by != probe {
			continue
		}
		for j := int(l.ended) - 1; j > int(l.begun); j-- {
			e := &q.h.Events[j]
			if e.Kind != history.Replied && e.Kind != history.TimedOut || e.Node != probe {
				continue
			}
			command := q.t.command(int32(j))
			if !slices.Contains([]string{"", q.t.command(l.ended).Name, q.t.command(l.begun).Name}, command.Name) {
				return say.UponTheReply.With(command, replyText(q.h.Text(e.Text)))
			}
		}
	}
	return nothing
}

// noReply is what there is to say of a request that was never executed.
const noReply = say.Reason("no reply within the response timeout")

// replyText is a reply as a sentence has room for it: a number without its type.
func replyText(text string) say.Reason {
	return say.Reason(short(strings.TrimPrefix(text, "(integer) "), 60))
}
