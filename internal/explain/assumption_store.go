package explain

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Assumptions about the store that have nothing to do with time running out.

// splitBrain explains two holders whose entries are both alive, on two servers
// that both take themselves for the primary.
func splitBrain(h *history.History, entry *life, at history.Instant) False {
	if clusterOf(h) != 0 {
		return False{}
	}
	for i := range h.Events {
		e := &h.Events[i]
		if e.At > at {
			break
		}
		if e.Kind != history.Promoted || e.Peer != entry.node {
			continue
		}
		if e.At <= entry.from {
			return False{
				Assumed: say.OnePrimary.With(),
				Formula: say.TwoPrimaries.With(say.Verbatim(h.Name(entry.node)), say.Seconds(entry.from), say.Verbatim(h.Name(e.Node)), say.Seconds(e.At)),
			}
		}
		if !entry.replicated {
			return False{
				Assumed: say.PrimaryKnowsAll.With(),
				Formula: say.NotReplicated.With(say.Seconds(e.At.Sub(entry.from)), say.Verbatim(h.Name(e.Node))),
			}
		}
	}
	return False{}
}

// dropped explains an entry that the store itself removed before its time.
func dropped(entry *life) False {
	left := max(0, entry.ttl-entry.over.Sub(entry.set))
	return False{
		Assumed: say.StoreKeepsEntries.With(),
		Formula: say.DroppedAfter.With(say.Seconds(entry.over.Sub(entry.from)), say.OptionalSeconds(left)),
	}
}

// amnesia explains an entry that its own server forgot by restarting.
func amnesia(h *history.History, entry *life) False {
	for i := range h.Events {
		e := &h.Events[i]
		if e.Node != entry.node || e.At < entry.from {
			continue
		}
		switch e.Kind {
		case history.Restarted:
			return False{
				Assumed: say.OutlivesARestart.With(),
				Formula: say.BackWithoutIt.With(say.Seconds(entry.from), say.Verbatim(h.Name(e.Node)), say.Seconds(e.At)),
			}
		case history.Demoted:
			return False{
				Assumed: say.DemotedKeepsAll.With(),
				Formula: say.FollowsSince.With(say.Seconds(entry.from), say.Verbatim(h.Name(e.Node)), say.Verbatim(h.Name(e.Peer)), say.Seconds(e.At)),
			}
		}
	}
	return False{}
}
