package report

import (
	"fmt"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

// writer records a history by hand: times in milliseconds, nodes by name.
type writer struct{ h *history.History }

func newWriter(lock string, clients ...string) *writer {
	h := history.Header{
		Scenario: "A long pause outlives the lease", Lock: lock, Seed: 7, Backend: "sim",
		ScalePPM: 1_000_000, Lease: 10 * time.Second, Fence: "none",
		Faults: []history.Fault{{Number: 1, Verb: "pause", Text: "pause A for 15 s when A is in its critical section"}},
	}
	for _, c := range clients {
		h.Nodes = append(h.Nodes, history.Node{Name: c, Role: history.RoleClient})
	}
	h.Nodes = append(h.Nodes,
		history.Node{Name: "redis-1", Role: history.RoleStore}, history.Node{Name: "resource", Role: history.RoleResource})
	w := &writer{history.New(h)}
	w.h.Whole = true
	return w
}

func (w *writer) add(ms int64, kind history.Kind, node string, change ...func(*history.Event)) int32 {
	e := history.Event{
		At: history.Instant(ms) * history.Instant(time.Millisecond), Kind: kind,
		Node: w.h.Node(node), Cause: history.NoCause,
	}
	for _, c := range change {
		c(&e)
	}
	return w.h.Add(e)
}

func (w *writer) from(peer string, because int32, text string) func(*history.Event) {
	return func(e *history.Event) { e.Peer, e.Cause, e.Text = w.h.Node(peer), because, w.h.Intern(text) }
}

// entry sets the fields of a grant: its owner and for how long it lasts.
func (w *writer) entry(owner string, lasts time.Duration) func(*history.Event) {
	return func(e *history.Event) { e.Owner, e.Value, e.Text = w.h.Node(owner), int64(lasts), w.h.Intern("lock") }
}

func value(v int64) func(*history.Event) { return func(e *history.Event) { e.Value = v } }

// command sends a command and executes it 1 ms later; the reply takes 1 ms more.
func (w *writer) command(ms int64, client, typed, reply string, effect func(done int32)) {
	sent := w.add(ms, history.Sent, client, w.from("redis-1", history.NoCause, typed))
	done := w.add(ms+1, history.Executed, "redis-1", w.from(client, sent, reply))
	effect(done)
	w.add(ms+2, history.Replied, client, w.from("redis-1", done, reply))
}

// acquires has a client acquire and read; it returns the read.
func (w *writer) acquires(ms int64, client string, version int64) int32 {
	w.command(ms-2, client, "SET lock "+client+"-1 NX PX 10000", "OK", func(done int32) {
		w.add(ms-1, history.Granted, "redis-1", w.from(client, done, ""), w.entry(client, 10*time.Second))
	})
	w.add(ms, history.Acquired, client)
	w.add(ms, history.Entered, client)
	return w.add(ms+1, history.ReadDone, "resource", w.from(client, history.NoCause, ""), value(version))
}

func (w *writer) writes(ms int64, client string, read int32, version int64) int32 {
	return w.add(ms, history.WriteAccepted, "resource", w.from(client, read, ""), value(version))
}

// releases has a client release; the store removes the entry of owner.
func (w *writer) releases(ms int64, client, typed, owner string) int32 {
	w.add(ms, history.Releasing, client)
	removed, reply := history.NoCause, "(integer) 1"
	if owner == "" {
		reply = "(integer) 0"
	}
	w.command(ms, client, typed, reply, func(done int32) {
		if owner != "" {
			removed = w.add(ms+1, history.Removed, "redis-1", w.from(client, done, ""), w.entry(owner, 0))
		}
	})
	if owner == "" {
		w.add(ms+2, history.NotHeld, client)
	} else {
		w.add(ms+2, history.Released, client)
	}
	return removed
}

func ms(n int64) history.Instant { return history.Instant(n) * history.Instant(time.Millisecond) }

func at(property string, from, to history.Instant, clients []history.NodeID, events ...int32) checker.Finding {
	return checker.Finding{
		Property: property, Verdict: checker.Broken, Count: 1,
		Violations: []checker.Violation{{From: from, To: to, Clients: clients, Events: events}},
	}
}

func kept(property string) checker.Finding {
	return checker.Finding{Property: property, Verdict: checker.Kept}
}

// pauseRun is the lesson of the lease with one lock. blind says whether its
// release removes whatever is there.
func pauseRun(lock string, blind bool) Run {
	w := newWriter(lock, "A", "B", "C")
	read := w.acquires(12, "A", 0)
	w.add(60, history.FaultBegan, "A", value(1))
	w.add(60, history.Froze, "A", value(1))
	w.add(10_012, history.Expired, "redis-1", w.entry("A", 0))
	readB := w.acquires(10_031, "B", 0)
	second := int32(len(w.h.Events)) - 3
	w.add(15_060, history.FaultEnded, "A", value(1))
	w.add(15_060, history.Thawed, "A", value(1))
	stale := w.writes(15_061, "A", read, 1)
	a, b := w.h.Node("A"), w.h.Node("B")
	both := []history.NodeID{b, a}
	release := kept(checker.OwnerOnlyReleaseID)
	if blind {
		removed := w.releases(15_062, "A", "DEL lock", "B")
		release = at(checker.OwnerOnlyReleaseID, ms(15_063), ms(15_063), []history.NodeID{a, b}, removed)
	} else {
		w.releases(15_062, "A", "EVAL unlock lock A-1", "")
	}
	lost := w.writes(18_100, "B", readB, 2)
	if blind {
		w.releases(18_101, "B", "DEL lock", "")
	} else {
		w.releases(18_101, "B", "EVAL unlock lock B-1", "B")
	}
	r := Run{Lock: lock, Judgement: checker.Judgement{
		History: w.h, Letter: checker.LetterV, Overlap: 5031 * time.Millisecond, Acquired: 2, Waited: true,
		Faults: []checker.FiredFault{{Fault: w.h.Header.Faults[0], Times: 1}},
		Findings: []checker.Finding{
			at(checker.MutualExclusionID, ms(10_031), ms(15_062), both, second),
			at(checker.NoLostUpdateID, ms(18_100), ms(18_100), both, lost),
			at(checker.NoStaleWriteID, ms(15_061), ms(15_061), []history.NodeID{a, b}, stale),
			release, kept(checker.ProgressID),
		},
	}}
	if blind {
		r.Judgement.Letter = checker.LetterVF
	}
	for _, f := range r.Judgement.Findings {
		r.Expected = append(r.Expected, Expected{f.Property, string(f.Verdict), string(f.Verdict), true, false})
	}
	return r
}

// testBundle is a bundle with one story and two locks.
func testBundle() *Bundle {
	p := plan.Default()
	p.Name, p.Slug, p.File = "A long pause outlives the lease", "pause-past-lease", "scenarios/lessons/pause-past-lease.yaml"
	p.Story = "A takes the lock, then its process freezes for longer than the lease. The store gives the lock to B."
	p.Question = "When A wakes up, is its write accepted?"
	p.Lesson = "A lease limits how long the store remembers you, not how long you believe it."
	p.Locks = []string{"set-nx-ex-del", "set-nx-lua"}
	p.Faults = []faults.Fault{{Number: 1, Text: "pause A for 15 s when A is in its critical section"}}
	return &Bundle{
		Plan: &p, Backend: "sim", Seed: 7, Hash: "5f0c", RunDir: "reports/pause-past-lease/seed-7",
		Replay: "simulate run scenarios/lessons/pause-past-lease.yaml --seed 7",
		Runs:   []Run{pauseRun("set-nx-ex-del", true), pauseRun("set-nx-lua", false)},
	}
}

// hostile is a text that tries everything.
const hostile = "<script>alert(1)</script>\"'&<b>\x1b[31m\x07\u009b2J\u202eevil\u2066\xff{{.}}</style></title>"

// hostileBundle has hostile text in every field.
func hostileBundle() *Bundle {
	b := testBundle()
	long := hostile + strings.Repeat("x", 10_000)
	p := b.Plan
	p.Name, p.Slug, p.Story, p.Question, p.Lesson = long, long, long, long, long
	p.Clients = []string{long}
	p.Clocks = []plan.Clock{{Node: long}}
	p.Workload.Fence = plan.Fence(long)
	b.Replay, b.Backend, b.RunDir, b.Hash = hostile, hostile, hostile, hostile
	for i := range b.Runs {
		r := &b.Runs[i]
		r.Lock = long
		h := r.Judgement.History
		h.Header.Lock, h.Header.Scenario = long, long
		for n := range h.Header.Nodes {
			h.Header.Nodes[n].Name = fmt.Sprintf("%d%s", n, long)
		}
		for n := range h.Events {
			h.Events[n].Text = h.Intern(long)
		}
		for n := range r.Judgement.Faults {
			r.Judgement.Faults[n].Text, r.Judgement.Faults[n].Verb = long, long
		}
		f := &r.Judgement.Findings[4]
		f.Property, f.Verdict, f.Reason = long, checker.Unknown, say.WasCutShort.With(say.Verbatim(long))
		r.Expected[0] = Expected{long, long, long, false, false}
	}
	return b
}

// newSteps narrates a run.
func newSteps(r *Run) []explain.Step {
	return explain.Steps(r.Judgement.History, r.Judgement.Findings)
}
