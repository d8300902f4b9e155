// Package reporttest helps the tests of reports: hand-written histories, usual, hostile and large
// bundles, golden files, and English texts on Chinese pages.
package reporttest

import (
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/history/historytest"
)

// Writer builds a history by hand: as a story, or with times in milliseconds and nodes by name.
type Writer struct{ historytest.Story }

// NewWriter begins a history of a lock with clients, one store and the resource.
func NewWriter(lock string, clients ...string) *Writer {
	h := history.Header{
		Scenario: "A long pause outlives the lease", Lock: lock, Seed: 7, Backend: "sim",
		ScalePPM: 1_000_000, Lease: 10 * time.Second, Fence: "none",
		Store: "Redis", Topology: "replicated", Expires: true, AtOnce: true,
		Faults: []history.Fault{{Number: 1, Verb: "pause", Text: "pause A for 15 s when A is in its critical section"}},
	}
	for _, c := range clients {
		h.Nodes = append(h.Nodes, history.Node{Name: c, Role: history.RoleClient})
	}
	h.Nodes = append(h.Nodes,
		history.Node{Name: "redis-1", Role: history.RoleStore}, history.Node{Name: "resource", Role: history.RoleResource})
	w := history.New(h)
	w.Whole = true
	return &Writer{historytest.Story{H: w, Node: w.Node, Entry: "lock"}}
}

// Add adds an event of a node and returns its index.
func (w *Writer) Add(ms int64, kind history.Kind, node string, change ...func(*history.Event)) int32 {
	e := history.Event{
		At: history.Instant(ms) * history.Instant(time.Millisecond), Kind: kind,
		Node: w.H.Node(node), Cause: history.NoCause,
	}
	for _, c := range change {
		c(&e)
	}
	return historytest.Add(w.H, e)
}

// From sets the peer, the cause and the text of an event.
func (w *Writer) From(peer string, because int32, text string) func(*history.Event) {
	return func(e *history.Event) { e.Peer, e.Cause, e.Text = w.H.Node(peer), because, w.H.Intern(text) }
}

// Entry sets the fields of a grant: its owner and its duration.
func (w *Writer) Entry(owner string, lasts time.Duration) func(*history.Event) {
	return func(e *history.Event) { e.Owner, e.Value, e.Text = w.H.Node(owner), int64(lasts), w.H.Intern("lock") }
}

// Value sets the value of an event.
func Value(v int64) func(*history.Event) { return func(e *history.Event) { e.Value = v } }

// Command sends a command and executes it 1 ms later; the reply takes 1 ms more.
func (w *Writer) Command(ms int64, client, typed, reply string, effect func(done int32)) {
	sent := w.Add(ms, history.Sent, client, w.From("redis-1", history.NoCause, typed))
	done := w.Add(ms+1, history.Executed, "redis-1", w.From(client, sent, reply))
	effect(done)
	w.Add(ms+2, history.Replied, client, w.From("redis-1", done, reply))
}

// Acquires lets a client acquire and read; it returns the index of the read.
func (w *Writer) Acquires(ms int64, client string, version int64) int32 {
	w.Command(ms-2, client, "SET lock "+client+"-1 NX PX 10000", "OK", func(done int32) {
		w.Add(ms-1, history.Granted, "redis-1", w.From(client, done, ""), w.Entry(client, 10*time.Second))
	})
	w.Add(ms, history.Acquired, client)
	w.Add(ms, history.Entered, client)
	return w.Add(ms+1, history.ReadDone, "resource", w.From(client, history.NoCause, ""), Value(version))
}

// Writes lets the resource accept a write that a client computed from a read.
func (w *Writer) Writes(ms int64, client string, read int32, version int64) int32 {
	return w.Add(ms, history.WriteAccepted, "resource", w.From(client, read, ""), Value(version))
}

// Releases lets a client release; the store removes the entry of owner, "" for none. It returns the
// index of the removal.
func (w *Writer) Releases(ms int64, client, typed, owner string) int32 {
	w.Add(ms, history.Releasing, client)
	removed, reply := history.NoCause, "(integer) 1"
	if owner == "" {
		reply = "(integer) 0"
	}
	w.Command(ms, client, typed, reply, func(done int32) {
		if owner != "" {
			removed = w.Add(ms+1, history.Removed, "redis-1", w.From(client, done, ""), w.Entry(owner, 0))
		}
	})
	if owner == "" {
		w.Add(ms+2, history.NotHeld, client)
	} else {
		w.Add(ms+2, history.Released, client)
	}
	return removed
}

// At is an instant in milliseconds.
func At(n int64) history.Instant { return history.Instant(n) * history.Instant(time.Millisecond) }

// Broke is a finding with one violation.
func Broke(property string, from, to history.Instant, clients []history.NodeID, events ...int32) checker.Finding {
	return checker.Finding{
		Property: property, Verdict: checker.Broken, Count: 1,
		Violations: []checker.Violation{{From: from, To: to, Clients: clients, Events: events}},
	}
}

// Kept is a finding without a violation.
func Kept(property string) checker.Finding {
	return checker.Finding{Property: property, Verdict: checker.Kept}
}
