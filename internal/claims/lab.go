package claims

import (
	"context"
	"errors"
	"fmt"

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

// Story is a scenario file as an experiment writes it.
type Story = scenario.Sketch

// Plan reads the story.
func (l *Lab) Plan(s Story) *plan.Plan {
	if other, ok := l.Instead[s.Lock]; ok {
		s.Lock = other
	}
	_, p, err := s.Plan()
	if err != nil {
		panic(failure{err})
	}
	return p
}

// Play plays a story with the seeds 1 to seeds and judges each run.
func (l *Lab) Play(s Story, seeds int) []*Run { return l.PlayPlan(l.Plan(s), seeds) }

// PlayMissing is Play of a story whose faults need not fire in every run.
func (l *Lab) PlayMissing(s Story, seeds int) []*Run {
	p := l.Plan(s)
	return l.play(p, l.variant(p), seeds, true)
}

// variant is the lock of a plan.
func (l *Lab) variant(p *plan.Plan) locks.Variant {
	v, ok := locks.Lookup(p.Locks[0])
	if !ok {
		l.Fail("unknown lock %q", p.Locks[0])
	}
	return v
}

// One is Play with one seed.
func (l *Lab) One(s Story) *Run { return l.Play(s, 1)[0] }

// PlayVariant plays a story with a lock of the experiment's own, which need not be
// registered: a known design with one part changed. s.Lock must name a registered
// lock with the same store; it tells the scenario which servers there are.
func (l *Lab) PlayVariant(s Story, v locks.Variant, seeds int) []*Run {
	return l.play(l.Plan(s), v, seeds, false)
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
