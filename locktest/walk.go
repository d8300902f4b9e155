package locktest

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/campaign/explore"
	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
)

// walked is the story of a walk: A goes first and B contends, and late messages of A's first round
// arrive in its second.
const walked = `
clients: [A, B]
workload: {repeat: 2 times, work: 4s, rest: 100ms}
servers: {redis: {persistence: always}, redlock: {persistence: always}}
`

// kinds are the kinds of faults of a walk, as package faultkind names them.
var kinds = []string{
	"pause", "crash", "cut", "lost-request", "lost-reply", late, "late-release", "late-reply", "restart",
}

// A request is late by more than a lease, and by less than the response timeout: only in the second
// case does a client that tries once take the answer for its own.
const late, lateShort = "late-request", "late-request-short"

// walkAll plays every kind at every moment that A reaches when nothing goes wrong.
func (s *suite) walkAll(t *testing.T) {
	base, err := scenario.Parse("walk", []byte("scenario: A walk"+walked))
	if err != nil {
		t.Fatal(err)
	}
	s.expect(base, "")
	placed, err := explore.NewPlaced(base, s.servers.Store, append(slices.Clone(kinds), lateShort))
	if err != nil {
		t.Fatal(err)
	}
	if r := s.play(t, base, s.seed, placed.Observe); r.Err != nil {
		t.Fatal(r.Err)
	}
	for _, kind := range kinds {
		plans := placed.Plans(kind)
		if kind == late {
			plans = append(plans, placed.Plans(lateShort)...)
		}
		t.Run(kind, func(t *testing.T) { s.walkKind(t, "walk/"+kind, plans) })
	}
}

// walkKind plays the plans of one kind.
func (s *suite) walkKind(t *testing.T, name string, plans []*plan.Plan) {
	broken := map[string]int{} // plans, by property
	untested := 0
	for _, p := range plans {
		p.Slug = name
		s.expect(p, name)
		r := s.play(t, p, s.seed, nil)
		if r.Err != nil {
			t.Fatalf("%s: %v", p.Faults[0].Text, r.Err)
		}
		if s.wrongly(p, r) == "" && (!r.WhyUntested().Empty() || len(r.notes.Missed) > 0) {
			untested++
			continue
		}
		if !s.recordAndCheck(t, p, r, broken) {
			return
		}
	}
	places := len(plans)
	s.tally.places += places
	s.tally.idle += untested
	// Not s.broken: the walk may keep properties that Breaks names only for the story.
	switch missing := unbroken(s.breaks[name], broken); {
	case places == untested && !slices.Contains(s.untested, name):
		t.Errorf("unknown: none of %d places tested anything; allow it with locktest.MayBeUntested(%q)", places, name)
	case len(missing) > 0:
		t.Errorf("%s is kept at all %d places, and the test says that it breaks: take it out of locktest.Breaks(%q).", strings.Join(missing, ", "), places, name)
	}
}

// recordAndCheck counts the properties that a run broke. It reports an error, and false, for an
// unexpected one.
func (s *suite) recordAndCheck(t *testing.T, p *plan.Plan, r *result, broken map[string]int) bool {
	t.Helper()
	for _, f := range r.Judgement.Findings {
		if f.Verdict == checker.Broken {
			broken[f.Property]++
		}
	}
	// A property that breaks somewhere need not break here.
	r.Expected = slices.DeleteFunc(r.Expected, func(e run.Expected) bool { return e.Verdict != string(checker.Kept) || e.Got == checker.Unknown })
	if r.Status() == run.Missed || s.wrongly(p, r) != "" {
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
