package checker

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/history"
)

// parse builds a history from a story: events apart by semicolons or line ends,
// each an instant in seconds, a node, a kind, and fields as key=value.
//
//	0 A acquired; 5.5 B acquired token=34; 6 S removed owner=B peer=A cause=1
//
// Nodes come into being when they are named. A..G are clients, P is the probe,
// S, T and U are stores, R and Q are resources, "-" is no node. The lease is 10 s.
func parse(story string) *history.History {
	h := history.New(history.Header{Lease: 10 * time.Second, ScalePPM: 1_000_000})
	h.ReadTexts()
	for _, line := range strings.FieldsFunc(story, func(r rune) bool { return r == ';' || r == '\n' }) {
		if fields := strings.Fields(line); len(fields) > 0 {
			h.Add(parseEvent(h, fields))
		}
	}
	return h
}

func parseEvent(h *history.History, fields []string) history.Event {
	at, err := time.ParseDuration(fields[0] + "s")
	if err != nil {
		panic(err)
	}
	kind, ok := history.ParseKind(fields[2])
	if !ok {
		panic("no kind " + fields[2])
	}
	e := history.Event{
		At: history.Instant(at), Node: parseNode(h, fields[1]), Kind: kind, Cause: history.NoCause,
	}
	for _, field := range fields[3:] {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "peer":
			e.Peer = parseNode(h, value)
		case "owner":
			e.Owner = parseNode(h, value)
		case "token":
			e.Token = parseInt(value)
		case "value":
			e.Value = parseInt(value)
		case "cause":
			e.Cause = int32(parseInt(value))
		default:
			panic("no field " + key)
		}
	}
	return e
}

func parseInt(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func parseNode(h *history.History, name string) history.NodeID {
	if name == "-" {
		return 0
	}
	if id := h.Node(name); id != 0 {
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

// show prints a finding the way that the tables expect it: the verdict, the
// count, and of every violation the interval in seconds, the clients with the
// one in the wrong first, and the events.
//
//	broken 1: 5-6 BA #0,1,2
func show(h *history.History, f Finding) string {
	out := string(f.Verdict)
	if f.Count > 0 {
		out += fmt.Sprintf(" %d:", f.Count)
	}
	for _, v := range f.Violations {
		out += " " + seconds(v.From)
		if v.To != v.From {
			out += "-" + seconds(v.To)
		}
		out += " "
		for _, c := range v.Clients {
			out += h.Name(c)
		}
		out += " #"
		for i, e := range v.Events {
			if i > 0 {
				out += ","
			}
			out += strconv.Itoa(int(e))
		}
	}
	return out
}

func seconds(i history.Instant) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%09d", i/1e9, i%1e9), "0"), ".")
}
