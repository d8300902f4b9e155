package checker

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// NoStaleWriteID names the property that only the newest holder writes.
const NoStaleWriteID = "no-stale-write"

func init() {
	Register(Property{
		ID:      NoStaleWriteID,
		Summary: "The resource never accepts a write from a client that is not the newest holder.",
		Source:  "Kleppmann 2016, How to do distributed locking",
		Core:    true,
		Check:   checkNoStaleWrite,
	})
}

// checkNoStaleWrite asks of each accepted write whether a newer holder than the one that
// wrote has had the lock. Who is newer is decided by the store, in the order of its grants
// (see order); who has had the lock is decided by belief, as everywhere:
//
//	 0 S granted owner=A; 0.1 A acquired
//	 1 R read peer=A
//	10 S granted owner=B; 10.1 B acquired     A's lease is over, A is frozen
//	11 B releasing
//	15 R write-accepted peer=A                stale: B has held the lock since A read
//
// B need not hold any more, nor need A: the write of a client that has released may be
// under way still. That is why comparing hold intervals would miss both. And who learns
// late of its grant is no newer for that:
//
//	 0 S granted owner=A
//	10 S granted owner=B; 10.1 B acquired
//	12 A acquired                             the reply has taken that long
//	13 R write-accepted peer=B                rightful
//	14 R write-accepted peer=A                stale
//
// The acquisition that a write belongs to is the last one of its client before
// the read that the write was computed from, and before the write itself when
// the history does not name the read. The difference matters when A comes back:
//
//	 0 A acquired;  1 R read peer=A      #1
//	10 B acquired; 11 B releasing
//	12 A acquired
//	13 R write-accepted peer=A cause=1   stale, although A is the holder again
//
// A client that never acquired writes without any right: its write is stale if
// anybody else acquired before. What is acquired at the instant of the write is neither
// before it nor after it, and makes nothing stale.
//
// A fence that also looks at reads lets a write through that arrives after B has
// acquired and before B has read. Such a write is stale by this definition and
// harmless; no-lost-update tells the two apart.
//
// When the history leaves open who is the newer of two, their writes are in doubt, and one
// of them leaves the property unknown unless another write is known to be stale.
//
// The first client of a violation is the one that wrote, the second the newest
// holder. The events are the acquisitions of both, the read if it is named, and
// the write.
func checkNoStaleWrite(h *history.History) Finding {
	f := Finding{Property: NoStaleWriteID, Verdict: Kept}
	a := newAcquisitions(h)
	writes, doubtful := 0, history.NoCause
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		switch e.Kind {
		case history.WriteRefused:
			writes++
		case history.WriteAccepted:
			writes++
			until, read := i, history.NoCause
			if r := readOf(h, i); r != nil && r.Peer == e.Peer {
				until, read = e.Cause, e.Cause
			}
			own := a.lastOf(e.Peer, until)
			other, order := a.newerThan(&own, e.Peer, e.At)
			switch order {
			case later:
				f.add(Violation{
					From: e.At, To: e.At,
					Clients: []history.NodeID{e.Peer, h.Events[other].Node},
					Events:  evidence(own.event, other, read, i),
				})
			case unsure:
				if f.Doubts++; f.Doubts == 1 {
					doubtful = i
				}
			}
		default:
			a.observe(i)
		}
	}
	switch {
	case f.Count > 0:
		f.Verdict = Broken
	case f.Doubts > 0:
		e := &h.Events[doubtful]
		f.Verdict = Unknown
		f.Reason = say.WhetherNewest.With(say.Verbatim(h.Name(e.Peer)), say.Seconds(e.At))
	case writes == 0:
		f.Verdict, f.NoOccasion, f.Reason = Unknown, true, say.NoWriteReached.With()
	}
	return f
}
