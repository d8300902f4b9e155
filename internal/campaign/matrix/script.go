package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/rng"
	"lockstep/internal/rng/spread"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// lease is the lease of all cells, for which the timings of the scripts are made.
const lease = 10 * time.Second

// mostLatency is below the shortest timeout of a lock: with a longer one every message would count
// as lost.
const mostLatency = 20 * time.Millisecond

// Script is one way to bring a fault about: a short scenario.
type Script struct {
	Name say.Phrase // one phrase: "A freezes in its critical section"
	YAML string     // the scenario file
	plan *plan.Plan
	bare bool // never varied: its variations would be those of another script, or lose its sequence
	// scalePPM multiplies every duration when it is played, in millionths; 0 means 1000000.
	scalePPM int64
}

// Plan returns the plan of the script.
func (s *Script) Plan() *plan.Plan { return s.plan }

// sketch is what distinguishes a script from others.
type sketch struct {
	name     say.Phrase
	work     string   // how long the work takes; "" for 3s
	stagger  string   // between the starts of clients; "" for 1s
	wait     string   // how long a client waits before it gives up; "" for 60s
	workload []string // further lines of the workload
	timeout  string   // response timeout; "" for 3s
	clients  string   // "" for [A, B, C]
	latency  string   // "" for 1ms..2ms
	servers  string   // one line of YAML, "" for the defaults
	clocks   string
	faults   []string // each one fault, its keys joined by semicolons
	bare     bool     // see Script
}

// repeats reports whether clients play several rounds.
func (s *sketch) repeats() bool {
	return slices.ContainsFunc(s.workload, func(line string) bool { return strings.HasPrefix(line, "repeat:") })
}

// twice is a sketch with two rounds, as some locks harm only clients that come again.
func (s sketch) twice() sketch {
	s.name = s.name.And(allComeTwice)
	s.workload = append(slices.Clone(s.workload), "repeat: 2 times", "rest: 100ms")
	s.bare = true
	return s
}

// sketches are the scripts of one column.
type sketches []sketch

// add appends a sketch like another one, with a name and faults.
func (all *sketches) add(name say.Phrase, like sketch, faults ...string) {
	like.name, like.faults = name, faults
	*all = append(*all, like)
}

// steps makes a sketch like another one for each of some commands, with faults at the i-th one.
func steps(commands []string, name say.Of1[say.Verbatim], like sketch, faults func(i int) []string) (out sketches) {
	for i, c := range commands {
		out.add(of(name.With(say.Verbatim(c)), i, len(commands)), like, faults(i)...)
	}
	return out
}

// script turns a sketch into a scenario file and a plan.
func (s *sketch) script(v locks.Variant, code string) (Script, error) {
	story := scenario.Sketch{
		Title: fmt.Sprintf("%q", code+" for "+v.ID+": "+s.name.English()), Lock: v.ID, Clients: s.clients, Work: s.work,
		Wait: cmp.Or(s.wait, "60s"), Stagger: cmp.Or(s.stagger, "1s"), Workload: s.workload,
		Latency: s.latency, Timeout: s.timeout, Servers: s.servers, Clocks: s.clocks, Faults: s.faults,
	}
	if v.Program != nil {
		story.Own = &v
	}
	out := Script{Name: s.name, bare: s.bare}
	var err error
	if out.YAML, out.plan, err = story.Plan(); err != nil {
		return out, fmt.Errorf("the script of %s for %s, %q: %w", code, v.ID, s.name.English(), err)
	}
	return out, nil
}

// played is a variation as it is played, scaled last, so that its file can be.
func (s *Script) played(seed uint64) *plan.Plan {
	p := s.vary(seed)
	if s.scalePPM == 0 {
		return p
	}
	scaled := p.Scaled(s.scalePPM)
	return &scaled
}

// vary returns the script's plan, for seed 0 unchanged, else with work, retry, latencies and
// lengths of faults between half and twice what the script says.
func (s *Script) vary(seed uint64) *plan.Plan {
	if seed == 0 {
		return s.plan
	}
	random := random{rng.Plain(seed, rng.ID(s.YAML))}
	p := *s.plan
	w := &p.Workload
	w.Work.Max = random.work(w.Work.Max)
	w.Work.Min = min(w.Work.Min, w.Work.Max)
	w.Stagger = random.around(w.Stagger)
	w.Retry = random.around(w.Retry)
	if random.one(4) {
		w.Stagger = time.Millisecond // all at once
	}
	if random.one(2) {
		w.Repeat = 2
	}
	p.Network.Latency.Max = min(random.around(p.Network.Latency.Max)*time.Duration(1+random.below(4)), mostLatency)
	p.Faults = slices.Clone(p.Faults)
	for i := range p.Faults {
		p.Faults[i] = p.Faults[i].Scaled(random.around)
	}
	return &p
}

// random draws integers only, so that a seed gives the same plan in every build.
type random struct{ rand spread.Source }

// around draws between half of d and twice d, in milliseconds when d has no smaller part.
func (l random) around(d time.Duration) time.Duration {
	switch {
	case d == 0:
		return 0
	case d < 0:
		return -l.around(-d)
	}
	varied := d / 1000 * time.Duration(500+l.below(1501))
	if d%time.Millisecond == 0 && varied >= time.Millisecond {
		varied = varied.Truncate(time.Millisecond)
	}
	return max(varied, 1)
}

// work varies how long the work takes. What fits into a lease still does.
func (l random) work(d time.Duration) time.Duration {
	varied := l.around(d)
	if d < lease {
		varied = min(varied, max(d, lease/2))
	}
	return varied
}

// below draws from [0, n).
func (l random) below(n int64) int64 { return l.rand.Int64N(n) }

// one is true once in n times.
func (l random) one(n int64) bool { return l.below(n) == 0 }
