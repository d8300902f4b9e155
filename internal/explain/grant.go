package explain

import (
	"cmp"
	"iter"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// The sentences about entries of the servers.

// granted is left to the client's acquisition, or to the loss of the reply, if that follows at
// once.
func granted(t *narrator, i int32, e *history.Event) say.Phrase {
	if t.own(i, e.Owner, history.Acquired) >= 0 || t.replyLost(i) {
		return nothing
	}
	if t.Client(e.Owner).Believes || t.IsDown(e.Owner) { // a dead client never learns of it
		return say.HasNewEntry.With(t.who(e.Node), t.who(e.Owner))
	}
	set := cmp.Or(besides(t.h.After(i, 0), history.Extended, e), e) // a script may set the end by itself
	if end := timeline.EndOf(set); end != 0 {
		return say.Grants.With(t.who(e.Node), t.who(e.Owner), say.Seconds(end))
	}
	return say.GrantsEndless.With(t.who(e.Node), t.who(e.Owner), say.Flag(t.h.Header.Expires))
}

// besides returns the event of some kind that the command of e caused with it at the same server;
// nil for none.
func besides(near iter.Seq2[int32, *history.Event], kind history.Kind, e *history.Event) *history.Event {
	for _, n := range near {
		if n.Kind == kind && n.Node == e.Node && n.Owner == e.Owner && n.Cause == e.Cause && e.Cause >= 0 {
			return n
		}
	}
	return nil
}

// replyLost reports whether the reply of the command that caused event i is lost at once.
func (t *narrator) replyLost(i int32) bool {
	cause := t.h.Events[i].Cause
	return cause >= 0 && t.h.Next(i, 0, func(n *history.Event) bool { return n.Kind == history.ReplyDropped && n.Cause == cause }) >= 0
}

// extended makes one step of renewals in a row, and one of every extension of another client's
// entry or by which an entry loses its end.
func extended(t *narrator, i int32, e *history.Event) say.Phrase {
	held := t.Find(e.Node, e.Owner, e.Text)
	if e.Peer != 0 && e.Peer != e.Owner {
		if int(e.Peer) >= len(t.foreign) || t.foreign[e.Peer] {
			return nothing
		}
		t.foreign[e.Peer] = true
		return say.ExtendsForeign.With(t.who(e.Peer), t.command(i), t.who(e.Owner), t.newEnd(held, e))
	}
	if !t.Client(e.Owner).Believes && t.own(i, e.Owner, history.Acquired) >= 0 || besides(t.h.Before(i, 0), history.Granted, e) != nil {
		return nothing // part of an acquisition, or of a grant
	}
	if e.Peer == 0 { // a new leader of a cluster restarts every lease
		return say.ServerExtends.With(t.who(e.Node), t.who(e.Owner), t.newEnd(held, e))
	}
	if held != nil {
		held.PendingRenewals++
	}
	if t.renewsOn(i, e) {
		return nothing
	}
	count, servers := t.takePendingRenewals(e.Owner)
	believes := t.Client(e.Owner).Believes
	who, end := t.who(e.Owner), say.OptionalSeconds(timeline.EndOf(e))
	switch {
	case e.Value <= 0 && held != nil && held.End == 0:
		return say.WritesItAnew.With(who, repeated(count))
	case e.Value <= 0, !believes && count == 1:
		return say.SetsLease.With(who, t.newEnd(held, e))
	case !believes:
		return say.RenewsWithoutLock.With(who, say.Times(count), end)
	case servers > 0 && 2*servers <= t.voters():
		return say.RenewsOnSome.With(who, say.Number(servers), say.Number(t.voters()), end)
	case count == 1:
		return say.Renews.With(who, say.Seconds(end))
	}
	return say.HasRenewed.With(who, say.Times(count), end)
}

// takePendingRenewals returns how often an owner has renewed its entry since the last step about that,
// and on how many servers, and resets the count. Of entries on several servers the most renewed one
// counts.
func (t *narrator) takePendingRenewals(owner history.NodeID) (most, servers int) {
	most = 1
	for place := range t.Entries {
		for i := range t.Entries[place] {
			if held := &t.Entries[place][i]; held.Owner == owner {
				servers += min(held.PendingRenewals, 1)
				most, held.PendingRenewals = max(most, held.PendingRenewals), 0
			}
		}
	}
	return most, servers
}

// repeated is a number of times, left out when it is one.
func repeated(n int) say.OptionalTimes {
	if n < 2 {
		return 0
	}
	return say.OptionalTimes(n)
}

// newEnd says when an entry ends after an extension.
func (t *narrator) newEnd(held *timeline.Held, e *history.Event) say.Phrase {
	switch at := timeline.EndOf(e); {
	case at != 0:
		return say.EndsAtNow.With(say.Seconds(at))
	case held != nil && held.End == 0:
		return say.Text("it still has no end in the store")
	}
	return say.Text("it no longer expires")
}

// renewsOn reports whether the next event of an entry or its owner is another such renewal, so that
// this one needs no step.
func (t *narrator) renewsOn(i int32, e *history.Event) bool {
	for j, n := range t.h.After(i, timeline.Ever) {
		if t.breaks[j] != nil {
			return false
		}
		switch n.Kind {
		case history.Extended:
			if n.Owner == e.Owner {
				return n.Peer == e.Peer && (n.Value > 0) == (e.Value > 0)
			}
		case history.Granted, history.Removed, history.Expired, history.Forgotten:
			if n.Owner == e.Owner {
				return false
			}
		case history.Acquired, history.LostLease, history.Releasing, history.Froze, history.Crashed, history.Restarted, history.TimedOut, history.GaveUp:
			if n.Node == e.Owner || t.h.Role(n.Node) == history.RoleStore {
				return false
			}
		case history.FaultBegan, history.Promoted, history.Demoted, history.ClockChanged, history.Healed:
			return false
		}
	}
	return false
}

func removed(t *narrator, i int32, e *history.Event) say.Phrase {
	switch {
	case e.Peer == 0:
		return say.ServerRemoves.With(t.who(e.Node), t.who(e.Owner), t.unaware(e.Owner))
	case e.Peer != e.Owner:
		return say.RemovesForeign.With(t.who(e.Peer), t.command(i), t.who(e.Owner))
	case t.Client(e.Owner).Releasing:
		switch before := t.releaseBefore(i, e.Owner); {
		case before == nil:
		case before.Kind == history.Releasing:
			return say.Releases.With(t.who(e.Owner))
		case before.Kind == history.Removed && before.Node != e.Node:
			return nothing // the step of the first server covers it
		}
	}
	return say.RemovesOwn.With(t.who(e.Owner), t.command(i))
}

// releaseBefore returns the last step of a client's release just before event i: its beginning, the
// removal of an entry, or what stops the client; nil for none.
func (t *narrator) releaseBefore(i int32, id history.NodeID) *history.Event {
	for _, e := range t.h.Before(i, together) {
		if removesOwn(e, id) || e.Node == id && (e.Kind == history.Releasing || e.Kind == history.Froze || e.Kind == history.Crashed) {
			return e
		}
	}
	return nil
}

// removesOwn reports whether a client removes its own entry by an event.
func removesOwn(e *history.Event, id history.NodeID) bool {
	return e.Kind == history.Removed && e.Owner == id && e.Peer == id
}

// expired says whether the owner still believes, which makes an expiry dangerous, and how late it
// is: ZooKeeper and etcd look only from time to time for what has ended, a frozen server does not
// look, and a row is still there when its time is up, until a request takes it over.
func expired(t *narrator, _ int32, e *history.Event) say.Phrase {
	if t.StandsBy(e.Node) {
		return nothing
	}
	var late time.Duration
	if held := t.Find(e.Node, e.Owner, e.Text); held != nil {
		if held.End == 0 {
			return say.SessionEnds.With(t.who(e.Owner), t.unaware(e.Owner))
		}
		if late = e.At.Sub(held.End); late <= rounding {
			late = 0
		}
	}
	switch unaware := t.unaware(e.Owner); {
	case t.Servers() > 1:
		return say.LeaseEndsOn.With(t.who(e.Owner), say.Verbatim(t.name(e.Node)), unaware)
	case bool(unaware) && late > 0 && e.Cause != history.NoCause:
		return say.LeaseWasOver.With(say.Span(late), unaware, t.who(e.Owner))
	case bool(unaware):
		return say.LeaseEnds.With(say.OptionalSpan(late), unaware, t.who(e.Owner))
	}
	return say.LeaseIsOver.With(t.who(e.Owner))
}

// untold reports whether the owner of a lost entry still believes that it holds the lock.
func (t *narrator) unaware(owner history.NodeID) say.Flag { return say.Flag(t.Client(owner).Believes) }

// forgotten is left to the restart that follows, if any.
func forgotten(t *narrator, i int32, e *history.Event) say.Phrase {
	if t.h.Next(i, 0, func(n *history.Event) bool { return n.Kind == history.Restarted && n.Node == e.Node }) >= 0 {
		return nothing
	}
	return say.HasLostEntry.With(t.who(e.Node), t.who(e.Owner), t.unaware(e.Owner))
}
