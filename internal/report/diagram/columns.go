package diagram

import (
	"slices"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
)

// chooseColumns gives a column to every node that a row speaks of, in the order of the header:
// clients, then stores, then the resource. A client without a step has none, and of many
// clients those of the steps around the first violation do.
func (l *Layout) chooseColumns() {
	used := make([]bool, len(l.h.Header.Nodes)+1)
	for _, i := range l.Rows {
		e := &l.h.Events[i]
		for _, id := range []history.NodeID{e.Node, e.Peer} {
			if id != 0 && int(id) < len(used) {
				used[id] = l.h.Role(id) != history.RoleClient
			}
		}
	}
	for i := range l.lo { // a server may have an entry from before
		if e := &l.h.Events[i]; e.Kind == history.Granted && int(e.Node) < len(used) {
			used[e.Node] = true
		}
	}
	for _, id := range l.actors() {
		used[id] = true
	}
	for _, s := range l.steps {
		for _, id := range l.keptApart(&l.h.Events[s.Event]) {
			used[id] = true
		}
	}
	l.x = make([]int, len(used))
	for id := 1; id < len(used); id++ {
		switch {
		case used[id] && len(l.columns) < maxColumns:
			l.columns = append(l.columns, history.NodeID(id))
		case l.h.Role(history.NodeID(id)) == history.RoleClient:
			l.Folded = append(l.Folded, history.NodeID(id))
		}
	}
	l.spacing = 88
	if n := len(l.columns); n > 6 {
		l.spacing = max(64, 528/n)
	}
	for n, id := range l.columns {
		l.x[id] = gutter + l.spacing/2 + n*l.spacing
	}
	l.width = gutter + len(l.columns)*l.spacing - l.spacing/2 + room
}

// keptApart are the nodes that a fault which begins names as those that it keeps apart.
func (l *Layout) keptApart(e *history.Event) (ids []history.NodeID) {
	if e.Kind != history.FaultBegan {
		return nil
	}
	for k := range l.h.Header.Faults {
		f := &l.h.Header.Faults[k]
		for i, n := range l.h.Header.Nodes {
			if int64(f.Number) == e.Value && n.Role != history.RoleClient && slices.Contains(slices.Concat(f.Sides...), n.Name) {
				ids = append(ids, history.NodeID(i+1))
			}
		}
	}
	return ids
}

// clientsOf counts the clients of a history.
func clientsOf(h *history.History) (n int) {
	for _, node := range h.Header.Nodes {
		if node.Role == history.RoleClient {
			n++
		}
	}
	return n
}

// actors are the clients with steps, at most mostClients where there are many: those of the violations first,
// then those who hold the lock from before the steps on, then those of the steps that are nearest
// to the first violation.
func (l *Layout) actors() (ids []history.NodeID) {
	first := bundle.FirstViolation(l.steps)
	most := mostClients
	if clientsOf(l.h) <= fewClients {
		most = fewClients
	}
	some := func(of ...history.NodeID) {
		for _, id := range of {
			if l.h.Role(id) == history.RoleClient && !slices.Contains(ids, id) && len(ids) < most {
				ids = append(ids, id)
			}
		}
	}
	add := func(s *explain.Step) {
		e := &l.h.Events[s.Event]
		some(e.Node, e.Peer, e.Owner)
	}
	for n := range l.steps {
		if l.steps[n].Violation {
			add(&l.steps[n])
		}
	}
	some(l.holders()...)
	for far := range l.steps {
		if n := max(first, 0) - far; n >= 0 {
			add(&l.steps[n])
		}
		if n := max(first, 0) + far; n < len(l.steps) {
			add(&l.steps[n])
		}
	}
	return ids
}

// holders are the clients who believe that they hold the lock when the drawn part begins.
func (l *Layout) holders() (ids []history.NodeID) {
	for i := range l.lo {
		switch e := &l.h.Events[i]; e.Kind {
		case history.Acquired:
			if !slices.Contains(ids, e.Node) {
				ids = append(ids, e.Node)
			}
		case history.Releasing, history.LostLease, history.Crashed:
			ids = slices.DeleteFunc(ids, func(id history.NodeID) bool { return id == e.Node })
		}
	}
	return ids
}
