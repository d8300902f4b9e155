// Package run plays plans: one plan, its locks, one or many seeds, in the world that the caller
// passes. It judges each history and compares the verdicts with what the scenario's author expects.
package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/chaos"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

// World plays plans, one after the other. A history is valid until the next Play. With an error
// there is none, except that of a run that was cut short.
type World interface {
	Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error)
	Close()
}

// Logger is a World whose servers keep logs.
type Logger interface {
	// Logs returns the logs of the last Play, by server.
	Logs() map[string][]byte
}

// Bounded is a World with a limit on recorded events. Reserve tells it how many other histories
// have used up.
type Bounded interface{ Reserve(events int) }

// Factory makes a World; each worker has its own.
type Factory func() World

// Outcome is one lock's run of a plan.
type Outcome struct {
	Lock      string
	Seed      uint64
	Judgement checker.Judgement
	Expected  []Expected // in the order of the plan
	Err       error      // the run could not be played or was cut short; the judgement is empty then
	// Logs are those of the servers, by name; nil in a world without logs, and where many runs are
	// counted.
	Logs map[string][]byte
}

// Expected is an expectation with the verdict that was found.
type Expected struct {
	plan.Expectation
	Got     checker.Verdict
	Implied bool // the plan has no expectation for the lock
}

// Met reports whether the expectation holds.
func (e Expected) Met() bool { return string(e.Got) == e.Verdict }

// Status is how a run ended, the worst of its parts.
type Status int

// The statuses from best to worst.
const (
	NothingExpected Status = iota // the scenario says so, and its faults fired
	Met                           // every expectation holds
	Inconclusive                  // something was not tested: a fault never fired, a verdict is unknown
	Missed                        // an expectation does not hold
	Failed                        // the run could not be played
)

// Good reports whether no expectation was missed and everything was tested.
func (s Status) Good() bool { return s <= Met }

// One plays a plan with one lock and judges it. Chaos is drawn from the seed.
func One(ctx context.Context, w World, p *plan.Plan, lock string, seed uint64) Outcome {
	out := Outcome{Lock: lock, Seed: seed}
	p = chaos.Draw(p, seed)
	h, err := w.Play(ctx, p, lock, seed)
	out.Err = err
	if h == nil {
		return out
	}
	if err != nil {
		cutShort(ctx, h)
	}
	h.Header.Asked = strings.Join(checker.NotCore(p.Asked()), ",")
	out.Judgement = checker.Judge(h, p.Asked()...)
	out.Expected = compare(p, lock, out.Judgement)
	return out
}

// mostInterrupted is how many events of an interrupted run are kept: as many as can be judged,
// drawn and stored in half a second after Ctrl-C.
const mostInterrupted = 100_000

// cutShort ends the history of an unfinished run.
func cutShort(ctx context.Context, h *history.History) {
	n, why := len(h.Events), ""
	if ctx.Err() != nil && n > mostInterrupted {
		why = fmt.Sprintf("interrupted, and these are the first %d of %d events", mostInterrupted, n)
		n = mostInterrupted
	}
	h.CutAt(n, why)
}

// compare compares the findings with the plan's expectations for a lock, or with the implied ones.
func compare(p *plan.Plan, lock string, j checker.Judgement) []Expected {
	said, ok := p.ExpectationsFor(lock)
	if !ok {
		said = implied(lock, &j)
	}
	var out []Expected
	for _, e := range said {
		out = append(out, Expected{Expectation: e, Got: j.Finding(e.Property).Verdict, Implied: !ok})
	}
	if removesForeign(p, lock, said, &j) {
		kept := plan.Expectation{Lock: lock, Property: checker.OwnerOnlyReleaseID, Verdict: string(checker.Kept)}
		out = append(out, Expected{Expectation: kept, Got: j.Finding(checker.OwnerOnlyReleaseID).Verdict})
	}
	return out
}

// removesForeign reports whether a program has removed another client's entry, or may have, in a story that
// expects something else: see DESIGN.md.
func removesForeign(p *plan.Plan, lock string, said []plan.Expectation, j *checker.Judgement) bool {
	release := j.Finding(checker.OwnerOnlyReleaseID)
	return len(said) > 0 && slices.ContainsFunc(p.Programs, func(v locks.Variant) bool { return v.ID == lock }) &&
		!slices.ContainsFunc(said, func(e plan.Expectation) bool { return e.Property == checker.OwnerOnlyReleaseID }) &&
		(release.Verdict == checker.Broken || release.Doubts > 0 && j.History.Header.Entry == history.Unfollowed)
}

// Breaking returns the expectations for locks that are known to break some properties. Where two
// may hold the lock nothing is expected of writes.
func Breaking(ids, broken []string) (all []plan.Expectation) {
	two := slices.Contains(broken, checker.MutualExclusionID)
	for _, lock := range ids {
		for _, p := range checker.All() {
			verdict := checker.Kept
			switch {
			case slices.Contains(broken, p.ID):
				verdict = checker.Broken
			case !p.Core, two && (p.ID == checker.NoStaleWriteID || p.ID == checker.NoLostUpdateID):
				continue
			}
			all = append(all, plan.Expectation{Lock: lock, Property: p.ID, Verdict: string(verdict)})
		}
	}
	return all
}

// implied returns the implied expectations: a lock keeps every core property. One that the run had
// no occasion to break is left out if mutual exclusion was tested and kept.
func implied(lock string, j *checker.Judgement) (all []plan.Expectation) {
	tested := j.Finding(checker.MutualExclusionID).Verdict == checker.Kept
	for _, p := range checker.All() {
		if p.Core && (!tested || !j.Finding(p.ID).NoOccasion) {
			all = append(all, plan.Expectation{Lock: lock, Property: p.ID, Verdict: string(checker.Kept)})
		}
	}
	return all
}

