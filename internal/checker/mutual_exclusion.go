package checker

import (
	"slices"
	"sort"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// MutualExclusionID names the property that makes a lock a lock.
const MutualExclusionID = "mutual-exclusion"

func init() {
	Register(Property{
		ID:      MutualExclusionID,
		Summary: "At no time do two clients believe that they hold the lock.",
		Source:  "Dijkstra 1965, with hold intervals in true time in place of program counters",
		Core:    true,
		Check:   checkMutualExclusion,
	})
}

// checkMutualExclusion looks for overlapping hold intervals of different clients. A hold begins
// when acquire has returned, and ends when the client invokes release, learns of its loss, or dies.
//
// A violation is an intrusion: an acquisition that returned while others held.
//
//	 0 A acquired
//	10 B acquired      A's lease is over, A does not know
//	11 C acquired      so is B's
//	12 B releasing
//	15 A releasing
//	16 C releasing
//
// These are two: [10, 12] for B, which found A, and [11, 15] for C, which found A and B. It lasts
// while the intruder and any client that it found go on holding. The union of all is the time in
// which two or more clients held (Judgement.Overlap: 5).
//
// An overlap takes time. The order of events at one instant is only that of recording:
//
//	5 A releasing; 5 B acquired     no violation
//	5 B acquired; 5 A releasing     no violation
//
// The end of the history does not end a hold.
//
// The property is unknown when two clients hold at one instant, which may be the last one of the
// first and the first one of the second, and both touch the resource in it: a lock that lets every
// client in could look like that.
//
//	5 A acquired; 5 R read peer=A; 5 A releasing; 5 B acquired; 5 R read peer=B     unknown
//
// The first client of a violation is the intruder, the others follow in the order of their
// acquisitions. The events are all their acquisitions and, unless the history ends first, the event
// that ended the overlap. Exclusion decides; here *kept* may become *unknown*.
func checkMutualExclusion(h *history.History) Finding {
	var x Exclusion
	for _, i := range h.Milestones() {
		x.Observe(i, &h.Events[i])
	}
	f := x.Finish(h.End())
	if f.Verdict == Kept {
		if a, b, at := together(h); b != 0 {
			f.Verdict, f.Reason = Unknown, say.HeldAtOneInstant.With(say.Verbatim(h.Name(a)), say.Verbatim(h.Name(b)), say.Seconds(at))
		}
	}
	return f
}

// together returns the first two clients that hold at one instant and touch the resource in it, in
// that order; zeros when there are none.
func together(h *history.History) (a, b history.NodeID, at history.Instant) {
	var holds []history.Hold
	has := func(client history.NodeID) bool {
		if holds == nil { // few histories have two clients at one instant
			holds = history.Holds(h)
		}
		n := sort.Search(len(holds), func(i int) bool { return holds[i].Start > at })
		for _, hold := range slices.Backward(holds[:n]) {
			if hold.Client == client {
				return hold.How == 0 || hold.End >= at
			}
		}
		return false
	}
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		switch e.Kind {
		case history.ReadDone, history.WriteAccepted, history.WriteRefused:
		default:
			continue
		}
		switch {
		case e.Peer == 0, e.Peer == a && e.At == at:
		case a == 0, e.At != at, !has(a):
			a, at = e.Peer, e.At
		case has(e.Peer):
			return a, e.Peer, at
		}
	}
	return 0, 0, 0
}
