// Package historytest writes histories by hand, as stories.
package historytest

import (
	"strconv"
	"strings"
	"time"

	"lockstep/internal/history"
)

// Story writes events into a history. Its text has one event between two semicolons or line ends:
// an instant in seconds (a unit may follow: 5ms), a node, a kind, and fields as key=value:
//
//	0 A acquired; 5.5 B acquired token=34; 6 S removed owner=B peer=A cause=1
//
// A cause is the index of an event, or the name that the field "as" has given it. The field "lasts"
// is a value that is a duration, "shows" is the reading of the node's clock in seconds, and "text"
// has the rest of the event:
//
//	6 A sent peer=S as=late text=DEL lock; 9 S executed peer=A cause=late
//
// Mistakes panic.
type Story struct {
	H *history.History
	// Node finds a node by its name, or makes it.
	Node func(name string) history.NodeID
	// Entry is the text of an event with an owner that says none.
	Entry string
	// Words stand in the place of a kind, each for some events; rest is what follows. "as" names
	// the last of them.
	Words map[string]func(at history.Instant, who string, rest []string)

	named map[string]int32
}

// Read builds a history from a story. Nodes come into being when they are named. P is the probe, S,
// T and U are stores, R and Q are resources, all others are clients, and "-" is no node. The lease
// is 10 s.
func Read(text string) *history.History {
	h := history.New(history.Header{Lease: 10 * time.Second, ScalePPM: 1_000_000})
	s := Story{H: h, Node: func(name string) history.NodeID { return nodeOf(h, name) }}
	s.Write(text)
	return h
}

func nodeOf(h *history.History, name string) history.NodeID {
	if id := h.Node(name); id != 0 || name == "-" {
		return id
	}
	role := history.RoleClient
	switch name {
	case "P":
		role = history.RoleProbe
	case "S", "T", "U":
		role = history.RoleStore
	case "R", "Q":
		role = history.RoleResource
	}
	h.Header.Nodes = append(h.Header.Nodes, history.Node{Name: name, Role: role})
	return history.NodeID(len(h.Header.Nodes))
}

// Write adds the events of a text.
func (s *Story) Write(text string) {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' }) {
		if fields := strings.Fields(line); len(fields) > 0 {
			s.write(fields)
		}
	}
}

func (s *Story) write(fields []string) {
	at, who, what, rest := instant(fields[0]), fields[1], fields[2], fields[3:]
	name := ""
	for i, field := range rest {
		if as, ok := strings.CutPrefix(field, "as="); ok {
			name, rest = as, append(rest[:i:i], rest[i+1:]...)
			break
		}
	}
	if word := s.Words[what]; word != nil {
		word(at, who, rest)
	} else {
		Add(s.H, s.event(at, who, what, rest))
	}
	if name != "" {
		if s.named == nil {
			s.named = map[string]int32{}
		}
		s.named[name] = int32(len(s.H.Events) - 1)
	}
}

// Event returns the event that the text has given a name.
func (s *Story) Event(name string) int32 {
	i, ok := s.named[name]
	if !ok {
		panic("no event is called " + name)
	}
	return i
}

func (s *Story) event(at history.Instant, who, what string, rest []string) history.Event {
	kind, ok := history.ParseKind(what)
	if !ok {
		panic("no kind " + what)
	}
	e := history.Event{At: at, Node: s.Node(who), Kind: kind, Cause: history.NoCause}
	for i, field := range rest {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "peer":
			e.Peer = s.Node(value)
		case "owner":
			e.Owner = s.Node(value)
		case "token":
			e.Token = integer(value)
		case "value":
			e.Value = integer(value)
		case "lasts":
			e.Value = int64(duration(value))
		case "shows":
			e.Clock = int64(instant(value))
		case "cause":
			if n, err := strconv.ParseInt(value, 10, 32); err == nil {
				e.Cause = int32(n)
			} else {
				e.Cause = s.Event(value)
			}
		case "text":
			e.Text = s.H.Intern(strings.TrimPrefix(strings.Join(rest[i:], " "), "text="))
			return e
		default:
			panic("no field " + key)
		}
	}
	if e.Owner != 0 {
		e.Text = s.H.Intern(s.Entry)
	}
	return e
}

// instant reads 5.5, which is in seconds, or 5ms.
func instant(text string) history.Instant {
	if last := text[len(text)-1]; last >= '0' && last <= '9' {
		text += "s"
	}
	return history.Instant(duration(text))
}

func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return d
}

func integer(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}
