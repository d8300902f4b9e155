package checker

import (
	"math"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Exclusion checks mutual exclusion while a history is being read: it needs each
// event once, in order, and memory for the clients that hold the lock at the
// same time, whatever the length of the history.
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
	fresh      int         // the last ones of these, which have not lasted any time yet
	since      history.Instant
	overlap    time.Duration
	acquired   int
	finding    Finding
}

// holder is one open hold.
type holder struct {
	client history.NodeID
	event  int32 // its Acquired
}

// intrusion is an acquisition that found others in possession, as long as the
// intruder and at least one of those others go on holding.
type intrusion struct {
	client    history.NodeID
	found     []history.NodeID // whom it found and who still hold
	draft     Violation        // until the intrusion has lasted any time
	fresh     bool             // it has not
	violation int              // index in finding.Violations; notKept when there was no room
}

// notKept stands for the index of a violation that is counted only.
const notKept = -1

// Observe takes the next event. Events that say nothing about belief cost a
// comparison or two.
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

// settle counts the intrusions that have lasted until after they began.
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
		if len(x.holders) == 1 {
			x.since = e.At
		}
	}
	x.holders = append(x.holders, holder{e.Node, index})
}

// intrude records that e's client has acquired a lock that others hold.
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
		if len(x.holders) == 1 {
			x.overlap += e.At.Sub(x.since)
		}
		if len(x.intrusions) > 0 {
			x.retreat(index, e)
		}
		return
	}
}

// retreat ends the intrusions that e's client, who holds no more, was the last
// party of. Who leaves at the instant of an intrusion has not been met in it.
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

// leaveOut takes a client that the intruder has found out of the violation. Its events
// are still the acquisitions: of those who were found, then that of the intruder.
func (v *Violation) leaveOut(client history.NodeID) {
	if i := slices.Index(v.Clients[1:], client); i >= 0 {
		v.Clients = slices.Delete(v.Clients, i+1, i+2)
		v.Events = slices.Delete(v.Events, i, i+1)
	}
}

// Overlap returns how long two or more clients have believed to hold the lock.
// It is complete after Finish.
func (x *Exclusion) Overlap() time.Duration { return x.overlap }

// Finish ends what is still open at the instant where the history ends and
// returns the finding. The Exclusion must not be used for more events.
func (x *Exclusion) Finish(end history.Instant) Finding {
	x.settle(math.MaxInt64) // who holds at the end goes on to
	for _, n := range x.intrusions {
		if n.violation != notKept {
			x.finding.Violations[n.violation].To = end
		}
	}
	x.intrusions = nil
	if len(x.holders) > 1 {
		x.overlap += end.Sub(x.since)
	}
	x.holders = nil
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

// without removes id from ids in place.
func without(ids []history.NodeID, id history.NodeID) []history.NodeID {
	for i := range ids {
		if ids[i] == id {
			return append(ids[:i], ids[i+1:]...)
		}
	}
	return ids
}
