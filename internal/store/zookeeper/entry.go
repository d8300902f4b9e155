package zookeeper

import (
	"strconv"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// entry is the node whose owner has the lock: the node at the lock's path, or
// the head of the queue below it.
type entry struct {
	path    string
	session *session // nil for no entry
}

// settle reports the changes of the entry by a transaction: how and by whom the old one was
// removed, and the new owner.
func (m *Model) settle(how history.Kind, by history.NodeID) {
	now := m.present()
	if now == m.entry {
		return
	}
	if m.entry.session != nil {
		m.note(how, m.entry, by)
	}
	m.entry = now
	if now.session != nil {
		m.note(history.Granted, now, by)
	}
}

// renewed reports that the session of the entry's owner lasts its full timeout again: by its
// client, or by a new leader (0).
func (m *Model) renewed(s *session, by history.NodeID) {
	if m.entry.session == s {
		m.note(history.Extended, m.entry, by)
	}
}

func (m *Model) note(kind history.Kind, e entry, by history.NodeID) {
	c := store.Change{Kind: kind, Key: e.path, Owner: e.session.client, By: by}
	if kind == history.Granted || kind == history.Extended {
		c.TTL = e.session.timeout
	}
	m.Record(c)
}

// present finds the entry in the tree.
func (m *Model) present() entry {
	lock := m.nodes[m.cfg.LockPath]
	if lock == nil {
		return entry{}
	}
	if lock.owner != nil {
		return entry{m.cfg.LockPath, lock.owner}
	}
	head, lowest := entry{}, -1
	for _, name := range lock.children {
		path := m.cfg.LockPath + "/" + name
		number, numbered := sequence(name)
		if owner := m.nodes[path].owner; owner != nil && numbered && (lowest < 0 || number < lowest) {
			head, lowest = entry{path, owner}, number
		}
	}
	return head
}

// Kept implements store.Model: the nodes that live as long as the client's sessions, and the folder
// of each.
func (m *Model) Kept(client history.NodeID) (all []store.Entry) {
	for _, s := range m.sessions {
		if s.client != client {
			continue
		}
		for _, path := range s.ephemerals {
			all = append(all, store.Entry{Key: path[1:]})
			if parent, _, _ := split(path); parent != "/" {
				all = append(all, store.Entry{Key: parent[1:]})
			}
		}
	}
	return all
}

// sequenceDigits is how many digits a sequential node's name ends in.
const sequenceDigits = 10

func sequence(name string) (int, bool) {
	if len(name) < sequenceDigits {
		return 0, false
	}
	n, err := strconv.Atoi(name[len(name)-sequenceDigits:])
	return n, err == nil && n >= 0
}
