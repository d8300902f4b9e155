package explain

import (
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// tape records a history by hand: times in milliseconds, nodes by name.
type tape struct{ h *history.History }

func newTape(faults ...history.Fault) *tape {
	t := &tape{history.New(history.Header{
		Scenario: "by hand", Lock: "set-nx-lua", Seed: 7, Backend: "sim", ScalePPM: 1_000_000,
		Lease: 10 * time.Second, Faults: faults, Store: "Redis", Topology: "replicated", Expires: true, AtOnce: true,
		Nodes: []history.Node{
			{Name: "A", Role: history.RoleClient}, {Name: "B", Role: history.RoleClient},
			{Name: "C", Role: history.RoleClient}, {Name: "probe", Role: history.RoleProbe},
			{Name: "redis-1", Role: history.RoleStore}, {Name: "resource", Role: history.RoleResource},
		},
	})}
	t.h.ReadTexts()
	return t
}

// withServers names the servers: of Redis, of a database, or of a quorum.
func (t *tape) withServers(names ...string) {
	header := &t.h.Header
	switch word, _, _ := strings.Cut(names[0], "-"); word {
	case "redis":
	case "mysql":
		header.Store, header.Expires, header.AtOnce = word, false, false
	default:
		header.Store, header.Topology, header.Expires, header.AtOnce = word, "quorum", false, false
	}
	for i := range header.Nodes {
		if header.Nodes[i].Role == history.RoleStore {
			header.Nodes[i].Name = names[0]
		}
	}
	for _, name := range names[1:] {
		header.Nodes = append(header.Nodes, history.Node{Name: name, Role: history.RoleStore})
	}
}

// withReplica adds a second server.
func (t *tape) withReplica() { t.withServers("redis-1", "redis-2") }

func (t *tape) add(ms int64, kind history.Kind, node string, change ...func(*history.Event)) int32 {
	e := history.Event{
		At: history.Instant(ms) * history.Instant(time.Millisecond), Kind: kind,
		Node: t.h.Node(node), Cause: history.NoCause,
	}
	for _, c := range change {
		c(&e)
	}
	return t.h.Add(e)
}

func (t *tape) owner(name string) func(*history.Event) {
	return func(e *history.Event) { e.Owner = t.h.Node(name) }
}

func (t *tape) peer(name string) func(*history.Event) {
	return func(e *history.Event) { e.Peer = t.h.Node(name) }
}

func (t *tape) text(s string) func(*history.Event) {
	return func(e *history.Event) { e.Text = t.h.Intern(s) }
}

func value(v int64) func(*history.Event) { return func(e *history.Event) { e.Value = v } }

func lasts(d time.Duration) func(*history.Event) { return value(int64(d)) }

func token(v int64) func(*history.Event) { return func(e *history.Event) { e.Token = v } }

func cause(i int32) func(*history.Event) { return func(e *history.Event) { e.Cause = i } }

// acquires lets a client have the lock: the store grants at ms, the client knows
// and enters 1 ms later.
func (t *tape) acquires(ms int64, name string) {
	sent := t.add(ms-1, history.Sent, name, t.peer("redis-1"), t.text("SET lock x NX PX 10000"))
	done := t.add(ms, history.Executed, "redis-1", t.peer(name), cause(sent), t.text("OK"))
	t.add(ms, history.Granted, "redis-1", t.owner(name), t.peer(name), cause(done), t.text("lock"), lasts(10*time.Second))
	t.add(ms+1, history.Replied, name, t.peer("redis-1"), cause(done), t.text("OK"))
	t.add(ms+1, history.Acquired, name)
	t.add(ms+1, history.Entered, name)
}

// releases lets a client give its own entry back with a script.
func (t *tape) releases(ms int64, name string) {
	t.add(ms, history.Releasing, name)
	sent := t.add(ms, history.Sent, name, t.peer("redis-1"), t.text("EVAL unlock lock x"))
	done := t.add(ms+1, history.Executed, "redis-1", t.peer(name), cause(sent), t.text("(integer) 1"))
	t.add(ms+1, history.Removed, "redis-1", t.owner(name), t.peer(name), cause(done), t.text("lock"))
	t.add(ms+2, history.Released, name)
}

// grants gives a client an entry of 10 s on a server. No command is seen that asked for it.
func (t *tape) grants(ms int64, server, name string) {
	t.add(ms, history.Granted, server, t.owner(name), t.text("lock"), lasts(10*time.Second))
}

// holds lets a client have the lock 1 ms after a server granted it.
func (t *tape) holds(ms int64, server, name string) {
	t.grants(ms, server, name)
	t.add(ms+1, history.Acquired, name)
}

// asks sends a command that the server executes, or does not receive when done is 0.
func (t *tape) asks(sent, done int64, name, command string) (executed int32) {
	s := t.add(sent, history.Sent, name, t.peer("redis-1"), t.text(command))
	if done == 0 {
		return history.NoCause
	}
	return t.add(done, history.Executed, "redis-1", t.peer(name), cause(s), t.text("(nil)"))
}

// renews gives a client's entry its 10 s again.
func (t *tape) renews(ms int64, name string) {
	done := t.asks(ms-1, ms, name, "EVAL renew lock "+name)
	t.add(ms, history.Extended, "redis-1",
		t.owner(name), t.peer(name), t.text("lock"), cause(done), lasts(10*time.Second))
}

// expires ends a client's entry.
func (t *tape) expires(ms int64, name string) {
	t.add(ms, history.Expired, "redis-1", t.owner(name), t.text("lock"))
}

// copies gives redis-2 a copy of a client's entry on redis-1.
func (t *tape) copies(ms int64, name string) {
	t.add(ms, history.Replicated, "redis-2",
		t.owner(name), t.peer("redis-1"), t.text("lock"), lasts(10*time.Second))
}

// promotes puts a server in the place of another.
func (t *tape) promotes(ms int64, server, other string) {
	t.add(ms, history.Promoted, server, t.peer(other))
}

// forgets drops a client's entry from a server.
func (t *tape) forgets(ms int64, server, name string) {
	t.add(ms, history.Forgotten, server, t.owner(name), t.text("lock"))
}

// steps explains the tape.
func (t *tape) steps(findings ...checker.Finding) []Step {
	return Steps(timeline.Of(t.h), findings)
}

// breaks makes a finding of one violation.
func breaks(property string, from, to history.Instant, clients []history.NodeID, events ...int32) checker.Finding {
	return checker.Finding{
		Property: property, Verdict: checker.Broken, Count: 1,
		Violations: []checker.Violation{{From: from, To: to, Clients: clients, Events: events}},
	}
}
