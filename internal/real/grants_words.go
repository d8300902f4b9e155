package real

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// effect is what a command can do to the entries of locks.
type effect uint8

const (
	changes    effect = iota // may make, renew or remove any entry
	asks                     // neither makes nor removes one
	makes                    // makes or renews, removes none
	removesOwn               // may remove an entry that its client has made, and nobody else's
	stands                   // puts its client into a queue: whose turn it is a later reply says
	takes                    // puts an entry of its client's in the place of any other
	ends                     // ends its client's session, and the entries of that with it
	revokes                  // ends its client's lease, and the entry unless somebody has bound it to another one
)

// words says what the commands of a store mean, as far as it can be told from their
// texts.
type words struct {
	effect func(c *command) effect
	// renews reports whether a command of the watchdog with this reply has made its
	// client's entry live for a lease from its sending on.
	renews func(c *command) bool
	// shows returns whose entry the answer to a question shows to be there, 0 when it
	// does not say; nil when no question tells.
	shows func(c *command) history.NodeID
	// alone reports whether a command makes an entry only where there is none; nil when
	// no command is known to.
	alone func(c *command) bool
	// elsewhere: the life of an entry is that of a session or a lease, which began
	// with another command than the one that made the entry.
	elsewhere bool
	// shared: what one server says all of them say, and entries survive the death of
	// any of them.
	shared bool
}

// redisWords are those of Redis. Most commands may do anything, and so may a script,
// unless it compares and the word that it compares with is its client's alone.
func redisWords(entries []entry) words {
	shared := sharedOwners(entries)
	return words{
		effect: func(c *command) effect {
			switch {
			case c.owner != "" && !shared[c.owner]:
				return removesOwn
			case redisAsks[c.name] || !namesLock(c.text):
				return asks
			case redisMakes[c.name]:
				return makes
			case c.name == "GETSET":
				return takes
			}
			return changes
		},
		renews: func(c *command) bool { return c.reply == one || c.reply == "["+one+"]" },
	}
}

// sharedOwners are the words for an owner that more than one client has sent, in
// whichever command: an entry with such a word may be anybody's.
func sharedOwners(entries []entry) map[string]bool {
	users := map[string]history.NodeID{}
	for i := range entries {
		if e := &entries[i]; e.Kind == history.Sent && e.owner != "" {
			users[e.owner] = e.Node
		}
	}
	shared := map[string]bool{}
	for i := range entries {
		e := &entries[i]
		if e.Kind != history.Sent {
			continue
		}
		for _, word := range strings.Fields(e.text) {
			if user, known := users[word]; known && user != e.Node {
				shared[word] = true
			}
		}
	}
	return shared
}

// namesLock reports whether a command is about the lock's entry, and not about a
// counter or a latch beside it.
func namesLock(text string) bool {
	words := strings.Fields(text)
	return len(words) < 2 || slices.Contains(words[1:], locks.Key)
}

var (
	redisAsks = map[string]bool{
		"GET": true, "EXISTS": true, "TTL": true, "PTTL": true, "TIME": true, "WAIT": true, "PING": true,
		"INFO": true, "SUBSCRIBE": true,
	}
	redisMakes = map[string]bool{"SET": true, "SETNX": true, "EXPIRE": true, "PEXPIRE": true}
)

// etcdWords are those of etcd.
var etcdWords = words{
	effect: func(c *command) effect {
		own := strings.Contains(c.text, "lock/") // a key of the queue has a name of its own
		switch c.name {
		case "GET", "WATCH", "GRANT", "KEEPALIVE":
			return asks
		case "TXN":
			if own {
				return stands
			}
			return makes
		case "DELETE":
			if own {
				return removesOwn
			}
		case "REVOKE":
			return revokes
		}
		return changes
	},
	renews:    func(c *command) bool { return strings.HasPrefix(c.reply, "TTL ") },
	elsewhere: true, shared: true,
}

// zkWords are those of ZooKeeper. Each request of a session makes it live longer,
// that which makes a node as well.
var zkWords = words{
	effect: func(c *command) effect {
		own := strings.Contains(c.text, "lock/") // a node of the queue has a name of its own
		switch c.name {
		case "EXISTS", "CHILDREN", "PING", "CONNECT", "SETWATCHES":
			return asks
		case "CREATE":
			if own {
				return stands
			}
			return makes
		case "CLOSE":
			return ends
		case "DELETE":
			if own {
				return removesOwn
			}
		}
		return changes
	},
	renews: func(c *command) bool { return c.name == "PING" },
	alone:  func(c *command) bool { return c.name == "CREATE" && !strings.Contains(c.text, "lock/") },
	shared: true,
}

// sqlWords are those of the databases. A lock of a session is given back by that
// session, and so is a row that says whose it is.
var sqlWords = words{
	effect: func(c *command) effect {
		switch c.name {
		case "SELECT":
			if strings.HasSuffix(c.text, "FOR UPDATE") {
				return makes
			}
			return asks
		case "SET", "BEGIN", "CREATE":
			return asks
		case "INSERT", "GET_LOCK", "PG_ADVISORY_LOCK":
			return makes
		case "UPDATE":
			if strings.Contains(c.text, "SET expires_at = 0 ") {
				return removesOwn
			}
			return makes
		case "COMMIT", "RELEASE_LOCK", "PG_ADVISORY_UNLOCK":
			return removesOwn
		}
		return changes
	},
	renews: func(*command) bool { return false },
	shared: true,
}

// sqlBound reports whether the entry that a command makes lives as long as its client's
// connection: a lock of the session or of its transaction, and no row.
func sqlBound(c *command) bool {
	return c.name == "GET_LOCK" || c.name == "PG_ADVISORY_LOCK" || strings.HasSuffix(c.text, "FOR UPDATE")
}

// survived reports whether somebody is known to have seen a grant's entry after an
// instant.
func (d *deriver) survived(g *grant, after history.Instant) bool {
	if d.shows == nil {
		return false
	}
	for _, c := range d.commands {
		if c.answered && c.sent >= after && d.shows(c) == g.owner && d.lastGrant(g.owner, c.sent) == g {
			return true
		}
	}
	return false
}

// lastAnswer returns a client's last command of any kind that its business task had
// an answer to before an instant; nil for none.
func (d *deriver) lastAnswer(client history.NodeID, before history.Instant) *command {
	for i := len(d.commands) - 1; i >= 0; i-- {
		c := d.commands[i]
		if c.client == client && c.task == "" && c.answered && c.done <= before {
			return c
		}
	}
	return nil
}

// madeNothing reports whether the answer to a command that makes an entry says that it
// did not, for there was one.
func (c *command) madeNothing() bool {
	return c.answered && (c.name == "SET" && c.reply == nothere || c.name == "SETNX" && c.reply == nothing || c.name == "ACQUIRE" && c.reply == "false")
}

// removedRows is how many entries a command has removed that has removed some: one,
// unless it is the statement of a database, which may remove more.
func removedRows(reply string) int {
	var rows int
	if n, _ := fmt.Sscanf(reply, "%d rows", &rows); n == 1 && rows > 1 {
		return rows
	}
	return 1
}
