package checker

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// NoLostUpdateID names the property that no update is overwritten unread.
const NoLostUpdateID = "no-lost-update"

func init() {
	Register(Property{
		ID:      NoLostUpdateID,
		Summary: "The resource never accepts a write that was computed from an outdated read.",
		Source:  "Berenson et al. 1995, phenomenon P4",
		Core:    true,
		Check:   checkNoLostUpdate,
	})
}

// checkNoLostUpdate compares, for every accepted write, the version that its
// client had read with the version that the resource had just before.
//
//	0 R read peer=A value=7          #0
//	1 R read peer=B value=7          #1
//	2 R write-accepted peer=B value=8 cause=1
//	3 R write-accepted peer=A value=9 cause=0     B's update is lost
//
// It is the damage that a lock exists to prevent, and does not depend on beliefs or tokens. An
// overlap does not imply it, and it does not imply an overlap: a write may arrive long after a
// release.
//
// The version before a write is that of the last accepted write; before the first one, the version
// that the first read saw. Versions are assumed to be distinct. A write that names no read cannot
// be judged, and leaves the property unknown unless it is broken elsewhere.
//
// The first client of a violation wrote, the second lost its update, unless they are the same. The
// events are the outdated read, the last write before, and the write.
func checkNoLostUpdate(h *history.History) Finding {
	f := Finding{Property: NoLostUpdateID, Verdict: Kept}
	var resources []resource
	writes, unjudged := 0, 0
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		switch e.Kind {
		case history.ReadDone:
			r := resourceOf(&resources, e.Node)
			if !r.known {
				r.known, r.version = true, e.Value
			}
		case history.WriteAccepted:
			writes++
			r := resourceOf(&resources, e.Node)
			read := readOf(h, i)
			switch {
			case read == nil:
				unjudged++
			case read.Value != r.version:
				f.add(lostUpdate(h, i, r))
			}
			r.known, r.version, r.write = true, e.Value, i
		}
	}
	switch {
	case f.Count > 0:
		f.Verdict = Broken
	case writes == 0:
		f.Verdict, f.NoOccasion, f.Reason = Unknown, true, say.Text("the resource accepted no write")
	case unjudged > 0:
		f.Verdict, f.Reason = Unknown, say.WhichRead.With()
	}
	return f
}

type resource struct {
	node    history.NodeID
	known   bool  // whether version means something
	version int64 // current version
	write   int32 // the last WriteAccepted, or NoCause
}

// resourceOf finds a resource, or adds it. There are one or two in a run.
func resourceOf(list *[]resource, node history.NodeID) *resource {
	for i := range *list {
		if (*list)[i].node == node {
			return &(*list)[i]
		}
	}
	*list = append(*list, resource{node: node, write: history.NoCause})
	return &(*list)[len(*list)-1]
}

// readOf returns the read of the same resource that write i was computed from, or nil if unknown.
func readOf(h *history.History, i int32) *history.Event {
	write := &h.Events[i]
	if write.Cause < 0 || write.Cause >= i {
		return nil
	}
	read := &h.Events[write.Cause]
	if read.Kind != history.ReadDone || read.Node != write.Node {
		return nil
	}
	return read
}

func lostUpdate(h *history.History, i int32, r *resource) Violation {
	e := &h.Events[i]
	v := Violation{
		From: e.At, To: e.At,
		Clients: []history.NodeID{e.Peer},
		Events:  evidence(e.Cause, r.write, i),
	}
	if r.write != history.NoCause {
		if author := h.Events[r.write].Peer; author != e.Peer {
			v.Clients = append(v.Clients, author)
		}
	}
	return v
}
