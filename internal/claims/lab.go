package claims

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// Lab is what an experiment works in: it plays stories in the simulator and has
// bare models of servers (see Server). An experiment that cannot be played ends
// with an error, and so does one whose planned fault never fired: it tested
// something else than it says.
//
// The fields change the world for all experiments. Tests use them to see that a
// verdict is measured: in another world it must be another one.
type Lab struct {
	// Instead names a lock to play in the place of another, by their ids.
	Instead map[string]string
	// Change, if not nil, changes each plan before it is played.
	Change func(*plan.Plan)

	ctx context.Context
}

// failure ends an experiment; measure turns it into an error.
type failure struct{ err error }

// Fail ends the experiment with an error: it could not test what it wanted to.
func (l *Lab) Fail(format string, args ...any) {
	panic(failure{fmt.Errorf(format, args...)})
}

// Story is a scenario file as an experiment writes it: what it leaves open is
// filled in. All texts are YAML.
type Story struct {
	Lock     string   // the id of the variant
	Lease    string   // "" for 10s
	Clients  string   // "" for [A, B, C]
	Work     string   // how long the work takes; "" for 3s
	Wait     string   // how long clients wait; "" for 70s
	Stagger  string   // between the starts of clients; "" for 100ms
	Workload []string // further lines of the workload: "repeat: 20 times"
	Latency  string   // "" for 1ms..2ms
	Timeout  string   // of responses; "" for 3s
	Servers  string   // "{redis: {replicas: 1}}"; "" for the defaults
	Clocks   string   // "{B: {offset: +12s}}"
	Faults   []string // each one fault, its keys joined by semicolons: "when: A enters; crash: A"
	MayMiss  bool     // a fault need not fire in every run
}

// YAML is the scenario file.
func (s *Story) YAML() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	or := func(text, otherwise string) string {
		if text == "" {
			return otherwise
		}
		return text
	}
	line("scenario: an experiment with %s", s.Lock)
	line("locks: [%s]", s.Lock)
	line("lease: %s", or(s.Lease, "10s"))
	line("clients: %s", or(s.Clients, "[A, B, C]"))
	line("workload:")
	line("  wait: up to %s", or(s.Wait, "70s"))
	line("  work: %s", or(s.Work, "3s"))
	line("  stagger: %s", or(s.Stagger, "100ms"))
	for _, l := range s.Workload {
		line("  %s", l)
	}
	line("network: {latency: %s, timeout: %s}", or(s.Latency, "1ms..2ms"), or(s.Timeout, "3s"))
	if s.Servers != "" {
		line("servers: %s", s.Servers)
	}
	if s.Clocks != "" {
		line("clocks: %s", s.Clocks)
	}
	if len(s.Faults) > 0 {
		line("faults:")
	}
	for _, f := range s.Faults {
		for i, key := range strings.Split(f, "; ") {
			line("  %s %s", []string{"-", " "}[min(i, 1)], key)
		}
	}
	return b.String()
}

// Plan reads the story.
func (l *Lab) Plan(s Story) *plan.Plan {
	if other, ok := l.Instead[s.Lock]; ok {
		s.Lock = other
	}
	text := s.YAML()
	p, err := scenario.Parse("", []byte(text))
	if err != nil {
		l.Fail("the story is no scenario: %w\n%s", err, text)
	}
	return p
}

// Play plays a story with the seeds 1 to seeds and judges each run.
func (l *Lab) Play(s Story, seeds int) []*Run {
	p := l.Plan(s)
	v, ok := locks.Lookup(p.Locks[0])
	if !ok {
		l.Fail("unknown lock %q", p.Locks[0])
	}
	return l.play(p, v, seeds, s.MayMiss)
}

// One is Play with one seed.
func (l *Lab) One(s Story) *Run { return l.Play(s, 1)[0] }

// PlayVariant plays a story with a lock of the experiment's own, which need not be
// registered: a known design with one part changed. s.Lock must name a registered
// lock with the same store; it tells the scenario which servers there are.
func (l *Lab) PlayVariant(s Story, v locks.Variant, seeds int) []*Run {
	return l.play(l.Plan(s), v, seeds, s.MayMiss)
}

// play plays a plan with one lock. Every run has a world of its own, so that all
// histories stay valid.
func (l *Lab) play(p *plan.Plan, v locks.Variant, seeds int, mayMiss bool) []*Run {
	if l.Change != nil {
		l.Change(p)
	}
	ctx := l.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	runs := make([]*Run, seeds)
	for i := range runs {
		h, err := sim.PlayVariant(ctx, p, v, uint64(i+1))
		if err != nil {
			panic(failure{err})
		}
		r := &Run{Judgement: checker.Judge(h)}
		if err := r.untested(); err != nil && !mayMiss {
			l.Fail("%s, seed %d: %w", v.ID, i+1, err)
		}
		runs[i] = r
	}
	return runs
}

// untested says which planned fault never fired, or that the run was cut short; nil when
// neither is so.
func (r *Run) untested() error {
	if r.CutShort {
		return errors.New("the run was cut short: " + r.History.WhyCutShort())
	}
	for _, f := range r.Faults {
		if f.Times == 0 {
			return errors.New("fault never fired: " + f.Text)
		}
	}
	return nil
}
