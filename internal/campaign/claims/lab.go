package claims

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/sim"
)

// Lab plays the stories of an experiment. One that cannot be played, or whose planned fault never
// fired, ends with an error. The fields change the world, so that tests can check that another
// world gives another verdict.
type Lab struct {
	// Instead replaces a lock by another one, by their ids.
	Instead map[string]string
	// Change, if not nil, changes each plan before it is played.
	Change func(*plan.Plan)

	ctx context.Context
}

// failure ends an experiment; measure turns it into an error.
type failure struct{ err error }

// Fail ends the experiment with an error.
func (l *Lab) Fail(format string, args ...any) {
	panic(failure{fmt.Errorf(format, args...)})
}

// runs plays a story with its seeds and judges each run.
func (l *Lab) runs(p *play, scripts map[string]string) []*Run {
	s := p.Sketch
	if p.Alone {
		// Each client plays when the one before has finished. Those of a cluster talk to a server
		// each.
		s.Clients, s.Stagger, s.Work, s.Latency = "[A, B, C]", "30s", "1s", "1ms"
		s.Workload = append([]string{"repeat: 3 times", "rest: 1s"}, s.Workload...)
	}
	if p.Crowd > 0 {
		var names []string
		for i := range p.Crowd {
			names = append(names, "c"+strconv.Itoa(i+1))
		}
		s.Clients = "[" + strings.Join(names, ", ") + "]"
	}
	if other, ok := l.Instead[s.Lock]; ok {
		s.Lock = other
	}
	_, story, err := s.Plan()
	if err != nil {
		panic(failure{err})
	}
	base, ok := locks.Lookup(story.Locks[0])
	if !ok {
		l.Fail("unknown lock %q", story.Locks[0])
	}
	if l.Change != nil {
		l.Change(story)
	}
	v := under(variant(p.Variant, base, scripts[p.Acquire], scripts[p.Release]), p.Load, p.Apart)
	return l.play(p, story, v)
}

// play plays a plan with one lock, each run in its own world, so that all histories stay valid.
func (l *Lab) play(p *play, story *plan.Plan, v locks.Variant) []*Run {
	runs := make([]*Run, cmp.Or(p.Seeds, 20))
	for i := range runs {
		h, err := sim.PlayVariant(l.ctx, story, v, uint64(i+1))
		if err != nil {
			panic(failure{err})
		}
		if p.Variant == oneMemory || p.Variant == ownMemories {
			h.Header.Backend = "memory" // judged like a log of clients, as no message shows who asked
		}
		r := &Run{Judgement: checker.Judge(h)}
		if err := r.untested(); err != nil && !p.MayMiss {
			l.Fail("%s, seed %d: %w", v.ID, i+1, err)
		}
		runs[i] = r
	}
	return runs
}

// untested says which planned fault never fired, or that the run was cut short; nil for neither.
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
