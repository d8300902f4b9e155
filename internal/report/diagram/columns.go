package diagram

import (
	"slices"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
)

// chooseColumns gives a column to every node of a row, in the order of the header: clients, stores,
// the resource. A client needs a step for it; of many clients, those near the first violation have
// one.
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
	for i := range l.lo { // a server may have an earlier entry
		if e := &l.h.Events[i]; e.Kind == history.Granted && int(e.Node) < len(used) {
			used[e.Node] = true
		}
	}
	for _, id := range l.actors() {
		used[id] = true
	}
	for _, s := range l.steps {
		for _, id := range l.partitioned(&l.h.Events[s.Event]) {
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

// partitioned lists the servers on the sides of a fault that begins.
func (l *Layout) partitioned(e *history.Event) (ids []history.NodeID) {
	if e.Kind != history.FaultBegan {
		return nil
	}
	names := slices.Concat(l.h.Fault(e.Value).Sides...)
	for i, n := range l.h.Header.Nodes {
		if n.Role != history.RoleClient && slices.Contains(names, n.Name) {
			ids = append(ids, history.NodeID(i+1))
		}
	}
	return ids
}

// actors are the clients with steps, at most mostClients if there are many: first those of the
// violations, then those that hold the lock before the steps, then those of the steps nearest to
// the first violation.
func (l *Layout) actors() (ids []history.NodeID) {
	first := bundle.FirstViolation(l.steps)
	most := mostClients
	if len(l.h.NodesOf(history.RoleClient)) <= fewClients {
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

// holders are the clients that believe they hold the lock when the drawn part begins.
func (l *Layout) holders() (ids []history.NodeID) {
	for _, hold := range history.Holds(l.h) {
		if hold.StartEvent < l.lo && (hold.EndEvent == history.NoCause || hold.EndEvent >= l.lo) {
			ids = append(ids, hold.Client)
		}
	}
	return ids
}
