package explain

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// Assumptions about the store that are not about time.

// splitBrain explains two holders with live entries on two primaries.
func (q *inquiry) splitBrain(entry *timeline.Entry) False {
	if q.h.Cluster() != 0 {
		return False{}
	}
	for i, e := range q.h.Each(history.Promoted) {
		if e.At > q.at {
			break
		}
		if e.Peer != entry.Node {
			continue
		}
		f := False{Events: []int32{entry.Began, i}}
		if e.At <= entry.From {
			f.Assumed = say.OnePrimary.With()
			f.Formula = say.TwoPrimaries.With(say.Verbatim(q.h.Name(entry.Node)), say.Seconds(entry.From), say.Verbatim(q.h.Name(e.Node)), say.Seconds(e.At))
			return f
		}
		if !slices.Contains(entry.Copies, e.Node) {
			f.Assumed = say.PrimaryKnowsAll.With()
			f.Formula = say.NotReplicated.With(say.Seconds(e.At.Sub(entry.From)), say.Verbatim(q.h.Name(e.Node)))
			return f
		}
	}
	return False{}
}

// failedOver explains an entry that was lost with its server.
func (q *inquiry) failedOver(entry *timeline.Entry) False {
	if f := q.amnesia(entry); f.Proved() {
		return f
	}
	if q.copiedToPromoted(entry) {
		return False{}
	}
	age, crash := entry.Over.Sub(entry.From), entry.Ended
	for i, e := range q.h.Each(history.Crashed) {
		// The lag competes with the crash, not with the later event that shows the loss.
		if e.Node == entry.Node && e.At >= entry.From && e.At <= entry.Over {
			age, crash = e.At.Sub(entry.From), i
			break
		}
	}
	f := False{Assumed: say.OutlivesThePrimary.With(), Events: []int32{crash}}
	switch {
	case q.bound(), age > max(q.lag, time.Second) && q.neverReplicated():
		f.Formula = say.NeverReplicated.With()
	case len(entry.Copies) > 0:
		f.Formula = say.CopiedElsewhere.With(say.ListOf(q.t.names(entry.Copies)))
	case q.lag > age:
		f.Formula = say.YoungerThanLag.With(say.Seconds(age), say.OptionalSeconds(q.lag))
	default:
		f.Formula = say.YoungerThanLag.With(say.Seconds(age), 0)
	}
	return f
}

// copiedToPromoted reports whether every replica that was promoted had the entry.
func (q *inquiry) copiedToPromoted(entry *timeline.Entry) bool {
	if len(entry.Copies) == 0 {
		return false
	}
	for _, e := range q.h.Each(history.Promoted) {
		if e.At >= entry.From && e.At <= q.at && !slices.Contains(entry.Copies, e.Node) {
			return false
		}
	}
	return true
}

// bound reports whether the lock's entries belong to connections, so that no replica can have them,
// however little lag it has.
func (q *inquiry) bound() bool {
	for _, e := range q.h.Each(history.Sent) {
		if q.h.Op(e.Text).Bound {
			return true
		}
	}
	return false
}

// neverReplicated reports whether replication leaves out the lock's entries, as it does those of
// database sessions: they have no end, and no replica has a copy.
func (q *inquiry) neverReplicated() bool {
	for _, e := range q.h.Each(history.Granted) {
		if e.Value > 0 {
			return false
		}
	}
	return q.h.Count(history.Granted) > 0 && q.h.Count(history.Replicated) == 0
}

// dropped explains an entry that the store removed before its time.
func (q *inquiry) dropped(entry *timeline.Entry) False {
	left := max(0, entry.TTL-entry.Over.Sub(entry.Set))
	return because(say.StoreKeepsEntries.With(),
		say.DroppedAfter.With(say.Seconds(entry.Over.Sub(entry.From)), say.OptionalSeconds(left)))
}

// amnesia explains an entry that its server lost by a restart or a demotion.
func (q *inquiry) amnesia(entry *timeline.Entry) False {
	for i, e := range q.h.Each(history.Restarted, history.Demoted) {
		if e.Node != entry.Node || e.At < entry.From {
			continue
		}
		node := say.Verbatim(q.h.Name(e.Node))
		if e.Kind == history.Restarted {
			return because(say.OutlivesARestart.With(),
				say.BackWithoutIt.With(say.Seconds(entry.From), node, say.Seconds(e.At)), i)
		}
		return because(say.DemotedKeepsAll.With(),
			say.FollowsSince.With(say.Seconds(entry.From), node, say.Verbatim(q.h.Name(e.Peer)), say.Seconds(e.At)), i)
	}
	return False{}
}
