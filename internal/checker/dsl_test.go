package checker

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/history/historytest"
)

// parse builds a history from a story. Nodes come into being when they are named. A..G are clients,
// P is the probe, S, T and U are stores, R and Q are resources, "-" is no node. The lease is 10 s.
func parse(text string) *history.History {
	h := history.New(history.Header{Lease: 10 * time.Second, ScalePPM: 1_000_000})
	h.ReadTexts()
	s := historytest.Story{H: h, Node: func(name string) history.NodeID { return parseNode(h, name) }}
	s.Write(text)
	return h
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
