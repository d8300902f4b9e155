package explore

import (
	"context"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
)

// Unchecked plays the overlaps of each design with tokens again, with a resource that does not check them, as
// the search did. By lock, in the order of the result.
func Unchecked(ctx context.Context, w World, x *results.Explored) (map[string][]results.Unchecked, error) {
	out := map[string][]results.Unchecked{}
	for i := range x.Locks {
		l := &x.Locks[i]
		if !locks.Main(l.Lock) || !l.Fenced() {
			continue
		}
		for _, set := range l.By(checker.Overlap) {
			shown := set.Shown
			shown.Fence = false
			_, p, err := storyOf(&x.Scope, l.Lock, &shown)
			if err != nil {
				return nil, err
			}
			w.Watch(nil)
			h, err := w.Play(ctx, p, l.Lock, 1)
			if err != nil {
				return nil, err
			}
			out[l.Lock] = append(out[l.Lock], results.Unchecked{Kinds: set.Kinds, Damaged: checker.Damaged(h)})
		}
	}
	return out, nil
}
