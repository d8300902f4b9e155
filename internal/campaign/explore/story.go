package explore

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// story is a schedule as a scenario file.
type story struct {
	title   say.Phrase // empty: it is only played
	lock    string
	profile string   // text of the usage profile
	faults  []string // see results.Shown
	broken  []string // properties
}

// yaml is the file.
func (s *story) yaml() string {
	var b strings.Builder
	if s.title.Empty() {
		b.WriteString("scenario: walked\n")
	} else {
		fmt.Fprintf(&b, "scenario: %q\nseed: 1\n", s.title.English())
	}
	fmt.Fprintf(&b, "locks: [%s]\n%s", s.lock, s.profile)
	if len(s.faults) > 0 {
		b.WriteString("faults:\n")
	}
	for _, f := range s.faults {
		b.WriteString("  - " + strings.ReplaceAll(f, "; ", "\n    ") + "\n")
	}
	if len(s.broken) > 0 {
		fmt.Fprintf(&b, "expect:\n  %s:\n", s.lock)
	}
	for _, property := range s.broken {
		fmt.Fprintf(&b, "    %s: %s\n", property, checker.Broken)
	}
	if !s.title.Empty() {
		fmt.Fprintf(&b, "zh:\n  scenario: %q\n", s.title.In(say.Chinese))
	}
	return b.String()
}

// plan is the plan of the file, read like a stored one: its expectations, such as that the last
// server is gone, are known when it has been played.
func (s *story) plan() (*plan.Plan, error) {
	p, err := scenario.ParseStored("", []byte(s.yaml()), nil)
	if err != nil {
		return nil, fmt.Errorf("a story of %s is no scenario: %w\n%s", s.lock, err, s.yaml())
	}
	return p, nil
}

// faultItem is one item of the list of faults.
func faultItem(text, phrase string, after time.Duration) string {
	when := "when: " + phrase
	if after > 0 {
		when += "; after: " + faults.Duration(after)
	}
	return when + "; " + text
}

// storyOf is a story that a result shows of a lock.
func storyOf(scope *results.Scope, lock string, s *results.Shown) (*story, *plan.Plan, error) {
	v, ok := locks.Lookup(lock)
	at := profileIndex(s.Profile)
	if !ok || at < 0 || scope.Clients < 2 || scope.Clients > mostClients {
		return nil, nil, fmt.Errorf("a story of %q with %d clients in the profile %q: there is no such lock or profile", lock, scope.Clients, s.Profile)
	}
	out := &story{lock: lock, profile: profiles[at].text(&v, scope.Clients, scope.Rounds, s.Fence), faults: s.Faults}
	p, err := out.plan()
	return out, p, err
}

// Scenario is a story that a result shows of a lock, as a scenario file.
func Scenario(scope *results.Scope, lock string, s *results.Shown) ([]byte, error) {
	out, p, err := storyOf(scope, lock, s)
	if err != nil {
		return nil, err
	}
	out.broken = s.Broken
	out.title = say.InTheProfile.With(say.Verbatim(s.Profile), shortened{s.Profile, toldOf(p.Faults)})
	return []byte(out.yaml()), nil
}

// Tell gives the stories of a result their texts, each in one line.
func Tell(x *results.Explored) error {
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
				known[key] = toldOf(p.Faults)
			}
			s.Told = known[key]
			s.Text = s.Told.English()
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
