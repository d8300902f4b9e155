package explain

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// The templates of faults and processes.

// faultBegan is told only when the fault leaves no event of its own that says
// more: a pause is told by the freeze, a crash by the crash.
func faultBegan(t *teller, i int32, e *history.Event) say.Phrase {
	for _, n := range t.h.After(i, 0) {
		switch n.Kind {
		case history.Froze, history.Crashed, history.Restarted, history.ClockChanged, history.Promoted:
			if n.Value == e.Value || n.Kind == history.ClockChanged {
				return nothing
			}
		}
	}
	if t.verb(e.Value) == "drop" {
		t.drops = append(t.drops, e.Value)
		return nothing // told at the message that it loses
	}
	return say.FaultBegins.With(say.Number(e.Value), t.fault(e))
}

// faultEnded is told only for faults without an event of their own.
func faultEnded(t *teller, _ int32, e *history.Event) say.Phrase {
	switch t.verb(e.Value) {
	case "", "pause", "drop", "crash", "lose-host", "fail-over":
		return nothing
	case "partition", "cut":
		return say.LinksWork.With(say.Number(e.Value))
	}
	return say.FaultIsOver.With(say.Number(e.Value))
}

func froze(t *teller, i int32, e *history.Event) say.Phrase {
	var length say.OptionalSpan
	if s := t.h.FreezeAt(i); s.Over {
		length = say.OptionalSpan(s.To.Sub(e.At))
	}
	return say.Freezes.With(t.who(e.Node), length, t.between(i, e), byFault(e))
}

// byFault is the number of the fault behind an event, if there is one.
func byFault(e *history.Event) say.Optional { return say.Optional(max(e.Value, 0)) }

// between says between which two commands a client freezes, when it does so in
// the middle of an acquisition or a release: that gap is then the story.
func (t *teller) between(i int32, e *history.Event) say.Phrase {
	c := t.Client(e.Node)
	last := t.h.At(c.LastWire)
	if !(c.Waits || c.Releasing) || last == nil || last.At != e.At {
		return nothing
	}
	before := t.command(c.LastWire)
	for _, n := range t.h.After(i, timeline.Ever) {
		if n.Node != e.Node {
			continue
		}
		if n.Kind == history.Sent {
			if after := commandNamed(t.h.Op(n.Text)); before.Name != "" && after.Name != "" {
				return say.BetweenCommands.With(before, after)
			}
			return nothing
		}
		if n.Kind != history.Thawed && n.Kind != history.Replied && n.Kind != history.FaultEnded {
			return nothing
		}
	}
	return nothing
}

// thawed is told together with the write when that follows at once.
func thawed(t *teller, i int32, e *history.Event) say.Phrase {
	for _, n := range t.h.After(i, together) {
		if n.Kind == history.LostLease && n.Node == e.Node {
			break // told before the write
		}
		if (n.Kind == history.WriteAccepted || n.Kind == history.WriteRefused) && n.Peer == e.Node {
			return nothing
		}
	}
	return say.Wakes.With(t.who(e.Node), say.Flag(t.Client(e.Node).Believes))
}

func crashed(t *teller, i int32, e *history.Event) say.Phrase {
	then := t.afterDeath(i, e)
	if t.verb(e.Value) == "lose-host" {
		return say.IsLostWithHost.With(t.who(e.Node), byFault(e), then)
	}
	return say.Crashes.With(t.who(e.Node), byFault(e), then)
}

// afterDeath says what becomes of the entries of a client, or on a server, that has died.
func (t *teller) afterDeath(i int32, e *history.Event) say.Phrase {
	if t.h.Role(e.Node) == history.RoleStore {
		switch list := t.Entries[t.h.Place(e.Node)]; {
		case t.h.InCluster(e.Node):
			return say.OthersHaveIt.With()
		case len(list) == 0 || t.Stores < 2:
			return nothing
		case list[0].Replicated:
			return say.ReplicaHasEntry.With(t.who(list[0].Owner))
		case t.anyStandby():
			return say.NoReplicaHas.With(t.who(list[0].Owner))
		}
		return nothing
	}
	switch held := t.Held(e.Node); {
	case held == nil, held.End == 0 && t.endsSoon(i, e.Node):
		return nothing
	case held.End == 0:
		return say.EntryStays.With(say.Flag(t.endless(held)))
	default:
		return say.EntryStaysUntil.With(say.Seconds(held.End))
	}
}

