package real

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/real/monitor"
	"lockstep/internal/store/redis/resp"
)

// operation is the effect of one command on the entries, or an expiry on the server.
type operation struct {
	server  history.NodeID
	addr    string          // of the connection; "" for the server itself
	words   string          // see resp.Words
	at      history.Instant // when it was executed
	slack   history.Instant // upper bound of the delay of its report
	changes []change
	by      *command // nil unless a client's
	known   bool     // its client is known
}

// change is one change of an entry.
type change struct {
	key   string
	event string          // of the keyspace notification
	heard history.Instant // when the report arrived: a little after the change
	value string          // that the command wrote: the lock's token
	only  bool            // the command does nothing when there is an entry already
	life  time.Duration   // that an EXPIRE or PEXPIRE has set; 0 where it is not known
}

// reconciler matches the commands reported by servers with the clients' commands.
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
	a.commands = append(commandsOf(entries), evictions...)
	for _, c := range a.commands {
		a.byWords[c.words] = append(a.byWords[c.words], c)
	}
	return a
}

// hear adds the reports of one server in one of its lives. zero is true time 0 on the
// clock of the items, slack the error of their times.
func (r *reconciler) hear(server history.NodeID, items []monitor.Item, zero, slack time.Duration) {
	var pending []change  // reported before their command
	var script *operation // the latest command, which may be a script that runs others
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
		case item.Addr == monitor.Script:
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

// made sets the command's part of its changes.
func made(changes []change, args []string) []change {
	for i := range changes {
		if len(args) > 2 {
			changes[i].value = args[2]
			changes[i].life = lifeOf(args[0], args[2])
		}
		changes[i].only = strings.EqualFold(args[0], "SETNX") ||
			slices.ContainsFunc(args, func(w string) bool { return strings.EqualFold(w, "NX") })
	}
	return changes
}

// lifeOf is the time to live that a command sets, 0 if it is unknown.
func lifeOf(command, number string) time.Duration {
	n, err := strconv.Atoi(number)
	switch name := strings.ToUpper(command); {
	case err == nil && name == "PEXPIRE":
		return time.Duration(n) * time.Millisecond
	case err == nil && name == "EXPIRE":
		return time.Duration(n) * time.Second
	}
	return 0
}

// The largest difference between the times of servers and clients: by the stamps of a server
// with a right clock, and by the arrival of its reports.
const (
	slackOfStamps  = 2 * time.Millisecond
	slackOfArrival = 100 * time.Millisecond
)

// may reports whether a command of a client can be an operation. A server does not execute
// commands of a connection that has ended.
func (o *operation) may(c *command) bool {
	switch {
	case c.server != o.server, c.lost, c.sent > o.at+history.Instant(slackOfStamps):
		return false
	case c.answered:
		return o.at <= c.done+o.slack && o.suits(c)
	}
	return !c.broken || o.at <= c.done+o.slack
}

// suits reports whether an operation is consistent with the reply to a command.
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

// attribute finds the command behind each operation; false when the client behind a change
// is ambiguous. Each connection with a known client leaves fewer commands for the others.
func (r *reconciler) attribute() bool {
	for {
		owners := r.owners()
		progress := false
		for _, o := range r.operations {
			if its := owners[o.place()]; !o.known && len(its) == 1 {
				o.by, o.known, progress = r.match(o, its[0]), true, true
				if o.by == nil && len(o.changes) > 0 {
					return false
				}
			}
		}
		if !progress {
			return !slices.ContainsFunc(r.operations, func(o *operation) bool {
				return !o.known && len(o.changes) > 0 && len(owners[o.place()]) > 0
			})
		}
	}
}

func (o *operation) place() place { return place{o.server, o.addr} }

// owners returns the possible clients of each connection: those that have sent all of its
// commands. It leaves out connections with a known client, and those without a command of
// any client. Commands that maintain the connection, such as PING, are ignored: they are
// not in the history.
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

// match returns the command of a client that fits an operation, nil for none: one with a
// reply if possible, else the first without a reply, else one that is already matched,
// since a script that a server does not know is sent twice.
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

// allHeard reports whether the servers have reported each answered command on the lock.
// A server does not report a command that it refuses.
func (r *reconciler) allHeard() bool {
	return !slices.ContainsFunc(r.commands, func(c *command) bool {
		return c.answered && !r.matched[c] && c.op.Does.Changes() && strings.Contains(c.op.Key, locks.Key) && c.answer.Refused == ""
	})
}

// balance returns the events of the entries of all servers, which begin without any;
// false when the account is not complete.
func (r *reconciler) balance(entries []entry, leader history.NodeID, keeps bool) ([]entry, bool) {
	if !r.complete(entries) {
		return nil, false
	}
	r.inOrder()
	return r.follow(entries, leader, keeps)
}

// complete reports whether all changes of the entries are accounted for.
func (r *reconciler) complete(entries []entry) bool {
	return len(entries) > 0 && r.attribute() && r.allHeard()
}

// follow is balance for operations that are complete and in order.
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
		replay.applyServerEvent(&entries[i])
	}
	for ; next < len(r.operations); next++ {
		replay.enter(r.operations[next])
	}
	return replay.out, !replay.wrong
}

// inOrder sorts the operations by time; those of one server keep the order of the reports.
// An expiry is reported a little late: it happened before the server's next command.
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
