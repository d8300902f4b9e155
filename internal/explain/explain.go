// Package explain turns a history and what the checkers found in it into
// sentences: the narrated steps of a run, one sentence of verdict, and the
// assumption that turned out to be false, with its numbers.
//
// The same history gives the same words, in every report. A step shows what the clients believe
// next to what the store has, since a lock is broken where the two disagree.
package explain

import (
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// Step is one narrated event.
type Step struct {
	At        history.Instant
	Event     int32          // index into History.Events
	Node      history.NodeID // where it happened
	Sentence  say.Phrase
	Belief    say.Phrase // after the event: "A thinks it holds the lock"
	Store     say.Phrase // after the event: "Redis says A"; empty when the history does not show it
	Apart     bool       // belief and store disagree
	Violation bool       // a property breaks here
	Note      say.Phrase // for a violation: "stale write: B has held the lock since 10.031 s"
	Decides   bool       // it led to the first violation, so a shortened story keeps it
	before    say.Phrase // of a step that stands for others: the sentence about itself
	folds     int        // how many steps or rounds it stands for
	Skipped   int        // steps left out before this one, in the middle of a story
}

// Steps narrates a history: acquisitions, leases that end, faults and their effects, writes,
// releases, and every violation, without retries and routine messages. Of a long history it is the
// part that Narrate keeps.
func Steps(h *timeline.Timeline, findings []checker.Finding) []Step {
	steps, _, _ := Narrate(h, findings)
	return steps
}

// mostSteps is how many steps Narrate keeps.
const mostSteps = 400_000

// Narrate is Steps, and returns how many steps before and after them are left out: there are at most
// mostSteps, those around the first violation, or the first ones when there is none.
func Narrate(h *timeline.Timeline, findings []checker.Finding) (steps []Step, before, after int) {
	steps, before, after = narrate(h, findings, mostSteps)
	return fold(steps), before, after
}

func narrate(h *timeline.Timeline, findings []checker.Finding, most int) (steps []Step, before, after int) {
	t := newNarrator(h, findings)
	deciding := Assumption(h, findings, 0).Events
	brokenYet := len(t.breaks) == 0 // from now on no earlier step is dropped for a later one
	for index, e := range h.All() {
		t.Before(e)
		sentence := t.sentence(index, e)
		t.Apply(index, e)
		breaks := t.breaks[index]
		if sentence.Empty() && len(breaks) > 0 {
			sentence = t.plain(e)
		}
		if sentence.Empty() {
			continue
		}
		if len(steps) >= most && !brokenYet {
			drop := most / 2
			steps = append(steps[:0], steps[drop:]...)
			before += drop
		}
		brokenYet = brokenYet || len(breaks) > 0
		if len(steps) >= most {
			after++
			continue
		}
		step := Step{At: e.At, Event: index, Node: e.Node, Sentence: sentence, Decides: slices.Contains(deciding, index)}
		step.Belief, step.Store, step.Apart = t.beliefs()
		if len(breaks) > 0 {
			step.Violation = true
			step.Note = t.note(e, breaks)
		}
		steps = append(steps, step)
	}
	return steps, before, after
}

// Story picks at most limit steps: those around the first violation, or the first ones when there
// is none, and the earlier steps that decided it. It starts, if possible, where the lock was last
// free. Step.Skipped counts what is left out in between.
func Story(steps []Step, limit int) (story []Step, before, after int) {
	if len(steps) <= limit {
		return steps, 0, 0
	}
	first := max(slices.IndexFunc(steps, func(s Step) bool { return s.Violation }), 0)
	start, end := window(steps, first, limit)
	var early []int // deciding steps before the window
	for i := start - 1; i >= 0 && len(early) < limit/2; i-- {
		if steps[i].Decides {
			early = append(early, i)
			// The window makes room at its end if it can, else at its beginning.
			switch {
			case end > first+1+limit/4 || end > first+1 && steps[start].Decides:
				end--
			case start < first:
				start++
			}
		}
	}
	slices.Reverse(early)
	last := -1
	for _, i := range early {
		story = append(story, steps[i])
		story[len(story)-1].Skipped = i - last - 1
		last = i
	}
	kept := len(story)
	story = append(story, steps[start:end]...)
	if kept == 0 {
		return story, start, len(steps) - end
	}
	story[kept].Skipped = start - last - 1
	before, story[0].Skipped = story[0].Skipped, 0
	return story, before, len(steps) - end
}

// window returns limit steps with the first violation in them.
func window(steps []Step, first, limit int) (start, end int) {
	start = max(0, first-limit*2/3)
	for i := first - 1; i > start; i-- {
		if steps[i-1].Belief.Is(say.NobodyBelieves) && !steps[i-1].Apart {
			start = i
			break
		}
	}
	end = min(len(steps), start+limit)
	return max(0, end-limit), end
}

// anchors lists, per event, the violations that are shown there.
func anchors(h *timeline.Timeline, findings []checker.Finding) map[int32][]breach {
	out := map[int32][]breach{}
	for _, f := range findings {
		for _, v := range f.Violations {
			if at := anchor(h, f.Property, v); at >= 0 {
				out[at] = append(out[at], breach{f.Property, v})
			}
		}
	}
	return out
}

type breach struct {
	property string
	checker.Violation
}

// anchor picks the event at which a violation is shown: the last one at the instant at which it
// begins, else the last one. A stuck lock is shown at the end, where that is certain.
func anchor(h *timeline.Timeline, property string, v checker.Violation) int32 {
	at := history.NoCause
	for _, i := range v.Events {
		if i < 0 || int(i) >= len(h.Events) {
			continue
		}
		if at < 0 || property == checker.ProgressID || h.Events[at].At != v.From || h.Events[i].At == v.From {
			at = i
		}
	}
	return at
}
