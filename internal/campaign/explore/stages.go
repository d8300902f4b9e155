package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"lockstep/internal/run"
)

// work is what is to be done of a stage.
type work struct {
	*stage
	g        *ground
	finished int // pieces of work that are done, or are those of another shard
}

// batch is some of that: schedules to go on from.
type batch struct {
	of   *work
	from []branch
}

// fewRuns is how many runs are worth to be handed out.
const fewRuns = 50

// stages walks all schedules of so many faults on some grounds, but those whose set breaks the lock already, as known.
func (w *walk) stages(ctx context.Context, l *Lock, grounds []*ground, faults int, known *smaller) error {
	var todo []batch
	for _, g := range grounds {
		more, err := w.stage(ctx, l, g, faults)
		if err != nil {
			return err
		}
		todo = append(todo, more...)
	}
	var mu sync.Mutex
	err := run.Share(ctx, w.o.Jobs, len(todo), nil, func(ctx context.Context, _ []run.World, i int) error {
		p := w.borrow()
		defer w.giveBack(p)
		p.on(todo[i].of.g)
		u := &unit{p: p, known: known, faults: faults, tries: w.o.Tries}
		for k := range todo[i].from {
			if err := u.walk(ctx, &todo[i].from[k]); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		todo[i].of.finished += todo[i].of.finish(todo[i].from, u)
		l.merge(u)
		w.tell(l, todo[i].of)
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return ctx.Err()
}

// stage is the work on one ground that is missing and, where it is divided, belongs to this shard.
func (w *walk) stage(ctx context.Context, l *Lock, g *ground, faults int) ([]batch, error) {
	first, err := w.firstFaults(ctx, g, faults)
	if err != nil {
		return nil, err
	}
	units := len(first)
	st := l.stage(g.base.Name, faults, units)
	if st.Units != units {
		return nil, fmt.Errorf("%s in the world %s has %d first faults, and the stored walk knows of %d: another version of the program has walked it, so start over",
			l.ID, g.base.Name, units, st.Units)
	}
	missing := st.missing()
	of := &work{st, g, units}
	todo := []branch{}
	for _, b := range first {
		if faults == w.o.Faults && !w.o.mine(g, &b) {
			continue
		}
		if _, found := slices.BinarySearch(missing, b.order[0]); found {
			todo = append(todo, b)
			of.finished--
		}
	}
	size := 1
	if faults == 1 {
		size = fewRuns
	}
	var out []batch
	for from := range slices.Chunk(todo, size) {
		out = append(out, batch{of, from})
	}
	return out, nil
}

// firstFaults are the schedules of one fault with which those of so many begin.
func (w *walk) firstFaults(ctx context.Context, g *ground, faults int) ([]branch, error) {
	p := w.borrow()
	defer w.giveBack(p)
	p.on(g)
	_, h, err := p.play(ctx, nil, true)
	if err != nil {
		return nil, err
	}
	return p.longer(h, &branch{}, faults), nil
}

func (w *walk) tell(l *Lock, st *work) {
	if w.o.Progress != nil {
		w.o.Progress(Progress{Lock: l.ID, Base: st.Base, Faults: st.Faults, Done: st.finished, Units: st.Units, Walked: w.state.Walked()})
	}
}
