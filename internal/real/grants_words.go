package real

import (
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/world"
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

// rule says what commands can do; of the rules of a store the first that fits counts, and what
// none fits may change anything.
type rule struct {
	does  effect
	names []string // of the commands; nil for any
	place bool     // only those about a key or node below the lock's: in a queue each client has its own
	says  []string // only those that say these words in turn
}

type rules []rule

func (all rules) effect(c *command) effect {
	for _, r := range all {
		if (r.names == nil || slices.Contains(r.names, c.name)) && (!r.place || c.inQueue()) && (r.says == nil || c.asked.Says(r.says...)) {
			return r.does
		}
	}
	return changes
}

// inQueue reports whether a command is about a place in the lock's queue.
func (c *command) inQueue() bool { return c.asked.Mentions(locks.Key + "/") }

// redisWords are those of Redis. Most commands may do anything, and so may a script,
// unless it compares and the word that it compares with is its client's alone.
func redisWords(entries []entry) words {
	shared := sharedOwners(entries)
	return words{
		effect: func(c *command) effect {
			switch {
			case c.owner != "" && !shared[c.owner]:
				return removesOwn
			case len(c.asked.Args) > 0 && !c.asked.Says(locks.Key): // a counter or a latch beside the lock's entry
				return asks
			}
			return redisRules.effect(c)
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
		for _, word := range world.ReadRequest(e.text).Args {
			if user, known := users[word]; known && user != e.Node {
				shared[word] = true
			}
		}
	}
	return shared
}

var redisRules = rules{
	{does: asks, names: redisAsks},
	{does: makes, names: []string{"SET", "SETNX", "EXPIRE", "PEXPIRE"}},
	{does: takes, names: []string{"GETSET"}},
}

var redisAsks = []string{"GET", "EXISTS", "TTL", "PTTL", "TIME", "WAIT", "PING", "INFO", "SUBSCRIBE"}

// etcdWords are those of etcd.
var etcdWords = words{
	effect: rules{
		{does: asks, names: []string{"GET", "WATCH", "GRANT", "KEEPALIVE"}},
		{does: stands, names: []string{"TXN"}, place: true},
		{does: makes, names: []string{"TXN"}},
		{does: removesOwn, names: []string{"DELETE"}, place: true},
		{does: revokes, names: []string{"REVOKE"}},
	}.effect,
	renews:    renewedBy,
	elsewhere: true, shared: true,
}

func renewedBy(c *command) bool { return world.Answer(c.reply).Renewed() }

// zkWords are those of ZooKeeper. Each request of a session makes it live longer,
// that which makes a node as well.
var zkWords = words{
	effect: rules{
		{does: asks, names: []string{"EXISTS", "CHILDREN", "PING", "CONNECT", "SETWATCHES"}},
		{does: stands, names: []string{"CREATE"}, place: true},
		{does: makes, names: []string{"CREATE"}},
		{does: removesOwn, names: []string{"DELETE"}, place: true},
		{does: ends, names: []string{"CLOSE"}},
	}.effect,
	renews: func(c *command) bool { return c.name == "PING" },
	alone:  func(c *command) bool { return c.name == "CREATE" && !c.inQueue() },
	shared: true,
}

// consulWords are those of Consul. Only a release and the end of a session free a key,
// and neither does so for the key of another session.
var consulWords = words{
	effect: rules{
		{does: makes, names: []string{"ACQUIRE"}},
		{does: removesOwn, names: []string{"RELEASE"}},
		{does: ends, names: []string{"DESTROY"}},
		{does: asks},
	}.effect,
	renews:    renewedBy,
	alone:     func(c *command) bool { return c.name == "ACQUIRE" },
	elsewhere: true, shared: true,
}

// sqlWords are those of the databases. A lock of a session is given back by that
// session, and so is a row that says whose it is.
var sqlWords = words{
	effect: rules{
		{does: makes, names: []string{"SELECT"}, says: forUpdate},
		{does: asks, names: []string{"SELECT", "SET", "BEGIN", "CREATE"}},
		{does: removesOwn, names: []string{"UPDATE"}, says: []string{"SET", "expires_at", "=", "0"}},
		{does: makes, names: []string{"INSERT", "GET_LOCK", "PG_ADVISORY_LOCK", "UPDATE"}},
		{does: removesOwn, names: []string{"COMMIT", "RELEASE_LOCK", "PG_ADVISORY_UNLOCK"}},
	}.effect,
	renews: func(*command) bool { return false },
	shared: true,
}

var forUpdate = []string{"FOR", "UPDATE"}

// sqlBound reports whether the entry that a command makes lives as long as its client's
// connection: a lock of the session or of its transaction, and no row.
func sqlBound(c *command) bool {
	return c.name == "GET_LOCK" || c.name == "PG_ADVISORY_LOCK" || c.name == "SELECT" && c.asked.Says(forUpdate...)
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
	return c.answered && (c.name == "SET" && c.reply == nothere || c.name == "SETNX" && c.reply == nothing || c.name == "ACQUIRE" && world.Answer(c.reply) == world.No)
}

// removedRows is how many entries a command has removed that has removed some: one,
// unless it is the statement of a database, which may remove more.
func removedRows(reply string) int {
	rows, _ := world.Answer(reply).Rows()
	return max(rows, 1)
}