// endsSoon reports whether the session of a client ends right after its crash, and its entry
// with it.
func (t *teller) endsSoon(i int32, owner history.NodeID) bool {
	for _, e := range t.h.After(i, together) {
		if e.Kind == history.Expired && e.Owner == owner {
			return true
		}
	}
	return false
}

func (t *teller) anyStandby() bool {
	for _, s := range t.Standby {
		if s {
			return true
		}
	}
	return false
}

// restarted says what the server forgot meanwhile.
func restarted(t *teller, i int32, e *history.Event) say.Phrase {
	var owners []history.NodeID
	for _, n := range t.h.Before(i, 0) {
		if n.Kind == history.Forgotten && n.Node == e.Node {
			owners = append(owners, n.Owner)
		}
	}
	if len(owners) == 0 && t.h.Role(e.Node) == history.RoleClient {
		return say.RestartsAsClient.With(t.who(e.Node), byFault(e))
	}
	var untold say.Flag
	if len(owners) > 0 {
		untold = t.untold(owners[0])
	}
	return say.Restarts.With(t.who(e.Node), byFault(e), t.fewNames(owners), untold)
}

// fewNames are the names of clients, unless there are too many for a sentence.
func (t *teller) fewNames(ids []history.NodeID) say.Names {
	if len(ids) > 4 {
		return nil
	}
	return t.names(ids)
}

// promoted says what the new primary knows about the clients that believe, and
// whether the old one still runs.
func promoted(t *teller, _ int32, e *history.Event) say.Phrase {
	if t.h.InCluster(e.Node) {
		return say.BecomesLeader.With(t.who(e.Node), byFault(e))
	}
	if t.OfAnotherShard(e) {
		return say.BecomesOtherPrimary.With(t.who(e.Node), say.Verbatim(t.name(e.Peer)), byFault(e))
	}
	var running say.Verbatim
	if t.h.Role(e.Peer) != "" && !t.IsDown(e.Peer) && !t.StandsStill(e.Peer) {
		running = say.Verbatim(t.name(e.Peer))
	}
	var missing []history.NodeID
	for id := range t.Clients {
		if t.Grants && t.Clients[id].Believes && !t.knows(e.Node, history.NodeID(id), e.At) {
			missing = append(missing, history.NodeID(id))
		}
	}
	return say.BecomesPrimary.With(t.who(e.Node), byFault(e), running, t.fewNames(missing))
}

func demoted(t *teller, _ int32, e *history.Event) say.Phrase {
	return say.BecomesReplica.With(t.who(e.Node), say.Verbatim(t.name(e.Peer)))
}

// knows reports whether a server has a live entry of an owner.
func (t *teller) knows(server, owner history.NodeID, at history.Instant) bool {
	for _, held := range t.Entries[t.h.Place(server)] {
		if held.Owner == owner && (held.End == 0 || held.End > at) {
			return true
		}
	}
	return false
}

func clockChanged(t *teller, _ int32, e *history.Event) say.Phrase {
	if e.Value < 0 {
		return say.ClockJumpsBack.With(t.who(e.Node), say.Span(-e.Value))
	}
	return say.ClockJumps.With(t.who(e.Node), say.Span(e.Value))
}

// healed opens the final quiet period, which matters to a lock that is stuck.
func healed(t *teller, _ int32, _ *history.Event) say.Phrase {
	if !t.progress {
		return nothing
	}
	return say.ShouldBecomeFree.With()
}
