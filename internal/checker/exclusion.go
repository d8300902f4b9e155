package checker

import (
	"math"
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Exclusion checks mutual exclusion in one pass, in memory proportional to the number of clients
// that hold the lock at once.
//
//	var x checker.Exclusion
//	for i := range events {
//		x.Observe(int32(i), &events[i])
//	}
//	finding := x.Finish(end)
//
// The zero value is ready to use.
type Exclusion struct {
	holders    []holder    // who holds now, in the order of acquisition
	intrusions []intrusion // those that go on
	fresh      int         // how many of these, the last ones, have not lasted any time yet
	acquired   int
	finding    Finding
}

type holder struct {
	client history.NodeID
	event  int32 // its Acquired
}

// intrusion is an acquisition while others held. It lasts while the intruder and at least one of
// those others go on holding.
type intrusion struct {
	client    history.NodeID
	found     []history.NodeID // the others that still hold
	draft     Violation        // until the intrusion has lasted any time
	fresh     bool             // it has not lasted any time yet
	violation int              // index in finding.Violations; notKept when there was no room
}

// notKept stands for the index of a violation that is counted only.
const notKept = -1

// Observe takes the next event.
func (x *Exclusion) Observe(index int32, e *history.Event) {
	switch e.Kind {
	case history.Acquired:
		x.settle(e.At)
		x.end(index, e) // a second acquisition without an end renews the belief
		x.begin(index, e)
	case history.Releasing, history.LostLease, history.Crashed:
		x.settle(e.At)
		x.end(index, e)
	}
}

// settle counts the fresh intrusions that have lasted some time by an instant.
func (x *Exclusion) settle(at history.Instant) {
	for i := len(x.intrusions) - x.fresh; i < len(x.intrusions); i++ {
		n := &x.intrusions[i]
		if n.draft.From >= at {
			return
		}
		x.fresh--
		n.fresh, n.violation = false, notKept
		if len(x.finding.Violations) < MaxViolations {
			n.violation = len(x.finding.Violations)
		}
		x.finding.add(n.draft)
	}
}

func (x *Exclusion) begin(index int32, e *history.Event) {
	x.acquired++
	if len(x.holders) > 0 {
		x.intrude(index, e)
	}
	x.holders = append(x.holders, holder{e.Node, index})
}

// intrude records that e's client has acquired while others hold.
func (x *Exclusion) intrude(index int32, e *history.Event) {
	n := intrusion{client: e.Node, fresh: true, draft: Violation{From: e.At, To: e.At}}
	n.draft.Clients = append(n.draft.Clients, e.Node)
	for _, h := range x.holders {
		n.found = append(n.found, h.client)
		n.draft.Events = append(n.draft.Events, h.event)
	}
	n.draft.Clients = append(n.draft.Clients, n.found...)
	n.draft.Events = append(n.draft.Events, index)
	x.intrusions = append(x.intrusions, n)
	x.fresh++
}

func (x *Exclusion) end(index int32, e *history.Event) {
	for i := range x.holders {
		if x.holders[i].client != e.Node {
			continue
		}
		x.holders = append(x.holders[:i], x.holders[i+1:]...)
		if len(x.intrusions) > 0 {
			x.retreat(index, e)
		}
		return
	}
}

// retreat ends the intrusions that are over because e's client holds no more. A client that leaves
// at the instant of an intrusion is not part of it.
func (x *Exclusion) retreat(index int32, e *history.Event) {
	kept := x.intrusions[:0]
	for _, n := range x.intrusions {
		n.found = without(n.found, e.Node)
		over := n.client == e.Node || len(n.found) == 0
		switch {
		case n.fresh && over:
			x.fresh--
		case n.fresh:
			n.draft.leaveOut(e.Node)
		case over && n.violation != notKept:
			v := &x.finding.Violations[n.violation]
			v.To, v.Events = e.At, append(v.Events, index)
		}
		if !over {
			kept = append(kept, n)
		}
	}
	x.intrusions = kept
}

// leaveOut removes a client that the intruder has found, and its acquisition, from a draft.
func (v *Violation) leaveOut(client history.NodeID) {
	if i := slices.Index(v.Clients[1:], client); i >= 0 {
		v.Clients = slices.Delete(v.Clients, i+1, i+2)
		v.Events = slices.Delete(v.Events, i, i+1)
	}
}

// Finish ends the open intrusions at the end of the history, and returns the finding. The Exclusion
// must not be used afterwards.
func (x *Exclusion) Finish(end history.Instant) Finding {
	x.settle(math.MaxInt64) // the end of the history ends no hold
	for _, n := range x.intrusions {
		if n.violation != notKept {
			x.finding.Violations[n.violation].To = end
		}
	}
	f := x.finding
	f.Property = MutualExclusionID
	switch {
	case f.Count > 0:
		f.Verdict = Broken
	case x.acquired == 0:
		f.Verdict, f.Reason = Unknown, say.NobodyAcquired.With()
	default:
		f.Verdict = Kept
	}
	return f
}

func without(ids []history.NodeID, id history.NodeID) []history.NodeID {
	if i := slices.Index(ids, id); i >= 0 {
		return slices.Delete(ids, i, i+1)
	}
	return ids
}
