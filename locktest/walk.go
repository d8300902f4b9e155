package locktest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
)

// walked is where a walk puts its faults: A is first, B wants the lock, and what is late of A's first
// round meets its second.
const walked = `
clients: [A, B]
workload: {repeat: 2 times, work: 4s, rest: 100ms}
servers: {redis: {persistence: always}, redlock: {persistence: always}}
`

// kind is one kind of fault, and the moments of A at which it can come.
type kind struct {
	name, fault string
	at          []faults.MomentKind
}

var (
	atRequests = []faults.MomentKind{faults.AboutToSend}
	atSteps    = []faults.MomentKind{faults.AboutToSend, faults.HasReply, faults.Enters, faults.InSection, faults.AboutToWrite, faults.Releases}
	atServers  = []faults.MomentKind{faults.AboutToSend, faults.HasExecuted, faults.InSection, faults.Releases}
)

// kinds are all of them.
var kinds = []kind{
	{"pause", "pause: A, for: 12s", atSteps},
	{"crash", "crash: A", append([]faults.MomentKind{faults.HasExecuted}, atSteps...)},
	{"cut", "partition: [A, store], for: 12s", atServers},
	{"lost-request", "drop: request", atRequests},
	{"lost-reply", "drop: reply", atRequests},
	{"late-request", "delay: request, by: 12s", atRequests},
	{"late-reply", "delay: reply, by: 12s", atRequests},
	{"restart", "restart: the primary", atServers},
}

func isKind(name string) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k.name == name })
}

// walkAll plays every kind at every moment that A reaches when nothing goes wrong.
func (s *suite) walkAll(t *testing.T) {
	base, err := scenario.Parse("walk", []byte("scenario: A walk"+walked))
	if err != nil {
		t.Fatal(err)
	}
	s.expect(base, "")
	reached := map[faults.MomentKind]int{}
	r := s.play(t, base, s.seed, func(m faults.Moment, _ history.Instant) {
		if m.Subject == "A" {
			reached[m.Kind]++
		}
	})
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { s.walkKind(t, k, reached) })
	}
}

// walkKind plays one kind at all of its moments.
func (s *suite) walkKind(t *testing.T, k kind, reached map[faults.MomentKind]int) {
	name := "walk/" + k.name
	broken := map[string]int{} // places, by property
	places, untested := 0, 0
	for _, at := range k.at {
		for n := 1; n <= reached[at]; n++ {
			p, err := place(k, at, n)
			if err != nil {
				t.Fatal(err)
			}
			p.Slug = name
			s.expect(p, name)
			r := s.play(t, p, s.seed, nil)
			if r.Err != nil {
				t.Fatalf("%s: %v", p.Faults[0].Text, r.Err)
			}
			places++
			if why := r.WhyUntested(); !why.Empty() || len(r.missed) > 0 {
				untested++
				continue
			}
			if !s.stands(t, p, r, broken) {
				return
			}
		}
	}
	t.Logf("%d places, of which %d tested nothing; broken: %v", places, untested, broken)
	switch missing := unbroken(s.breaks[name], broken); {
	case places == untested && !slices.Contains(s.untested, name):
		t.Errorf("unknown: none of %d places tested anything; allow it with locktest.MayBeUntested(%q)", places, name)
	case len(missing) > 0:
		t.Errorf("%s is kept at all %d places, and the test says that it breaks: take it out of locktest.Breaks(%q).", strings.Join(missing, ", "), places, name)
	}
}

// stands counts what a run has broken, and says so when the test does not know of it.
func (s *suite) stands(t *testing.T, p *plan.Plan, r *result, broken map[string]int) bool {
	t.Helper()
	for _, f := range r.Judgement.Findings {
		if f.Verdict == checker.Broken {
			broken[f.Property]++
		}
	}
	// What breaks somewhere need not break here.
	r.Expected = slices.DeleteFunc(r.Expected, func(e run.Expected) bool { return e.Verdict != string(checker.Kept) || e.Got == checker.Unknown })
	if r.Status() == run.Missed {
		t.Errorf("%s:\n%s", p.Faults[0].Text, s.failed(t, p, r))
		return false
	}
	return true
}

// unbroken are the properties that never broke.
func unbroken(properties []string, broken map[string]int) (missing []string) {
	for _, p := range properties {
		if broken[p] == 0 {
			missing = append(missing, p)
		}
	}
	return missing
}

// place is the story of one fault at one moment: the n-th of its kind that A reaches.
func place(k kind, at faults.MomentKind, n int) (*plan.Plan, error) {
	phrase := "A " + faults.MomentPhrases()[at-1].Text
	if at.OnWire() {
		phrase = fmt.Sprintf(phrase, faults.AnyCommand)
	}
	text := fmt.Sprintf("scenario: A walk%sfaults: [{when: %s the %s time, %s}]\n", walked, phrase, ordinal(n), k.fault)
	return scenario.Parse("walk", []byte(text))
}

// ordinal is n as scenarios count: 1st, 2nd.
func ordinal(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}
