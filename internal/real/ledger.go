package real

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/real/witness"
	"lockstep/internal/store/redis/resp"
)

// operation is what one command did to the entry, or what the server did by itself.
type operation struct {
	server  history.NodeID
	addr    string          // of the connection; "" for the server itself
	words   string          // see resp.Words
	at      history.Instant // when it was executed
	slack   history.Instant // how much later than that it may have been heard of
	changes []change
	by      *command // nil unless a client's
	known   bool     // it is known whose
}

// change is one thing that became of the entry.
type change struct {
	key   string
	event string          // as Redis calls it
	heard history.Instant // when it was heard of: a little after it happened
	value string          // what the command wrote, if it wrote: the token that a lock keeps there
	only  bool            // the command does nothing when there is an entry already
}

// reconciler matches what servers executed with what clients saw.
type reconciler struct {
	ttl        time.Duration
	commands   []*command
	byWords    map[string][]*command
	matched    map[*command]bool
	operations []*operation
	key        string // of the lock's entry
}

// newReconciler collects the commands of clients and operators from a sorted list of events.
func newReconciler(entries []entry, evictions []*command, ttl time.Duration) *reconciler {
	a := &reconciler{ttl: ttl, key: locks.Key, byWords: map[string][]*command{}, matched: map[*command]bool{}}
	open := map[wire]*command{}
	for i := range entries {
		e := &entries[i]
		switch e.Kind {
		case history.Sent:
			c := &command{wire: wire{e.Node, e.call}, server: e.server, op: e.op, words: e.words, sent: e.At}
			open[c.wire] = c
			a.add(c)
		case history.Replied, history.TimedOut:
			if c := open[wire{e.Node, e.call}]; c != nil {
				c.done, c.answered, c.answer = e.At, e.Kind == history.Replied, e.answer
				c.broken = e.broken
			}
		case history.RequestDropped:
			if c := open[wire{e.Node, e.call}]; c != nil {
				c.lost = true
			}
		}
	}
	for _, c := range evictions {
		a.add(c)
	}
	return a
}

func (r *reconciler) add(c *command) {
	r.commands = append(r.commands, c)
	r.byWords[c.words] = append(r.byWords[c.words], c)
}

// hear adds what one server has told in one of its lives. zero is true time 0 on the
// clock of the items, slack how far their times may be off.
func (r *reconciler) hear(server history.NodeID, items []witness.Item, zero, slack time.Duration) {
	var pending []change  // whose command is yet to come
	var script *operation // whose commands are yet to come
	byTime := func() {    // applies the expiries that no command of a script has caused
		var others []change
		for _, c := range pending {
			if c.event == expired {
				r.operations = append(r.operations, &operation{server: server, at: c.heard, changes: []change{c}})
			} else {
				others = append(others, c)
			}
		}
		pending = others
	}
	for i := range items {
		item := &items[i]
		switch {
		case item.Args == nil:
			pending = append(pending, change{key: item.Key, event: item.Event, heard: history.Instant(item.Read - zero)})
		case item.Addr == witness.Script:
			if script != nil {
				script.changes = append(script.changes, made(pending, item.Args)...)
			}
			pending = nil
		default:
			byTime()
			script = &operation{
				server: server, addr: item.Addr, words: resp.Words(item.Args),
				at: history.Instant(item.At - zero), slack: history.Instant(slack), changes: made(pending, item.Args),
			}
			r.operations = append(r.operations, script)
			pending = nil
		}
	}
	byTime()
}

// made says of changes which command made them.
func made(changes []change, args []string) []change {
	for i := range changes {
		if len(args) > 2 {
			changes[i].value = args[2]
		}
		changes[i].only = strings.EqualFold(args[0], "SETNX") ||
			slices.ContainsFunc(args, func(w string) bool { return strings.EqualFold(w, "NX") })
	}
	return changes
}

// How far the times of servers and clients may be apart: by the stamps of a server
// with a right clock, and by the arrival of what it tells.
const (
	slackOfStamps  = 2 * time.Millisecond
	slackOfArrival = 100 * time.Millisecond
)

// may reports whether a command of a client can be an operation. What was sent over a
// connection that is at its end will not be executed any more.
func (o *operation) may(c *command) bool {
	switch {
	case c.server != o.server, c.lost, c.sent > o.at+history.Instant(slackOfStamps):
		return false
	case c.answered:
		return o.at <= c.done+o.slack && o.suits(c)
	}
	return !c.broken || o.at <= c.done+o.slack
}

// suits reports whether an operation can have had the reply that a command had.
func (o *operation) suits(c *command) bool {
	did := len(o.changes) > 0
	switch c.op.Name {
	case "DEL":
		return did != c.answer.Is(0)
	case "SETNX":
		return did == c.answer.Is(1)
	case "SET":
		return did == (!c.answer.Nil && c.answer.Refused == "")
	}
	return true
}

