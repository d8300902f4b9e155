package explore

import (
	"fmt"
	"slices"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
)

// take takes over the stored results of several faults, except in profiles that were drawn and are
// now to be searched exhaustively. Single faults have to be found again, because the others depend
// on them.
func (l *Lock) take(o *Options, stored *results.ExploredLock) (err error) {
	for _, x := range stored.Together {
		at := profileIndex(x.Profile)
		if at < 0 || x.How == results.NotSearched || x.How == results.Sampled && o.complete(&profiles[at]) {
			continue
		}
		l.TakenOf = &stored.Version
		l.Stages = append(l.Stages, &stage{
			Profile: x.Profile, Faults: 2, Units: 1, Done: 1, Taken: true, drawn: drawn{x.Each, x.Of},
			tally: tally{Walked: x.Walked, Cut: x.Cut, NoEffect: x.NoEffect}, Doubts: stored.Doubts,
		})
	}
	for _, way := range checker.Ways() {
		sets := stored.By(way)
		if way == checker.NoProgress {
			sets = slices.Concat(sets, stored.By(checker.Hung))
		}
		for i := range sets {
			one := found{Way: way, Profile: profileIndex(sets[i].Profile), stored: &sets[i]}
			if one.Kinds, err = kindsNamed(sets[i].Kinds); err != nil {
				return fmt.Errorf("%s: %w", l.ID, err)
			}
			l.Taken = append(l.Taken, one)
		}
	}
	return nil
}

// taken reports whether a stage was taken from a stored result.
func (l *Lock) taken(profile string, faults int) bool {
	return slices.ContainsFunc(l.Stages, func(st *stage) bool { return st.Taken && st.Profile == profile && st.Faults == faults })
}

// checkTaken fails if a set on which a stored result depends was not found again.
func (l *Lock) checkTaken() error {
	for i := range l.Taken {
		x := &l.Taken[i]
		if x.faults() < 2 && !slices.ContainsFunc(l.Found, func(f found) bool { return f.same(x) }) {
			return fmt.Errorf("%s: what is stored of several faults rests on %v alone, which shows no %s any more: search all of it, without --further", l.ID, x.stored.Kinds, x.Way)
		}
	}
	return nil
}

// all returns the found and the taken sets, the plainer one where both exist.
func (l *Lock) all() []found {
	out := slices.Clone(l.Found)
	for _, f := range l.Taken {
		at := slices.IndexFunc(out, func(o found) bool { return o.same(&f) })
		switch {
		case f.faults() < 2:
		case at < 0:
			out = append(out, f)
		case f.Profile < out[at].Profile:
			out[at] = f
		}
	}
	return out
}

// kindsNamed looks up kinds by name.
func kindsNamed(names []string) (k kindSet, err error) {
	for _, name := range names {
		if faultkind.Index(name) < 0 {
			return nil, unknownKind(name)
		}
		k = k.with(faultkind.Index(name))
	}
	return k, nil
}