// Status returns how the run ended. A broken property that was expected to be kept, or the reverse,
// is Missed; an expected property with an unknown verdict is Inconclusive, and so is any run with a
// fault that never fired.
func (o *Outcome) Status() Status {
	if o.Err != nil {
		return Failed
	}
	switch {
	case len(o.Expected) > 0:
	case o.Judgement.NeverFired(), o.Judgement.History != nil && o.Judgement.History.Header.Alone != "":
		// nothing was expected, but the story was not played either
		return Inconclusive
	default:
		return NothingExpected
	}
	status := Met
	if !o.Untested().Empty() {
		status = Inconclusive
	}
	for _, e := range o.Expected {
		switch {
		case e.Met():
		case e.Got == checker.Unknown:
			status = max(status, Inconclusive)
		default:
			status = max(status, Missed)
		}
	}
	return status
}

// Alone returns the status of the only run of a story: every fault of chance must have had an
// effect in it.
func (o *Outcome) Alone() Status {
	status := o.Status()
	if status.Good() && !o.Judgement.Idle().Empty() {
		return Inconclusive
	}
	return status
}

// Untested says what the run was meant to test and did not; empty when it tested everything. See
// checker.Judgement.
func (o *Outcome) Untested() say.Phrase { return o.Judgement.Untested }

// WhyUntested says why a run is no evidence; empty for a run that tested something.
func (o *Outcome) WhyUntested() say.Phrase {
	for _, f := range o.Judgement.Findings {
		if f.Verdict == checker.Broken {
			return say.Phrase{}
		}
	}
	if why := o.Untested(); !why.Empty() {
		return why
	}
	return o.Judgement.WhyUnknown()
}

// Result is the outcome of one plan with one seed.
type Result struct {
	Plan     *plan.Plan // what was played: the faults of a chaos are drawn
	Backend  string
	Seed     uint64
	Outcomes []Outcome // one per lock, in the order of the plan
}

// Status returns the worst status of the outcomes. Inconclusive, at best, when an interrupted run
// did not reach some of the plan's locks.
func (r *Result) Status() Status {
	worst := NothingExpected
	if len(r.Outcomes) < len(r.Plan.Locks) {
		worst = Inconclusive
	}
	for i := range r.Outcomes {
		worst = max(worst, r.Outcomes[i].Alone())
	}
	return worst
}

// Histories returns the histories of the outcomes, in their order.
func (r *Result) Histories() []*history.History {
	return each.Map(r.Outcomes, func(o Outcome) *history.History { return o.Judgement.History })
}

// All plays a plan with all its locks and one seed, each in its own world; they share one limit on
// events. It stops at the first that cannot be played, with the outcomes so far.
func All(ctx context.Context, worlds Factory, p *plan.Plan, seed uint64, backend string) (*Result, error) {
	p = chaos.Draw(p, seed)
	r := &Result{Plan: p, Backend: backend, Seed: seed}
	recorded := 0
	for _, lock := range p.Locks {
		w := worlds()
		if b, ok := w.(Bounded); ok {
			b.Reserve(recorded)
		}
		out := One(ctx, w, p, lock, seed)
		if l, ok := w.(Logger); ok {
			out.Logs = l.Logs()
		}
		w.Close()
		if h := out.Judgement.History; h != nil {
			recorded += len(h.Events)
		}
		r.Outcomes = append(r.Outcomes, out)
		if out.Err != nil {
			r.shorten(ctx, recorded)
			return r, fmt.Errorf("%s with %s: %w", p.Name, lock, out.Err)
		}
	}
	return r, nil
}

// shorten limits all histories of an interrupted run together to what one may have.
func (r *Result) shorten(ctx context.Context, recorded int) {
	if ctx.Err() == nil || recorded <= mostInterrupted {
		return
	}
	share := mostInterrupted / len(r.Outcomes)
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		h := o.Judgement.History
		if h == nil || len(h.Events) <= share {
			continue
		}
		h.CutAt(share, fmt.Sprintf("interrupted, and these are the first %d of %d events", share, len(h.Events)))
		judged := Stored(r.Plan, h)
		o.Judgement, o.Expected = judged.Judgement, judged.Expected
	}
}

// Stored judges a stored history and compares the verdicts with what the plan expects of its lock.
func Stored(p *plan.Plan, h *history.History) Outcome {
	lock := h.Header.Lock
	j := checker.Judge(h, p.Asked()...)
	return Outcome{Lock: lock, Seed: h.Header.Seed, Judgement: j, Expected: compare(p, lock, j)}
}

// CheckLocks returns an error for each of a plan's locks that does not support its lease, renewal
// or Redis Cluster: after scaling, and for locks that the file does not list.
func CheckLocks(p *plan.Plan) error {
	var problems []error
	for _, id := range p.Locks {
		v, ok := p.Lock(id)
		if !ok {
			problems = append(problems, fmt.Errorf("unknown lock %q", id))
			continue
		}
		problems = append(problems, v.CheckLease(p.Lease))
		if p.Renews() {
			problems = append(problems, v.CheckRenew())
		}
		if v.Kind().IsRedis() && p.Redis.Cluster.Shards > 0 {
			problems = append(problems, v.CheckCluster())
		}
	}
	return errors.Join(problems...)
}