// place is a connection to a server.
type place struct {
	server history.NodeID
	addr   string
}

// attribute finds the command behind each operation; false when it cannot be told who
// changed something. Each connection whose client is known leaves fewer commands for
// the others.
func (r *reconciler) attribute() bool {
	for {
		owners := r.owners()
		news := false
		for _, o := range r.operations {
			if its := owners[o.place()]; !o.known && len(its) == 1 {
				o.by, o.known, news = r.match(o, its[0]), true, true
				if o.by == nil && len(o.changes) > 0 {
					return false
				}
			}
		}
		if !news {
			return !slices.ContainsFunc(r.operations, func(o *operation) bool {
				return !o.known && len(o.changes) > 0 && len(owners[o.place()]) > 0
			})
		}
	}
}

func (o *operation) place() place { return place{o.server, o.addr} }

// owners returns the clients whose each connection can be: those that have sent all
// that came over it. A connection over which nothing came that a client can have sent
// is not among them, nor one whose client is known. What is sent for the connection's
// own sake, such as PING, is not looked at: the history does not have it.
func (r *reconciler) owners() map[place][]history.NodeID {
	out := map[place][]history.NodeID{}
	for _, o := range r.operations {
		var may []history.NodeID
		for _, c := range r.byWords[o.words] {
			if !o.known && !r.matched[c] && o.may(c) && !slices.Contains(may, c.client) {
				may = append(may, c.client)
			}
		}
		if len(may) == 0 {
			continue
		}
		if before, narrowed := out[o.place()]; narrowed {
			may = slices.DeleteFunc(may, func(n history.NodeID) bool { return !slices.Contains(before, n) })
		}
		out[o.place()] = may
	}
	return out
}

// match returns the command of a client that an operation is, nil when there is none:
// one whose reply came after it if possible, else the first that had none, else one
// that another operation is, too: a script that a server does not know is sent twice.
func (r *reconciler) match(o *operation, client history.NodeID) *command {
	var found *command
	rank := 0
	for _, c := range r.byWords[o.words] {
		if c.client != client || !o.may(c) {
			continue
		}
		its := 1
		switch {
		case !r.matched[c] && c.answered:
			its = 3
		case !r.matched[c]:
			its = 2
		}
		if its > rank {
			found, rank = c, its
		}
	}
	if found == nil {
		return nil
	}
	r.matched[found] = true
	o.at = max(o.at, found.sent)
	if found.answered {
		o.at = min(o.at, found.done)
	}
	return found
}

// allHeard reports whether each command on the lock that a client had an answer to was
// executed as far as the servers tell. What a server refuses it does not execute.
func (r *reconciler) allHeard() bool {
	for _, c := range r.commands {
		if c.answered && !r.matched[c] && c.op.Does.Changes() && strings.Contains(c.op.Key, locks.Key) && c.answer.Refused == "" {
			return false
		}
	}
	return true
}

// balance returns what became of the entries of all servers, which begin without any;
// false when the account is not complete.
func (r *reconciler) balance(entries []entry, leader history.NodeID, keeps bool) ([]entry, bool) {
	if !r.complete(entries) {
		return nil, false
	}
	r.inOrder()
	return r.follow(entries, leader, keeps)
}

// complete reports whether all is known that clients have done.
func (r *reconciler) complete(entries []entry) bool {
	return len(entries) > 0 && r.attribute() && r.allHeard()
}

// follow is balance of operations that are complete and in order.
func (r *reconciler) follow(entries []entry, leader history.NodeID, keeps bool) ([]entry, bool) {
	replay := entryReplay{
		key: r.key, ttl: r.ttl, end: entries[len(entries)-1].At, leader: leader, keeps: keeps,
		ledgers: map[history.NodeID]*ledger{}, writers: map[string]history.NodeID{},
	}
	next := 0
	for i := range entries {
		for ; next < len(r.operations) && r.operations[next].at <= entries[i].At; next++ {
			replay.enter(r.operations[next])
		}
		replay.befell(&entries[i])
	}
	for ; next < len(r.operations); next++ {
		replay.enter(r.operations[next])
	}
	return replay.out, !replay.wrong
}

// inOrder sorts the operations by time; those of one server stay as it told them. An
// end by time is heard of a little late: at the latest it came before the next command.
func (r *reconciler) inOrder() {
	next := map[history.NodeID]history.Instant{}
	for _, o := range slices.Backward(r.operations) {
		if at, ok := next[o.server]; ok && o.addr == "" {
			o.at = min(o.at, at)
		}
		next[o.server] = o.at
	}
	last := map[history.NodeID]history.Instant{}
	for _, o := range r.operations {
		o.at = max(o.at, last[o.server])
		last[o.server] = o.at
	}
	slices.SortStableFunc(r.operations, func(x, y *operation) int { return cmp.Compare(x.at, y.at) })
}
