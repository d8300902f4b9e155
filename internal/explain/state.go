package explain

import (
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// together is how close two events of one client must be to share a sentence, and how late a
// message may be without having one.
const together = 250 * time.Millisecond

// narrator narrates a history along its states.
type narrator struct {
	*timeline.State
	h        *timeline.Timeline
	breaks   map[int32][]breach
	progress bool    // progress is broken: the final quiet period is part of the story
	cut      int     // faults that cut links now
	drops    []int64 // numbers of drop faults that have begun and not acted yet
	foreign  []bool  // by node: a step says that it extends another client's entry
}

func newNarrator(h *timeline.Timeline, findings []checker.Finding) *narrator {
	t := &narrator{State: h.Begin(), h: h, breaks: anchors(h, findings), foreign: make([]bool, len(h.Header.Nodes)+1)}
	for _, f := range findings {
		t.progress = t.progress || (f.Property == checker.ProgressID && f.Verdict == checker.Broken)
	}
	return t
}

// beliefs says what the clients believe and what the store has, and whether the two disagree.
func (t *narrator) beliefs() (belief, store say.Phrase, apart bool) {
	var believers []history.NodeID
	for id := range t.Clients {
		if t.Clients[id].Believes {
			believers = append(believers, history.NodeID(id))
		}
	}
	switch {
	case len(believers) == 0:
		belief = say.NobodyBelieves.With()
	case len(believers) == 1:
		belief = say.Believes.With(say.Name(t.name(believers[0])))
	case len(believers) > 4:
		belief = say.ManyBelieve.With(say.Number(len(believers)))
	default:
		belief = say.Believe.With(t.names(believers))
	}
	if !t.Grants {
		return belief, nothing, len(believers) > 1
	}
	product := say.Product(t.h.Header.Store)
	owners, counts := t.Owners()
	switch {
	case t.AllDown():
		return belief, say.StoreIsDown.With(product), len(believers) > 0
	case len(owners) == 0:
		store = say.StoreHasNobody.With(product)
	case len(owners) == 1 && counts[0] == t.Servers():
		store = say.StoreHas.With(product, say.Name(t.name(owners[0])))
	default:
		shares := make(say.Shares, len(owners))
		for i, o := range owners {
			shares[i] = say.Share{Name: say.Name(t.name(o)), Has: counts[i], Of: t.Servers()}
		}
		store = say.StoresHave.With(shares)
	}
	agree := len(owners) == len(believers) && (len(owners) == 0 || owners[0] == believers[0])
	return belief, store, !agree || len(believers) > 1
}
