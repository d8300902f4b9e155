package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// lease is the lease of all cells. What the scripts say about time is made for it.
const lease = 10 * time.Second

// mostLatency keeps the variations below the shortest timeout of a lock of our own: beyond
// it every message would count as lost.
const mostLatency = 20 * time.Millisecond

// Script is one way to bring a fault about: a short scenario.
type Script struct {
	Name say.Phrase // one phrase: "A freezes in its critical section"
	YAML string     // the scenario file
	plan *plan.Plan
	bare bool // played as it stands only: its variations would be those of another script, or no sequence any more
	// scalePPM is what every duration is multiplied by when it is played, in
	// millionths; 0 stands for 1000000.
	scalePPM int64
}

// Plan returns what the script says.
func (s *Script) Plan() *plan.Plan { return s.plan }

// sketch is what a script says beyond what all scripts have in common.
type sketch struct {
	name     say.Phrase
	work     string   // how long the work takes; "" for 3s
	stagger  string   // how much later than the one before a client begins; "" for 1s
	wait     string   // how long a client tries before it gives up; "" for 60s
	workload []string // further lines of the workload
	timeout  string   // response timeout; "" for 3s
	clients  string   // "" for [A, B, C]
	latency  string   // "" for 1ms..2ms
	servers  string   // one line of YAML, "" for the defaults
	clocks   string
	faults   []string // each one fault, its keys joined by semicolons
	bare     bool     // see Script
}

// repeats reports whether clients come more than once.
func (s *sketch) repeats() bool {
	return slices.ContainsFunc(s.workload, func(line string) bool { return strings.HasPrefix(line, "repeat:") })
}

// twice is a sketch with two rounds: some locks do harm only to those who come again.
func (s sketch) twice() sketch {
	s.name = s.name.And(say.Text(", and all come twice"))
	s.workload = append(slices.Clone(s.workload), "repeat: 2 times", "rest: 100ms")
	s.bare = true
	return s
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

// played is a variation as it is played. It is varied first and scaled then, so that
// the file of a variation, played with the same scale, is that very run.
func (s *Script) played(seed uint64) *plan.Plan {
	p := s.vary(seed)
	if s.scalePPM == 0 {
		return p
	}
	scaled := p.Scaled(s.scalePPM)
	return &scaled
}

// vary returns the script's plan, for seed 0 as it stands, else with timings
// drawn from the seed: work, patience between tries, latencies and the lengths of
// the faults, each between a half and the double of what the script says.
func (s *Script) vary(seed uint64) *plan.Plan {
	if seed == 0 {
		return s.plan
	}
	luck := newLuck(s.YAML, seed)
	p := *s.plan
	w := &p.Workload
	w.Work.Max = luck.work(w.Work.Max)
	w.Work.Min = min(w.Work.Min, w.Work.Max)
	w.Stagger = luck.around(w.Stagger)
	w.Retry = luck.around(w.Retry)
	if luck.one(4) {
		w.Stagger = time.Millisecond // all at once
	}
	if luck.one(2) {
		w.Repeat = 2
	}
	p.Network.Latency.Max = min(luck.around(p.Network.Latency.Max)*time.Duration(1+luck.below(4)), mostLatency)
	if len(p.Faults) > 0 {
		varied := append(p.Faults[:0:0], p.Faults...)
		for i := range varied {
			varied[i] = varied[i].Scaled(luck.around)
		}
		p.Faults = varied
	}
	return &p
}
