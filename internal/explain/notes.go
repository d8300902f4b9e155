package explain

import (
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// note says which properties break at an event, and why.
func (t *narrator) note(e *history.Event, breaks []breach) say.Phrase {
	sorted := slices.Clone(breaks)
	slices.SortStableFunc(sorted, func(a, b breach) int { return rank(a.property) - rank(b.property) })
	var parts say.Remarks
	last := ""
	for _, b := range sorted {
		if b.property != last {
			parts = append(parts, t.oneNote(e, b))
		}
		last = b.property
	}
	return say.Said.With(parts)
}

// Order is the order in which reports show properties; others follow by name.
var Order = []string{
	checker.MutualExclusionID, checker.OwnerOnlyReleaseID, checker.NoStaleWriteID,
	checker.NoLostUpdateID, checker.ProgressID,
}

func rank(property string) int {
	if i := slices.Index(Order, property); i >= 0 {
		return i
	}
	return len(Order)
}

func (t *narrator) oneNote(e *history.Event, b breach) say.Phrase {
	wrong, other := e.Node, history.NodeID(0)
	if len(b.Clients) > 0 {
		wrong = b.Clients[0]
	}
	if len(b.Clients) > 1 {
		other = b.Clients[1]
	}
	switch b.property {
	case checker.MutualExclusionID:
		// The overlap begins at e: all other believers were there before.
		for _, id := range b.Clients {
			if id != e.Node && t.Client(id).Believes {
				return say.TwoInsideSince.With(t.who(id), say.Seconds(t.Client(id).Since))
			}
		}
		return say.Text("two holders inside")
	case checker.OwnerOnlyReleaseID:
		if e.Owner != 0 && e.Owner != wrong {
			return say.WrongOwnerOf.With(t.who(e.Owner), t.who(wrong))
		}
		return say.Text("wrong owner: the entry was another client's")
	case checker.NoStaleWriteID:
		switch {
		case other == 0:
			return say.Text("stale write")
		case t.Client(other).Believes && (!t.Grants || t.Held(other) != nil):
			return say.StaleWriteHeld.With(t.who(other), say.Seconds(t.Client(other).Since))
		case t.Client(other).Believes:
			return say.StaleWriteInside.With(t.who(other), say.Seconds(t.Client(other).Since))
		}
		return say.StaleWriteAfter.With(t.who(other), t.who(wrong))
	case checker.NoLostUpdateID:
		if other == 0 {
			return say.LostUpdate.With()
		}
		return say.LostUpdateOf.With(t.who(other))
	case checker.ProgressID:
		return say.StuckSince.With(say.Seconds(b.From))
	}
	if b.To > b.From {
		return say.IsBrokenFor.With(say.Property(b.property), say.Seconds(b.From), say.Seconds(b.To))
	}
	return say.IsBroken.With(say.Property(b.property))
}
