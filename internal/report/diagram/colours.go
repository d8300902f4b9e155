package diagram

import (
	"slices"

	"lockstep/internal/history"
)

// palette colours the clients where a figure has no classes, after Okabe and Ito.
var palette = []string{
	"var(--c1,#0072B2)", "var(--c2,#E69F00)", "var(--c3,#009E73)",
	"var(--c4,#CC79A7)", "var(--c5,#56B4E9)", "var(--c6,#B0A000)",
}

// paletteSize is how many colours clients have; vermilion is left for what breaks.
// The classes b1 to b6 (hatched) and g1 to g6 (solid) of the
// page give them, as well as patterns and arrows, which all its figures share.
var paletteSize = len(palette)

// colours are the numbers of the clients' colours, from 1, by NodeID.
type colours []int

// coloursOf gives each client its colour, in the order of the header. Where there are more clients
// than colours, those who get the lock come first, so that they can be told apart.
func coloursOf(h *history.History) colours {
	var clients []history.NodeID
	for i, n := range h.Header.Nodes {
		if n.Role == history.RoleClient {
			clients = append(clients, history.NodeID(i+1))
		}
	}
	if len(clients) > paletteSize {
		var first []history.NodeID
		for _, i := range h.Milestones() {
			e := &h.Events[i]
			if e.Kind == history.Acquired && h.Role(e.Node) == history.RoleClient && !slices.Contains(first, e.Node) {
				if first = append(first, e.Node); len(first) == paletteSize {
					break
				}
			}
		}
		clients = append(first, slices.DeleteFunc(clients, func(id history.NodeID) bool { return slices.Contains(first, id) })...)
	}
	c := make(colours, len(h.Header.Nodes)+1)
	for n, id := range clients {
		c[id] = n%paletteSize + 1
	}
	return c
}

// of is the number of a client's colour; 0 for who is no client.
func (c colours) of(id history.NodeID) int {
	if int(id) < len(c) {
		return c[id]
	}
	return 0
}

// fill is the colour itself.
func (c colours) fill(id history.NodeID) string {
	if n := c.of(id); n > 0 {
		return palette[n-1]
	}
	return "#888888"
}
