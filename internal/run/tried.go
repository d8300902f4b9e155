package run

import (
	"slices"
	"strings"
	"time"

	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

// Tried summarises what the runs of a user's own lock have tested, so that success does not claim
// too much.
type Tried struct {
	runs, untested   int
	stories          []string
	verbs            []string // of faults that have changed something
	lease, work, ask spanOf
	entry            say.Phrase
}

// spanOf is from the shortest to the longest.
type spanOf struct{ min, max time.Duration }

func (s *spanOf) take(low, high time.Duration) {
	if s.max == 0 || low < s.min {
		s.min = low
	}
	s.max = max(s.max, high)
}

func (s spanOf) said() say.Phrase { return say.Between(s.min, s.max) }

// Add counts one run of a plan. A run that tested nothing counts only as untested.
func (t *Tried) Add(p *plan.Plan, o *Outcome) {
	if h := o.Judgement.History; h != nil && (t.entry.Empty() || h.Header.Entry == history.Unfollowed) {
		t.entry = Entry(&h.Header)
	}
	t.runs++
	if !o.WhyUntested().Empty() {
		t.untested++
		return
	}
	if !slices.Contains(t.stories, p.Slug) {
		t.stories = append(t.stories, p.Slug)
	}
	t.lease.take(p.Lease, p.Lease)
	t.ask.take(p.Network.Timeout, p.Network.Timeout)
	for _, client := range p.Clients {
		w := p.WorkloadOf(client).Work
		t.work.take(w.Min, w.Max)
	}
	for i := range o.Judgement.Faults {
		if f := &o.Judgement.Faults[i]; f.Times > 0 && !f.NoEffect && !slices.Contains(t.verbs, f.Verb) {
			t.verbs = append(t.verbs, f.Verb)
		}
	}
}

// Lines returns three lines: what was tried, what was not, and how entries were followed.
func (t *Tried) Lines() []say.Phrase {
	slices.Sort(t.verbs)
	var others []string
	for _, s := range faults.All() {
		if !slices.Contains(t.verbs, s.Name) {
			others = append(others, s.Name)
		}
	}
	list := func(names []string) say.Verbatim { return say.Verbatim(strings.Join(names, ", ")) }
	tried := say.TriedNothing.With(say.Number(t.runs))
	if len(t.stories) > 0 {
		tried = say.TriedThese.With(say.Number(len(t.stories)), list(t.verbs), t.Settings(), say.Optional(t.untested))
	}
	return []say.Phrase{tried, say.NotTried.With(list(others)), say.LockEntry.With(t.entry)}
}

// Settings says which leases, work and timeouts were tried.
func (t *Tried) Settings() say.Phrase {
	return say.TriedWith.With(t.lease.said(), t.work.said(), t.ask.said())
}

// Entry says how the entry of a user's own lock was followed; empty for a lock of lockstep.
func Entry(h *history.Header) say.Phrase {
	switch h.Entry {
	case history.Followed, history.Owned:
		return say.EntryFollowed.With(say.Verbatim(h.Keys))
	case history.Unfollowed:
		return say.EntryUnfollowed.With(say.Verbatim(h.Keys))
	case history.Unread:
		return say.Text("not followed: what is known of this store does not say whose entry a release removes")
	}
	return say.Phrase{}
}

// Noticed adds the numbers of those faults of the plan from which this run drew something with an
// effect.
func Noticed(lines []int, o *Outcome) []int {
	for i := range o.Judgement.Lines {
		if l := &o.Judgement.Lines[i]; l.Noticed && !slices.Contains(lines, l.Number) {
			lines = append(lines, l.Number)
		}
	}
	return lines
}

// Idle returns the faults of the plan from which something could be drawn and that had an effect in
// none of its runs: the runs do not test them.
func Idle(p *plan.Plan, noticed []int) (idle []faults.Fault) {
	for i := range p.Faults {
		if f := &p.Faults[i]; f.MayCome() && !slices.Contains(noticed, f.Number) {
			idle = append(idle, *f)
		}
	}
	return idle
}

// IdleRemarks says of each such fault that it had no effect.
func IdleRemarks(idle []faults.Fault) say.Remarks {
	return each.Map(idle, func(f faults.Fault) say.Phrase { return say.NothingCameOf.With(say.Number(f.Number), f.Sentence()) })
}
