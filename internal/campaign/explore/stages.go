package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"lockstep/internal/locks"
)

// batch is a piece of work: branches to extend.
type batch struct {
	st   *stage
	g    *target
	key  string
	from []branch
}

// fewRuns is the number of runs that is worth handing out.
const fewRuns = 50

// stages plays all schedules with this number of faults on the targets, except those whose set is
// known to break the lock: from fewer faults, or from as many in a profile before that index.
func (w *walk) stages(ctx context.Context, l *Lock, targets []*target, faults, profile int) error {
	known, beside := l.plainer(faults, profile), l.beside(faults, profile)
	var todo []batch
	for _, g := range targets {
		more, err := w.stage(ctx, l, g, faults, beside)
		if err != nil {
			return err
		}
		todo = append(todo, more...)
	}
	err := w.playAll(ctx, todo, known, faults, func(b *batch, o *outcome) error {
		if err := w.keep(l, b.st, b.key, o); err != nil {
			return err
		}
		b.st.left--
		w.reportProgress(l, b.st)
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return ctx.Err()
}

// playAll plays pieces of work. take takes the results, one at a time.
func (w *walk) playAll(ctx context.Context, all []batch, known *smaller, faults int, take func(*batch, *outcome) error) error {
	var mu sync.Mutex
	return w.share(ctx, len(all), func(ctx context.Context, p *player, i int) error {
		p.on(all[i].g)
		u := &unit{p: p, known: known, faults: faults}
		for k := range all[i].from {
			if err := u.walk(ctx, &all[i].from[k]); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		return take(&all[i], &u.outcome)
	})
}

// stage returns the missing work on one target that belongs to this shard.
func (w *walk) stage(ctx context.Context, l *Lock, g *target, faults int, beside string) (todo []batch, err error) {
	first, err := w.firstFaults(ctx, g, faults)
	if err != nil {
		return nil, err
	}
	size := 1
	if faults == 1 {
		size = fewRuns
	}
	pieces := slices.Collect(slices.Chunk(first, size))
	st := l.stage(g.profile.Name, faults, len(pieces))
	for i, from := range pieces {
		key := fmt.Sprintf("%s/%s/%d/%d%s", l.ID, g.profile.Name, faults, i, beside)
		known, err := w.known(l, st, key)
		if err != nil {
			return nil, err
		}
		if !known && w.mine(g, i, faults) {
			todo = append(todo, batch{st, g, key, from})
			st.left++
		}
	}
	return todo, nil
}

// mine reports whether a piece of work belongs to this shard. The first shard rotates with the
// target, since many targets have few pieces.
func (w *walk) mine(g *target, piece, faults int) bool {
	lock := slices.IndexFunc(w.o.Locks, func(v locks.Variant) bool { return v.ID == g.v.ID })
	return !w.o.AsIs && (faults < w.o.Faults || w.o.Shard.Has(lock+g.index+piece))
}

// known takes the kept result of a piece of work, if there is one. A shard had found fewer sets
// when it played it; those that are not minimal are left out later.
func (w *walk) known(l *Lock, st *stage, key string) (bool, error) {
	line := w.o.Kept.Get(key)
	if line == nil {
		piece, _, _ := strings.Cut(key, besides)
		line = w.ofShards[piece]
	}
	if line == nil {
		return false, nil
	}
	o := &outcome{}
	if err := line.Decode(o); err != nil {
		return false, err
	}
	l.merge(st, o)
	return true, nil
}

// keep takes the result of a piece of work and writes it to the results file.
func (w *walk) keep(l *Lock, st *stage, key string, o *outcome) error {
	l.merge(st, o)
	return w.o.Kept.Keep(key, o)
}

// firstFaults returns the single faults with which longer schedules begin.
func (w *walk) firstFaults(ctx context.Context, g *target, faults int) ([]branch, error) {
	p := w.player()
	defer p.Close()
	p.on(g)
	_, h, err := p.play(ctx, nil, true)
	if err != nil {
		return nil, err
	}
	return p.longer(h, &branch{}, faults), nil
}

func (w *walk) reportProgress(l *Lock, st *stage) {
	if w.o.Progress != nil {
		w.o.Progress(Progress{Lock: l.ID, Profile: st.Profile, Faults: st.Faults, Done: st.Units - st.left, Units: st.Units, Walked: w.state.Walked()})
	}
}
