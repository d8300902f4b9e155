package explain

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Assumptions about the store that have nothing to do with time running out.

// splitBrain explains two holders whose entries are both alive, on two servers
// that both take themselves for the primary.
func (q *inquiry) splitBrain(entry *life) False {
	if q.t.cluster != 0 {
		return False{}
	}
	for i := range q.h.Events {
		e := &q.h.Events[i]
		if e.At > q.at {
			break
		}
		if e.Kind != history.Promoted || e.Peer != entry.node {
			continue
		}
		f := False{Events: []int32{entry.begun, int32(i)}}
		if e.At <= entry.from {
			f.Assumed = say.OnePrimary.With()
			f.Formula = say.TwoPrimaries.With(say.Verbatim(q.h.Name(entry.node)), say.Seconds(entry.from), say.Verbatim(q.h.Name(e.Node)), say.Seconds(e.At))
			return f
		}
		if !slices.Contains(entry.copies, e.Node) {
			f.Assumed = say.PrimaryKnowsAll.With()
			f.Formula = say.NotReplicated.With(say.Seconds(e.At.Sub(entry.from)), say.Verbatim(q.h.Name(e.Node)))
			return f
		}
	}
	return False{}
}

// failedOver explains an entry that was gone with its server.
func (q *inquiry) failedOver(entry *life) False {
	if f := q.amnesia(entry); f.Proved() {
		return f
	}
	if q.inherited(entry) {
		return False{}
	}
	age, crash := entry.over.Sub(entry.from), entry.ended
	for i := range q.h.Events {
		// The crash, not the moment at which the loss was noticed, is what the
		// lag competes with.
		if e := &q.h.Events[i]; e.Kind == history.Crashed && e.Node == entry.node && e.At >= entry.from && e.At <= entry.over {
			age, crash = e.At.Sub(entry.from), int32(i)
			break
		}
	}
	f := False{Assumed: say.OutlivesThePrimary.With(), Events: []int32{crash}}
	switch {
	case age > max(q.lag, time.Second) && q.neverReplicated():
		f.Formula = say.NeverReplicated.With()
	case len(entry.copies) > 0:
		f.Formula = say.CopiedElsewhere.With(say.ListOf(q.namesOf(entry.copies)))
	case q.lag > age:
		f.Formula = say.YoungerThanLag.With(say.Seconds(age), say.OptionalSeconds(q.lag))
	default:
		f.Formula = say.YoungerThanLag.With(say.Seconds(age), 0)
	}
	return f
}

// inherited reports whether a replica that became the primary had the entry.
func (q *inquiry) inherited(entry *life) bool {
	if len(entry.copies) == 0 {
		return false
	}
	for i := range q.h.Events {
		if e := &q.h.Events[i]; e.Kind == history.Promoted && e.At >= entry.from && e.At <= q.at && !slices.Contains(entry.copies, e.Node) {
			return false
		}
	}
	return true
}

func (q *inquiry) namesOf(ids []history.NodeID) (names []string) {
	for _, id := range ids {
		names = append(names, q.h.Name(id))
	}
	return names
}

// neverReplicated reports whether the lock's entries are left out by replication,
// as those of database sessions are: they have no end, and no replica ever got
// one.
func (q *inquiry) neverReplicated() bool {
	granted := false
	for _, i := range q.h.Milestones() {
		switch e := &q.h.Events[i]; {
		case e.Kind == history.Replicated, e.Kind == history.Granted && e.Value > 0:
			return false
		case e.Kind == history.Granted:
			granted = true
		}
	}
	return granted
}

// dropped explains an entry that the store itself removed before its time.
func (q *inquiry) dropped(entry *life) False {
	left := max(0, entry.ttl-entry.over.Sub(entry.set))
	return False{
		Assumed: say.StoreKeepsEntries.With(),
		Formula: say.DroppedAfter.With(say.Seconds(entry.over.Sub(entry.from)), say.OptionalSeconds(left)),
	}
}

// amnesia explains an entry that its own server forgot by restarting.
func (q *inquiry) amnesia(entry *life) False {
	for i := range q.h.Events {
		e := &q.h.Events[i]
		if e.Node != entry.node || e.At < entry.from {
			continue
		}
		switch e.Kind {
		case history.Restarted:
			return False{
				Assumed: say.OutlivesARestart.With(),
				Formula: say.BackWithoutIt.With(say.Seconds(entry.from), say.Verbatim(q.h.Name(e.Node)), say.Seconds(e.At)),
				Events:  []int32{int32(i)},
			}
		case history.Demoted:
			return False{
				Assumed: say.DemotedKeepsAll.With(),
				Formula: say.FollowsSince.With(say.Seconds(entry.from), say.Verbatim(q.h.Name(e.Node)), say.Verbatim(q.h.Name(e.Peer)), say.Seconds(e.At)),
				Events:  []int32{int32(i)},
			}
		}
	}
	return False{}
}
