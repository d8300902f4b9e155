package reporttest

import (
	"fmt"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// PauseRun is the lesson about the lease with one lock. If blind, its release removes any entry.
func PauseRun(lock string, blind bool) bundle.Run {
	w := NewWriter(lock, "A", "B", "C")
	read := w.Acquires(12, "A", 0)
	w.Add(60, history.FaultBegan, "A", Value(1))
	w.Add(60, history.Froze, "A", Value(1))
	w.Add(10_012, history.Expired, "redis-1", w.Entry("A", 0))
	readB := w.Acquires(10_031, "B", 0)
	second := int32(len(w.H.Events)) - 3
	w.Add(15_060, history.FaultEnded, "A", Value(1))
	w.Add(15_060, history.Thawed, "A", Value(1))
	stale := w.Writes(15_061, "A", read, 1)
	a, b := w.H.Node("A"), w.H.Node("B")
	both := []history.NodeID{b, a}
	release := Kept(checker.OwnerOnlyReleaseID)
	if blind {
		removed := w.Releases(15_062, "A", "DEL lock", "B")
		release = Broke(checker.OwnerOnlyReleaseID, At(15_063), At(15_063), []history.NodeID{a, b}, removed)
	} else {
		w.Releases(15_062, "A", "EVAL unlock lock A-1", "")
	}
	lost := w.Writes(18_100, "B", readB, 2)
	if blind {
		w.Releases(18_101, "B", "DEL lock", "")
	} else {
		w.Releases(18_101, "B", "EVAL unlock lock B-1", "B")
	}
	r := bundle.Run{Lock: lock, Judgement: checker.Judgement{
		History: w.H, Letter: checker.LetterV, Overlap: 5031 * time.Millisecond, Acquired: 2, Waited: true,
		Faults: []checker.FiredFault{{Fault: w.H.Header.Faults[0], Times: 1}},
		Findings: []checker.Finding{
			Broke(checker.MutualExclusionID, At(10_031), At(15_062), both, second),
			Broke(checker.NoLostUpdateID, At(18_100), At(18_100), both, lost),
			Broke(checker.NoStaleWriteID, At(15_061), At(15_061), []history.NodeID{a, b}, stale),
			release, Kept(checker.ProgressID),
		},
	}}
	if blind {
		r.Judgement.Letter = checker.LetterVF
	}
	for _, f := range r.Judgement.Findings {
		r.Expected = append(r.Expected, Expected(f.Property, f.Verdict, f.Verdict))
	}
	return r
}

// Bundle is a bundle with one story and two locks.
func Bundle() *bundle.Bundle {
	p := plan.Default()
	p.Name, p.Slug, p.File = "A long pause outlives the lease", "pause-past-lease", "scenarios/lessons/pause-past-lease.yaml"
	p.Story = "A takes the lock, then its process freezes for longer than the lease. The store gives the lock to B."
	p.Subtitle, p.Question = "a pause of 15 s, a lease of 10 s", "When A wakes up, is its write accepted?"
	p.Lesson = "A lease limits how long the store remembers you, not how long you believe it."
	p.Locks = []string{"set-nx-ex-del", "set-nx-lua"}
	p.Faults = []faults.Fault{{Number: 1, Text: "pause A for 15 s when A is in its critical section"}}
	return &bundle.Bundle{
		Plan: &p, Backend: "sim", Seed: 7, Hash: "5f0c", RunDir: "reports/pause-past-lease/seed-7",
		Replay: "simulate run scenarios/lessons/pause-past-lease.yaml --seed 7",
		Runs:   []bundle.Run{PauseRun("set-nx-ex-del", true), PauseRun("set-nx-lua", false)},
	}
}

// Hostile is a text with all kinds of dangerous characters.
const Hostile = "<script>alert(1)</script>\"'&<b>\x1b[31m\x07\u009b2J\u202eevil\u2066\xff{{.}}</style></title>"

// HostileBundle has hostile text in every field.
func HostileBundle() *bundle.Bundle {
	b := Bundle()
	long := Hostile + strings.Repeat("x", 10_000)
	p := b.Plan
	p.Name, p.Subtitle, p.Slug, p.Story, p.Question, p.Lesson = long, long, long, long, long, long
	p.Clients = []string{long}
	p.Clocks = []plan.Clock{{Node: long}}
	p.Workload.Fence = plan.Fence(long)
	b.Replay, b.Backend, b.RunDir, b.Hash = Hostile, Hostile, Hostile, Hostile
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
		r.Expected[0] = Expected(long, checker.Verdict(long), checker.Verdict("got "+long))
	}
	return b
}

// Expected is an expectation of a property beside the verdict.
func Expected(property string, verdict, got checker.Verdict) run.Expected {
	return run.Expected{Expectation: plan.Expectation{Property: property, Verdict: string(verdict)}, Got: got}
}

// Steps narrates a run.
func Steps(r *bundle.Run) []explain.Step {
	return explain.Steps(timeline.Of(r.Judgement.History), r.Judgement.Findings)
}
