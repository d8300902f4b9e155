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

// checkNoStaleWrite asks of each accepted write whether a newer holder than its author has had the
// lock. The order of grants says which is newer (see order), belief says which had the lock:
//
//	 0 S granted owner=A; 0.1 A acquired
//	 1 R read peer=A
//	10 S granted owner=B; 10.1 B acquired     A's lease is over, A is frozen
//	11 B releasing
//	15 R write-accepted peer=A                stale: B has held the lock since A read
//
// Neither need still hold: the write of a client that has released may be on its way. A client that
// learns late of its grant is not newer:
//
//	 0 S granted owner=A
//	10 S granted owner=B; 10.1 B acquired
//	12 A acquired                             the reply has taken that long
//	13 R write-accepted peer=B                rightful
//	14 R write-accepted peer=A                stale
//
// A write belongs to its client's last acquisition before the read that it was computed from, or
// before the write itself when the read is unknown:
//
//	 0 A acquired;  1 R read peer=A      #1
//	10 B acquired; 11 B releasing
//	12 A acquired
//	13 R write-accepted peer=A cause=1   stale, although A is the holder again
//
// The write of a client that never acquired is stale if another one acquired before. Acquisitions
// at the instant of the write do not count.
//
// A fence that also checks reads accepts a write that arrives after B has acquired and before B has
// read. It is stale, but harmless: no-lost-update tells the difference.
//
// When it is unknown which of two clients is newer, their writes are in doubt, and leave the
// property unknown unless another write is known to be stale.
//
// The first client of a violation wrote, the second is the newest holder. The events are the
// acquisitions of both, the read if it is named, and the write.
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
		f.Verdict, f.NoOccasion, f.Reason = Unknown, true, say.Text("no write reached the resource")
	}
	return f
}
