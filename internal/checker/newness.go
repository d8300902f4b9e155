package checker

import (
	"sort"

	"lockstep/internal/history"
)

// acquisition is one acquisition, with what the history knows of when the store granted
// it: between two events, which are the same one when it says so itself.
type acquisition struct {
	event    int32 // its Acquired; NoCause: there is none
	from, to int32
	token    int64
	believed bool // nothing but the belief is on record, which is what from and to are then
}

// noAcquisition is older than any.
var noAcquisition = acquisition{event: history.NoCause, from: history.NoCause, to: history.NoCause}

// sequence is what is known of the order of two acquisitions.
type sequence uint8

const (
	earlier sequence = iota
	later
	unsure
)

// order says whether b was granted later than a, an acquisition of another client. The best
// evidence counts:
//
//   - the grants, when the history has them: entries that the servers have made for the
//     clients while these waited. In a queue that is the order of the places, which is that
//     of the holders;
//   - else what lies between: a grant came after the request whose reply was the last one
//     before acquire returned, at its execution if that is on record, and before this reply;
//   - where that leaves it open, the tokens. They come last because a store that forgets its
//     counter hands them out a second time;
//   - without any message on record, the order in which the clients came to believe. That is
//     all that a log of clients has.
//
// Else the order is unknown.
func (a *acquisition) order(b *acquisition) sequence {
	switch {
	case !a.believed && !b.believed && b.from > a.to, a.event == history.NoCause:
		return later
	case !a.believed && !b.believed && b.to < a.from:
		return earlier
	case a.token > 0 && b.token > 0 && a.token != b.token:
		return a.newer(b.token > a.token)
	case a.believed || b.believed:
		return a.newer(b.event > a.event)
	}
	return unsure
}

func (*acquisition) newer(b bool) sequence {
	if b {
		return later
	}
	return earlier
}

// acquisitions are those of a history so far.
type acquisitions struct {
	h       *history.History
	of      [][]acquisition // by NodeID, in their order
	granted []int32         // by NodeID: the last entry that was made for it since it began to wait, or NoCause
	fresh   []acquisition   // those that newest does not know yet
	newest  [2]acquisition  // the last one by its grant, and the last one of any other client
	vague   bool            // the history does not say of each when it was granted: newest is of no use
}

func newAcquisitions(h *history.History) *acquisitions {
	a := &acquisitions{h: h, newest: [2]acquisition{noAcquisition, noAcquisition}}
	a.of = make([][]acquisition, len(h.Header.Nodes)+1)
	a.granted = make([]int32, len(a.of))
	for i := range a.granted {
		a.granted[i] = history.NoCause
	}
	return a
}

// observe takes the next event that is no write.
func (a *acquisitions) observe(i int32) {
	e := &a.h.Events[i]
	switch {
	case e.Kind == history.Granted && int(e.Owner) < len(a.granted):
		a.granted[e.Owner] = i
	case int(e.Node) >= len(a.of):
	case e.Kind == history.Waits:
		a.granted[e.Node] = history.NoCause
	case e.Kind == history.Acquired:
		a.add(i)
	}
}

func (a *acquisitions) add(i int32) {
	client := a.h.Events[i].Node
	own := acquisition{event: i, token: a.h.Events[i].Token}
	switch at := a.granted[client]; {
	case at != history.NoCause:
		own.from, own.to = at, at
	default:
		own.from, own.to, own.believed = answered(a.h, i)
	}
	a.granted[client] = history.NoCause
	a.vague = a.vague || own.believed || own.from != own.to
	a.of[client] = append(a.of[client], own)
	a.fresh = append(a.fresh, own)
}

// answered returns the events between which the store has executed the request whose reply
// was the last one before an acquire returned; believed when there is none on record.
func answered(h *history.History, acquired int32) (from, to int32, believed bool) {
	client := h.Events[acquired].Node
	for to = acquired - 1; to >= 0; to-- {
		e := &h.Events[to]
		if e.Node == client && (e.Kind == history.Waits || e.Kind == history.Acquired) {
			break
		}
		if e.Node != client || e.Kind != history.Replied {
			continue
		}
		switch from = e.Cause; {
		case from < 0 || from >= to:
			return acquired, acquired, true
		case h.Events[from].Kind == history.Executed:
			return from, from, false
		}
		return from, to, false
	}
	return acquired, acquired, true
}

// lastOf returns the client's last acquisition before an event, or noAcquisition.
func (a *acquisitions) lastOf(client history.NodeID, before int32) acquisition {
	if int(client) >= len(a.of) {
		return noAcquisition
	}
	list := a.of[client]
	n := len(list)
	if n > 0 && list[n-1].event >= before {
		n = sort.Search(n, func(i int) bool { return list[i].event >= before })
	}
	if n == 0 {
		return noAcquisition
	}
	return list[n-1]
}

// newerThan returns the Acquired of the newest one of those that other clients than this
// one have acquired before an instant, if it is newer than own, which is the client's.
// Unsure: one of them may be newer.
func (a *acquisitions) newerThan(own *acquisition, client history.NodeID, at history.Instant) (event int32, order sequence) {
	a.settle(at)
	if !a.vague {
		other := &a.newest[0]
		if other.event != history.NoCause && a.h.Events[other.event].Node == client {
			other = &a.newest[1]
		}
		if other.event == history.NoCause || own.order(other) == earlier {
			return history.NoCause, earlier
		}
		return other.event, later
	}
	best, order := noAcquisition, earlier
	for node, list := range a.of {
		for len(list) > 0 && a.h.Events[list[len(list)-1].event].At >= at {
			list = list[:len(list)-1]
		}
		if node == int(client) || len(list) == 0 {
			continue
		}
		switch other := &list[len(list)-1]; own.order(other) {
		case later:
			if order = later; other.to > best.to {
				best = *other
			}
		case unsure:
			if order == earlier {
				order = unsure
			}
		}
	}
	return best.event, order
}

// settle lets newest know of what was acquired before an instant.
func (a *acquisitions) settle(at history.Instant) {
	for len(a.fresh) > 0 && a.h.Events[a.fresh[0].event].At < at {
		one := a.fresh[0]
		a.fresh = a.fresh[1:]
		client := a.h.Events[one.event].Node
		switch {
		case a.newest[0].event != history.NoCause && a.h.Events[a.newest[0].event].Node == client:
			a.newest[0] = one
		case one.from > a.newest[0].from:
			a.newest[1], a.newest[0] = a.newest[0], one
		case one.from > a.newest[1].from:
			a.newest[1] = one
		}
	}
}
