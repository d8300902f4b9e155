package checker

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// MutualExclusionID names the property that makes a lock a lock.
const MutualExclusionID = "mutual-exclusion"

func init() {
	Register(Property{
		ID: MutualExclusionID,
		Summary: say.Both{
			English: "At no time do two clients believe that they hold the lock.",
			Chinese: "任何时刻都不会有两个客户端认为自己持有锁。",
		},
		Source: "Dijkstra 1965, with hold intervals in true time in place of program counters",
		Core:   true,
		Check:  checkMutualExclusion,
	})
}

// checkMutualExclusion looks for hold intervals of different clients that
// overlap. A hold begins when acquire has returned and ends when the client
// invokes release, is told of its loss, or dies.
//
// What counts as one violation? Think of
//
//	 0 A acquired
//	10 B acquired      A's lease is over, A does not know
//	11 C acquired      so is B's
//	12 B releasing
//	15 A releasing
//	16 C releasing
//
// Two clients hold from 10 until 15 without a break: one stretch. But B walked
// in on A, and C walked in on A and B; a reader who asks how often the lock
// failed expects the answer two. So a violation is an intrusion, one for each
// acquisition that returned while others held: [10, 12] for B, who found A, and
// [11, 15] for C, who found A and B. It lasts while the intruder and anyone whom
// it found go on holding; every pair that overlaps is in exactly one of them,
// that of the later comer, and the union of all of them is the time in which two
// or more held (Judgement.Overlap: 5).
//
// An overlap takes time. Clients that merely touch do not overlap, whatever comes first
// in the history:
//
//	5 A releasing; 5 B acquired     no violation
//	5 B acquired; 5 A releasing     none either
//
// The instant is all that there is to know: in which order two clients did something
// at the same one is decided by whoever wrote it down. So it is for linearizability, where
// a release and the next acquire may take effect at one point. Only the end of the
// history is no end of a hold: two who hold then go on to do so.
//
// The first client of a violation is the intruder, the others follow in the
// order in which they had acquired. The events are the acquisitions of all of
// them and, unless the history ends first, the event that ended the overlap.
func checkMutualExclusion(h *history.History) Finding {
	var x Exclusion
	for _, i := range h.Milestones() {
		x.Observe(i, &h.Events[i])
	}
	return x.Finish(h.End())
}
