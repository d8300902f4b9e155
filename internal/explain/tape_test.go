package explain

import (
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
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

// withReplica adds a second store.
func (t *tape) withReplica() *tape {
	t.h.Header.Nodes = append(t.h.Header.Nodes, history.Node{Name: "redis-2", Role: history.RoleStore})
	return t
}

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

// renews gives a client's entry its 10 s again.
func (t *tape) renews(ms int64, name string) {
	t.add(ms, history.Extended, "redis-1", t.owner(name), t.peer(name), t.text("lock"), lasts(10*time.Second))
}

// expires ends a client's entry.
func (t *tape) expires(ms int64, name string) int32 {
	return t.add(ms, history.Expired, "redis-1", t.owner(name), t.text("lock"))
}

// breaks makes a finding of one violation.
func breaks(property string, from, to history.Instant, clients []history.NodeID, events ...int32) checker.Finding {
	return checker.Finding{
		Property: property, Verdict: checker.Broken, Count: 1,
		Violations: []checker.Violation{{From: from, To: to, Clients: clients, Events: events}},
	}
}
