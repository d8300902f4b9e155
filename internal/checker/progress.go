package checker

import (
	"math"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// ProgressID names the property that the lock becomes available again.
const ProgressID = "progress"

// ProgressFactor times the lease is how long the lock may stay unavailable after all faults are
// over. Worlds let the probe wait at least that long.
const ProgressFactor = 10

func init() {
	Register(Property{
		ID:      ProgressID,
		Summary: "Once the faults are over, a client that asks for the lock gets it within ten leases.",
		Source:  "Lamport 1977, on liveness; the bound makes it testable",
		Core:    true,
		Check:   checkProgress,
	})
}

// checkProgress asks whether the probe, a client that starts when all faults are over, acquires
// within ProgressFactor leases. The time is counted from the beginning of the quiet period
// (Healed), and again from each acquisition by another client:
//
//	100 healed
//	101 P waits         the probe
//	150 A acquired      A had been frozen and plays its last round
//	155 A releasing
//	210 P acquired      60 after 150: kept with a lease of 10
//
// A client that holds the lock for ever is no excuse: if its work hangs while its watchdog renews
// the lease, no other client can acquire until an operator kills it:
//
//	  5 A acquired      A never releases
//	100 healed
//	101 P waits
//	201 P gave-up       stuck from 100 until 201: broken
//
// A history that ends before the probe has had its time leaves the property unknown.
//
// The violation is the interval in which the lock was unavailable. Its first client is the probe;
// those that believed at its end that they hold the lock follow.
func checkProgress(h *history.History) Finding {
	f := Finding{Property: ProgressID, Verdict: Unknown}
	q := watchQuiet(h)
	switch {
	case q.healed == history.NoCause:
		f.Reason = say.Text("the history has no quiet period")
		return f
	case q.probe == 0:
		f.Reason = say.NoProbe.With()
		return f
	case h.Header.Lease <= 0:
		f.Reason = say.Text("the history does not say how long the lease was")
		return f
	}
	bound, length := ProgressBound(h.Header.Lease), q.to.Sub(q.from)
	if q.got && length <= bound {
		f.Verdict = Kept
		return f
	}
	if length < bound {
		f.Reason = say.ProbeTooShort.With(ProgressFactor)
		return f
	}
	f.Verdict = Broken
	f.add(Violation{
		From: q.from, To: q.to,
		Clients: append([]history.NodeID{q.probe}, without(q.holders, q.probe)...),
		Events:  evidence(q.healed, q.moved, q.waits, q.last),
	})
	return f
}

// ProgressBound returns how long the lock may stay unavailable in the quiet period.
func ProgressBound(lease time.Duration) time.Duration {
	if lease > math.MaxInt64/ProgressFactor {
		return math.MaxInt64
	}
	return ProgressFactor * lease
}

// quiet is the quiet period, until the probe has acquired or given up.
type quiet struct {
	healed   int32            // the Healed event
	waits    int32            // the probe's first Waits after it
	moved    int32            // the last Acquired of another client after healed
	last     int32            // what ended the wait, or the last event of the history
	probe    history.NodeID   // 0: no probe ran
	holders  []history.NodeID // others that believed at the end that they hold the lock
	got      bool             // whether the probe acquired
	from, to history.Instant  // when the lock was unavailable
}

func watchQuiet(h *history.History) quiet {
	q := quiet{healed: history.NoCause, waits: history.NoCause, moved: history.NoCause}
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		switch e.Kind {
		case history.Acquired:
			q.holders = append(without(q.holders, e.Node), e.Node)
		case history.Releasing, history.LostLease, history.Crashed:
			q.holders = without(q.holders, e.Node)
		}
		if e.Kind == history.Healed && q.healed == history.NoCause {
			q.healed, q.from = i, e.At
		}
		if q.healed == history.NoCause {
			continue
		}
		q.last, q.to = i, e.At
		isProbe := h.Role(e.Node) == history.RoleProbe
		switch {
		case e.Kind == history.Waits && isProbe && q.waits == history.NoCause:
			q.waits, q.probe = i, e.Node
		case e.Kind == history.Acquired && isProbe:
			q.probe, q.got = e.Node, true
			return q
		case e.Kind == history.GaveUp && isProbe:
			q.probe = e.Node
			return q
		case e.Kind == history.Acquired:
			q.moved, q.from = i, e.At
		}
	}
	if q.healed != history.NoCause {
		q.last, q.to = int32(len(h.Events)-1), h.End()
	}
	return q
}
