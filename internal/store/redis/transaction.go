package redis

import "lockstep/internal/history"

// Transaction is MULTI ... EXEC of one connection; the zero value has none open.
// The world keeps one for each connection and drops it with the connection, as a
// server drops the commands that it has queued.
//
// Nothing is rolled back: EXEC runs all commands, even after one that fails. The
// world knows which keys a connection watches (WATCH), and reports changes by Touch.
// WAIT, to which EXEC would reply at once, is not modelled.
type Transaction struct {
	queue   []Cmd
	open    bool
	dirty   bool // a command was refused when it was queued: EXEC will do nothing
	write   bool // a queued command writes
	touched bool // a key that the connection watches has changed: EXEC will do nothing
}

// Open reports whether a transaction is open: after MULTI, until EXEC or DISCARD.
func (t *Transaction) Open() bool { return t.open }

// Touch reports that a key that the connection watches has changed.
func (t *Transaction) Touch() { t.touched = true }

// Unwatch undoes Touch.
func (t *Transaction) Unwatch() { t.touched = false }

// ExecIn is Exec on a connection that may have a transaction open. Changes and
// Effects of EXEC are those of all its commands; they belong together.
func (s *Store) ExecIn(t *Transaction, nowMS int64, by history.NodeID, cmd *Cmd) Reply {
	c := lookup(cmd.name)
	switch c {
	case cmdMulti, cmdExec, cmdDiscard:
		s.begin(nowMS, by)
		return s.control(t, c, cmd)
	}
	if !t.open {
		return s.Exec(nowMS, by, cmd)
	}
	s.begin(nowMS, by)
	if refused := s.admit(c, cmd); refused != nil { // a script is checked when it runs
		t.dirty = true
		return Failed(refused)
	}
	t.write = t.write || c.write
	t.queue = append(t.queue, *cmd)
	return Status("QUEUED")
}

// control is MULTI, EXEC and DISCARD.
func (s *Store) control(t *Transaction, c *command, cmd *Cmd) Reply {
	switch {
	case cmd.Len() != 0 && c == cmdExec:
		return t.abort(" because of: " + wrongNumber(c).Err.Error()[len("ERR "):])
	case cmd.Len() != 0:
		t.dirty = t.open
		return wrongNumber(c)
	case c == cmdMulti && t.open:
		return Failed(errNestedMulti)
	case c == cmdMulti:
		t.open = true
		return OK()
	case !t.open && c == cmdExec:
		return Failed(errNoMultiExec)
	case !t.open:
		return Failed(errNoMultiDiscard)
	case c == cmdDiscard:
		t.reset()
		return OK()
	}
	if refused := s.refuses(); t.write && refused != nil { // it has become a replica
		return t.abort(" because of: " + refused.Error())
	}
	if t.dirty {
		return t.abort(" because of previous errors.")
	}
	if t.touched {
		t.reset()
		return Reply{}
	}
	var replies []Reply
	for i := range t.queue {
		replies = append(replies, s.perform(lookup(t.queue[i].name), &t.queue[i]))
	}
	t.reset()
	return List(replies)
}

// abort ends the transaction without running it.
func (t *Transaction) abort(why string) Reply {
	t.reset()
	return Failed(ServerError("EXECABORT Transaction discarded" + why))
}

// reset closes the transaction, and keeps the memory of its queue.
func (t *Transaction) reset() {
	clear(t.queue)
	*t = Transaction{queue: t.queue[:0]}
}

var (
	errNestedMulti    error = ServerError("ERR MULTI calls can not be nested")
	errNoMultiExec    error = ServerError("ERR EXEC without MULTI")
	errNoMultiDiscard error = ServerError("ERR DISCARD without MULTI")
)
