package explain

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// stuck explains a lock that does not become free.
func (q *inquiry) stuck(v *checker.Violation) False {
	q.from, q.at = v.From, v.To
	probe := history.NodeID(0)
	if len(v.Clients) > 0 {
		probe = v.Clients[0]
	}
	if at := q.allDown(); at >= 0 {
		e := &q.h.Events[at]
		return because(say.StoreComesBack.With(),
			say.StoreDownSince.With(q.who(e.Node), say.Seconds(e.At)), at)
	}
	if l := q.inTheWay(probe); l != nil {
		f := q.neverGoes(l)
		f.Events = append(f.Events, l.Began)
		return f
	}
	if f := q.cameBack(probe); f.Proved() {
		return f
	}
	return q.ineffective(probe, v)
}

// cameBack explains a removed entry that is back, because a replica became the primary before it
// received the removal. The probe is refused, and no other client has an entry.
func (q *inquiry) cameBack(probe history.NodeID) False {
	if slices.ContainsFunc(q.h.Entries, func(l timeline.Entry) bool { return l.Owner == probe }) {
		return False{}
	}
	for i, e := range q.h.Backward(history.Promoted) {
		if q.h.InCluster(e.Node) {
			continue
		}
		l := lastOf(q.h.Entries, func(l *timeline.Entry) bool {
			return l.Node == e.Peer && l.How == history.Removed && l.Over <= e.At && slices.Contains(l.Copies, e.Node)
		})
		if l != nil {
			return because(say.RemovalsOutlive.With(),
				say.CameBack.With(q.who(l.Owner), say.Verbatim(q.h.Name(l.Node)), say.Seconds(l.Over), say.Verbatim(q.h.Name(e.Node)), say.Seconds(e.At)),
				l.Ended, i)
		}
		break
	}
	return False{}
}

// inTheWay returns the oldest entry at the end that is not the probe's, or nil.
func (q *inquiry) inTheWay(probe history.NodeID) (oldest *timeline.Entry) {
	for i := range q.h.Entries {
		l := &q.h.Entries[i]
		if l.Owner != probe && l.How == 0 && l.From <= q.at && (oldest == nil || l.From < oldest.From) && !q.replaced(l.Node) {
			oldest = l
		}
	}
	return oldest
}

// replaced reports whether another server has taken over from this one.
func (q *inquiry) replaced(node history.NodeID) (gone bool) {
	if q.h.InCluster(node) {
		return false
	}
	for _, e := range q.h.Each(history.Promoted) {
		gone = gone && e.Node != node || e.Peer == node
	}
	return gone
}

// neverGoes says why an entry never ends.
func (q *inquiry) neverGoes(l *timeline.Entry) False {
	who, since := q.who(l.Owner), say.Seconds(l.From)
	hold := q.hold(l.Owner, func(h *history.Hold) bool { return h.How == 0 })
	switch {
	case hold != nil:
		return because(say.ComesOut.With(who),
			say.StaysInside.With(who, say.Seconds(hold.Start), say.OptionalTimes(l.Renewals)), append(q.faultsIn(hold.Start, q.at), l.Last)...)
	case l.SetBy != 0 && l.SetBy != l.Owner:
		return because(say.ExtendsOnlyItsOwn.With(q.who(l.SetBy)),
			say.KeptByOther.With(who, since, q.who(l.SetBy), q.t.command(l.Last), say.Seconds(l.Set)), l.Last)
	case l.Renewals > 0 && l.Set >= q.from:
		return because(say.StopsRenewing.With(who),
			say.KeptByItself.With(who, since, say.Times(l.Renewals), say.Seconds(l.Set), q.parting(l)), l.Last)
	case l.TTL > 0 && l.Set.Add(l.TTL) > q.at:
		return because(say.GetsTheWholeLease.With(),
			say.LastsOnly.With(who, say.Seconds(l.TTL), say.Seconds(q.h.Header.Lease)))
	}
	return because(say.AlwaysRemovesItsOwn.With(who),
		say.HasNoEnd.With(who, since, q.parting(l)), q.partingAt(l)...)
}

// partings are the events by which a client gives up on an entry.
var partings = map[history.Kind]say.Of2[say.Node, say.Seconds]{
	history.Crashed: say.CrashedAt, history.AcquireFailed: say.AttemptFailedAt, history.ReleaseFailed: say.ReleaseFailedAt,
	history.GaveUp: say.GaveUpAt, history.Released: say.LeftAt, history.NotHeld: say.LeftAt, history.LostLease: say.LearnedOfLossAt,
}

// partingAt returns the event by which the owner of an entry gave up on it: the first one after the
// entry was made, else the last one before.
func (q *inquiry) partingAt(l *timeline.Entry) []int32 {
	at := history.NoCause
	for i, e := range q.h.Each(slices.Collect(maps.Keys(partings))...) {
		if e.Node != l.Owner {
			continue
		}
		if e.At >= l.From {
			return []int32{i}
		}
		at = i
	}
	if at < 0 {
		return nil
	}
	return []int32{at}
}

func (q *inquiry) parting(l *timeline.Entry) say.Phrase {
	at := q.partingAt(l)
	if at == nil {
		return nothing
	}
	e := &q.h.Events[at[0]]
	return partings[e.Kind].With(q.who(e.Node), say.Seconds(e.At))
}

