package sim

import (
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
)

// consent says who has to agree before a request is answered.
func (c *cluster) consent(op store.Op) store.Consent {
	if len(c.store.Consent) == 0 {
		return store.OfMajority
	}
	return c.store.Consent[op.Op().Does]
}

// readHere lets a server answer a request that only reads by itself, when it has executed
// what came before on the same connection.
// What a server has may be a moment old in truth, and is not here: no lock reads what
// another client has written without a write of its own before, which its server has by then.
func (c *cluster) readHere(l *call) {
	if l.conn != nil && l.conn.settled > c.w.k.Now() {
		c.w.k.At(l.conn.settled, kernel.HandlerFunc(func() { c.submit(l) }), 0)
		return
	}
	a, _ := c.model.Exec(c.clock(), uint64(l.id), l.storeConn(), l.op) // a read never waits
	l.value, l.err, l.replied = a.Value, a.Err, a.Text
	l.executedOn(l.host)
	out := c.changes(l.executed)
	l.answer()
	c.carry(&out)
}
