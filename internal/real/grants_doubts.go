package real

import (
	"cmp"
	"math"

	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// doubts adds a MayHaveRemoved for each command that may have removed an entry of an unknown
// owner. Without them, a history with only harmless certain removals would look as if it had
// no others.
func (d *deriver) doubts() {
	for _, c := range d.commands {
		if c.client == 0 || !d.mayRemoveOthers(c) { // an operator's removal is no release
			continue
		}
		at := cmp.Or(c.done, c.sent) // the run may have ended before an answer or a timeout
		d.out = append(d.out, mayHaveRemoved(at, c.server, c.client))
		d.out[len(d.out)-1].call = c.call
	}
}

// mayHaveRemoved is the event of a removal of an entry whose owner is unknown.
func mayHaveRemoved(at history.Instant, server, client history.NodeID) entry {
	return entry{
		Event: history.Event{At: at, Kind: history.MayHaveRemoved, Node: server, Peer: client, Cause: history.NoCause},
		text:  locks.Key,
	}
}

// mayRemoveOthers reports whether a command may have removed another client's entry. A client that
// overwrites an entry (GETSET) waits for the lock, and releases nothing.
func (d *deriver) mayRemoveOthers(c *command) bool {
	switch {
	case !c.effect.MayRemoveOthers(), c.removed && !c.more, c.answered && c.foundNothing():
		return false
	}
	return !d.ownForCertain(c)
}

// foundNothing reports whether the answer to a command says that it removed nothing.
func (c *command) foundNothing() bool {
	return c.refused || c.answer.Is(0) || c.answer.Is(-1) // -1: redsync's script found no entry
}

// never is later than all instants.
const never = history.Instant(math.MaxInt64)

// ownForCertain reports whether a command can only have removed its own client's entry,
// whenever it was executed.
func (d *deriver) ownForCertain(c *command) bool {
	by := *c
	if !c.answered && !c.executed {
		by.done = never
	}
	var own *grant
	for _, g := range d.grants {
		switch {
		case g.owner == c.client && g.at < c.sent && d.sameServer(g, &by):
			own = g
		case g.owner != c.client && g.at < by.done && g.through == 0 && !g.gone:
			return false // another client's row
		}
	}
	return own != nil && (!own.gone && d.stillThere(own, &by) || d.onlyOwn(own, &by))
}
