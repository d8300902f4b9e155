package explain

import (
	"fmt"
	"sort"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/history"
)

// violationsAt returns what breaks at an event.
func (t *teller) violationsAt(i int32) []breach { return t.breaks[i] }

// note says which properties break at an event, and why that is so.
func (t *teller) note(e *history.Event, breaks []breach) string {
	sorted := append([]breach(nil), breaks...)
	sort.SliceStable(sorted, func(i, j int) bool { return rank(sorted[i].property) < rank(sorted[j].property) })
	var parts []string
	last := ""
	for _, b := range sorted {
		if b.property != last {
			parts = append(parts, t.oneNote(e, b))
		}
		last = b.property
	}
	return "<- " + strings.Join(parts, "; ")
}

// Order is the order in which reports show properties; others follow by name.
var Order = []string{
	checker.MutualExclusionID, checker.OwnerOnlyReleaseID, checker.NoStaleWriteID,
	checker.NoLostUpdateID, checker.ProgressID,
}

func rank(property string) int {
	for i, id := range Order {
		if id == property {
			return i
		}
	}
	return len(Order)
}

func (t *teller) oneNote(e *history.Event, b breach) string {
	wrong, other := e.Node, history.NodeID(0)
	if len(b.Clients) > 0 {
		wrong = b.Clients[0]
	}
	if len(b.Clients) > 1 {
		other = b.Clients[1]
	}
	switch b.property {
	case checker.MutualExclusionID:
		// The overlap begins at e: everybody else who believes was there before.
		for _, id := range b.Clients {
			if id != e.Node && t.client(id).believes {
				return fmt.Sprintf("two inside: %s has been in since %s", t.object(id), t.client(id).since)
			}
		}
		return "two inside"
	case checker.OwnerOnlyReleaseID:
		if e.Owner != 0 && e.Owner != wrong {
			return fmt.Sprintf("wrong owner: the entry was %s's, not %s's", t.object(e.Owner), t.object(wrong))
		}
		return "wrong owner: the entry was another client's"
	case checker.NoStaleWriteID:
		switch {
		case other == 0:
			return "stale write"
		case t.client(other).believes && (!t.grants || t.held(other) != nil):
			return fmt.Sprintf("stale write: %s has held the lock since %s", t.object(other), t.client(other).since)
		case t.client(other).believes:
			return fmt.Sprintf("stale write: %s has been in since %s", t.object(other), t.client(other).since)
		}
		return fmt.Sprintf("stale write: %s had the lock after %s", t.object(other), t.object(wrong))
	case checker.NoLostUpdateID:
		if other == 0 {
			return "lost update"
		}
		return fmt.Sprintf("lost update: what %s wrote is overwritten", t.object(other))
	case checker.ProgressID:
		return fmt.Sprintf("stuck: nobody could get the lock since %s", b.From)
	}
	return b.property + " is broken"
}
