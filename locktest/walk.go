package locktest

import (
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
	way := &way{reached: map[faults.MomentKind]int{}, places: map[faults.MomentKind][]int{}}
	r := s.play(t, base, s.seed, func(m faults.Moment, _ history.Instant) {
		if m.Subject == "A" {
			way.reach(m.Kind)
		}
	})
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { s.walkKind(t, k, way.places) })
	}
}

// way is what A reaches when nothing goes wrong.
type way struct {
	reached map[faults.MomentKind]int
	places  map[faults.MomentKind][]int // the moments at which faults are put, by their numbers
	since   map[faults.MomentKind]int   // how many of them there were when A began to wait; nil when it does not
}

// ofManyTries is how many of the first and of the last requests of a long wait get a fault: those between them
// ask the same, and are told the same.
const ofManyTries = 4

func (w *way) reach(kind faults.MomentKind) {
	switch kind {
	case faults.StartsWaiting:
		w.since = map[faults.MomentKind]int{}
		for k, of := range w.places { // order: each kind on its own
			w.since[k] = len(of)
		}
	case faults.Acquires:
		w.since = nil
	}
	w.reached[kind]++
	of := append(w.places[kind], w.reached[kind])
	if from := w.since[kind]; w.since != nil && len(of)-from > 2*ofManyTries {
		of = slices.Delete(of, from+ofManyTries, from+ofManyTries+1)
	}
	w.places[kind] = of
}

// walkKind plays one kind at all of its moments.
func (s *suite) walkKind(t *testing.T, k kind, of map[faults.MomentKind][]int) {
	name := "walk/" + k.name
	broken := map[string]int{} // places, by property
	places, untested := 0, 0
	story, err := scenario.Parse("walk", []byte("scenario: A walk"+walked+"faults: [{when: A is about to send any command, "+k.fault+"}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range k.at {
		for _, n := range of[at] {
			p := place(story, at, n)
			p.Slug = name
			s.expect(p, name)
			r := s.play(t, p, s.seed, nil)
			if r.Err != nil {
				t.Fatalf("%s: %v", p.Faults[0].Text, r.Err)
			}
			places++
			if s.wrongly(p, r) == "" && (!r.WhyUntested().Empty() || len(r.missed) > 0) {
				untested++
				continue
			}
			if !s.stands(t, p, r, broken) {
				return
			}
		}
	}
	s.tally.places += places
	s.tally.idle += untested
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

// place is the story of its fault at one moment: the n-th of its kind that A reaches.
func place(story *plan.Plan, at faults.MomentKind, n int) *plan.Plan {
	p, f := *story, &story.Faults[0]
	when := faults.Trigger{Moment: at, Subject: "A", Nth: n}
	if at.OnWire() {
		when.Command = faults.AnyCommand
	}
	p.Faults = []faults.Fault{faults.Make(1, f.Spec(), f.Args, when, f.End)}
	return &p
}
