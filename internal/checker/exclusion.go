package checker

import (
	"time"

	"lockstep/internal/history"
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
	violation int              // index in finding.Violations
}

// Observe takes the next event. Events that say nothing about belief cost a
// comparison or two.
func (x *Exclusion) Observe(index int32, e *history.Event) {
	switch e.Kind {
	case history.Acquired:
		x.end(index, e) // a second acquisition without an end renews the belief
		x.begin(index, e)
	case history.Releasing, history.LostLease, history.Crashed:
		x.end(index, e)
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
	if len(x.finding.Violations) >= MaxViolations {
		x.finding.Count++
		return
	}
	v := Violation{From: e.At, To: e.At}
	v.Clients = append(v.Clients, e.Node)
	found := make([]history.NodeID, 0, len(x.holders))
	for _, h := range x.holders {
		found = append(found, h.client)
		v.Events = append(v.Events, h.event)
	}
	v.Clients = append(v.Clients, found...)
	v.Events = append(v.Events, index)
	x.finding.add(v)
	x.intrusions = append(x.intrusions, intrusion{
		client: e.Node, found: found, violation: len(x.finding.Violations) - 1,
	})
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
// party of.
func (x *Exclusion) retreat(index int32, e *history.Event) {
	kept := x.intrusions[:0]
	for _, n := range x.intrusions {
		n.found = without(n.found, e.Node)
		if n.client != e.Node && len(n.found) > 0 {
			kept = append(kept, n)
			continue
		}
		v := &x.finding.Violations[n.violation]
		v.To = e.At
		v.Events = append(v.Events, index)
	}
	x.intrusions = kept
}

// Overlap returns how long two or more clients have believed to hold the lock.
// It is complete after Finish.
func (x *Exclusion) Overlap() time.Duration { return x.overlap }

// Finish ends what is still open at the instant where the history ends and
// returns the finding. The Exclusion must not be used for more events.
func (x *Exclusion) Finish(end history.Instant) Finding {
	for _, n := range x.intrusions {
		x.finding.Violations[n.violation].To = end
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
		f.Verdict, f.Reason = Unknown, "nobody acquired the lock"
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
