package checker

import (
	"sort"

	"lockstep/internal/history"
)

// acquisition is one acquisition. The store granted it between two events, which are the same if
// the history has the grant.
type acquisition struct {
	event    int32 // its Acquired; NoCause for noAcquisition
	from, to int32
	token    int64
	granted  bool // by an entry that a server made
	believed bool // only the Acquired is on record; from and to are that event
}

// noAcquisition is older than any.
var noAcquisition = acquisition{event: history.NoCause, from: history.NoCause, to: history.NoCause}

// sequence is the known order of two acquisitions.
type sequence uint8

const (
	earlier sequence = iota
	later
	unsure
)

// order says whether b was granted later than a, an acquisition of another client, by the best
// evidence there is:
//
//   - the grants: entries that the servers made for the clients while these waited;
//   - the tokens, where only one of the two has a grant;
//   - else the last reply before acquire returned: the grant came before it, and after its request, or
//     at its execution if that is on record;
//   - else the tokens, which a store that loses its counter hands out twice;
//   - without any message on record, the order in which the clients came to believe.
func (a *acquisition) order(b *acquisition) sequence {
	tokens := a.token > 0 && b.token > 0 && a.token != b.token
	switch {
	case a.event == history.NoCause:
		return later
	case tokens && a.granted != b.granted:
		return a.newer(b.token > a.token)
	case !a.believed && !b.believed && b.from > a.to:
		return later
	case !a.believed && !b.believed && b.to < a.from:
		return earlier
	case tokens:
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

type acquisitions struct {
	h       *history.History
	of      [][]acquisition // by NodeID, in their order
	granted []int32         // by NodeID: the last grant since it began to wait, or NoCause
	fresh   []acquisition   // those not in newest yet
	newest  [2]acquisition  // the last one, and the last one of any other client
	last    int32           // the last grant of an acquisition
	vague   bool            // grants are not on record, or not in the order of acquisitions: newest is not used
}

func newAcquisitions(h *history.History) *acquisitions {
	a := &acquisitions{h: h, newest: [2]acquisition{noAcquisition, noAcquisition}, last: history.NoCause}
	a.of = make([][]acquisition, len(h.Header.Nodes)+1)
	a.granted = make([]int32, len(a.of))
	for i := range a.granted {
		a.granted[i] = history.NoCause
	}
	return a
}

// observe takes the next event, unless it is a write.
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
		own.from, own.to, own.granted = at, at, true
	default:
		own.from, own.to, own.believed = answered(a.h, i)
	}
	a.granted[client] = history.NoCause
	a.vague = a.vague || own.believed || own.from != own.to || own.from <= a.last
	a.last = own.to
	a.of[client] = append(a.of[client], own)
	a.fresh = append(a.fresh, own)
}

// answered returns the events between which the store executed the request with the last reply
// before an acquire returned; believed when no reply is on record.
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

// newerThan returns the Acquired of the newest acquisition by any other client before an instant,
// if it is newer than the client's own. Unsure: one of them may be newer.
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
			if order = later; other.to > best.to || other.to == best.to && other.event < best.event {
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

// settle updates newest with the acquisitions before an instant.
func (a *acquisitions) settle(at history.Instant) {
	for len(a.fresh) > 0 && a.h.Events[a.fresh[0].event].At < at {
		one := a.fresh[0]
		a.fresh = a.fresh[1:]
		if was := a.newest[0]; was.event != history.NoCause && a.h.Events[was.event].Node != a.h.Events[one.event].Node {
			a.newest[1] = was
		}
		a.newest[0] = one
	}
}
