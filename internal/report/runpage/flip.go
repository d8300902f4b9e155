package runpage

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"lockstep/internal/checker"
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

// flips suggests single changes of the scenario, the most instructive first, derived from the plan
// and the findings. None is a promise: the command plays and judges the changed scenario.
func flips(b *bundle.Bundle, lead int, st *story) []flip {
	if b.Plan == nil || b.Replay == "" || lead >= len(b.Runs) || b.Runs[lead].Judgement.History == nil {
		return nil
	}
	var out []flip
	if fixing := fixing(b, lead); len(fixing) > 0 {
		r := &b.Runs[fixing[0]]
		text := another(sanitize.Text(r.Lock, sanitize.MaxName), bundle.BrokenCount(r))
		out = append(out, flip{st.sentence(text), lockFlag.ReplaceAllString(b.Replay, "") + " --lock " + argument(r.Lock)})
	}
	for _, e := range edits(b, lead) {
		out = append(out, flip{st.sentence(e.text), edited(b, b.Runs[lead].Lock, e)})
	}
	// A command that needs cleaning would no longer play the scenario.
	out = slices.DeleteFunc(out, func(f flip) bool { return sanitize.KeepBlanks(f.Command) != f.Command })
	return out[:min(len(out), maxFlips)]
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

// edit changes one value of the scenario: see scenario.Change.
type edit struct {
	text       say.Phrase
	key, value string
}

func edits(b *bundle.Bundle, lead int) []edit {
	p := b.Plan
	h := b.Runs[lead].Judgement.History
	if b.Backend != history.Sim || h.Header.ScalePPM != 1_000_000 || b.File() == "" {
		return nil // the command would not play the run of the report
	}
	var out []edit
	drawn := func(f history.Fault) bool { return f.Drawn } // at random, so it is not in the file
	random := h.Header.Drawn || slices.ContainsFunc(h.Header.Faults, drawn)
	if f := longFault(p); f != nil && p.Lease > 0 && !random {
		out = append(out, edit{
			say.ShorterFault.With(say.Planned(p.Lease/4), say.Planned(f.End.For)),
			fmt.Sprintf("faults.%d.for", f.Number), whole(p.Lease / 4),
		})
	}
	if v, ok := p.Lock(b.Runs[lead].Lock); ok && v.Kind().IsRedis() && p.Redis.Lag > 0 {
		out = append(out, edit{say.Text("Replication without lag."), "servers.redis.lag", "0s"})
	}
	if p.Workload.Fence == plan.FenceNone && checker.HandsOutTokens(h) {
		out = append(out, edit{say.Text("A resource that compares tokens."), "workload.fence", "reads and writes"})
	}
	if longest := longest(p); longest >= p.Lease && p.Lease > 0 {
		lease := (2*longest + time.Second - 1).Truncate(time.Second)
		out = append(out, edit{say.LongerLease.With(say.Planned(lease), say.Planned(p.Lease)), "lease", whole(lease)})
	}
	return out
}

// longFault returns the only fault with a duration, if it lasts at least as long as the lease.
func longFault(p *plan.Plan) *faults.Fault {
	var found []*faults.Fault
	for i := range p.Faults {
		if f := &p.Faults[i]; f.End.For > 0 {
			found = append(found, f)
		}
	}
	if len(found) != 1 || found[0].End.For < p.Lease {
		return nil
	}
	return found[0]
}

func longest(p *plan.Plan) time.Duration {
	d := p.Workload.Work.Max
	for i := range p.Faults {
		d = max(d, p.Faults[i].End.For)
	}
	return d
}

// edited is a command line that plays the scenario with one more change. It drops the expectations
// of the file, which are about the unchanged scenario.
func edited(b *bundle.Bundle, lock string, e edit) string {
	sets := shell.Set(append(slices.Clone(b.Plan.Changes), e.key+"="+e.value, "expect="+plan.Anything)...)
	return fmt.Sprintf("simulate run %s%s --lock %s --seed %d", argument(b.File()), sets, argument(lock), b.Seed)
}

// whole writes a duration as a scenario file does, in whole seconds or milliseconds.
func whole(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return fmt.Sprintf("%dms", d/time.Millisecond)
}

// argument quotes the name of a file or a lock for a shell, so that it is not a flag.
func argument(s string) string {
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	return shell.Word(s)
}
