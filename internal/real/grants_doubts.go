package real

import (
	"math"

	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// doubts says of which commands it is not known whose entry they have removed, if any.
// Without it, a history in which only harmless removals could be concluded would look
// like one without others.
func (d *deriver) doubts() {
	for _, c := range d.commands {
		if c.client == 0 || !d.mayRob(c) { // an operator's removal is no release
			continue
		}
		at := c.done
		if at == 0 { // neither an answer nor the end of the client's patience is recorded
			at = c.sent
		}
		d.out = append(d.out, entry{
			Event: history.Event{At: at, Kind: history.MayHaveRemoved, Node: c.server, Peer: c.client, Cause: history.NoCause},
			text:  locks.Key, call: c.call,
		})
	}
}

// mayRob reports whether a command may have removed another client's entry, as far as is
// known. A client that overwrites an entry (GETSET) waits for the lock, and releases nothing.
func (d *deriver) mayRob(c *command) bool {
	switch {
	case !c.effect.MayRob(), c.removed && !c.more, c.answered && c.foundNothing():
		return false
	}
	return !d.ownForCertain(c)
}

// foundNothing reports whether the answer to a command says that it removed nothing.
func (c *command) foundNothing() bool {
	return c.refused || c.answer.Is(0) || c.answer.Is(-1) // redsync's script: no entry at all
}

// never is later than all instants.
const never = history.Instant(math.MaxInt64)

// ownForCertain reports whether a command can only have removed its own client's entry,
// whenever it was executed: at any time after it was sent if that is unknown.
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
			return false // a row of its own, beside that of the client
		}
	}
	return own != nil && (!own.gone && d.stillThere(own, &by) || d.nobodyElse(own, &by))
}
