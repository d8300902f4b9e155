package explore

import (
	"fmt"
	"slices"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/measured"
	"lockstep/internal/checker"
)

// taken is a set that a stored result knows. That of several faults is one of this walk, too; that of fewer has to be
// found again, for what was walked of several rests on it.
type taken struct {
	Way    checker.Way    `json:"way"`
	Kinds  kindSet        `json:"-"`
	Names  []string       `json:"kinds"`
	Within int            `json:"within,omitempty"` // see measured.CutSet
	Base   int            `json:"base"`
	Shown  measured.Shown `json:"shown"`
}

// Take takes what a stored result knows of several faults for locks of which nothing is walked yet: the base worlds in
// which they were walked or drawn, but those that were drawn and now are to be walked. The scope must be the same but for
// what the durations of other worlds come to.
func (s *State) Take(o *Options, stored *measured.Explored) error {
	for _, v := range o.Locks {
		at := indexOf(stored, v.ID)
		if at < 0 || stored.Locks[at].Complete < 2 || s.lock(v.ID).Bases != nil {
			continue
		}
		if err := s.lock(v.ID).take(o, &stored.Locks[at]); err != nil {
			return fmt.Errorf("%s: %w", v.ID, err)
		}
	}
	return nil
}

func (l *Lock) take(o *Options, stored *measured.ExploredLock) error {
	for _, x := range stored.SearchedTogether() {
		at := slices.IndexFunc(bases(), func(b base) bool { return b.Name == x.World })
		if at < 0 || x.How == measured.NotSearched || x.How == measured.Sampled && o.complete(&bases()[at]) {
			continue
		}
		l.Stages = append(l.Stages, &stage{
			Base: x.World, Faults: 2, Units: 1, Done: []span{{0, 1}}, Taken: true, Each: x.Each, Of: x.Of,
			tally: tally{Walked: x.Walked, Cut: x.Cut, Vain: x.Vain}, Doubts: stored.Doubts,
		})
	}
	for _, way := range checker.Ways() {
		sets := stored.By(way)
		if way == checker.Stuck {
			sets = slices.Concat(sets, stored.By(checker.Hung))
		}
		for _, set := range sets {
			base := slices.IndexFunc(bases(), func(b base) bool { return b.Name == set.World })
			l.Taken = append(l.Taken, taken{Way: way, Names: set.Kinds, Within: set.Within, Base: base, Shown: set.Shown})
		}
	}
	return l.readTaken()
}

// readTaken takes them as they were stored.
func (l *Lock) readTaken() (err error) {
	for i := range l.Taken {
		x := &l.Taken[i]
		if x.Kinds, err = kindsNamed(x.Names); err != nil {
			return err
		}
	}
	return nil
}

// taken reports whether a stage is known of a stored result.
func (l *Lock) taken(base string, faults int) bool {
	return slices.ContainsFunc(l.Stages, func(st *stage) bool { return st.Taken && st.Base == base && st.Faults == faults })
}

// checkTaken says of which fewer faults several were not walked, though these do not break the lock any more.
func (l *Lock) checkTaken() error {
	for i := range l.Taken {
		x := &l.Taken[i]
		if max(len(x.Kinds), x.Within) < 2 && !slices.ContainsFunc(l.Found, func(f found) bool { return f.Way == x.Way && slices.Equal(f.Kinds, x.Kinds) }) {
			return fmt.Errorf("%s: what is stored of several faults rests on %v alone, which is no longer %s: walk all of it, without --further", l.ID, x.Names, x.Way)
		}
	}
	return nil
}

// all are the sets that are found and those of several faults that are taken, the plainer one where one is both.
func (l *Lock) all() []found {
	out := slices.Clone(l.Found)
	for i := range l.Taken {
		x := &l.Taken[i]
		f := found{Way: x.Way, Kinds: x.Kinds, Base: x.Base, taken: x}
		at := slices.IndexFunc(out, func(o found) bool { return o.same(&f) })
		switch {
		case f.faults() < 2:
		case at < 0:
			out = append(out, f)
		case f.Base < out[at].Base:
			out[at] = f
		}
	}
	return out
}

// kindsNamed are kinds by their names.
func kindsNamed(names []string) (k kindSet, err error) {
	for _, name := range names {
		if faultkind.Index(name) < 0 {
			return nil, fmt.Errorf("this walk speaks of a kind of fault %q, which there is not: start over", name)
		}
		k = k.with(faultkind.Index(name))
	}
	return k, nil
}
