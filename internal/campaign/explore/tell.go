package explore

import (
	"context"
	"fmt"
	"slices"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/sim"
)

// tell makes the story of a found set and plays it as a user would. A story that does not break the
// lock is a bug of the search.
func (g *target) tell(w World, f *found) (results.CutSet, error) {
	triggers := g.triggers(f.Schedule)
	broken, seen, err := g.playStory(w, f.Schedule, triggers)
	if err != nil {
		return results.CutSet{}, err
	}
	if !slices.ContainsFunc(f.Way.Properties(), func(id string) bool { return slices.Contains(broken, id) }) {
		return results.CutSet{}, fmt.Errorf("%s: the story does not show what was found (%s): %s",
			g.v.ID, f.Way, toldOf(g.faults(f.Schedule, triggers)).English())
	}
	if fewer := faults.Recount(g.faults(f.Schedule, triggers), seen); !slices.Equal(fewer, triggers) {
		again, _, err := g.playStory(w, f.Schedule, fewer)
		if err != nil {
			return results.CutSet{}, err
		}
		if !slices.Equal(again, broken) {
			return results.CutSet{}, fmt.Errorf("%s: counted from elsewhere, the story of %s breaks %v and not %v",
				g.v.ID, g.told(f.Schedule).English(), again, broken)
		}
		triggers = fewer
	}
	return results.CutSet{Kinds: f.Kinds.names(), Shown: results.Shown{
		Profile: g.profile.Name, Faults: g.items(f.Schedule, triggers), Fence: g.fence, Broken: broken,
	}}, nil
}

// playStory plays a story and returns the properties that it breaks and the moments of the run.
func (g *target) playStory(w World, of schedule, triggers []faults.Trigger) (ids []string, seen []faults.Moment, err error) {
	p := *g.plan
	p.Faults = g.faults(of, triggers)
	w.SetTiming(sim.Timing{})
	w.Watch(func(m faults.Moment, _ history.Instant) { seen = append(seen, m) })
	h, err := w.Play(context.Background(), &p, g.v.ID, 1)
	if err != nil {
		return nil, nil, err
	}
	if shown := see(h); shown.began&^shown.vain != 1<<len(of)-1 || shown.cut {
		return nil, nil, fmt.Errorf("%s: not all faults of a story come about: %s", g.v.ID, toldOf(p.Faults).English())
	}
	for _, p := range checker.All() {
		if p.Check(h).Verdict == checker.Broken {
			ids = append(ids, p.ID)
		}
	}
	return ids, seen, nil
}

// triggers returns the moments of a schedule, as the search counts them.
func (g *target) triggers(s schedule) []faults.Trigger {
	out := make([]faults.Trigger, len(s))
	for i := range s {
		out[i] = s[i].When.fault(g.plan.Clients)
		out[i].After = s[i].After
	}
	return out
}

// faults returns a schedule with these triggers as the faults of a plan.
func (g *target) faults(s schedule, triggers []faults.Trigger) []faults.Fault {
	out := make([]faults.Fault, len(s))
	for i := range s {
		l := &g.templates[s[i].Template].fault
		out[i] = faults.Make(i+1, l.Spec(), l.Args, triggers[i], l.End)
	}
	return out
}

// items is the same as in results.Shown.
func (g *target) items(s schedule, triggers []faults.Trigger) []string {
	out := make([]string, len(s))
	for i := range s {
		out[i] = faultItem(g.templates[s[i].Template].text, triggers[i].Text(), triggers[i].After)
	}
	return out
}

// told describes a schedule in one line.
func (g *target) told(s schedule) say.Phrase { return toldOf(g.faults(s, g.triggers(s))) }

// toldOf describes faults in one line.
func toldOf(fs []faults.Fault) say.Phrase {
	if len(fs) == 0 {
		return say.Text("no fault")
	}
	var all say.Sequence
	for i := range fs {
		all = append(all, fs[i].Told())
	}
	return say.OneAfterTheOther.With(all)
}
