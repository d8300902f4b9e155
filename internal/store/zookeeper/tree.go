package zookeeper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// node is a znode. Only the end of its session or a request removes it.
type node struct {
	stat     Stat
	owner    *session // nil for a persistent node
	children []string // names, in the order of their making
	created  int32    // how many children were ever made: the number of the next sequential one
}

// split returns a path's parent and the name below it.
func split(path string) (parent, name string, ok bool) {
	slash := strings.LastIndexByte(path, '/')
	switch {
	case slash < 0 || path == "/":
		return "", "", false
	case slash == 0:
		return "/", path[1:], true
	}
	return path[:slash], path[slash+1:], true
}

// valid reports whether a node may have this path (PathUtils.validatePath). Java has two surrogates
// for a character above U+FFFF, and refuses both.
func valid(path string) bool {
	segments := strings.Split(path, "/")
	return segments[0] == "" && len(segments) > 1 && !slices.ContainsFunc(segments[1:], func(name string) bool {
		return name == "" || name == "." || name == ".." || strings.ContainsFunc(name, func(r rune) bool {
			return r < ' ' || 0x7f <= r && r <= 0x9f || 0xd800 <= r && r <= 0xf8ff || 0xfff0 <= r
		})
	})
}

// create makes a node, with the checks in the order of a server (pRequest2TxnCreate in
// PrepRequestProcessor.java). A failed transaction has a number as well.
func (m *Model) create(s *session, op Create) store.Answer {
	m.zxid++
	path, slash := op.Path, strings.LastIndexByte(op.Path, '/')
	if slash < 0 || strings.Contains(path, "\x00") {
		return store.Refused(ErrBadArguments)
	}
	parent := m.nodes[cmp.Or(path[:slash], "/")]
	if parent == nil {
		return store.Refused(ErrNoNode)
	}
	if op.Mode == EphemeralSequential {
		path += fmt.Sprintf("%010d", parent.created)
	}
	switch {
	case m.nodes[path] != nil:
		return store.Refused(ErrNodeExists)
	case !valid(path):
		return store.Refused(ErrBadArguments)
	case parent.owner != nil:
		return store.Refused(ErrEphemeralParent)
	}
	name := path[slash+1:]
	n := &node{stat: Stat{Czxid: m.zxid}}
	if op.Mode != Persistent {
		n.owner, n.stat.EphemeralOwner = s, s.id
		s.ephemerals = append(s.ephemerals, path)
	}
	parent.created++
	parent.children = append(parent.children, name)
	m.nodes[path] = n
	m.fire(NodeCreated, path)
	m.settle(history.Removed, s.client)
	return store.Answer{Value: Created{Path: path, Zxid: m.zxid}}
}

func (m *Model) delete(s *session, op Delete) store.Answer {
	m.zxid++
	if _, _, ok := split(op.Path); !ok {
		return store.Refused(ErrBadArguments)
	}
	n := m.nodes[op.Path]
	switch {
	case n == nil:
		return store.Refused(ErrNoNode)
	case op.Version != -1 && op.Version != n.stat.Version:
		return store.Refused(ErrBadVersion)
	case len(n.children) > 0:
		return store.Refused(ErrNotEmpty)
	}
	if n.owner != nil {
		n.owner.ephemerals = without(n.owner.ephemerals, op.Path)
	}
	m.unlink(op.Path)
	m.settle(history.Removed, s.client)
	return store.Answer{}
}

// unlink takes a node out of the tree.
func (m *Model) unlink(path string) {
	parentPath, name, _ := split(path)
	parent := m.nodes[parentPath]
	parent.children = without(parent.children, name)
	delete(m.nodes, path)
	m.fire(NodeDeleted, path)
}

func without(list []string, item string) []string {
	i := slices.Index(list, item)
	return slices.Delete(list, i, i+1)
}

func (m *Model) exists(c store.Conn, op Exists) store.Answer {
	if op.Watch {
		m.watch(c, op.Path)
	}
	found := Found{Zxid: m.zxid}
	if n := m.nodes[op.Path]; n != nil {
		stat := n.stat
		found.Stat = &stat
	}
	return store.Answer{Value: found}
}

func (m *Model) children(op Children) store.Answer {
	n := m.nodes[op.Path]
	if n == nil {
		return store.Refused(ErrNoNode)
	}
	return store.Answer{Value: slices.Clone(n.children)}
}
