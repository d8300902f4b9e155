package bundle

import (
	"slices"

	"lockstep/internal/history"
)

// ClientColours is the number of colours for clients. They mean clients in every picture, and no
// verdict has a similar colour.
const ClientColours = 6

// Colours are the numbers of the clients' colours, from 1, by NodeID; 0 for other nodes.
type Colours []int

// ColoursOf gives each client its colour, in the order of the header. If there are more clients
// than colours, those that acquire the lock come first, so that their colours differ.
func ColoursOf(h *history.History) Colours {
	clients := h.NodesOf(history.RoleClient)
	if len(clients) > ClientColours {
		var first []history.NodeID
		for _, i := range h.Milestones() {
			e := &h.Events[i]
			if e.Kind == history.Acquired && h.Role(e.Node) == history.RoleClient && !slices.Contains(first, e.Node) {
				if first = append(first, e.Node); len(first) == ClientColours {
					break
				}
			}
		}
		clients = append(first, slices.DeleteFunc(clients, func(id history.NodeID) bool { return slices.Contains(first, id) })...)
	}
	c := make(Colours, len(h.Header.Nodes)+1)
	for n, id := range clients {
		c[id] = n%ClientColours + 1
	}
	return c
}

// Of is the number of a client's colour; 0 for other nodes.
func (c Colours) Of(id history.NodeID) int {
	if int(id) < len(c) {
		return c[id]
	}
	return 0
}
