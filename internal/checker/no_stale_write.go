package checker

import (
	"sort"

	"lockstep/internal/history"
)

// NoStaleWriteID names the property that only the newest holder writes.
const NoStaleWriteID = "no-stale-write"

func init() {
	Register(Property{
		ID:      NoStaleWriteID,
		Summary: "The resource never accepts a write from a client that is not the newest holder.",
		Source:  "Kleppmann 2016, How to do distributed locking",
		Check:   checkNoStaleWrite,
	})
}

// checkNoStaleWrite compares acquisitions in true time: a write is stale when,
// between the acquisition that it belongs to and the instant at which the
// resource accepted it, the acquire of another client returned.
//
//	 0 A acquired
//	 1 R read peer=A
//	10 B acquired                    A's lease is over, A is frozen
//	11 B releasing
//	15 R write-accepted peer=A       stale: B has held the lock since A read
//
// B need not hold any more, nor need A: the write of a client that has released
// may be under way still. That is why comparing hold intervals would miss both.
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
// anybody else acquired before.
//
// A fence that also looks at reads lets a write through that arrives after B has
// acquired and before B has read. Such a write is stale by this definition and
// harmless; no-lost-update tells the two apart.
//
// The first client of a violation is the one that wrote, the second the newest
// holder. The events are the acquisitions of both, the read if it is named, and
// the write.
func checkNoStaleWrite(h *history.History) Finding {
	f := Finding{Property: NoStaleWriteID, Verdict: Kept}
	a := acquisitions{of: make([][]int32, len(h.Header.Nodes)+1)}
	a.newest, a.second = history.NoCause, history.NoCause
	writes := 0
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		switch e.Kind {
		case history.Acquired:
			a.add(h, i)
		case history.WriteRefused:
			writes++
		case history.WriteAccepted:
			writes++
			until, read := i, history.NoCause
			if r := readOf(h, i); r != nil && r.Peer == e.Peer {
				until, read = e.Cause, e.Cause
			}
			own, other := a.lastOf(e.Peer, until), a.lastByOther(h, e.Peer)
			if other <= own {
				continue
			}
			f.add(Violation{
				From: e.At, To: e.At,
				Clients: []history.NodeID{e.Peer, h.Events[other].Node},
				Events:  evidence(own, other, read, i),
			})
		}
	}
	switch {
	case f.Count > 0:
		f.Verdict = Broken
	case writes == 0:
		f.Verdict, f.NoOccasion, f.Reason = Unknown, true, "no write reached the resource"
	}
	return f
}

// acquisitions are those of a history so far.
type acquisitions struct {
	of     [][]int32 // by NodeID: indices of its Acquired events
	newest int32     // the last one
	second int32     // the last one of any other client than newest's
}

func (a *acquisitions) add(h *history.History, index int32) {
	client := h.Events[index].Node
	if int(client) >= len(a.of) {
		return
	}
	if a.newest != history.NoCause && h.Events[a.newest].Node != client {
		a.second = a.newest
	}
	a.newest = index
	a.of[client] = append(a.of[client], index)
}

// lastOf returns the client's last acquisition before an event, or NoCause.
func (a *acquisitions) lastOf(client history.NodeID, before int32) int32 {
	if int(client) >= len(a.of) {
		return history.NoCause
	}
	list := a.of[client]
	n := len(list)
	if n > 0 && list[n-1] >= before {
		n = sort.Search(n, func(i int) bool { return list[i] >= before })
	}
	if n == 0 {
		return history.NoCause
	}
	return list[n-1]
}

// lastByOther returns the last acquisition of anybody but client, or NoCause.
func (a *acquisitions) lastByOther(h *history.History, client history.NodeID) int32 {
	if a.newest != history.NoCause && h.Events[a.newest].Node == client {
		return a.second
	}
	return a.newest
}
