package explain

import (
	"fmt"

	"lockstep/internal/history"
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
				Assumed: "There is one primary at a time.",
				Formula: fmt.Sprintf("%s granted the entry at %s, %s has been the primary since %s",
					h.Name(entry.node), entry.from, h.Name(e.Node), e.At),
			}
		}
		if !entry.replicated {
			return False{
				Assumed: "A new primary knows every entry of the old one.",
				Formula: fmt.Sprintf("entry created %s before %s was promoted, and not replicated", seconds(e.At.Sub(entry.from)), h.Name(e.Node)),
			}
		}
	}
	return False{}
}

// dropped explains an entry that the store itself removed before its time.
func dropped(entry *life) False {
	f := False{
		Assumed: "The store keeps an entry until its lease ends or its owner releases it.",
		Formula: fmt.Sprintf("dropped %s after the grant", seconds(entry.over.Sub(entry.from))),
	}
	if left := entry.ttl - entry.over.Sub(entry.set); left > 0 {
		f.Formula += fmt.Sprintf(", %s before the end of its lease", seconds(left))
	}
	return f
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
				Assumed: "What the store has confirmed outlives a restart of the store.",
				Formula: fmt.Sprintf("entry created at %s, %s back without it at %s", entry.from, h.Name(e.Node), e.At),
			}
		case history.Demoted:
			return False{
				Assumed: "A primary that becomes a replica keeps what it has confirmed.",
				Formula: fmt.Sprintf("entry created at %s, %s follows %s since %s", entry.from, h.Name(e.Node), h.Name(e.Peer), e.At),
			}
		}
	}
	return False{}
}
