package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// faultItem is one item of the list of faults.
func faultItem(text, phrase string, after time.Duration) string {
	when := "when: " + phrase
	if after > 0 {
		when += "; after: " + faults.Duration(after)
	}
	return when + "; " + text
}

// storyOf is a story that a result shows of a lock.
func storyOf(scope *results.Scope, lock string, s *results.Shown) (out scenario.Sketch, p *plan.Plan, err error) {
	v, ok := locks.Lookup(lock)
	at := profileIndex(s.Profile)
	if !ok || at < 0 || scope.Clients < 2 || scope.Clients > mostClients {
		return out, nil, fmt.Errorf("a story of %q with %d clients in the profile %q: there is no such lock or profile", lock, scope.Clients, s.Profile)
	}
	out = profiles[at].sketch(&v, scope.Clients, scope.Rounds, s.Fence)
	out.Faults = s.Faults
	_, p, err = out.Plan()
	return out, p, err
}

// Scenario is a story that a result shows of a lock, as a scenario file.
func Scenario(scope *results.Scope, lock string, s *results.Shown) ([]byte, error) {
	out, p, err := storyOf(scope, lock, s)
	if err != nil {
		return nil, err
	}
	title := say.InTheProfile.With(say.Verbatim(s.Profile), shortened{s.Profile, sentenceOf(p.Faults)})
	out.Title, out.Chinese = fmt.Sprintf("%q", title.English()), fmt.Sprintf("%q", title.In(say.Chinese))
	out.Seed, out.Broken = 1, s.Broken
	return []byte(out.YAML()), nil
}

// AddTexts gives the stories of a result their texts, each in one line.
func AddTexts(x *results.Explored) error {
	known := map[string]say.Phrase{}
	for i := range x.Locks {
		l := &x.Locks[i]
		clear(known)
		for _, s := range l.Stories() {
			if s.Text != "" || len(s.Faults) == 0 {
				continue
			}
			key := s.Profile + strings.Join(s.Faults, "\n")
			if _, ok := known[key]; !ok {
				_, p, err := storyOf(&x.Scope, l.Lock, s.Shown)
				if err != nil {
					return err
				}
				known[key] = sentenceOf(p.Faults)
			}
			s.Sentence = known[key]
			s.Text = s.Sentence.English()
		}
	}
	return nil
}

// shortened is the text of a story, cut to the room in its title.
type shortened struct {
	profile string
	what    say.Phrase
}

func (s shortened) In(l say.Language) string {
	text := []rune(s.what.In(l))
	room := scenario.MaxTitle - utf8.RuneCountInString(say.InTheProfile.With(say.Verbatim(s.profile), say.Verbatim("")).In(l))
	if len(text) <= room {
		return string(text)
	}
	return strings.TrimRight(string(text[:room-3]), " ,，；") + "..."
}

// makeStory makes the story of a found set and plays it as a user would. A story that does not break the
// lock is a bug of the search.
func (g *target) makeStory(w World, f *found) (results.CutSet, error) {
	triggers := g.triggers(f.Schedule)
	broken, seen, err := g.playStory(w, f.Schedule, triggers)
	if err != nil {
		return results.CutSet{}, err
	}
	if !slices.ContainsFunc(f.Way.Properties(), func(id string) bool { return slices.Contains(broken, id) }) {
		return results.CutSet{}, fmt.Errorf("%s: the story does not show what was found (%s): %s",
			g.v.ID, f.Way, sentenceOf(g.faults(f.Schedule, triggers)).English())
	}
	if fewer := faults.Recount(g.faults(f.Schedule, triggers), seen); !slices.Equal(fewer, triggers) {
		again, _, err := g.playStory(w, f.Schedule, fewer)
		if err != nil {
			return results.CutSet{}, err
		}
		if !slices.Equal(again, broken) {
			return results.CutSet{}, fmt.Errorf("%s: counted from elsewhere, the story of %s breaks %v and not %v",
				g.v.ID, g.sentence(f.Schedule).English(), again, broken)
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
	if acted, cut := acting(h); acted != 1<<len(of)-1 || cut {
		return nil, nil, fmt.Errorf("%s: not all faults of a story come about: %s", g.v.ID, sentenceOf(p.Faults).English())
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
	return each.Map(s, func(p place) faults.Trigger {
		t := p.When.fault(g.plan.Clients)
		t.After = p.After
		return t
	})
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

// sentence describes a schedule in one line.
func (g *target) sentence(s schedule) say.Phrase { return sentenceOf(g.faults(s, g.triggers(s))) }

// sentenceOf describes faults in one line.
func sentenceOf(fs []faults.Fault) say.Phrase {
	if len(fs) == 0 {
		return say.Text("no fault")
	}
	return say.Said.With(say.Sequence(each.Map(fs, func(f faults.Fault) say.Part { return f.Sentence() })))
}