// allDown returns the crash after which no server was left, or too few for a quorum, which then
// ends no entry either; NoCause for none.
func (q *inquiry) allDown() int32 {
	var down []int32
	for _, s := range q.h.Deaths {
		if q.h.Role(s.Node) == history.RoleStore && s.Ended == history.NoCause {
			down = append(down, s.Began)
		}
	}
	fatal := q.t.Stores
	if q.h.Cluster() != 0 {
		fatal = (q.t.Stores + 1) / 2
	}
	if q.t.Stores == 0 || len(down) < fatal {
		return history.NoCause
	}
	slices.Sort(down)
	return down[fatal-1]
}

// ineffective explains a lock that no client holds and that the probe does not get.
func (q *inquiry) ineffective(probe history.NodeID, v *checker.Violation) False {
	grants, asked := 0, 0
	var brief *timeline.Entry // an expired entry of the probe
	last, failed := history.NoCause, history.NoCause
	sent := map[string]int{}
	for i := range q.h.Entries {
		if l := &q.h.Entries[i]; l.Owner == probe && l.From >= v.From {
			grants++
			if l.How == history.Expired {
				brief = l
			}
		}
	}
	for i, e := range q.h.Each(history.Sent, history.AcquireFailed) {
		switch {
		case e.Node != probe || e.At < v.From:
		case e.Kind == history.Sent:
			asked++
			name := q.t.command(i).Name
			sent[name]++
			if 3*sent[name] >= asked { // not what it sends in the end, to clean up
				last = i
			}
		default:
			failed = i
		}
	}
	who := q.who(probe)
	f := False{Assumed: say.FreeCanBeHad.With()}
	reply, command := q.answer(last)
	way, wait := q.travels(probe, v.From)
	switch {
	case brief != nil && brief.TTL < q.h.Header.Lease/2:
		f.Assumed = say.GetsTheWholeLease.With()
		f.Formula = say.LastsOnly.With(who, say.Seconds(brief.TTL), say.Seconds(q.h.Header.Lease))
	case 2*way > wait && wait > 0:
		f.Assumed = say.RepliesInTime.With(who)
		f.Formula = say.GivesUpEarly.With(who, say.Planned(wait), say.Planned(way.Truncate(10*time.Microsecond)))
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
		f.Formula = say.Said.With(say.Remarks{f.Formula, dead})
		f.Events = append(f.Events, at)
	}
	return f
}

// travels returns how long half of the requests of a client were on their way to a server at least,
// and how long the client has waited at most for a reply that it gave up; 0 for none.
func (q *inquiry) travels(client history.NodeID, from history.Instant) (way, wait time.Duration) {
	ways := []time.Duration{0}
	for _, e := range q.h.Each(history.Executed, history.TimedOut) {
		if e.Cause < 0 || e.At < from || e.Node != client && e.Peer != client {
			continue
		}
		took := e.At.Sub(q.h.Events[e.Cause].At)
		if e.Kind == history.TimedOut {
			wait = max(wait, took)
		} else {
			ways = append(ways, took)
		}
	}
	slices.Sort(ways)
	return ways[len(ways)/2], wait
}

// diedWaiting returns the last crash of a waiting client that was not restarted, or NoCause.
func (q *inquiry) diedWaiting() int32 {
	at := history.NoCause
	waits := map[history.NodeID]bool{}
	for i, e := range q.h.Each(history.Waits, history.Acquired, history.GaveUp, history.Crashed, history.Restarted) {
		switch e.Kind {
		case history.Waits:
			waits[e.Node] = true
		case history.Acquired, history.GaveUp:
			delete(waits, e.Node)
		case history.Crashed:
			if waits[e.Node] {
				at = i
			}
		case history.Restarted:
			if at >= 0 && q.h.Events[at].Node == e.Node {
				at = history.NoCause
			}
		}
	}
	return at
}

// answer returns the reply to a request, and its name.
func (q *inquiry) answer(sent int32) (say.Reason, say.Command) {
	if sent < 0 {
		return noReply, say.Command{}
	}
	command := q.t.command(sent)
	if done := q.h.Execution(sent); done != nil {
		return replyText(q.h.Text(done.Text)), command
	}
	return noReply, command
}

// upon says upon which reply the probe gave an entry back.
func (q *inquiry) upon(probe history.NodeID) say.Phrase {
	for i := len(q.h.Entries) - 1; i >= 0; i-- {
		l := &q.h.Entries[i]
		if l.Owner != probe || l.How != history.Removed || l.By != probe {
			continue
		}
		for j, e := range q.h.Each(history.Replied, history.TimedOut) {
			if j <= l.Began || e.Node != probe {
				continue
			}
			if j >= l.Ended {
				break
			}
			command := q.t.command(j)
			if !slices.Contains([]string{"", q.t.command(l.Ended).Name, q.t.command(l.Began).Name}, command.Name) {
				return say.About.With(command, replyText(q.h.Text(e.Text)))
			}
		}
	}
	return nothing
}

// noReply is the answer to a request that was never executed.
const noReply = say.Reason("no reply within the response timeout")

// replyText is a reply or an error, shortened for a sentence.
func replyText(text string) say.Reason {
	switch text {
	case context.DeadlineExceeded.Error():
		return "its time is up"
	case history.KeptWaiting:
		return "the server keeps the request waiting"
	}
	return say.Reason(short(strings.TrimPrefix(text, "(integer) "), 60))
}
