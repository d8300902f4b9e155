package reporttest

import (
	"fmt"

	"lockstep/internal/campaign/sweep"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/say"
)

// MillionBundle is a run of at least that many events, in which two clients are inside once, for 5
// ms.
func MillionBundle(events int) *bundle.Bundle {
	w := NewWriter("set-nx-lua", "A", "B", "C")
	var at history.Instant
	for n := int64(0); len(w.H.Events) < events; n++ {
		client := string(rune('A' + n%3))
		read := w.Acquires(n*100+10, client, n)
		if n == int64(events)/40 {
			at = At(n*100 + 12)
			w.Add(n*100+12, history.Acquired, string(rune('A'+(n+1)%3)))
			w.Add(n*100+17, history.Releasing, string(rune('A'+(n+1)%3)))
		}
		w.Writes(n*100+40, client, read, n+1)
		w.Releases(n*100+50, client, "EVAL unlock lock x", client)
	}
	j := checker.Judge(w.H)
	b := &bundle.Bundle{Backend: "sim", Seed: 7, Runs: []bundle.Run{{Lock: "set-nx-lua", Judgement: j}}}
	if f := j.Finding(checker.MutualExclusionID); f.Verdict != checker.Broken || f.Violations[0].From != at {
		panic(fmt.Sprintf("the history by hand is not what it should be: %+v", f))
	}
	return b
}

// Nonsense has a run with a meaningless history, one with an empty history, and one without.
func Nonsense() *bundle.Bundle {
	h := history.New(history.Header{
		Nodes:  []history.Node{{Name: "A", Role: history.RoleClient}, {Name: "S", Role: history.RoleStore}},
		Faults: []history.Fault{{Number: 1}},
	})
	for i := range 600 {
		h.Add(history.Event{
			Kind: history.Kind(i * 7 % 60), Node: history.NodeID(i % 4), Peer: history.NodeID(i % 5), Owner: history.NodeID(i % 7),
			Cause: int32(i*13%700 - 20), Value: int64(i%9 - 4), At: history.Instant(i / 3), Text: history.TextID(i % 3), Clock: int64(i*i*1e6) - 5e9,
		})
	}
	j := checker.Judgement{History: h, Findings: []checker.Finding{Broke("fifo", -5, 1<<60, []history.NodeID{9}, 3, -4, 9000)}}
	empty := checker.Judgement{History: history.New(history.Header{})}
	return &bundle.Bundle{Runs: []bundle.Run{{Lock: "x", Judgement: j}, {Lock: "y", Judgement: empty}, {Lock: "z"}}}
}

// Sweep has a cell of each kind: safe, rarely and often broken, always, untested.
func Sweep() *bundle.Sweep {
	const property = "mutual-exclusion"
	lease := plan.Axis{Name: "lease", Key: "lease", Values: []int64{1e9, 2e9, 4.5e9}}
	pause := plan.Axis{Name: "pause", Values: []int64{0, 10e9}}
	loss := plan.Axis{Name: "loss", Unit: plan.UnitShare, Values: []int64{0, 50_000}}
	cell := func(x, y int64, broken, tested int, first uint64) sweep.Cell {
		return sweep.Cell{X: x, Y: y, Broken: broken, Kept: tested - broken, Untested: 1000 - tested, FirstBroke: first}
	}
	return &bundle.Sweep{
		Plan: &plan.Plan{Texts: plan.Texts{Name: "A pause & a lease", Story: "Who <wins>?"}}, Property: property, Seeds: 1000,
		Replay: "simulate sweep x.yaml --seeds 1000",
		Maps: []sweep.Map{{
			Lock: "set-nx-lua", Property: property, X: lease, Y: &pause,
			Cells: []sweep.Cell{
				cell(1e9, 0, 0, 1000, 0), cell(2e9, 0, 1, 1000, 77), cell(4.5e9, 0, 0, 0, 0),
				cell(1e9, 10e9, 1000, 1000, 1), cell(2e9, 10e9, 999, 1000, 1), cell(4.5e9, 10e9, 420, 900, 3),
			},
		}, {
			Lock: "redlock", Property: property, X: loss,
			Cells: []sweep.Cell{cell(0, 0, 0, 1000, 0), cell(50_000, 0, 0, 1000, 0)},
		}},
	}
}

// MissedBundle is the bundle with a missed expectation, an unknown verdict, a verdict without
// expectation, and a fault that never fired.
func MissedBundle() *bundle.Bundle {
	b := Bundle()
	first, second := &b.Runs[0], &b.Runs[1]
	first.Expected[0] = Expected(checker.MutualExclusionID, checker.Kept, checker.Broken)
	second.Judgement.Findings[3] = checker.Finding{
		Property: checker.OwnerOnlyReleaseID, Verdict: checker.Unknown, Reason: say.NeverFired.With(2, say.Both{}),
	}
	second.Expected[3] = Expected(checker.OwnerOnlyReleaseID, checker.Kept, checker.Unknown)
	second.Expected[4] = Expected(checker.ProgressID, checker.Broken, checker.Kept)
	second.Expected = append(second.Expected[:1], second.Expected[3:]...) // nothing about writes
	second.Judgement.Untested = say.NeverFired.With(2, say.Both{English: "kill B"})
	for i := range b.Runs {
		for k := range b.Runs[i].Expected {
			switch e := &b.Runs[i].Expected[k]; e.Property {
			case checker.MutualExclusionID:
				e.Line = 27 + i
			case checker.ProgressID:
				e.Line = 37 + i
			}
		}
	}
	return b
}
