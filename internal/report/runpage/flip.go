package runpage

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

// flip is one change to the scenario that a reader can make by copying a line.
type flip struct{ Text, Command string }

const maxFlips = 3

// flips suggests changes of one thing each, the most telling first. Every one
// follows from the plan and from what was found; none is a promise: the command
// plays the changed scenario and judges it.
func flips(b *bundle.Bundle, told int, st *story) []flip {
	if b.Plan == nil || b.Replay == "" || told >= len(b.Runs) || b.Runs[told].Judgement.History == nil {
		return nil
	}
	var out []flip
	if fixing := fixing(b, told); len(fixing) > 0 {
		lock := b.Runs[fixing[0]].Lock
		out = append(out, flip{st.nice(another(sanitize.Text(lock, sanitize.MaxName), bundle.BrokenCount(&b.Runs[fixing[0]]))), withLock(b.Replay, lock)})
	}
	for _, e := range edits(b, told) {
		out = append(out, flip{st.nice(e.text), edited(b, b.Runs[told].Lock, e)})
	}
	kept := out[:0]
	for _, f := range out {
		// A line that would have to be cleaned is not the line that plays it.
		if sanitize.KeepBlanks(f.Command) == f.Command {
			kept = append(kept, f)
		}
	}
	return kept[:min(len(kept), maxFlips)]
}

// another recommends a lock that broke n properties.
func another(lock string, n int) say.Phrase {
	switch name := say.Verbatim(lock); n {
	case 0:
		return say.AnotherBrokeNothing.With(name)
	case 1:
		return say.AnotherBrokeOne.With(name)
	default:
		return say.AnotherBrokeFew.With(name, say.Number(n))
	}
}

var lockFlag = regexp.MustCompile(` --lock \S+`)

// withLock is a replay line for one lock.
func withLock(replay, lock string) string {
	return lockFlag.ReplaceAllString(replay, "") + " --lock " + argument(lock)
}

// edit changes one value of the scenario: see scenario.Change.
type edit struct {
	text       say.Phrase
	key, value string
}

// edits lists the changes that fit what happened.
func edits(b *bundle.Bundle, told int) []edit {
	p := b.Plan
	h := b.Runs[told].Judgement.History
	if b.Backend != history.Sim || h.Header.ScalePPM != 1_000_000 || b.File() == "" {
		return nil // the line would not play what the report shows
	}
	var out []edit
	if f := longFault(p); f != nil && p.Lease > 0 && !byLuck(h) {
		out = append(out, edit{
			say.ShorterFault.With(say.Planned(p.Lease/4), say.Planned(f.End.For)),
			fmt.Sprintf("faults.%d.for", f.Number), whole(p.Lease / 4),
		})
	}
	if v, ok := p.Lock(b.Runs[told].Lock); ok && v.Kind().IsRedis() && p.Redis.Lag > 0 {
		out = append(out, edit{say.NoLag.With(), "servers.redis.lag", "0s"})
	}
	if p.Workload.Fence == plan.FenceNone && handsOutTokens(h) {
		out = append(out, edit{say.CompareTokens.With(), "workload.fence", "reads and writes"})
	}
	if longest := longest(p); longest >= p.Lease && p.Lease > 0 {
		lease := (2*longest + time.Second - 1).Truncate(time.Second)
		out = append(out, edit{say.LongerLease.With(say.Planned(lease), say.Planned(p.Lease)), "lease", whole(lease)})
	}
	return out
}

// longFault returns the fault that ends by itself, if there is just one and it
// lasts at least as long as the lease.
func longFault(p *plan.Plan) *faults.Fault {
	var found *faults.Fault
	for i := range p.Faults {
		if f := &p.Faults[i]; f.End.For > 0 {
			if found != nil {
				return nil // the edit would change them all
			}
			found = f
		}
	}
	if found == nil || found.End.For < p.Lease {
		return nil
	}
	return found
}

// longest is how long a holder may be busy by plan: its work, or a fault.
func longest(p *plan.Plan) time.Duration {
	d := p.Workload.Work.Max
	for i := range p.Faults {
		d = max(d, p.Faults[i].End.For)
	}
	return d
}

func handsOutTokens(h *history.History) bool {
	return slices.ContainsFunc(h.Milestones(), func(i int32) bool { return h.Events[i].Token != 0 })
}

// edited is a command line that plays the scenario with one value changed, besides those that were changed
// already. What the file expects is left out: it is about the scenario as it was.
func edited(b *bundle.Bundle, lock string, e edit) string {
	line := "simulate run " + argument(b.File())
	for _, change := range append(slices.Clone(b.Plan.Changes), e.key+"="+e.value, "expect="+plan.Anything) {
		key, value, _ := strings.Cut(change, "=")
		line += " --set " + shell.Pair(key, value)
	}
	return fmt.Sprintf("%s --lock %s --seed %d", line, argument(lock), b.Seed)
}

// byLuck reports whether faults of a run were drawn: they stand in no file.
func byLuck(h *history.History) bool {
	return h.Header.Drawn || slices.ContainsFunc(h.Header.Faults, func(f history.Fault) bool { return f.Drawn })
}

// whole writes a duration as a scenario file does, in whole seconds or milliseconds.
func whole(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return fmt.Sprintf("%dms", d/time.Millisecond)
}

// argument quotes a word that names a file or a lock, and is no flag, for a shell.
func argument(s string) string {
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	return shell.Word(s)
}
