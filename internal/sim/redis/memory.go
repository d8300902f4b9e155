package redis

import (
	"encoding/binary"
	"hash/maphash"

	"lockstep/internal/world"
)

// memory keeps what scripts have come to. A script is a function of its arguments and of what its
// commands are answered: the same arguments lead to the same first command, its answer to the
// next one or to the end. So the runs of one script with the same arguments are a tree,
//
//	get lock: "token-1" -> del lock: 1 -> returns 1
//	          "token-2" -> returns 0
//
// and where a run finds its way to an end, its commands are executed and Lua is not asked. A walk
// of the fault space plays the same few hundred steps millions of times, and scripts were a third
// to half of its time. Only what comes twice is kept, so that a run of a seed of its own pays
// nothing but the look. Store.LuaOnly leaves everything to Lua; tests play the same histories both
// ways.
type memory struct {
	first map[string]*node // by script, keys and arguments
	once  []uint64         // hashes of what has come once
	nodes int
	key   []byte
	given []world.Reply // what commands were answered before the way was lost
}

// mostNodes bounds a memory, at a few megabytes. It then begins anew.
const mostNodes = 1 << 14

// node is a place in a script: the command that it sends next, or its end.
type node struct {
	known   bool // else Lua has not come here yet
	ends    bool
	command *command // nil for one that the server does not know
	args    []world.Arg
	answers []answer
	returns world.Reply // where it ends
}

// answer is one reply to the command of a node, and where that leads.
type answer struct {
	reply world.Reply
	next  *node
}

// after is where a reply leads; nil where it has not been given yet.
func (s *node) after(reply *world.Reply) *node {
	for i := range s.answers {
		if equal(&s.answers[i].reply, reply) {
			return s.answers[i].next
		}
	}
	return nil
}

var hashSeed = maphash.MakeSeed() // decides what is forgotten early, and nothing that can be seen

// begin is the first node of a script with its arguments; nil when it comes for the first time.
func (m *memory) begin(p *program, keys, args []world.Arg) *node {
	key := append(m.key[:0], p.sha...)
	key = binary.AppendUvarint(key, uint64(len(keys)))
	for _, list := range [...][]world.Arg{keys, args} {
		for i := range list {
			a := &list[i]
			if a.IsNum {
				key = binary.AppendVarint(append(key, 'n'), a.Num)
				continue
			}
			key = append(binary.AppendUvarint(append(key, 't'), uint64(len(a.Text))), a.Text...)
		}
	}
	m.key = key
	if s := m.first[string(key)]; s != nil {
		return s
	}
	if m.once == nil {
		m.once = make([]uint64, 1024)
	}
	hash := maphash.Bytes(hashSeed, key)
	if slot := &m.once[hash%uint64(len(m.once))]; *slot != hash {
		*slot = hash
		return nil
	}
	if m.first == nil || m.nodes > mostNodes {
		m.first, m.nodes = map[string]*node{}, 0
	}
	s := m.blank()
	m.first[string(key)] = s
	return s
}

// blank is a node that Lua has not come to.
func (m *memory) blank() *node {
	m.nodes++
	return &node{}
}

// follow executes the commands of a script as far as its way is known, for a store. It returns
// what the script returns, or leaves in given what the commands so far were answered.
func (m *memory) follow(s *Store, at *node) (world.Reply, bool) {
	for at != nil && at.known {
		if at.ends {
			return at.returns, true
		}
		reply := s.scripted(at.command, at.args)
		m.given = append(m.given, reply)
		at = at.after(&reply)
	}
	return world.Reply{}, false
}

// note writes down the command at a node and its answer, and returns the node after it.
func (m *memory) note(at *node, c *command, args []world.Arg, reply world.Reply) *node {
	if !at.known {
		at.known, at.command, at.args = true, c, append([]world.Arg(nil), args...)
	}
	next := at.after(&reply)
	if next == nil {
		next = m.blank()
		at.answers = append(at.answers, answer{reply, next})
	}
	return next
}

// equal reports whether a script sees the same in two replies.
func equal(a, b *world.Reply) bool {
	if a.Kind != b.Kind || a.Int != b.Int || a.Str != b.Str {
		return false
	}
	if a.Kind == world.ReplyError {
		return a.Err.Error() == b.Err.Error()
	}
	x, y := a.Elements(), b.Elements()
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !equal(&x[i], &y[i]) {
			return false
		}
	}
	return true
}
