package zookeeper

import (
	"slices"

	"lockstep/internal/store"
)

// watch is a connection's subscription to the next change of one node.
type watch struct {
	conn store.Conn
	path string
}

// watch sets a watch, unless the connection has the same one.
func (m *Model) watch(c store.Conn, path string) {
	if w := (watch{c, path}); !slices.Contains(m.watches, w) {
		m.watches = append(m.watches, w)
	}
}

// fire notifies the watchers of a node, and removes their watches.
func (m *Model) fire(t EventType, path string) {
	m.watches = slices.DeleteFunc(m.watches, func(w watch) bool {
		if w.path == path {
			m.push(w.conn, t, path)
		}
		return w.path == path
	})
}

func (m *Model) push(c store.Conn, t EventType, path string) {
	m.Out.Pushes = append(m.Out.Pushes, store.Push{Conn: c, Value: Event{Type: t, Path: path}})
}

// setWatches sets watches again, except those whose event has already happened.
func (m *Model) setWatches(c store.Conn, op SetWatches) store.Answer {
	for _, path := range op.Data {
		switch n := m.nodes[path]; {
		case n == nil:
			m.push(c, NodeDeleted, path)
		case n.stat.Czxid > op.Since: // data never changes, so it is another node
			m.push(c, NodeChanged, path)
		default:
			m.watch(c, path)
		}
	}
	for _, path := range op.Exist {
		if m.nodes[path] != nil {
			m.push(c, NodeCreated, path)
		} else {
			m.watch(c, path)
		}
	}
	return store.Answer{}
}
