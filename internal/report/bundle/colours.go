package bundle

import (
	"slices"

	"lockstep/internal/history"
)

// ClientColours is how many colours clients have. No verdict has a colour like them, and they mean
// nothing but clients, in every picture.
const ClientColours = 6

// Colours are the numbers of the clients' colours, from 1, by NodeID.
type Colours []int

// ColoursOf gives each client its colour, in the order of the header. Where there are more clients
// than colours, those who get the lock come first, so that they can be told apart.
func ColoursOf(h *history.History) Colours {
	var clients []history.NodeID
	for i, n := range h.Header.Nodes {
		if n.Role == history.RoleClient {
			clients = append(clients, history.NodeID(i+1))
		}
	}
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
