package diagram

import (
	"fmt"
	"slices"

	"lockstep/internal/history"
)

// paletteSize is how many colours clients have. No verdict has a colour like them, and they mean
// nothing but clients. The classes b1 to b6 (hatched) and g1 to g6 (solid) of the
// page give them, as well as patterns and arrows, which all its figures share.
const paletteSize = 6

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

// fill is the colour itself, where a page has no classes for it.
func (c colours) fill(id history.NodeID) string {
	if n := c.of(id); n > 0 {
		return fmt.Sprintf("var(--c%d)", n)
	}
	return "#888888"
}
