package explain

import (
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// The sentences about faults and processes.

// faultBegan has a step only if no event of the fault says more, as a freeze says more about a
// pause.
func faultBegan(t *narrator, i int32, e *history.Event) say.Phrase {
	if t.cuts(e) {
		t.cut++
	}
	if t.h.Next(i, 0, func(n *history.Event) bool {
		acts := []history.Kind{history.Froze, history.Crashed, history.Restarted, history.Promoted}
		return n.Kind == history.ClockChanged || n.Value == e.Value && slices.Contains(acts, n.Kind)
	}) >= 0 {
		return nothing
	}
	if t.h.Fault(e.Value).Verb == "drop" {
		t.drops = append(t.drops, e.Value)
		return nothing // part of the step of the lost message
	}
	return say.FaultBegins.With(say.Number(e.Value), t.fault(e))
}

// faultEnded has a step only for faults without an event of their own, and for those whose end
// never came.
func faultEnded(t *narrator, i int32, e *history.Event) say.Phrase {
	if t.cuts(e) {
		t.cut--
	}
	if checker.EndNeverCame(t.h.History, i) {
		return say.EndsWithAll.With(say.Number(e.Value))
	}
	if planned := checker.CutByHealing(t.h.History, i); planned > 0 {
		return say.EndsEarly.With(say.Number(e.Value), say.Planned(planned))
	}
	switch name := t.h.Fault(e.Value).Verb; {
	case slices.Contains([]string{"", "pause", "drop", "crash", "lose-host", "fail-over"}, name):
		return nothing
	case t.cuts(e) && t.cut == 0: // otherwise another fault may still cut the same links
		return say.LinksWork.With(say.Number(e.Value))
	}
	return say.FaultIsOver.With(say.Number(e.Value))
}

// cuts reports whether the fault of an event cuts links.
func (t *narrator) cuts(e *history.Event) bool {
	verb, _ := faults.Lookup(t.h.Fault(e.Value).Verb)
	return verb.Cuts()
}

func froze(t *narrator, i int32, e *history.Event) say.Phrase {
	var length say.OptionalSpan
	if s := t.h.FreezeAt(i); s.Over {
		length = say.OptionalSpan(s.To.Sub(e.At))
	}
	return say.Freezes.With(t.who(e.Node), length, t.between(i, e), byFault(e))
}

// byFault is the number of the fault that caused an event, if any.
func byFault(e *history.Event) say.Optional { return say.Optional(max(e.Value, 0)) }

// between says between which two commands a client freezes during an acquisition or a release.
func (t *narrator) between(i int32, e *history.Event) say.Phrase {
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

// thawed is left to the write that follows at once, if any.
func thawed(t *narrator, i int32, e *history.Event) say.Phrase {
	next := t.h.Next(i, together, func(n *history.Event) bool {
		return n.Kind == history.LostLease && n.Node == e.Node || writes(n, e.Node)
	})
	if next >= 0 && t.h.Events[next].Kind != history.LostLease { // a loss has a step before the write
		return nothing
	}
	return say.Wakes.With(t.who(e.Node), say.Flag(t.Client(e.Node).Believes))
}

func crashed(t *narrator, i int32, e *history.Event) say.Phrase {
	then := t.afterDeath(i, e)
	if t.h.Fault(e.Value).Verb == "lose-host" {
		return say.IsLostWithHost.With(t.who(e.Node), byFault(e), then)
	}
	return say.Crashes.With(t.who(e.Node), byFault(e), then)
}

// afterDeath says what happens to the entries of a dead client, or on a dead server.
func (t *narrator) afterDeath(i int32, e *history.Event) say.Phrase {
	if t.h.Role(e.Node) == history.RoleStore {
		switch list := t.Entries[t.h.Place(e.Node)]; {
		case t.h.InCluster(e.Node):
			return say.Text("The others have everything it had.")
		case len(list) == 0 || t.Stores < 2 || t.StandsBy(e.Node):
			return nothing
		case list[0].Replicated:
			return say.ReplicaHasEntry.With(t.who(list[0].Owner))
		case slices.Contains(t.Standby, true):
			return say.NoReplicaHas.With(t.who(list[0].Owner))
		}
		return nothing
	}
	withSession := func(n *history.Event) bool { return n.Kind == history.Expired && n.Owner == e.Node }
	switch held := t.Held(e.Node); {
	case held == nil, held.End == 0 && t.h.Next(i, together, withSession) >= 0:
		return nothing
	case held.End == 0:
		return say.EntryStays.With(say.Flag(t.endless(held)))
	default:
		return say.EntryStaysUntil.With(say.Seconds(held.End))
	}
}

// restarted says what the server forgot meanwhile.
func restarted(t *narrator, i int32, e *history.Event) say.Phrase {
	var owners []history.NodeID
	for _, n := range t.h.Before(i, 0) {
		if n.Kind == history.Forgotten && n.Node == e.Node {
			owners = append(owners, n.Owner)
		}
	}
	if len(owners) == 0 && t.h.Role(e.Node) == history.RoleClient {
		return say.RestartsAsClient.With(t.who(e.Node), byFault(e))
	}
	var unaware say.Flag
	if len(owners) > 0 {
		unaware = t.unaware(owners[0])
	}
	return say.Restarts.With(t.who(e.Node), byFault(e), t.fewNames(owners), unaware)
}

// fewNames are the names of at most four clients, or none.
func (t *narrator) fewNames(ids []history.NodeID) say.Names {
	if len(ids) > 4 {
		return nil
	}
	return t.names(ids)
}

// promoted says what the new primary knows about the clients that believe, and
// whether the old one still runs.
func promoted(t *narrator, _ int32, e *history.Event) say.Phrase {
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

func demoted(t *narrator, _ int32, e *history.Event) say.Phrase {
	return say.BecomesReplica.With(t.who(e.Node), say.Verbatim(t.name(e.Peer)))
}

// knows reports whether a server has a live entry of an owner.
func (t *narrator) knows(server, owner history.NodeID, at history.Instant) bool {
	return slices.ContainsFunc(t.Entries[t.h.Place(server)], func(held timeline.Held) bool {
		return held.Owner == owner && (held.End == 0 || held.End > at)
	})
}

func clockChanged(t *narrator, _ int32, e *history.Event) say.Phrase {
	if e.Value < 0 {
		return say.ClockJumpsBack.With(t.who(e.Node), say.Span(-e.Value))
	}
	return say.ClockJumps.With(t.who(e.Node), say.Span(e.Value))
}

// healed begins the final quiet period, which matters only if the lock is stuck.
func healed(t *narrator, _ int32, _ *history.Event) say.Phrase {
	if !t.progress {
		return nothing
	}
	return say.Text("All faults that end are over. The lock should become free within ten leases.")
}
