package real

import (
	"strings"

	"lockstep/internal/history"
)

// Consul: a key that a session has locked.

// consulWords are those of Consul. Only a release and the end of a session free a key,
// and neither does so for the key of another session.
var consulWords = words{
	effect: func(c *command) effect {
		switch c.name {
		case "ACQUIRE":
			return makes
		case "RELEASE":
			return removesOwn
		case "DESTROY":
			return ends
		}
		return asks
	},
	renews:    func(c *command) bool { return strings.HasPrefix(c.reply, "TTL ") },
	alone:     func(c *command) bool { return c.name == "ACQUIRE" },
	elsewhere: true, shared: true,
}

// ownersOfSessions are the clients that servers have given sessions to.
func ownersOfSessions(entries []entry) map[string]history.NodeID {
	asked, owners := map[wire]bool{}, map[string]history.NodeID{}
	for i := range entries {
		switch e := &entries[i]; {
		case e.Kind == history.Sent && e.command == "SESSION":
			asked[wire{e.Node, e.call}] = true
		case e.Kind == history.Replied && asked[wire{e.Node, e.call}]:
			owners[e.text] = e.Node
		}
	}
	return owners
}

// holderShown is the session that an answer of GET shows to have locked the key.
func holderShown(c *command) string {
	locked, found := strings.CutPrefix(c.reply, "locked by ")
	if c.name != "GET" || !found {
		return ""
	}
	session, _, _ := strings.Cut(locked, ",")
	return session
}
