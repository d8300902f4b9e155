package run

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/sim"
	"lockstep/internal/store"
)

// observed has the requests of the locks on a store, and the kinds of other events, in the story of
// the wire files.
type observed struct {
	requests []history.Op
	texts    []string
	kinds    []history.Kind
}

func observeStores(t *testing.T) map[store.ID]*observed {
	t.Helper()
	all := map[store.ID]*observed{}
	for _, s := range store.All() {
		all[s.ID] = &observed{}
	}
	for _, v := range locks.Simulated() {
		p := wirePlan()
		h, err := sim.Run(&p, v.ID, 1)
		if err != nil {
			t.Fatalf("%s: %v", v.ID, err)
		}
		of, has := all[v.Store], func(k history.Kind) bool {
			return slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Kind == k })
		}
		if has(history.Acquired) && !has(history.Granted) {
			t.Errorf("%s is acquired, and no entry of it is ever made: a lock that is a row says which (Variant.Entry)", v.ID)
		}
		for _, e := range h.Events {
			if e.Kind == history.Sent {
				of.requests, of.texts = append(of.requests, *h.Op(e.Text)), append(of.texts, h.Text(e.Text))
			} else if !slices.Contains(of.kinds, e.Kind) {
				of.kinds = append(of.kinds, e.Kind)
			}
		}
	}
	return all
}

// A store declares the requests of its locks and their effects, on which scenarios, checkers and
// live servers rely. Its model reports the changes of entries, which show who owns the lock.
func TestStoresSayWhatTheirLocksSend(t *testing.T) {
	for id, of := range observeStores(t) {
		s, seen := store.Of(id), map[string]bool{}
		if len(of.requests) == 0 {
			t.Errorf("no lock keeps its entries in %q, so nothing has played it", id)
			continue
		}
		for i, op := range of.requests {
			switch {
			case op.Script || seen[op.Name]:
				continue
			case !slices.Contains(s.Requests, op.Name):
				t.Errorf("the store %q says nothing of %s, which its locks send (Requests)", id, op.Name)
			case s.Topology == store.Quorum && !strings.HasPrefix(of.texts[i], op.Name):
				t.Errorf("the text of %s of %q does not begin with its name: %s", op.Name, id, of.texts[i])
			case s.Topology == store.Quorum && op.Does == history.Anything:
				t.Errorf("the store %q does not say what %s can do to an entry (Op, history.Effect)", id, op.Name)
			}
			seen[op.Name] = true
		}
		for _, kind := range []history.Kind{history.Granted, history.Removed} {
			if !slices.Contains(of.kinds, kind) {
				t.Errorf("no entry in %q is ever %s, though locks on it are taken and released: its model tells no such change (store.Change)", id, kind)
			}
		}
	}
}
